//! How many more runs a target takes, from the deviation so far and its own uncertainty.

use fathom_record::precision::RunForecast;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::StopRule;
use crate::student::{CONFIDENCE, MeanInterval, t_quantile};

/// Runs beyond which no forecast is told apart from "never".
const FAR: u32 = 100_000;

/// Forecast after at least two runs; `None` if they have no spread that could be forecast from.
///
/// The deviation of k runs is itself only known between its chi-squared limits: for 8 runs from 0.76 to
/// 1.57 times its value (80 %), which is 0.6 to 2.5 times the runs.
pub fn runs_to_come(interval: &MeanInterval, measured_s: f64, rule: &StopRule) -> Option<RunForecast> {
    let degrees = interval.runs.checked_sub(1).filter(|degrees| *degrees > 0)?;
    let spread = interval.deviation / interval.mean;
    let chi = ChiSquared::new(degrees as f64).ok()?;
    let limit = |share: f64| spread * (degrees as f64 / chi.inverse_cdf(share)).sqrt();
    let still = |spread: f64| {
        let for_interval = runs_for(spread, rule.target_share);
        let for_floor = ((rule.floor_s() - measured_s) / rule.window_s).ceil().max(0.0) as u32;
        let now = interval.runs as u32;
        for_interval.max(rule.fewest_runs as u32).saturating_sub(now).max(for_floor).max(1)
    };
    let cap = rule.most_runs;
    let likely = still(spread);
    let share_at_cap = t_quantile(CONFIDENCE, cap.checked_sub(1)?)? * spread / (cap as f64).sqrt();
    spread.is_finite().then(|| RunForecast {
        likely,
        fewest: still(limit(0.9)),
        most: still(limit(0.1)),
        likely_s: f64::from(likely) * rule.window_s,
        share_at_cap,
    })
}

/// Fewest runs whose t interval is within `share` of the mean, for a deviation of `spread` of the mean.
pub fn runs_for(spread: f64, share: f64) -> u32 {
    let ratio = spread / share;
    let mut runs = (1.96 * ratio).powi(2).ceil().clamp(2.0, f64::from(FAR)) as u32;
    while runs < FAR {
        let Some(t) = t_quantile(CONFIDENCE, runs as usize - 1) else { return FAR };
        if t * ratio <= f64::from(runs).sqrt() {
            break;
        }
        runs += 1;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::student::mean_interval;

    #[test]
    fn runs_follow_the_half_widths_of_the_method() {
        // Half-width in deviations: 3 runs 2.48, 5 runs 1.24, 8 runs 0.84, 12 runs 0.64, 20 runs 0.47.
        for (runs, half_width) in [(3, 2.49), (5, 1.25), (8, 0.84), (12, 0.64), (20, 0.47)] {
            assert_eq!(runs_for(0.01, 0.01 * half_width), runs);
        }
        assert_eq!(runs_for(0.0, 0.01), 2);
        assert_eq!(runs_for(f64::INFINITY, 0.01), FAR);
    }

    #[test]
    fn the_forecast_brackets_what_is_likely() {
        let values: Vec<f64> = (0..8).map(|i| 100.0 + 6.0 * f64::from(i % 3 - 1)).collect();
        let rule = StopRule::for_target(0.02);
        let forecast = runs_to_come(&mean_interval(&values).unwrap(), 480.0, &rule).unwrap();
        assert!(forecast.fewest < forecast.likely && forecast.likely < forecast.most, "{forecast:?}");
        assert_eq!(forecast.likely_s, f64::from(forecast.likely) * 60.0);
        assert!(forecast.share_at_cap > 0.02);
    }
}
