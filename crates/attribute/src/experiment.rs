//! The run that would decide most between the limits that are left, and how to read its answer.

use fathom_record::Workload;
use fathom_record::facts::TargetKind;
use fathom_record::verdict::{Experiment, Limit};
use fathom_record::workload::{Addresses, Length, Mix, Sizes, SizesByDirection};

use crate::input::Pattern;
use crate::limits::Finding;
use crate::shape::Shape;
use crate::thresholds::MOSTLY_WRITTEN;
use crate::words;

/// Measured time of an experiment: enough seconds to see their variation.
const TIME_NS: u64 = 30_000_000_000;
/// Measured time of one that looks for a disturbance.
const LONG_TIME_NS: u64 = 120_000_000_000;
/// Greatest depth that is proposed.
const MAX_DEPTH: u32 = 1024;
/// Most jobs that are proposed.
const MAX_JOBS: u32 = 64;
/// Largest block that is proposed.
const MAX_BLOCK_BYTES: u64 = 16 << 20;
/// Block of a fill.
const FILL_BLOCK_BYTES: u64 = 1 << 20;

/// The experiment for the most probable limit, or for the two that look most alike; `None` where no run of
/// this program would tell more.
pub fn next(pattern: &Pattern<'_>, shape: &Shape<'_>, found: &[Finding]) -> Option<Experiment> {
    let proposal = Proposal { pattern, shape };
    let mut limits = found.iter().map(|f| f.limit).filter(|limit| *limit != Limit::Unknown);
    match (limits.next(), limits.next()) {
        (None, _) => proposal.deeper(),
        (Some(Limit::RateCap), Some(Limit::DeviceParallelism))
        | (Some(Limit::DeviceParallelism), Some(Limit::RateCap)) => proposal.cap_or_device(),
        (Some(Limit::Concurrency | Limit::DeviceParallelism | Limit::Unknown), _) => proposal.deeper(),
        (Some(Limit::VolumeIops | Limit::VolumeThroughput | Limit::RateCap), _) => {
            proposal.other_block().or_else(|| proposal.cap_or_device())
        }
        (Some(Limit::OneCore | Limit::Generator), _) => proposal.more_jobs(),
        (Some(Limit::AllCores), _) => proposal.larger_block(),
        (Some(Limit::CacheArtefact), _) if proposal.reads_empty_blocks() => proposal.fill(),
        (Some(Limit::CacheArtefact), _) => proposal.larger_span(),
        (Some(_), _) => proposal.longer(),
    }
}

struct Proposal<'a> {
    pattern: &'a Pattern<'a>,
    shape: &'a Shape<'a>,
}

impl Proposal<'_> {
    /// The workload of the cell in question, for a fixed time.
    fn workload(&self, time_ns: u64) -> Workload {
        let mut workload = self.pattern.workload.clone();
        (workload.jobs, workload.depth) = (self.shape.focus.jobs, self.shape.focus.depth);
        workload.length = Length { time_ns: Some(time_ns), operations: None, bytes: None, ..workload.length };
        workload
    }

    fn experiment(&self, workload: &Workload, question: &str, reading: String) -> Experiment {
        Experiment { question: question.to_owned(), command: (self.pattern.command)(workload), reading }
    }

    fn rate(&self) -> String {
        words::iops(self.shape.focus.x_per_s)
    }

    /// Twice the rate, in words.
    fn twice(&self) -> String {
        words::iops(2.0 * self.shape.focus.x_per_s)
    }

    /// Twice the depth: latency-bound, or full.
    fn deeper(&self) -> Option<Experiment> {
        let mut workload = self.workload(TIME_NS);
        workload.depth = workload.depth.checked_mul(2).filter(|depth| *depth <= MAX_DEPTH)?;
        let reading = format!(
            "Close to {}: too few I/Os in flight were the limit. Within 2 % of {} and twice the latency: the \
             target or a cap is full. In between: the target's parallelism is running out.",
            self.twice(),
            self.rate()
        );
        Some(self.experiment(&workload, "Does more concurrency still give more?", reading))
    }

    /// Four times the depth, long enough to see whether the seconds are even.
    fn cap_or_device(&self) -> Option<Experiment> {
        let mut workload = self.workload(TIME_NS);
        workload.depth = workload.depth.checked_mul(4).filter(|depth| *depth <= MAX_DEPTH)?;
        let reading = format!(
            "Within 1 % of {} and 1-s rates that vary by less than 1 %: a fixed rate is enforced. A few percent \
             more, or uneven seconds: the target's own parallelism.",
            self.rate()
        );
        Some(self.experiment(&workload, "A fixed rate, or a device that is full?", reading))
    }

    /// Half the block size, or twice where blocks are as small as they can be.
    fn other_block(&self) -> Option<Experiment> {
        let smallest = u64::from(self.pattern.target.logical_block_bytes.max(1));
        let block = self.block_bytes()?;
        let halved = block / 2;
        if halved >= smallest.max(4096) && halved.is_multiple_of(smallest) {
            let reading = format!(
                "About {} again: operations are capped. About {}: bytes are capped.",
                self.rate(),
                self.twice()
            );
            return Some(self.with_block(halved, "Are operations capped, or bytes?", reading));
        }
        let half = words::iops(self.shape.focus.x_per_s / 2.0);
        let reading =
            format!("About {} again: operations are capped. About {half}: bytes are capped.", self.rate());
        let doubled = block.checked_mul(2).filter(|bytes| *bytes <= MAX_BLOCK_BYTES)?;
        Some(self.with_block(doubled, "Are operations capped, or bytes?", reading))
    }

    /// Twice the block size: does the cost of an I/O bind, or that of a byte?
    fn larger_block(&self) -> Option<Experiment> {
        let doubled = self.block_bytes()?.checked_mul(2).filter(|bytes| *bytes <= MAX_BLOCK_BYTES)?;
        let reading = format!(
            "About {} again with processors as busy: the processors' time for each I/O is the limit. Fewer I/Os \
             with processors less busy: it is the target's throughput.",
            self.rate()
        );
        Some(self.with_block(doubled, "Do the processors bind, or the bytes moved?", reading))
    }

    /// The one block size of the workload; `None` where sizes vary.
    fn block_bytes(&self) -> Option<u64> {
        let sizes = &self.pattern.workload.sizes;
        match (&sizes.read, &sizes.write) {
            (Sizes::Fixed { bytes: read }, Sizes::Fixed { bytes: write }) if read == write => Some(*read),
            _ => None,
        }
    }

    /// With other blocks, at four times the concurrency where that was measured, so that a higher rate is not
    /// kept down by too few I/Os in flight.
    fn with_block(&self, bytes: u64, question: &str, reading: String) -> Experiment {
        let mut workload = self.workload(TIME_NS);
        let (points, focus) = (&self.shape.points, &self.shape.focus);
        let enough = points.iter().filter(|p| p.in_flight >= 4.0 * focus.in_flight);
        let deep = enough.min_by(|a, b| a.in_flight.total_cmp(&b.in_flight)).copied();
        let at = deep.unwrap_or(self.shape.deepest());
        (workload.jobs, workload.depth) = (at.jobs, at.depth);
        workload.sizes = SizesByDirection::all(Sizes::Fixed { bytes });
        self.experiment(&workload, question, reading)
    }

    /// The same concurrency over twice the jobs.
    fn more_jobs(&self) -> Option<Experiment> {
        let mut workload = self.workload(TIME_NS);
        workload.jobs = workload.jobs.checked_mul(2).filter(|jobs| *jobs <= MAX_JOBS)?;
        workload.depth = (workload.depth / 2).max(1);
        let reading = format!(
            "Well above {}: a processor or the measuring program was the limit. The same rate: look at the \
             target.",
            self.rate()
        );
        Some(self.experiment(&workload, "Is it the processor of each job?", reading))
    }

    fn reads_empty_blocks(&self) -> bool {
        let is_empty = self.pattern.target.written_share.is_some_and(|share| share < MOSTLY_WRITTEN);
        is_empty && self.pattern.workload.mix.read_share > 0.0
    }

    /// The span written once, where it outlives the run.
    fn fill(&self) -> Option<Experiment> {
        let mut workload = self.workload(TIME_NS);
        if self.pattern.target.scratch {
            return None;
        }
        (workload.jobs, workload.depth) = (1, 8);
        workload.mix = Mix { read_share: 0.0, trim_share: 0.0, flush_every_writes: 0 };
        workload.addresses = Addresses::Sequential;
        workload.sizes = SizesByDirection::all(Sizes::Fixed { bytes: FILL_BLOCK_BYTES });
        let room = self.pattern.target.size_bytes.saturating_sub(workload.offset_bytes);
        let bytes = workload.span_bytes.unwrap_or(room);
        workload.length = Length { time_ns: None, operations: None, bytes: Some(bytes), warmup_ns: 0 };
        let reading = format!(
            "This overwrites what the span holds. Measure again afterwards: below {}, empty blocks had answered; \
             the same rate, the device does deliver it.",
            self.rate()
        );
        Some(self.experiment(&workload, "What do blocks deliver that hold data?", reading))
    }

    /// Eight times the span, where the target has it.
    fn larger_span(&self) -> Option<Experiment> {
        let target = self.pattern.target;
        let mut workload = self.workload(TIME_NS);
        let span_bytes = workload.span_bytes?.checked_mul(8)?;
        let room = target.size_bytes.saturating_sub(workload.offset_bytes);
        let grows = target.kind == TargetKind::File && target.scratch;
        if span_bytes > room && !grows {
            return None;
        }
        workload.span_bytes = Some(span_bytes);
        let reading = format!(
            "Well below {}: a cache answered before. The same rate: the device does deliver it.",
            self.rate()
        );
        Some(self.experiment(&workload, "Does a cache hold the span?", reading))
    }

    /// The same again, for longer.
    fn longer(&self) -> Option<Experiment> {
        let workload = self.workload(LONG_TIME_NS);
        let reading = format!(
            "Stop what else runs first. An even rate above {}: the first measurement was disturbed from outside. \
             The same again: it comes from the target, or from a load that is always there.",
            self.rate()
        );
        Some(self.experiment(&workload, "Is it the same when nothing else runs?", reading))
    }
}
