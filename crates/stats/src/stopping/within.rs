//! The interval of a mean from one run alone: a diagnostic, never the published one.
//!
//! Batch means with a correction for what neighbouring batches still share. It knows nothing of what
//! differs from run to run.

use crate::student::{CONFIDENCE, MeanInterval, deviation, mean, t_quantile};

/// Batches that a run is cut into.
pub const BATCHES: usize = 30;

/// The mean of a 1-s series with its within-run interval; `runs` of the result counts the batches. `None`
/// for fewer than [`BATCHES`] values or when one is not finite.
///
/// The correlation of neighbouring batches is corrected for its bias in short series, r + (1 + 3r) / 30,
/// and kept within 0 and 0.9.
pub fn within_run_interval(series: &[f64]) -> Option<MeanInterval> {
    let length = series.len() / BATCHES;
    if length == 0 {
        return None;
    }
    let batches: Vec<f64> =
        series[series.len() - BATCHES * length..].chunks(length).filter_map(mean).collect();
    let deviation = deviation(&batches)?;
    let measured = neighbour_correlation(&batches).max(0.0);
    let shared = (measured + (1.0 + 3.0 * measured) / BATCHES as f64).clamp(0.0, 0.9);
    let wider = ((1.0 + shared) / (1.0 - shared)).sqrt();
    let half_width = t_quantile(CONFIDENCE, BATCHES - 1)? * deviation / (BATCHES as f64).sqrt() * wider;
    Some(MeanInterval { runs: BATCHES, mean: mean(series)?, deviation, half_width })
}

/// Correlation of each value with the next (Pearson's over the pairs); 0 where it is not defined.
pub fn neighbour_correlation(values: &[f64]) -> f64 {
    let pairs = values.len().saturating_sub(1);
    if pairs < 2 {
        return 0.0;
    }
    let (before, after) = (&values[..pairs], &values[1..]);
    let (Some(mean_before), Some(mean_after)) = (mean(before), mean(after)) else { return 0.0 };
    let (mut both, mut squares_before, mut squares_after) = (0.0, 0.0, 0.0);
    for (a, b) in before.iter().zip(after) {
        both += (a - mean_before) * (b - mean_after);
        squares_before += (a - mean_before).powi(2);
        squares_after += (b - mean_after).powi(2);
    }
    let correlation = both / (squares_before * squares_after).sqrt();
    if correlation.is_finite() { correlation } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_correlate_as_numpy_says() {
        // numpy.corrcoef(x[:-1], x[1:])[0, 1]
        let values = [1.0, 2.0, 4.0, 3.0, 5.0, 4.0, 6.0];
        assert!((neighbour_correlation(&values) - 0.480_384_461_415).abs() < 1e-9);
        assert_eq!(neighbour_correlation(&[1.0; 5]), 0.0);
        assert_eq!(neighbour_correlation(&[1.0, 2.0]), 0.0);
    }

    #[test]
    fn a_short_or_broken_series_has_no_interval() {
        assert_eq!(within_run_interval(&[1.0; 29]), None);
        assert_eq!(within_run_interval(&[f64::NAN; 60]), None);
        assert_eq!(within_run_interval(&[7.0; 60]).unwrap().half_width, 0.0);
    }

    #[test]
    fn batches_that_wander_widen_the_interval() {
        let independent: Vec<f64> = (0..300).map(|i| f64::from(i * 7919 % 101)).collect();
        let mut wandering = independent.clone();
        wandering.sort_by(f64::total_cmp);
        let width = |series: &[f64]| within_run_interval(series).unwrap().half_width;
        assert!(width(&wandering) > 5.0 * width(&independent));
    }
}
