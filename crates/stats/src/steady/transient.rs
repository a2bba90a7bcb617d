//! The end of the initial transient: MSER-5.
//!
//! Batches of five seconds; the cut is where the squared standard error of the mean of what remains is
//! least (White 1997).

use crate::student::mean;

/// Seconds in a batch.
pub const BATCH_S: usize = 5;

/// Where the transient ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransientEnd {
    /// Seconds that belong to the transient.
    pub seconds: usize,
    /// Whether it ends at the middle of the series, as late as can be told: it may not have ended at all.
    pub at_limit: bool,
}

/// The cut that MSER-5 makes; no cut in a series of fewer than four batches.
pub fn mser5(rates: &[f64]) -> TransientEnd {
    let batches: Vec<f64> = rates.chunks_exact(BATCH_S).filter_map(mean).collect();
    let count = batches.len();
    if count < 4 {
        return TransientEnd { seconds: 0, at_limit: true };
    }
    // Around a value of the series, so that a small spread on a large rate is not lost in rounding.
    let centre = batches[count - 1];
    let (mut sum, mut squares) = (0.0, 0.0);
    let (mut best, mut least) = (0, f64::INFINITY);
    for from in (0..count).rev() {
        let value = batches[from] - centre;
        sum += value;
        squares += value * value;
        let kept = (count - from) as f64;
        let error = (squares - sum * sum / kept).max(0.0) / (kept * kept);
        // From the back: of equal ones the earliest cut wins.
        if from <= count / 2 && error <= least {
            (best, least) = (from, error);
        }
    }
    TransientEnd { seconds: best * BATCH_S, at_limit: best + 1 >= count / 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_that_falls_once_is_cut_there() {
        let mut rates = vec![180.0; 60];
        rates.extend((0..300).map(|i| 100.0 + f64::from(i * 7919 % 11) / 10.0));
        assert_eq!(mser5(&rates), TransientEnd { seconds: 60, at_limit: false });
    }

    #[test]
    fn an_even_series_loses_nothing_and_a_slope_has_no_end() {
        assert_eq!(mser5(&[1e9; 200]), TransientEnd { seconds: 0, at_limit: false });
        let slope: Vec<f64> = (0..200).map(|i| 1e9 + f64::from(i)).collect();
        assert!(mser5(&slope).at_limit);
        assert!(mser5(&[1.0; 19]).at_limit);
    }
}
