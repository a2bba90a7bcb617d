//! A quantile over runs: each run converges to a tail of its own, so runs are compared, never merged.

use fathom_record::comparison::UndecidedReason;
use fathom_record::distribution::QuantileOverRuns;

use crate::student::{CONFIDENCE, mean_interval};

/// Fewest runs whose interval is published.
pub const MIN_RUNS: usize = 8;

/// Deviations of logarithms at or below this are rounding.
const ROUNDING: f64 = 1e-12;

/// The interval of the quantile `q` over one value a run, in nanoseconds, by Student's t on logarithms.
///
/// # Errors
/// Too few runs, a value that is not above zero, or runs that are all the same.
pub fn quantile_over_runs(q: f64, runs_ns: &[f64]) -> Result<QuantileOverRuns, UndecidedReason> {
    if runs_ns.len() < MIN_RUNS {
        let have = runs_ns.len() as u32;
        return Err(UndecidedReason::TooFewRuns { side: None, have, need: MIN_RUNS as u32 });
    }
    if !runs_ns.iter().all(|v| v.is_finite() && *v > 0.0) {
        return Err(UndecidedReason::NotPositive { side: None });
    }
    let logs: Vec<f64> = runs_ns.iter().map(|v| v.ln()).collect();
    let interval =
        mean_interval(&logs).filter(|i| i.deviation > ROUNDING).ok_or(UndecidedReason::NoVariation)?;
    Ok(QuantileOverRuns {
        q,
        runs: runs_ns.len() as u32,
        value_ns: interval.mean.exp(),
        low_ns: (interval.mean - interval.half_width).exp(),
        high_ns: (interval.mean + interval.half_width).exp(),
        confidence: CONFIDENCE,
    })
}
