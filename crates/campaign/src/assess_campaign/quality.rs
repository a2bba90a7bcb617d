//! What is known of a chosen point beside its numbers: whether its seconds are steady, what the target was
//! exposed to by then, and the token bucket that they show.

use fathom_record::RunRecord;
use fathom_record::burst_and_base::BurstAndBase;
use fathom_record::exposure_guard::ExposureGuard;
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::steadiness::Steadiness;
use fathom_stats::bucket;
use fathom_stats::exposure::{Exposure, Knowledge, guard};
use fathom_stats::steady::{SHORTEST_WINDOW_S, SteadyRule, judge};

use crate::cells::rates_by_second;

/// Size of the device that keeps the data: of the lowest one under a file or partition.
pub fn capacity_bytes(target: &TargetFacts) -> Option<u64> {
    let lowest = target.devices.last().map(|device| device.size_bytes).filter(|bytes| *bytes > 0);
    lowest.or((target.kind != TargetKind::File).then_some(target.size_bytes))
}

/// Hidden states as they stand after `exposed`, all runs on the target in their order, for what `last` does.
/// Where the device's size is not known, `span_bytes` stands for it.
pub fn guard_of(last: &RunRecord, exposed: &[&RunRecord], span_bytes: u64) -> ExposureGuard {
    let exposure = |run: &RunRecord| {
        let operations = run.intervals.iter().map(|interval| interval.operations()).sum();
        let capacity = capacity_bytes(&run.target).unwrap_or(span_bytes);
        // A part of a device that is all that is used is written over as a device is.
        Exposure::of_run(&run.ledger, operations, capacity)
    };
    let all = exposed.iter().map(|run| exposure(run)).reduce(Exposure::then).unwrap_or_default();
    guard(&Knowledge::of(last), &all)
}

/// The verdict on the seconds of runs put one after the other.
pub fn judge_always(runs: &[&RunRecord], guard: &ExposureGuard) -> Steadiness {
    judge(&series(runs), guard, &SteadyRule::default())
}

/// The same, for series that are long enough to say anything.
pub fn judge_long(runs: &[&RunRecord], guard: &ExposureGuard) -> Option<Steadiness> {
    let rates = series(runs);
    (rates.len() >= SHORTEST_WINDOW_S).then(|| judge(&rates, guard, &SteadyRule::default()))
}

fn series(runs: &[&RunRecord]) -> Vec<f64> {
    runs.iter().flat_map(|run| rates_by_second(run)).collect()
}

/// The bucket that runs under full load show, in the order in which they were made. `exposed` are all runs on the target from its first I/O on, if
/// they all drew on the bucket alike; its size is then what they took beyond the base rate, and otherwise
/// what these seconds show of it, which is the least that it can be.
pub fn bucket_of(runs: &[&RunRecord], exposed: Option<&[&RunRecord]>) -> Option<BurstAndBase> {
    let seen = bucket::identify(&series(runs)).ok()?;
    let Some(exposed) = exposed else { return Some(seen) };
    let seconds: f64 = exposed.iter().map(|run| run.ledger.seconds).sum();
    let operations: u64 =
        exposed.iter().flat_map(|run| &run.intervals).map(|interval| interval.operations()).sum();
    let tokens = operations as f64 - seen.base_per_s * seconds;
    if tokens < seen.tokens {
        return Some(seen);
    }
    let gap = seen.burst_per_s - seen.base_per_s;
    Some(BurstAndBase {
        tokens,
        tokens_half_width: (seconds * seen.base_half_width).hypot(0.5 * gap),
        burst_s: tokens / gap,
        ..seen
    })
}
