//! The interval of one quantile of one run, by the design effect of its seconds.

use std::fmt;

use fathom_measure::histogram::{BUCKETS, bucket_bounds};
use fathom_record::distribution::{Cliff, QuantileInterval};

use super::{BATCHES, LatencySeries};
use crate::student::{CONFIDENCE, t_quantile};

/// Fewest values beyond a quantile that is stated.
pub const MIN_BEYOND: f64 = 20.0;
/// Fewest effective values beyond a quantile that is stated.
pub const MIN_EFFECTIVE: f64 = 5.0;
/// Recurrences of an event that a run must hold for a tail interval to cover it.
const CYCLES: f64 = 12.0;

/// Why a quantile has not even a lower bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnresolvedReason {
    /// No values.
    Empty,
    /// The order is not between 0 and 1.
    NotAnOrder,
    /// Fewer seconds than batches, so that the seconds' variation cannot be known.
    TooShort {
        /// Seconds in the series.
        seconds: usize,
    },
    /// The bound would lie below the smallest value.
    Unbounded,
}

impl fmt::Display for UnresolvedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnresolvedReason::Empty => write!(f, "no I/O ended"),
            UnresolvedReason::NotAnOrder => write!(f, "a quantile lies between 0 and 1"),
            UnresolvedReason::TooShort { seconds } => {
                write!(f, "{seconds} s are too short: an interval needs {BATCHES} s at least")
            }
            UnresolvedReason::Unbounded => write!(f, "too few slow I/Os to bound it"),
        }
    }
}

/// The quantile `q` with its interval.
///
/// Stated only with [`MIN_BEYOND`] values and [`MIN_EFFECTIVE`] effective values beyond it; with fewer
/// only the lower end is known. The bounds are the quantiles at `1 - (1-q) e^s` and `1 - (1-q) e^-s` with
/// `s = t sqrt(v) / (1-q)`, widened by one bucket; for orders below one half the same from the other end.
/// `cliffs` are those of the same series. Valid for events that recur at least every twelfth of the run.
///
/// # Errors
/// Why not even a lower bound is known.
pub fn quantile_interval(
    series: &LatencySeries,
    q: f64,
    cliffs: &[Cliff],
) -> Result<QuantileInterval, UnresolvedReason> {
    if !(q > 0.0 && q < 1.0) {
        return Err(UnresolvedReason::NotAnOrder);
    }
    let count = series.count() as f64;
    let bucket = series.bucket_at(q).ok_or(UnresolvedReason::Empty)?;
    let upper = q >= 0.5;
    let beyond = if upper { 1.0 - q } else { q };
    let independent = q * (1.0 - q) / count;
    let variance = share_variance(series, bucket, upper, beyond)
        .ok_or(UnresolvedReason::TooShort { seconds: series.seconds() })?
        .max(independent);
    let t = t_quantile(CONFIDENCE, BATCHES - 1).ok_or(UnresolvedReason::Unbounded)?;
    let s = t * variance.sqrt() / beyond;
    let ranks = if upper {
        (1.0 - beyond * s.exp(), 1.0 - beyond * (-s).exp())
    } else {
        (beyond * (-s).exp(), beyond * s.exp())
    };
    let effective = beyond * beyond / variance;
    let is_stated = count * beyond >= MIN_BEYOND - 1e-6 && effective >= MIN_EFFECTIVE;
    if ranks.0 <= 0.0 && !is_stated {
        return Err(UnresolvedReason::Unbounded);
    }
    let (smallest, largest) = series.extremes_ns().ok_or(UnresolvedReason::Empty)?;
    let low = series.bucket_at(ranks.0.max(0.0)).ok_or(UnresolvedReason::Empty)?.saturating_sub(1);
    let high = (series.bucket_at(ranks.1.min(1.0)).ok_or(UnresolvedReason::Empty)? + 1).min(BUCKETS - 1);
    let low_ns = bucket_bounds(low).0.max(smallest);
    let high_ns = bucket_bounds(high).1.min(largest);
    let on_cliff = |c: &&Cliff| low_ns <= c.gap.from_ns && high_ns >= c.gap.to_ns;
    Ok(QuantileInterval {
        q,
        value_ns: series.quantile_ns(q).filter(|_| is_stated).map(|v| v.round() as u64),
        low_ns,
        high_ns: is_stated.then_some(high_ns),
        confidence: CONFIDENCE,
        beyond: (count * beyond).round() as u64,
        design_effect: variance / independent,
        effective_beyond: effective,
        resolves_every_s: series.seconds() as f64 / CYCLES,
        cliff: cliffs.iter().find(on_cliff).filter(|_| is_stated).map(|c| c.gap),
    })
}

/// Variance of the share beyond a quantile that lies in `bucket`.
///
/// Where many values share the quantile's bucket, as those of one burst do, hardly any lie strictly beyond
/// it; so the values of the bucket are also looked at together with those beyond, with the variance in
/// proportion to their share, and the worse of the two counts.
fn share_variance(series: &LatencySeries, bucket: usize, upper: bool, beyond: f64) -> Option<f64> {
    let strictly = series.share_beyond(bucket, upper)?;
    let inner = if upper { bucket.checked_sub(1) } else { Some(bucket + 1).filter(|b| *b < BUCKETS) };
    let with_it = inner.and_then(|inner| series.share_beyond(inner, upper)).filter(|s| s.share > 0.0);
    let scaled = with_it.map_or(0.0, |s| s.variance * (beyond / s.share).powi(2));
    Some(strictly.variance.max(scaled))
}
