//! Refuses workloads that make no sense, before anything is opened.

use WorkloadErrorKind as Kind;

use super::{
    Addresses, Arrival, ConstantContent, FileOrder, Mix, Sizes, SpecialFeatures, TraceSource, Workload, Zone,
};
use crate::error::Error;

/// Which value of a workload is wrong, for callers to match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkloadErrorKind {
    /// Share of reads.
    ReadShare,
    /// Share of trims.
    TrimShare,
    /// What the mix is of.
    Mix,
    /// Share of the data that compresses.
    Compressible,
    /// Share of the data that is there already.
    Duplicate,
    /// Jobs.
    Jobs,
    /// Depth of a job.
    Depth,
    /// Sizes of I/Os, of any direction.
    Sizes,
    /// Multiple that offsets are of.
    Alignment,
    /// Part of the target.
    Span,
    /// Where I/Os go.
    Addresses,
    /// What few workloads have.
    Special,
    /// A trace.
    Trace,
    /// How fast a trace is replayed.
    Speed,
    /// When I/Os start.
    Rate,
    /// Pauses between I/Os.
    Pause,
    /// Length in time, or no length at all.
    Time,
    /// Length in I/Os.
    Count,
    /// Length in bytes.
    Bytes,
}

impl WorkloadErrorKind {
    /// The plan's name for the value.
    pub const fn key(self) -> &'static str {
        match self {
            Self::ReadShare => "read-share",
            Self::TrimShare => "trim-share",
            Self::Mix => "rw",
            Self::Compressible => "compressible",
            Self::Duplicate => "duplicate",
            Self::Jobs => "jobs",
            Self::Depth => "depth",
            Self::Sizes => "bs",
            Self::Alignment => "align",
            Self::Span => "size",
            Self::Addresses => "addresses",
            Self::Special => "special",
            Self::Trace => "replay",
            Self::Speed => "speed",
            Self::Rate => "rate",
            Self::Pause => "pause",
            Self::Time => "time",
            Self::Count => "count",
            Self::Bytes => "bytes",
        }
    }
}

/// What is wrong with a workload. Its place is the value's name in a plan, e.g. `depth`.
pub type WorkloadError = Error<WorkloadErrorKind>;

fn error(kind: Kind, cause: impl Into<String>) -> WorkloadError {
    WorkloadError::new(kind, kind.key(), cause)
}

fn refuse<T>(kind: Kind, cause: impl Into<String>) -> Result<T, WorkloadError> {
    Err(error(kind, cause))
}

fn share(kind: Kind, value: f64) -> Result<(), WorkloadError> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        refuse(kind, format!("{value} is not between 0 and 1"))
    }
}

/// Jobs, and I/Os in flight of one job, that are still a workload and not a mistake.
const MAX_JOBS: u32 = 1024;
const MAX_DEPTH: u32 = 32_768;
/// One I/O above this is refused: every slot holds a buffer of the largest size.
const MAX_IO_BYTES: u64 = 64 << 20;

impl Workload {
    /// Checks every value against its range and against the others.
    ///
    /// # Errors
    /// The first contradiction, with the plan's name of the field.
    pub fn validate(&self) -> Result<(), WorkloadError> {
        share(Kind::ReadShare, self.mix.read_share)?;
        share(Kind::TrimShare, self.mix.trim_share)?;
        if self.mix.read_share + self.mix.trim_share > 1.0 + 1e-9 {
            return refuse(Kind::TrimShare, "reads and trims together are more than all I/Os");
        }
        let halves = self.mix == Mix { read_share: 0.0, trim_share: 0.5, flush_every_writes: 0 };
        if self.sizes.rewrites_trimmed && !halves {
            return refuse(
                Kind::Mix,
                "what was trimmed is written again by trims and writes alone, without flushes",
            );
        }
        share(Kind::Compressible, self.data.compressible_share)?;
        share(Kind::Duplicate, self.data.duplicate_share)?;
        if !(1..=MAX_JOBS).contains(&self.jobs) {
            return refuse(Kind::Jobs, format!("{} is not between 1 and {MAX_JOBS}", self.jobs));
        }
        if !(1..=MAX_DEPTH).contains(&self.depth) {
            return refuse(Kind::Depth, format!("{} is not between 1 and {MAX_DEPTH}", self.depth));
        }
        for sizes in [&self.sizes.read, &self.sizes.write, &self.sizes.trim] {
            validate_sizes(sizes)?;
        }
        if self.alignment_bytes.is_some_and(|a| a == 0 || a % 512 != 0) {
            return refuse(Kind::Alignment, "an alignment is a multiple of 512 bytes, e.g. 4k");
        }
        if self.span_bytes == Some(0) {
            return refuse(Kind::Span, "a span of 0 bytes leaves nothing to measure");
        }
        validate_addresses(&self.addresses)?;
        validate_arrival(&self.arrival)?;
        self.special.as_deref().map_or(Ok(()), validate_special)?;
        let traced = matches!(self.addresses, Addresses::Traced(_));
        let fits = match self.arrival {
            Arrival::Traced { .. } => traced,
            // A trace without times: one I/O after the other.
            Arrival::Closed => true,
            _ => !traced,
        };
        if !fits {
            return Err(error(Kind::Trace, "a trace says both where and when")
                .with_remedy("give --replay, and no other pattern or rate"));
        }
        let both = self.mix.read_share > 0.0 && self.mix.write_share() > 0.0 && self.mix.trim_share == 0.0;
        if matches!(self.arrival, Arrival::PerDirection { .. }) && !both {
            return refuse(
                Kind::Rate,
                "a rate for reads and one for writes need a mix of both, and of nothing else",
            );
        }
        let length = &self.length;
        if length.time_ns.is_none() && length.operations.is_none() && length.bytes.is_none() {
            return Err(error(Kind::Time, "nothing says when to stop")
                .with_remedy("give a time (30s), a number of I/Os (count) or of bytes (bytes)"));
        }
        let lengths =
            [(Kind::Time, length.time_ns), (Kind::Count, length.operations), (Kind::Bytes, length.bytes)];
        for (kind, value) in lengths {
            if value == Some(0) {
                return refuse(kind, "a length of zero measures nothing");
            }
        }
        Ok(())
    }
}

fn validate_sizes(sizes: &Sizes) -> Result<(), WorkloadError> {
    let (min, max) = (sizes.min_bytes(), sizes.max_bytes());
    if min == 0 {
        return refuse(Kind::Sizes, "an I/O size is not 0, e.g. 4k");
    }
    if max > MAX_IO_BYTES {
        return refuse(Kind::Sizes, "an I/O size is at most 64 MiB");
    }
    match sizes {
        Sizes::Fixed { .. } => Ok(()),
        Sizes::Range { min_bytes, max_bytes, step_bytes } => {
            if min_bytes > max_bytes {
                return refuse(Kind::Sizes, "the smallest size of a range is above the largest");
            }
            if *step_bytes == 0 || (max_bytes - min_bytes) % step_bytes != 0 {
                return refuse(
                    Kind::Sizes,
                    "the step of a range leads from the smallest to the largest size",
                );
            }
            Ok(())
        }
        Sizes::Split { shares } => {
            if shares.iter().any(|s| s.bytes == 0 || !(0.0..=1.0).contains(&s.share)) {
                return refuse(Kind::Sizes, "each part of a split is a size that is not 0, and a share");
            }
            adds_up_to_one(Kind::Sizes, shares.iter().map(|s| s.share))
        }
    }
}

fn adds_up_to_one(kind: Kind, shares: impl Iterator<Item = f64>) -> Result<(), WorkloadError> {
    let sum: f64 = shares.sum();
    if (sum - 1.0).abs() > 1e-6 {
        return refuse(kind, format!("the shares add up to {:.4} %, not 100 %", sum * 100.0));
    }
    Ok(())
}

fn validate_trace(traced: &TraceSource) -> Result<(), WorkloadError> {
    if traced.file.is_empty() {
        return Err(error(Kind::Trace, "no trace is named")
            .with_remedy("name the trace's file, e.g. --replay trace.csv"));
    }
    Ok(())
}

fn validate_addresses(addresses: &Addresses) -> Result<(), WorkloadError> {
    match addresses {
        Addresses::RandomCycle
        | Addresses::RandomIndependent
        | Addresses::Sequential
        | Addresses::Interlocked => Ok(()),
        Addresses::Strided { stride_bytes } => {
            if *stride_bytes == 0 || stride_bytes % 512 != 0 {
                return refuse(Kind::Addresses, "a stride is a multiple of 512 bytes and not 0");
            }
            Ok(())
        }
        Addresses::Backwards { step_bytes } => {
            if *step_bytes == 0 || step_bytes % 512 != 0 {
                return refuse(Kind::Addresses, "a step is a multiple of 512 bytes and not 0");
            }
            Ok(())
        }
        Addresses::Parts { part_bytes, gap_bytes } => {
            if *part_bytes == 0 || part_bytes % 512 != 0 || gap_bytes % 512 != 0 {
                return refuse(
                    Kind::Addresses,
                    "a part is a multiple of 512 bytes and not 0, and so is the gap behind it",
                );
            }
            Ok(())
        }
        Addresses::Laps { step_bytes, apart_bytes, jump_share } => {
            share(Kind::Addresses, *jump_share)?;
            if step_bytes.is_some_and(|step| step == 0 || step % 512 != 0) || apart_bytes % 512 != 0 {
                return refuse(
                    Kind::Addresses,
                    "a step is a multiple of 512 bytes and not 0, and so is the distance of the jobs' starts",
                );
            }
            Ok(())
        }
        Addresses::Zipf { exponent } if *exponent > 0.0 && *exponent <= 10.0 => Ok(()),
        Addresses::Zipf { .. } => {
            refuse(Kind::Addresses, "a Zipf exponent is above 0 and at most 10, e.g. zipf:0.99")
        }
        Addresses::Pareto { skew } if *skew > 0.0 && *skew < 0.5 => Ok(()),
        Addresses::Pareto { .. } => {
            refuse(Kind::Addresses, "a Pareto skew is between 0 and 0.5, e.g. pareto:0.2")
        }
        Addresses::Normal { deviation } if *deviation > 0.0 && *deviation <= 1.0 => Ok(()),
        Addresses::Normal { .. } => {
            refuse(Kind::Addresses, "a deviation is a share of the span above 0 %, e.g. normal:10%")
        }
        Addresses::HotSpot(spot) => {
            share(Kind::Addresses, spot.span_share)?;
            share(Kind::Addresses, spot.access_share)?;
            if spot.span_share == 0.0 || spot.span_share == 1.0 {
                return refuse(
                    Kind::Addresses,
                    "a hot spot is a part of the span, neither none nor all of it",
                );
            }
            Ok(())
        }
        Addresses::Zoned { zones } => validate_zones(zones),
        Addresses::Traced(traced) => validate_trace(traced),
    }
}

fn validate_zones(zones: &[Zone]) -> Result<(), WorkloadError> {
    let fits = |zone: &Zone| {
        (0.0..=1.0).contains(&zone.access_share) && zone.span_share > 0.0 && zone.span_share <= 1.0
    };
    if !zones.iter().all(fits) {
        return refuse(
            Kind::Addresses,
            "each zone has a share of accesses and a share of the span that is not 0",
        );
    }
    adds_up_to_one(Kind::Addresses, zones.iter().map(|zone| zone.access_share))?;
    adds_up_to_one(Kind::Addresses, zones.iter().map(|zone| zone.span_share))
}

fn validate_special(special: &SpecialFeatures) -> Result<(), WorkloadError> {
    special.jump_sizes.as_ref().map_or(Ok(()), validate_sizes)?;
    if let Some(turns) = special.files {
        let order = match turns.order {
            FileOrder::RoundRobin { ios } => ios > 0,
            FileOrder::Random | FileOrder::Sequential => true,
            FileOrder::Zipf { exponent } => exponent > 0.0 && exponent <= 10.0,
            FileOrder::Pareto { skew } => skew > 0.0 && skew < 0.5,
            FileOrder::Normal { deviation } => deviation > 0.0 && deviation <= 1.0,
        };
        if turns.files < 2 || turns.offset_bytes >= turns.file_bytes || !order {
            return refuse(
                Kind::Special,
                "turns are of two files or more, none of them empty, in an order that there is",
            );
        }
    }
    if special
        .content
        .as_ref()
        .is_some_and(|content| *content != ConstantContent::Kept && content.pattern().is_none())
    {
        return refuse(Kind::Special, "a pattern is bytes of two hexadecimal digits each, as deadbeef");
    }
    if special.batch == Some(0) || special.cache.is_some_and(|cache| cache.pass_bytes == Some(0)) {
        return refuse(Kind::Special, "a batch has an I/O, and a pass a byte");
    }
    Ok(())
}

fn validate_arrival(arrival: &Arrival) -> Result<(), WorkloadError> {
    let positive = |rate: f64| rate.is_finite() && rate > 0.0;
    let right = match arrival {
        Arrival::Closed => true,
        Arrival::Pausing { after_operations: 0, .. } | Arrival::Pausing { pause_ns: 0, .. } => {
            return refuse(
                Kind::Pause,
                "a pause takes time and comes after at least one I/O, e.g. 3us and 1",
            );
        }
        Arrival::Pausing { .. } => true,
        Arrival::Constant { rate_per_s } | Arrival::Poisson { rate_per_s } => positive(*rate_per_s),
        Arrival::PerDirection { read_per_s, write_per_s, .. } => {
            let each = [*read_per_s, *write_per_s];
            each.into_iter().flatten().all(positive) && each != [None, None]
        }
        Arrival::Ramp { from_per_s, to_per_s, over_ns } => {
            positive(*from_per_s) && positive(*to_per_s) && *over_ns > 0
        }
        Arrival::Steps { step_ns, rates_per_s } => {
            let usable = |rate: &f64| rate.is_finite() && (0.0..=1e9).contains(rate);
            *step_ns > 0 && rates_per_s.iter().all(usable) && rates_per_s.iter().any(|rate| *rate > 0.0)
        }
        Arrival::Traced { speed } => {
            return match speed.is_finite() && *speed > 0.0 {
                true => Ok(()),
                false => Err(error(Kind::Speed, format!("{speed} is not a valid speed"))
                    .with_remedy("give a factor above 0, e.g. 1 or 2.5")),
            };
        }
    };
    if right {
        Ok(())
    } else {
        refuse(
            Kind::Rate,
            "a rate is above 0 operations per second, a ramp takes time, and of several rates one is above 0",
        )
    }
}
