//! The drift of a window: a straight line through its batch means.

use crate::stopping::within::neighbour_correlation;
use crate::student::{mean, t_quantile};

/// Batches of a window without a period.
pub const BATCHES: usize = 24;

/// A window as batch means with the line through them.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Means of equal batches; the newest second ends the last one.
    pub batches: Vec<f64>,
    /// Length of each batch, in seconds.
    pub batch_s: usize,
    /// Mean over batches.
    pub mean: f64,
    /// Rise from batch to batch.
    pub slope: f64,
    /// Standard error of the slope, corrected for correlated neighbours.
    pub slope_error: f64,
    /// Standard deviation of a batch around the line, with the same correction.
    pub deviation: f64,
}

impl Line {
    /// The line through a window cut into `count` batches of `batch_s` seconds, from its end; `None` when
    /// it is too short, has fewer than four batches, or its mean is not a positive number.
    ///
    /// The correction is sqrt((1 + r) / (1 - r)) with r the correlation of neighbouring residuals, kept
    /// within 0 and 0.9.
    pub fn fit(window: &[f64], count: usize, batch_s: usize) -> Option<Line> {
        let start = window.len().checked_sub(count * batch_s)?;
        if count < 4 || batch_s == 0 {
            return None;
        }
        let batches: Vec<f64> = window[start..].chunks_exact(batch_s).filter_map(mean).collect();
        let mean = mean(&batches).filter(|mean| *mean > 0.0)?;
        let n = count as f64;
        let middle = (n - 1.0) / 2.0;
        let spread = n * (n * n - 1.0) / 12.0;
        let slope =
            batches.iter().enumerate().map(|(i, value)| (i as f64 - middle) * (value - mean)).sum::<f64>()
                / spread;
        let residuals: Vec<f64> =
            batches.iter().enumerate().map(|(i, value)| value - mean - slope * (i as f64 - middle)).collect();
        let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
        let deviation = (squares / (n - 2.0)).sqrt();
        let shared = neighbour_correlation(&residuals).clamp(0.0, 0.9);
        let wider = ((1.0 + shared) / (1.0 - shared)).sqrt();
        let (slope_error, deviation) = (deviation / spread.sqrt() * wider, deviation * wider);
        Some(Line { batches, batch_s, mean, slope, slope_error, deviation })
    }

    /// Drift in one batch and what uncertainty adds to it (one-sided 95 %), as shares of the mean.
    pub fn drift_per_batch(&self) -> (f64, f64) {
        let t = t_quantile(0.9, self.batches.len() - 2).unwrap_or(f64::INFINITY);
        (self.slope / self.mean, t * self.slope_error / self.mean)
    }

    /// The longest time for which drift and uncertainty stay within `tolerance_share`, in seconds.
    pub fn horizon_s(&self, tolerance_share: f64) -> f64 {
        let (drift, uncertainty) = self.drift_per_batch();
        tolerance_share / (drift.abs() + uncertainty) * self.batch_s as f64
    }

    /// Time from the middle of the first batch to that of the last, in seconds.
    pub fn window_s(&self) -> f64 {
        ((self.batches.len() - 1) * self.batch_s) as f64
    }

    /// Largest difference between the means of the thirds, as a share of the mean.
    pub fn thirds_range(&self) -> f64 {
        let count = self.batches.len();
        let thirds: Vec<f64> =
            (0..3).filter_map(|i| mean(&self.batches[i * count / 3..(i + 1) * count / 3])).collect();
        let high = thirds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let low = thirds.iter().copied().fold(f64::INFINITY, f64::min);
        (high - low) / self.mean
    }

    /// Two standard errors of the mean, as a share of it.
    pub fn error_share(&self) -> f64 {
        2.0 * self.deviation / (self.batches.len() as f64).sqrt() / self.mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_scipys() {
        // scipy.stats.linregress: slope 0.7727272727, standard error 0.0948448729; residuals of neighbours
        // correlate negatively, so nothing is added.
        let values = [100.0, 101.0, 99.0, 103.0, 102.0, 104.0, 103.0, 106.0, 105.0, 107.0, 106.0, 109.0];
        let line = Line::fit(&values, 12, 1).unwrap();
        assert!((line.slope - 0.772_727_272_7).abs() < 1e-9);
        assert!((line.slope_error - 0.094_844_872_9).abs() < 1e-9);
        assert!((line.mean - 103.75).abs() < 1e-12);
    }

    #[test]
    fn a_constant_window_is_valid_for_ever_and_a_short_one_has_no_line() {
        assert_eq!(Line::fit(&[7.0; 240], 24, 10).unwrap().horizon_s(0.05), f64::INFINITY);
        assert_eq!(Line::fit(&[7.0; 239], 24, 10), None);
        assert_eq!(Line::fit(&[0.0; 240], 24, 10), None);
    }
}
