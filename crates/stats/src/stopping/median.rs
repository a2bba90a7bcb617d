//! An interval of the median that assumes no distribution, from ordered runs.

use fathom_record::precision::MedianInterval;
use statrs::distribution::{Binomial, DiscreteCDF};

use crate::student::CONFIDENCE;

/// The narrowest symmetric pair of ranks (from 1) between which the median of `runs` runs lies with at
/// least 95 %, and its exact confidence; `None` below 6 runs, whose extremes are not enough.
pub fn median_ranks(runs: usize) -> Option<(usize, usize, f64)> {
    let below = Binomial::new(0.5, runs as u64).ok()?;
    // Between ranks l and n + 1 - l lies the median unless fewer than l runs fall on one side of it.
    let confidence = |low: usize| 1.0 - 2.0 * below.cdf(low as u64 - 1);
    let low = (1..=runs / 2).rev().find(|low| confidence(*low) >= CONFIDENCE)?;
    Some((low, runs + 1 - low, confidence(low)))
}

/// The median of runs and its interval; `None` below 6 runs or when one is not finite.
pub fn median_interval(runs: &[f64]) -> Option<MedianInterval> {
    let (low, high, confidence) = median_ranks(runs.len())?;
    if !runs.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mut sorted = runs.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let median =
        if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 };
    Some(MedianInterval { median, low: sorted[low - 1], high: sorted[high - 1], confidence })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_match_the_table() {
        for (runs, low, high) in [(6, 1, 6), (9, 2, 8), (12, 3, 10), (15, 4, 12), (20, 6, 15)] {
            let (l, h, confidence) = median_ranks(runs).unwrap();
            assert_eq!((l, h), (low, high), "{runs} runs");
            assert!(confidence >= 0.95);
        }
        assert!((median_ranks(9).unwrap().2 - 0.9609).abs() < 1e-4);
        assert_eq!(median_ranks(5), None);
        assert_eq!(median_ranks(0), None);
    }

    #[test]
    fn the_interval_ignores_how_far_the_outlier_is() {
        let runs = [5.0, 1.0, 4.0, 2.0, 3.0, 6.0, 7.0, 8.0, 1e9];
        let interval = median_interval(&runs).unwrap();
        assert_eq!((interval.median, interval.low, interval.high), (5.0, 2.0, 8.0));
        assert_eq!(median_interval(&[1.0, f64::NAN, 1.0, 1.0, 1.0, 1.0]), None);
    }
}
