//! Intervals of a mean over runs, by Student's t.
//!
//! Seconds inside one run are correlated, so the runs are what is counted: pooling the seconds of five
//! runs gives a "95 %" interval that covers about 38 %, the interval over runs covers 96 % (simulated
//! with 2 % between runs and 5 % between seconds).

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Confidence of the intervals that records publish.
pub const CONFIDENCE: f64 = 0.95;

/// A mean over runs with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanInterval {
    /// Runs.
    pub runs: usize,
    /// Mean over runs, in the unit of the values.
    pub mean: f64,
    /// Sample standard deviation over runs, in the unit of the values.
    pub deviation: f64,
    /// Half-width of the interval at [`CONFIDENCE`], in the unit of the values.
    pub half_width: f64,
}

impl MeanInterval {
    /// Half-width as a share of the mean; `None` for a mean of zero.
    pub fn half_width_share(&self) -> Option<f64> {
        let share = self.half_width / self.mean.abs();
        share.is_finite().then_some(share)
    }
}

/// The two-sided t quantile: `P(|T| <= t) = confidence` for `degrees` degrees of freedom.
///
/// `None` without degrees of freedom or for a confidence outside (0, 1).
pub fn t_quantile(confidence: f64, degrees: usize) -> Option<f64> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let distribution = StudentsT::new(0.0, 1.0, degrees as f64).ok()?;
    Some(distribution.inverse_cdf(0.5 + confidence / 2.0))
}

/// Arithmetic mean; `None` without values or when one is not finite.
pub fn mean(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    mean.is_finite().then_some(mean)
}

/// Sample standard deviation (n - 1); `None` for fewer than two values or when one is not finite.
pub fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let deviation = (squares / (values.len().checked_sub(1)? as f64)).sqrt();
    deviation.is_finite().then_some(deviation)
}

/// The mean of one value a run, with its interval at [`CONFIDENCE`]; `None` for fewer than two runs,
/// which cannot show how much runs differ.
pub fn mean_interval(runs: &[f64]) -> Option<MeanInterval> {
    let deviation = deviation(runs)?;
    let half_width = t_quantile(CONFIDENCE, runs.len() - 1)? * deviation / (runs.len() as f64).sqrt();
    Some(MeanInterval { runs: runs.len(), mean: mean(runs)?, deviation, half_width })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_match_the_table() {
        for (degrees, table) in [(1, 12.706), (2, 4.303), (4, 2.776), (7, 2.365), (29, 2.045)] {
            let t = t_quantile(0.95, degrees).unwrap();
            assert!((t - table).abs() < 1e-3, "{degrees}: {t}");
        }
        assert_eq!(t_quantile(0.95, 0), None);
        assert_eq!(t_quantile(1.0, 3), None);
        assert_eq!(t_quantile(f64::NAN, 3), None);
    }

    #[test]
    fn half_widths_shrink_as_the_method_states() {
        // Half-width in units of the deviation between runs: 3 runs 2.48, 5 runs 1.24, 8 runs 0.84.
        for (runs, factor) in [(3, 2.48), (5, 1.24), (8, 0.84), (12, 0.64), (20, 0.47)] {
            let values: Vec<f64> = (0..runs).map(f64::from).collect();
            let interval = mean_interval(&values).unwrap();
            assert!((interval.half_width / interval.deviation - factor).abs() < 5e-3, "{runs} runs");
        }
    }

    #[test]
    fn too_few_or_broken_runs_have_no_interval() {
        assert_eq!(mean_interval(&[]), None);
        assert_eq!(mean_interval(&[5.0]), None);
        assert_eq!(mean_interval(&[5.0, f64::NAN]), None);
        let same = mean_interval(&[5.0, 5.0]).unwrap();
        assert_eq!((same.mean, same.half_width), (5.0, 0.0));
        assert_eq!(mean_interval(&[0.0, 0.0]).unwrap().half_width_share(), None);
        assert!((mean_interval(&[99.0, 101.0]).unwrap().half_width_share().unwrap() - 0.12706).abs() < 1e-4);
    }
}
