//! Refuses workloads that make no sense, before anything is opened.

use super::{Addresses, Arrival, Content, FileOrder, Mix, Sizes, Special, Traced, Workload};

/// What is wrong with a workload: the field as a plan names it, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct WorkloadError {
    /// The plan's name for the field, e.g. `--depth` or `depth`.
    pub field: &'static str,
    /// What is wrong, and what to write.
    pub problem: String,
}

fn refuse<T>(field: &'static str, problem: impl Into<String>) -> Result<T, WorkloadError> {
    Err(WorkloadError { field, problem: problem.into() })
}

fn share(field: &'static str, value: f64) -> Result<(), WorkloadError> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        refuse(field, format!("{value} is not between 0 and 1"))
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
        share("read-share", self.mix.read_share)?;
        share("trim-share", self.mix.trim_share)?;
        if self.mix.read_share + self.mix.trim_share > 1.0 + 1e-9 {
            return refuse("trim-share", "reads and trims together are more than all I/Os");
        }
        let halves = self.mix == Mix { read_share: 0.0, trim_share: 0.5, flush_every_writes: 0 };
        if self.sizes.rewrites_trimmed && !halves {
            return refuse(
                "rw",
                "what was trimmed is written again by trims and writes alone, without flushes",
            );
        }
        share("compressible", self.data.compressible_share)?;
        share("duplicate", self.data.duplicate_share)?;
        if !(1..=MAX_JOBS).contains(&self.jobs) {
            return refuse("jobs", format!("{} is not between 1 and {MAX_JOBS}", self.jobs));
        }
        if !(1..=MAX_DEPTH).contains(&self.depth) {
            return refuse("depth", format!("{} is not between 1 and {MAX_DEPTH}", self.depth));
        }
        for sizes in [&self.sizes.read, &self.sizes.write, &self.sizes.trim] {
            validate_sizes(sizes)?;
        }
        if self.alignment_bytes.is_some_and(|a| a == 0 || a % 512 != 0) {
            return refuse("align", "an alignment is a multiple of 512 bytes, e.g. 4k");
        }
        if self.span_bytes == Some(0) {
            return refuse("size", "a span of 0 bytes leaves nothing to measure");
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
            return refuse(
                "replay",
                "a trace says both where and when: give --replay, and no other pattern or rate",
            );
        }
        let both = self.mix.read_share > 0.0 && self.mix.write_share() > 0.0 && self.mix.trim_share == 0.0;
        if matches!(self.arrival, Arrival::PerDirection { .. }) && !both {
            return refuse(
                "rate",
                "a rate for reads and one for writes need a mix of both, and of nothing else",
            );
        }
        let length = &self.length;
        if length.time_ns.is_none() && length.operations.is_none() && length.bytes.is_none() {
            return refuse(
                "time",
                "say when to stop: a time (30s), a number of I/Os (count) or of bytes (bytes)",
            );
        }
        for (key, value) in [("time", length.time_ns), ("count", length.operations), ("bytes", length.bytes)]
        {
            if value == Some(0) {
                return refuse(key, "a length of zero measures nothing");
            }
        }
        Ok(())
    }
}

fn validate_sizes(sizes: &Sizes) -> Result<(), WorkloadError> {
    let (min, max) = (sizes.min_bytes(), sizes.max_bytes());
    if min == 0 {
        return refuse("bs", "an I/O size is not 0, e.g. 4k");
    }
    if max > MAX_IO_BYTES {
        return refuse("bs", "an I/O size is at most 64 MiB");
    }
    match sizes {
        Sizes::Fixed { .. } => Ok(()),
        Sizes::Range { min_bytes, max_bytes, step_bytes } => {
            if min_bytes > max_bytes {
                return refuse("bs", "the smallest size of a range is above the largest");
            }
            if *step_bytes == 0 || (max_bytes - min_bytes) % step_bytes != 0 {
                return refuse("bs", "the step of a range leads from the smallest to the largest size");
            }
            Ok(())
        }
        Sizes::Split { shares } => {
            if shares.iter().any(|s| s.bytes == 0 || !(0.0..=1.0).contains(&s.share)) {
                return refuse("bs", "each part of a split is a size that is not 0, and a share");
            }
            adds_up_to_one("bs", shares.iter().map(|s| s.share))
        }
    }
}

fn adds_up_to_one(field: &'static str, shares: impl Iterator<Item = f64>) -> Result<(), WorkloadError> {
    let sum: f64 = shares.sum();
    if (sum - 1.0).abs() > 1e-6 {
        return refuse(field, format!("the shares add up to {:.4} %, not 100 %", sum * 100.0));
    }
    Ok(())
}

fn validate_trace(traced: &Traced) -> Result<(), WorkloadError> {
    if traced.file.is_empty() {
        return refuse("replay", "name the trace's file, e.g. --replay trace.csv");
    }
    Ok(())
}

fn validate_addresses(addresses: &Addresses) -> Result<(), WorkloadError> {
    const FIELD: &str = "addresses";
    match addresses {
        Addresses::RandomCycle
        | Addresses::RandomIndependent
        | Addresses::Sequential
        | Addresses::Interlocked => Ok(()),
        Addresses::Strided { stride_bytes } => {
            if *stride_bytes == 0 || stride_bytes % 512 != 0 {
                return refuse(FIELD, "a stride is a multiple of 512 bytes and not 0");
            }
            Ok(())
        }
        Addresses::Backwards { step_bytes } => {
            if *step_bytes == 0 || step_bytes % 512 != 0 {
                return refuse(FIELD, "a step is a multiple of 512 bytes and not 0");
            }
            Ok(())
        }
        Addresses::Parts { part_bytes, gap_bytes } => {
            if *part_bytes == 0 || part_bytes % 512 != 0 || gap_bytes % 512 != 0 {
                return refuse(
                    FIELD,
                    "a part is a multiple of 512 bytes and not 0, and so is the gap behind it",
                );
            }
            Ok(())
        }
        Addresses::Laps { step_bytes, apart_bytes, jump_share } => {
            share(FIELD, *jump_share)?;
            if step_bytes.is_some_and(|step| step == 0 || step % 512 != 0) || apart_bytes % 512 != 0 {
                return refuse(
                    FIELD,
                    "a step is a multiple of 512 bytes and not 0, and so is the distance of the jobs' starts",
                );
            }
            Ok(())
        }
        Addresses::Zipf { exponent } if *exponent > 0.0 && *exponent <= 10.0 => Ok(()),
        Addresses::Zipf { .. } => refuse(FIELD, "a Zipf exponent is above 0 and at most 10, e.g. zipf:0.99"),
        Addresses::Pareto { skew } if *skew > 0.0 && *skew < 0.5 => Ok(()),
        Addresses::Pareto { .. } => refuse(FIELD, "a Pareto skew is between 0 and 0.5, e.g. pareto:0.2"),
        Addresses::Normal { deviation } if *deviation > 0.0 && *deviation <= 1.0 => Ok(()),
        Addresses::Normal { .. } => {
            refuse(FIELD, "a deviation is a share of the span above 0 %, e.g. normal:10%")
        }
        Addresses::HotSpot(spot) => {
            share(FIELD, spot.span_share)?;
            share(FIELD, spot.access_share)?;
            if spot.span_share == 0.0 || spot.span_share == 1.0 {
                return refuse(FIELD, "a hot spot is a part of the span, neither none nor all of it");
            }
            Ok(())
        }
        Addresses::Zoned { zones } => {
            if zones.iter().any(|z| {
                !((0.0..=1.0).contains(&z.access_share) && z.span_share > 0.0 && z.span_share <= 1.0)
            }) {
                return refuse(
                    FIELD,
                    "each zone has a share of accesses and a share of the span that is not 0",
                );
            }
            adds_up_to_one(FIELD, zones.iter().map(|z| z.access_share))?;
            adds_up_to_one(FIELD, zones.iter().map(|z| z.span_share))
        }
        Addresses::Traced(traced) => validate_trace(traced),
    }
}

fn validate_special(special: &Special) -> Result<(), WorkloadError> {
    const FIELD: &str = "special";
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
                FIELD,
                "turns are of two files or more, none of them empty, in an order that there is",
            );
        }
    }
    if special
        .content
        .as_ref()
        .is_some_and(|content| *content != Content::Kept && content.pattern().is_none())
    {
        return refuse(FIELD, "a pattern is bytes of two hexadecimal digits each, as deadbeef");
    }
    if special.batch == Some(0) || special.cache.is_some_and(|cache| cache.pass_bytes == Some(0)) {
        return refuse(FIELD, "a batch has an I/O, and a pass a byte");
    }
    Ok(())
}

fn validate_arrival(arrival: &Arrival) -> Result<(), WorkloadError> {
    let positive = |rate: f64| rate.is_finite() && rate > 0.0;
    let right = match arrival {
        Arrival::Closed => true,
        Arrival::Pausing { after_operations: 0, .. } | Arrival::Pausing { pause_ns: 0, .. } => {
            return refuse("pause", "a pause takes time and comes after at least one I/O, e.g. 3us and 1");
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
                false => refuse(
                    "speed",
                    format!("{speed} is not a valid speed: give a factor above 0, e.g. 1 or 2.5"),
                ),
            };
        }
    };
    if right {
        Ok(())
    } else {
        refuse(
            "rate",
            "a rate is above 0 operations per second, a ramp takes time, and of several rates one is above 0",
        )
    }
}
