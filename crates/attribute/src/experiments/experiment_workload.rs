//! One experiment as the workload that makes it, with what must be done before.

use fathom_record::Workload;
use fathom_record::engine_list::{self, EngineRequirement};
use fathom_record::facts::TargetKind;
use fathom_record::workload::{Addresses, Arrival, Length, Mix, Sizes, SizesByDirection};

use crate::curve_shape::CurveShape;
use crate::evidence::Feature;
use crate::input::MeasuredPattern;
use crate::rate_bounds::is_foreseeable;
use crate::thresholds::MOSTLY_WRITTEN;

use super::distant_block_size::far_block;
use super::{block_bytes, is_storage};

/// Measured time of an experiment: enough seconds to see their variation.
const TIME_NS: u64 = 30_000_000_000;
/// Greatest depth that is proposed.
const MAX_DEPTH: u32 = 1024;
/// Most jobs that are proposed.
const MAX_JOBS: u32 = 64;
/// Largest block that is proposed.
const MAX_BLOCK_BYTES: u64 = 16 << 20;
/// Bytes of one trim.
const TRIM_BYTES: u64 = 1 << 20;
/// Factor of the span that tells a cache from a device.
const SPAN_FACTOR: u64 = 8;

/// How many times the jobs many of them are.
const MANY: [u32; 2] = [8, 4];
/// With many jobs, in flight that differ by no more than one in so many are as many.
const ABOUT_AS_MANY: u64 = 10;

/// I/Os in flight that differ by less than one in so many are as many.
const SAME_IN_FLIGHT: u64 = 15;

/// From this gain of twice the depth on, more in flight gives more.
const FULL: f64 = 1.03;

/// An experiment ready to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentTrial {
    /// What to run.
    pub workload: Workload,
    /// On what, and how.
    pub way: ExperimentConditions,
    /// What is done first.
    pub before: TrialPreparation,
}

/// What is done before an experiment runs.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialPreparation {
    /// Nothing.
    Nothing,
    /// The target rests, in minutes.
    Rest(f64),
    /// The workload's span is trimmed, by this workload.
    Trim(Box<Workload>),
}

/// What an experiment runs on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TrialTarget {
    /// The target itself.
    #[default]
    Target,
    /// The target and another one.
    Both(String),
    /// The device below the target's file system.
    Below(String),
}

/// How an experiment goes about its target, where the workload does not say it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TargetHandling {
    /// As the workload itself.
    #[default]
    Same,
    /// Each write ends only when its data is durable.
    Durable,
    /// No write waits until it is durable.
    NotDurable,
    /// Its jobs are bound to these processors, in turn.
    OnProcessors(Vec<u32>),
}

/// Everything beside the workload that an experiment may change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExperimentConditions {
    /// On what.
    pub place: TrialTarget,
    /// How.
    pub manner: TargetHandling,
}

impl From<TrialTarget> for ExperimentConditions {
    fn from(place: TrialTarget) -> Self {
        Self { place, manner: TargetHandling::Same }
    }
}

impl From<TargetHandling> for ExperimentConditions {
    fn from(manner: TargetHandling) -> Self {
        Self { place: TrialTarget::Target, manner }
    }
}

impl TrialTarget {
    /// The targets, of a workload whose own are these.
    pub fn targets(&self, own: &[String]) -> Vec<String> {
        match self {
            TrialTarget::Target => own.to_vec(),
            TrialTarget::Both(second) => own.iter().chain([second]).cloned().collect(),
            TrialTarget::Below(device) => vec![device.clone()],
        }
    }
}

impl ExperimentTrial {
    /// What to type, as one line.
    pub fn command(&self, pattern: &MeasuredPattern<'_>) -> String {
        let line = (pattern.command)(&self.workload, &self.way);
        match &self.before {
            TrialPreparation::Nothing => line,
            TrialPreparation::Rest(minutes) => format!("sleep {:.0} && {line}", minutes * 60.0),
            TrialPreparation::Trim(trim) => format!("{} && {line}", (pattern.command)(trim, &self.way)),
        }
    }

    /// What it takes, in minutes, without what a trim takes, which nobody knows before.
    pub fn minutes(&self) -> f64 {
        let rest = if let TrialPreparation::Rest(minutes) = self.before { minutes } else { 0.0 };
        let length = self.workload.length;
        rest + (length.warmup_ns + length.time_ns.unwrap_or(0)) as f64 / 60e9
    }
}

/// The trial of an experiment; `None` where it cannot be made on this pattern.
pub fn trial(
    experiment: Feature,
    pattern: &MeasuredPattern<'_>,
    shape: &CurveShape<'_>,
) -> Option<ExperimentTrial> {
    let mut trial = ExperimentTrial {
        workload: base(pattern, shape),
        way: ExperimentConditions::default(),
        before: TrialPreparation::Nothing,
    };
    let workload = &mut trial.workload;
    let is_open = workload.arrival.is_open();
    match experiment {
        Feature::DoubleDepth if !is_open => {
            workload.depth = workload.depth.checked_mul(2).filter(|depth| *depth <= MAX_DEPTH)?;
        }
        Feature::DoubleJobs if !is_open && (halves(workload.depth) || is_full(pattern)) => {
            workload.jobs = workload.jobs.checked_mul(2).filter(|jobs| *jobs <= MAX_JOBS)?;
            workload.depth = workload.depth.div_ceil(2);
        }
        Feature::ManyJobs if !is_open => many_jobs(pattern, workload)?,
        Feature::HalfBlock => resize(workload, half(pattern, workload)?),
        Feature::FarBlock => resize(workload, far_block(pattern)?),
        Feature::DoubleBlock => {
            resize(workload, block_bytes(workload)?.checked_mul(2).filter(|b| *b <= MAX_BLOCK_BYTES)?)
        }
        Feature::Sequential if is_unforeseeable(pattern) => workload.addresses = Addresses::Sequential,
        Feature::Reads if !is_open && workload.mix.write_share() > 0.0 && holds_data(pattern) => {
            workload.mix = Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 };
        }
        Feature::Repeat => {}
        Feature::LargerSpan => workload.span_bytes = Some(larger_span(pattern, workload)?),
        Feature::RawDevice if workload.mix.read_share >= 1.0 && pattern.target.kind == TargetKind::File => {
            trial.way = TrialTarget::Below(pattern.means.raw_device.clone()?).into();
        }
        Feature::SecondTarget if is_storage(pattern) => {
            // Jobs work on the targets in turn, so that each has as much in flight as the one had.
            workload.jobs = workload.jobs.checked_mul(2).filter(|jobs| *jobs <= MAX_JOBS)?;
            trial.way = TrialTarget::Both(pattern.means.second_target.clone()?).into();
        }
        Feature::Idle if pattern.means.rest_minutes > 0.0 => {
            trial.before = TrialPreparation::Rest(pattern.means.rest_minutes);
            // What a short rest brings back is gone within a second or two.
            trial.workload.length.warmup_ns = 0;
        }
        Feature::Purge if pattern.means.may_purge => {
            trial.before = TrialPreparation::Trim(Box::new(trim(pattern, workload)))
        }
        Feature::OtherFile if pattern.target.kind == TargetKind::File && !is_open => {
            spread(pattern, workload)?;
            trial.way = TrialTarget::Both(pattern.means.other_file.clone()?).into();
        }
        Feature::Unflushed if !is_open && pattern.flushes_per_write()? > 0.0 => {
            workload.mix.flush_every_writes = 0;
            trial.way =
                if pattern.durable { TargetHandling::NotDurable } else { TargetHandling::Same }.into();
        }
        Feature::Durable if !is_open && may_be_durable(pattern) => trial.way = TargetHandling::Durable.into(),
        Feature::OneConnection if !is_open && shape.telemetry.connections.is_some() => {
            one_connection_more(workload)?;
        }
        Feature::OtherNode if !is_open => {
            trial.way = TargetHandling::OnProcessors(pattern.means.other_node_cpus.clone()?).into();
        }
        _ => return None,
    }
    Some(trial)
}

/// Puts the jobs of a workload on two targets with as many I/Os in flight as before. Jobs work on targets in turn, so that
/// an even number of them is spread as it is.
fn spread(pattern: &MeasuredPattern<'_>, workload: &mut Workload) -> Option<()> {
    if !workload.jobs.is_multiple_of(2) {
        let can_be_halved = halves(workload.depth) || is_full(pattern);
        workload.jobs = workload.jobs.checked_mul(2).filter(|jobs| *jobs <= MAX_JOBS && can_be_halved)?;
        workload.depth = workload.depth.div_ceil(2);
    }
    Some(())
}

/// Many times the jobs with as many in flight; where more in flight was shown to change nothing, with no fewer.
fn many_jobs(pattern: &MeasuredPattern<'_>, workload: &mut Workload) -> Option<()> {
    let times = many_times(pattern, (workload.jobs, workload.depth))?;
    (workload.jobs, workload.depth) = (workload.jobs * times, workload.depth.div_ceil(times));
    Some(())
}

/// How many times the jobs of a cell many of them are; `None` where the depth cannot be divided, or processors are lacking.
pub fn many_times(pattern: &MeasuredPattern<'_>, (jobs, depth): (u32, u32)) -> Option<u32> {
    let most = pattern.means.most_jobs.min(MAX_JOBS);
    let in_flight = u64::from(jobs) * u64::from(depth);
    let has_room = |times: &u32| jobs.checked_mul(*times).is_some_and(|jobs| jobs <= most);
    let is_as_many = |times: &u32| {
        let more = u64::from(jobs) * u64::from(*times) * u64::from(depth.div_ceil(*times));
        more.abs_diff(in_flight) * ABOUT_AS_MANY <= in_flight
    };
    let mut fitting = MANY.into_iter().filter(has_room);
    let as_many = fitting.clone().find(is_as_many);
    as_many.or_else(|| fitting.next().filter(|_| is_full(pattern)))
}

/// Adds a job, each of which has a connection, and takes from the depth what it has in flight; `None` where no depth gives
/// nearly as many. Two in place of one are twice the jobs, which is an experiment of its own.
fn one_connection_more(workload: &mut Workload) -> Option<()> {
    let (jobs, depth) = (u64::from(workload.jobs), u64::from(workload.depth));
    let (in_flight, more) = (jobs * depth, jobs + 1);
    let each = (in_flight + more / 2) / more;
    let is_as_many = (each * more).abs_diff(in_flight) * SAME_IN_FLIGHT <= in_flight;
    (jobs >= 2 && more <= u64::from(MAX_JOBS) && each >= 1 && is_as_many).then_some(())?;
    (workload.jobs, workload.depth) = (u32::try_from(more).ok()?, u32::try_from(each).ok()?);
    Some(())
}

/// Whether writes go through the page cache, and could be made durable one by one.
fn may_be_durable(pattern: &MeasuredPattern<'_>) -> bool {
    let through_the_cache = !pattern.target.direct
        && matches!(pattern.target.kind, TargetKind::File | TargetKind::BlockDevice)
        && engine_list::named(pattern.engine).is_some_and(|engine| engine.takes(EngineRequirement::Durable));
    through_the_cache && pattern.flushes_per_write() == Some(0.0)
}

/// The workload of the cell in question, for a fixed time.
fn base(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> Workload {
    let mut workload = pattern.workload.clone();
    (workload.jobs, workload.depth) = (shape.focus.jobs, shape.focus.depth);
    let time_ns = workload.length.time_ns.unwrap_or(TIME_NS);
    workload.length = Length { time_ns: Some(time_ns), operations: None, bytes: None, ..workload.length };
    workload
}

/// Trims the span of a workload once, and nothing else.
fn trim(pattern: &MeasuredPattern<'_>, workload: &Workload) -> Workload {
    let room = pattern.target.size_bytes.saturating_sub(workload.offset_bytes);
    let bytes = workload.span_bytes.unwrap_or(room);
    Workload {
        mix: Mix { read_share: 0.0, trim_share: 1.0, flush_every_writes: 0 },
        addresses: Addresses::Sequential,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: TRIM_BYTES }),
        arrival: Arrival::Closed,
        jobs: 1,
        depth: 8,
        length: Length { time_ns: None, operations: None, bytes: Some(bytes), warmup_ns: 0 },
        ..workload.clone()
    }
}

/// Whether half the depth at twice the jobs is the same concurrency: exactly, or within a fifteenth.
fn halves(depth: u32) -> bool {
    depth >= 2 && (depth.is_multiple_of(2) || depth >= 15)
}

/// Whether more in flight was shown to change nothing: jobs may then be doubled at a depth that cannot be halved.
fn is_full(pattern: &MeasuredPattern<'_>) -> bool {
    let deeper = pattern.answers.iter().find(|answer| answer.experiment == Feature::DoubleDepth);
    deeper.is_some_and(|answer| {
        let ratio = answer.operations_per_s / answer.before_per_s;
        (1.0 / FULL..=FULL).contains(&ratio)
    })
}

fn resize(workload: &mut Workload, bytes: u64) {
    workload.sizes = SizesByDirection::all(Sizes::Fixed { bytes });
}

/// Half of the block, where the device takes it.
fn half(pattern: &MeasuredPattern<'_>, workload: &Workload) -> Option<u64> {
    let smallest = u64::from(pattern.target.logical_block_bytes.max(1));
    let halved = block_bytes(workload)? / 2;
    (halved >= smallest && halved.is_multiple_of(smallest)).then_some(halved)
}

fn is_unforeseeable(pattern: &MeasuredPattern<'_>) -> bool {
    is_storage(pattern) && !is_foreseeable(pattern)
}

/// Whether reads find data: blocks that were never written are answered without the device.
fn holds_data(pattern: &MeasuredPattern<'_>) -> bool {
    let is_written = pattern.target.written_share.is_some_and(|share| share >= MOSTLY_WRITTEN);
    is_storage(pattern) && (pattern.target.simulated.is_some() || is_written)
}

/// Eight times the span, where the target has it and the data of it is data.
fn larger_span(pattern: &MeasuredPattern<'_>, workload: &Workload) -> Option<u64> {
    let target = pattern.target;
    let span_bytes = workload.span_bytes?.checked_mul(SPAN_FACTOR)?;
    let room = target.size_bytes.saturating_sub(workload.offset_bytes);
    let grows = target.kind == TargetKind::File && target.scratch;
    (is_storage(pattern) && (span_bytes <= room || grows)).then_some(span_bytes)
}

#[cfg(test)]
mod tests;
