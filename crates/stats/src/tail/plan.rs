//! How long a run must be for its tail. Planned, never stopped by what the tail shows: runs that stop
//! once the tail looks precise are those that have met no burst yet (they covered 0 % of a p99.99).

use super::LatencySeries;

/// Recurrences of an event that a run must hold for a tail interval to cover it.
pub const CYCLES: f64 = 12.0;
/// Two-sided 95 % quantile of the normal distribution.
const NORMAL_95: f64 = 1.96;

/// Longest recurrence that a run of so many seconds resolves, in seconds.
pub fn recurrence_resolved_s(run_s: f64) -> f64 {
    run_s / CYCLES
}

/// Length of a run that resolves events which recur every so many seconds, in seconds.
pub fn run_length_s(recurrence_s: f64) -> f64 {
    recurrence_s * CYCLES
}

/// What the length for a quantile at a precision rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TailPlan {
    /// Independent values beyond the quantile that are needed.
    pub independent_beyond: f64,
    /// Slope of the tail, `|d ln Q / d ln (1-q)|`.
    pub slope: f64,
    /// Length of the run, in seconds.
    pub run_s: f64,
}

/// How long a run like this one must be for the quantile `q` within a relative `precision`, given the
/// design effect found here. `None` where the slope cannot be seen or an argument is out of range.
pub fn seconds_for(series: &LatencySeries, q: f64, precision: f64, design_effect: f64) -> Option<TailPlan> {
    if !(q > 0.5 && q < 1.0 && precision > 0.0 && design_effect >= 1.0) {
        return None;
    }
    let beyond = 1.0 - q;
    let outer = series.quantile_ns(1.0 - beyond / 2.0)?;
    let inner = series.quantile_ns(1.0 - (beyond * 2.0).min(0.5))?;
    let slope = (outer / inner).ln() / ((beyond * 2.0).min(0.5) / (beyond / 2.0)).ln();
    let rate_per_s = series.count() as f64 / series.seconds() as f64;
    let independent_beyond = (NORMAL_95 * slope / precision).powi(2);
    let run_s = design_effect * independent_beyond / (rate_per_s * beyond);
    (slope > 0.0 && run_s.is_finite()).then_some(TailPlan { independent_beyond, slope, run_s })
}
