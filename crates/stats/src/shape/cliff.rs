//! Cliffs: beyond the median, a stretch of half a doubling or more that holds less than a fifth of what
//! lies above it.

use fathom_measure::histogram::{BUCKETS, bucket_bounds, bucket_of};
use fathom_record::distribution::{Cliff, Gap};

use super::{BINS_PER_DOUBLING, LogBins};
use crate::tail::{LatencySeries, MIN_EFFECTIVE};

/// Least width of the stretch, in doublings.
pub const MIN_GAP_DOUBLINGS: f64 = 0.5;
/// Most that the stretch may hold, as a share of what lies above it.
pub const MAX_GAP_SHARE: f64 = 0.2;
/// Fewest values above it.
pub const MIN_BEYOND: f64 = 20.0;

/// Every cliff of a series, ascending. Where stretches overlap, the widest stands for them.
///
/// A cliff needs [`MIN_BEYOND`] values and [`MIN_EFFECTIVE`] effective ones above it: one burst of slow
/// I/Os is one event, however many I/Os it caught. A series too short to tell (under 30 s) has none.
pub fn cliffs(series: &LatencySeries, resolution_ns: u64) -> Vec<Cliff> {
    let Some(bins) = LogBins::of(series, resolution_ns) else { return Vec::new() };
    gaps(&bins.counts)
        .into_iter()
        .filter_map(|(from, to)| {
            let gap = Gap { from_ns: bins.edge_ns(from), to_ns: bins.edge_ns(to) };
            describe(series, gap)
        })
        .collect()
}

fn describe(series: &LatencySeries, gap: Gap) -> Option<Cliff> {
    // The stretch holds a few values itself; what lies above it begins at its upper edge.
    let last_below = bucket_of(gap.to_ns).checked_sub(1)?;
    let beyond: u64 = series.buckets().filter(|(b, _)| *b > last_below).map(|(_, c)| c).sum();
    let share = beyond as f64 / series.count() as f64;
    let independent = share * (1.0 - share) / series.count() as f64;
    let variance = series.share_beyond(last_below, true)?.variance.max(independent);
    let effective_beyond = share * share / variance;
    let crossing = series.seconds_above(bucket_bounds(last_below.min(BUCKETS - 1)).1);
    (effective_beyond >= MIN_EFFECTIVE).then(|| Cliff {
        gap,
        at_q: 1.0 - share,
        beyond,
        effective_beyond,
        seconds_per_minute: 60.0 * crossing as f64 / series.seconds() as f64,
    })
}

/// Stretches of bins `from..to` that are nearly empty against what lies above them.
fn gaps(counts: &[f64]) -> Vec<(usize, usize)> {
    let total: f64 = counts.iter().sum();
    let width = (MIN_GAP_DOUBLINGS * BINS_PER_DOUBLING as f64) as usize;
    // Sum of the bins below each edge.
    let mut below = Vec::with_capacity(counts.len() + 1);
    below.push(0.0);
    for count in counts {
        below.push(below[below.len() - 1] + count);
    }
    let above = |edge: usize| total - below[edge];
    let is_gap = |from: usize, to: usize| {
        above(to) >= MIN_BEYOND - 1e-6 && below[to] - below[from] < MAX_GAP_SHARE * above(to)
    };
    let median = below.partition_point(|sum| *sum < total / 2.0);
    let mut found: Vec<(usize, usize)> = Vec::new();
    for from in median..counts.len().saturating_sub(width) {
        if above(from + width) < MIN_BEYOND - 1e-6 {
            break;
        }
        if !is_gap(from, from + width) {
            continue;
        }
        let mut to = from + width;
        while to < counts.len() && is_gap(from, to + 1) {
            to += 1;
        }
        match found.last_mut() {
            Some(last) if from < last.1 => {
                if to - from > last.1 - last.0 {
                    *last = (from, to);
                }
            }
            _ => found.push((from, to)),
        }
    }
    found
}
