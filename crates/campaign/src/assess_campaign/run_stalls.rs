//! The stalls of the target that a run saw, warm-up included.

use fathom_record::RunRecord;
use fathom_stats::stopping::stalls::{RunStalls, Second};

/// The shortest interval that is taken for a second.
const WHOLE_NS: u64 = 990_000_000;

/// Those of a run: from its series of seconds, and the time that its last I/Os took.
pub fn of(run: &RunRecord) -> RunStalls {
    let seconds = run.intervals.iter().filter(|interval| interval.duration_ns >= WHOLE_NS);
    let seconds: Vec<Second> = seconds
        .map(|interval| Second {
            rate_per_s: interval.operations() as f64 / (interval.duration_ns as f64 / 1e9),
            measured: !interval.warmup,
        })
        .collect();
    let in_series_s = run.intervals.iter().map(|interval| interval.duration_ns as f64 / 1e9).sum::<f64>();
    RunStalls::of(&seconds, run.ledger.seconds - in_series_s)
}
