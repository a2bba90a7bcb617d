//! Size, refill and both rates of a token bucket, from a series of 1-s rates in which it ran out.
//!
//! A bucket leaves one shape: an even rate, a drop within ten seconds, an even lower rate. From it follow
//! the tokens, B = T (burst - base), and the mean of a run of any length. Any other shape is refused with
//! the reason; a rate that falls slowly is a device that settles, not a bucket.

use fathom_record::burst_and_base::BurstAndBase;

use crate::student::{deviation, mean};

/// Longest drop, in seconds.
pub const LONGEST_DROP_S: usize = 10;
/// Shortest plateau on either side, in seconds.
pub const SHORTEST_PLATEAU_S: usize = 30;
/// Largest variation of the seconds of the burst.
pub const BURST_VARIATION: f64 = 0.02;
/// Largest variation of the seconds after it: the same unevenness weighs more on a lower rate.
pub const BASE_VARIATION: f64 = 0.05;
/// Least drop, as a share of the burst rate.
const LEAST_DROP: f64 = 0.1;
/// Largest difference between the halves of a plateau, as a share of it.
const LEVEL: f64 = 0.02;
/// Two-sided normal quantile of 95 %.
const WIDTH: f64 = 1.96;

/// Why a series shows no bucket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BucketAbsence {
    /// Fewer seconds than two plateaus and a drop.
    TooShort {
        /// Seconds given.
        seconds: usize,
    },
    /// A second has no rate, or all rates are zero.
    NoRate,
    /// No fall of a tenth or more: the bucket, if there is one, has not run out.
    NoDrop,
    /// The rate before the fall is not even.
    UnevenBefore {
        /// Standard deviation of its seconds over their mean, or the difference of its halves.
        variation: f64,
    },
    /// The rate after the fall is not even.
    UnevenAfter {
        /// Standard deviation of its seconds over their mean, or the difference of its halves.
        variation: f64,
    },
    /// The fall takes too long.
    SlowDrop {
        /// Its length, in seconds.
        seconds: usize,
    },
}

impl std::fmt::Display for BucketAbsence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BucketAbsence::TooShort { seconds } => {
                write!(f, "{seconds} s are too short for two plateaus and a drop")
            }
            BucketAbsence::NoRate => write!(f, "a second has no rate"),
            BucketAbsence::NoDrop => write!(f, "the rate never falls by a tenth: no bucket ran out"),
            BucketAbsence::UnevenBefore { variation } => {
                write!(f, "the rate before the fall varies by {:.1} %: a bucket is even", 100.0 * variation)
            }
            BucketAbsence::UnevenAfter { variation } => {
                write!(f, "the rate after the fall varies by {:.1} %: a bucket is even", 100.0 * variation)
            }
            BucketAbsence::SlowDrop { seconds } => {
                write!(f, "the rate falls over {seconds} s: a bucket runs out within {LONGEST_DROP_S} s")
            }
        }
    }
}

/// The bucket that a series of 1-s rates shows, begun under full load.
///
/// # Errors
/// When the series has another shape.
pub fn identify(rates: &[f64]) -> Result<BurstAndBase, BucketAbsence> {
    if rates.iter().any(|rate| !rate.is_finite() || *rate < 0.0) {
        return Err(BucketAbsence::NoRate);
    }
    if rates.len() < 2 * SHORTEST_PLATEAU_S + 1 {
        return Err(BucketAbsence::TooShort { seconds: rates.len() });
    }
    let split = best_split(rates);
    let burst = median(&rates[..split]);
    let base = median(&rates[split..]);
    if burst <= 0.0 || base > (1.0 - LEAST_DROP) * burst {
        return Err(BucketAbsence::NoDrop);
    }
    // The drop lasts from the last second that is near the burst to the first that is near the base.
    let quarter = (burst - base) / 4.0;
    let from = rates[..split].iter().rposition(|rate| *rate >= burst - quarter).map_or(0, |last| last + 1);
    let to =
        rates[split..].iter().position(|rate| *rate <= base + quarter).map_or(rates.len(), |i| split + i);
    if to - from > LONGEST_DROP_S {
        return Err(BucketAbsence::SlowDrop { seconds: to - from });
    }
    // The edges of the plateaus may hold a part of the drop.
    let before = plateau(&rates[..from.saturating_sub(1)], BURST_VARIATION)
        .map_err(|variation| BucketAbsence::UnevenBefore { variation })?;
    let after = plateau(rates.get(to + 1..).unwrap_or_default(), BASE_VARIATION)
        .map_err(|variation| BucketAbsence::UnevenAfter { variation })?;
    Ok(measured(before, after, &rates[from..to], from))
}

/// A plateau's mean and the half-width of its 95 % interval, allowing for correlated seconds.
#[derive(Clone, Copy)]
struct Level {
    mean: f64,
    half_width: f64,
}

/// Bucket of two levels and the seconds between them, which were part burst and part base.
fn measured(burst: Level, base: Level, drop: &[f64], from: usize) -> BurstAndBase {
    let gap = burst.mean - base.mean;
    let partly: f64 = drop.iter().map(|rate| ((rate - base.mean) / gap).clamp(0.0, 1.0)).sum();
    let burst_s = from as f64 + partly;
    let tokens = burst_s * gap;
    // The moment is known to half a second, or to half the drop.
    let moment = 0.5 * (drop.len() as f64).max(1.0);
    let width = (burst_s * burst.half_width).hypot(burst_s * base.half_width).hypot(moment * gap);
    BurstAndBase {
        burst_per_s: burst.mean,
        burst_half_width: burst.half_width,
        base_per_s: base.mean,
        base_half_width: base.half_width,
        burst_s,
        drop_s: drop.len() as f64,
        tokens,
        tokens_half_width: width,
    }
}

/// The level of a plateau, or by how much it varies.
fn plateau(rates: &[f64], most: f64) -> Result<Level, f64> {
    let (Some(mean_rate), Some(spread)) = (mean(rates), deviation(rates)) else { return Err(1.0) };
    if rates.len() < SHORTEST_PLATEAU_S || mean_rate <= 0.0 {
        return Err(1.0);
    }
    let (first, second) = rates.split_at(rates.len() / 2);
    let halves = (mean(first).unwrap_or(0.0) - mean(second).unwrap_or(0.0)).abs() / mean_rate;
    if spread / mean_rate > most {
        return Err(spread / mean_rate);
    }
    if halves > LEVEL {
        return Err(halves);
    }
    let tau = crate::stopping::ess::correlation_time(rates).unwrap_or(1.0);
    Ok(Level { mean: mean_rate, half_width: WIDTH * spread * (tau / rates.len() as f64).sqrt() })
}

/// The second that splits the series into two levels with the least sum of squares.
fn best_split(rates: &[f64]) -> usize {
    let count = rates.len();
    let total: f64 = rates.iter().sum();
    let (mut sum, mut best, mut most) = (0.0, SHORTEST_PLATEAU_S, f64::NEG_INFINITY);
    for at in 1..count {
        sum += rates[at - 1];
        // Between-group sum of squares, up to a constant: largest where within-group is least.
        let (left, right) = (at as f64, (count - at) as f64);
        let between = (sum / left - (total - sum) / right).powi(2) * left * right;
        if (SHORTEST_PLATEAU_S..=count - SHORTEST_PLATEAU_S).contains(&at) && between > most {
            (best, most) = (at, between);
        }
    }
    best
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn series(burst: f64, seconds: usize, base: f64, after: usize) -> Vec<f64> {
        let wobble = |i: usize| 1.0 + 0.004 * ((i * 7919 % 11) as f64 / 5.0 - 1.0);
        (0..seconds + after).map(|i| if i < seconds { burst } else { base } * wobble(i)).collect()
    }

    #[test]
    fn gp2_is_read_from_its_series() {
        // 5.4 M credits, 100 IOPS of base, 3000 of burst: 1862 s.
        let found = identify(&series(3000.0, 1862, 100.0, 300)).unwrap();
        assert!((found.tokens / 5.4e6 - 1.0).abs() < 2e-3, "{found:?}");
        assert!((found.tokens - 5.4e6).abs() < found.tokens_half_width);
        assert!((found.base_per_s - 100.0).abs() < 0.5 && (found.burst_per_s - 3000.0).abs() < 5.0);
        // A run of an hour: 100 + 5.4e6 / 3600.
        assert!((found.mean_over(3600.0) - 1600.0).abs() < 5.0);
        assert_eq!(found.mean_over(60.0), found.burst_per_s);
        assert!((found.refill_s() / 54_000.0 - 1.0).abs() < 0.01);
    }

    #[test]
    fn a_second_that_is_half_burst_counts_half() {
        let mut rates = series(1000.0, 200, 100.0, 200);
        rates[200] = 550.0;
        let found = identify(&rates).unwrap();
        assert!((found.burst_s - 200.5).abs() < 0.05, "{found:?}");
    }

    #[test]
    fn other_shapes_are_refused_with_their_reason() {
        let even = series(1000.0, 300, 1000.0, 0);
        assert_eq!(identify(&even), Err(BucketAbsence::NoDrop));
        assert_eq!(identify(&even[..60]), Err(BucketAbsence::TooShort { seconds: 60 }));
        let settling: Vec<f64> =
            (0..900).map(|i| 1000.0 * (1.0 + 0.8 * (-f64::from(i) / 100.0).exp())).collect();
        assert!(matches!(
            identify(&settling),
            Err(BucketAbsence::UnevenBefore { .. } | BucketAbsence::SlowDrop { .. })
        ));
        let mut cliff = series(1000.0, 300, 300.0, 600);
        for (i, rate) in cliff[300..].iter_mut().enumerate() {
            *rate += 150.0 * (-(i as f64) / 120.0).exp();
        }
        assert!(matches!(
            identify(&cliff),
            Err(BucketAbsence::UnevenAfter { .. } | BucketAbsence::SlowDrop { .. })
        ));
        let ramp: Vec<f64> = (0..300)
            .map(|i| {
                if i < 100 {
                    1000.0
                } else if i < 130 {
                    1000.0 - 30.0 * f64::from(i - 100)
                } else {
                    100.0
                }
            })
            .collect();
        assert!(matches!(identify(&ramp), Err(BucketAbsence::SlowDrop { .. })));
        assert_eq!(identify(&[f64::NAN; 100]), Err(BucketAbsence::NoRate));
        assert!(identify(&[0.0; 100]).is_err());
        assert!(identify(&series(100.0, 300, 1000.0, 300)).is_err());
    }

    proptest! {
        #[test]
        fn any_series_is_taken(rates in prop::collection::vec(0.0..1e9f64, 0..200)) {
            if let Ok(found) = identify(&rates) {
                prop_assert!(found.tokens > 0.0 && found.base_per_s < found.burst_per_s);
            }
        }
    }
}
