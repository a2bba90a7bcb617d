//! How long still: the time after which the gates can hold, if the series goes on as it is.

use fathom_record::steadiness::{Steadiness, SteadyVerdict};

use super::{SHORTEST_WINDOW_S, SteadyRule, period, schedule};

/// Seconds to measure until the look at which the verdict can become steady; 0 once it is. `None` where
/// nothing foretells it: a transient that has not ended, a drift, a guard that is never met.
pub(super) fn remaining_s(result: &Steadiness, rule: &SteadyRule) -> Option<f64> {
    if result.verdict.is_settled() {
        return Some(0.0);
    }
    let for_guard = match (result.gates.guard.passed, result.gates.guard.from_s?) {
        (true, _) => 0.0,
        (false, from_s) => from_s + SHORTEST_WINDOW_S as f64 - result.seconds,
    };
    let for_data = match result.verdict {
        SteadyVerdict::RegimeConditional => 0.0,
        SteadyVerdict::NotEnoughData => window_needed_s(result, rule) - result.window_s,
        _ => return None,
    };
    let length = result.seconds + for_guard.max(for_data).max(1.0);
    // No verdict before the next look; at 1e9 s (30 years) the answer is "never".
    (length < 1e9).then(|| schedule::after(length.ceil() as usize - 1) as f64 - result.seconds)
}

/// Length of the window at which noise of this size no longer hides a drift or the level.
fn window_needed_s(result: &Steadiness, rule: &SteadyRule) -> f64 {
    let (Some(drift), Some(level)) = (result.gates.drift, result.gates.level) else {
        let periods = result.period.map_or(0.0, |p| (period::WHOLE_PERIODS as f64) * p.seconds);
        return periods.max(SHORTEST_WINDOW_S as f64);
    };
    let window_s = result.window_s;
    let excess = (drift.drift_share.abs() + drift.uncertainty_share) / drift.tolerance_share;
    let for_level = window_s * (2.0 * level.error_share / level.tolerance_share).powi(2);
    for_drift(window_s, excess, rule.horizon_s).max(for_level).max(window_s + 1.0)
}

/// Window at which drift and uncertainty, now `excess` times the tolerance, fit: over a fixed horizon they
/// shrink with the window's length to the power 3/2, and over the window itself with its square root.
fn for_drift(window_s: f64, excess: f64, horizon_s: f64) -> f64 {
    if window_s >= horizon_s {
        return window_s * excess * excess;
    }
    let at_fixed = window_s * excess.powf(2.0 / 3.0);
    if at_fixed <= horizon_s {
        return at_fixed;
    }
    let excess_there = excess * (window_s / horizon_s).powf(1.5);
    horizon_s * excess_there * excess_there
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_needs_time_by_the_power_that_applies() {
        assert!((for_drift(100.0, 8.0, 1000.0) - 400.0).abs() < 1e-6);
        assert_eq!(for_drift(1000.0, 2.0, 600.0), 4000.0);
        // Both laws meet at the horizon.
        assert!((for_drift(100.0, 1000f64.sqrt(), 1000.0) - 1000.0).abs() < 1e-6);
        assert!(for_drift(100.0, 40.0, 1000.0) > for_drift(100.0, 33.0, 1000.0));
    }
}
