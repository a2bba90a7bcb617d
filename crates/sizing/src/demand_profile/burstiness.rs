//! How unevenly I/Os came: peaks, idle and busy stretches, and the index of dispersion for counts.
//!
//! Source: index of dispersion for counts, Cox and Lewis, "The Statistical Analysis of Series of Events"
//! (1966): variance over mean of the counts in windows of one length is 1 for independent arrivals.

use fathom_record::profile_record::{Burstiness, Dispersion};

use super::resolution::subsecond;
use crate::demand::Demand;
use crate::trace::Trace;
use crate::windows::{lengths, sums};

/// Windows that a variance rests on at least.
const FEWEST_WINDOWS: usize = 20;
/// A tick above so many medians of the busy ticks belongs to a burst.
const BURST_OF_MEDIAN: u64 = 2;

/// The burstiness of a demand's seen ticks.
pub fn burstiness(demand: &Demand, trace: Option<&Trace>) -> Burstiness {
    let (operations, seen) = (demand.operations(), demand.seen());
    let known: Vec<u64> = sums(&operations, &seen, 1).collect();
    let mut busy: Vec<u64> = known.iter().copied().filter(|count| *count > 0).collect();
    busy.sort_unstable();
    let threshold =
        busy.get(busy.len() / 2).map_or(u64::MAX, |median| median.saturating_mul(BURST_OF_MEDIAN));
    let share = |count: usize| count as f64 / known.len().max(1) as f64;
    let above = known.iter().filter(|count| **count > threshold).count();
    let mut inside = false;
    let stretches = operations
        .iter()
        .zip(&seen)
        .filter(|(count, seen)| {
            let now = **seen && **count > threshold;
            now && !std::mem::replace(&mut inside, now) || {
                inside = now;
                false
            }
        })
        .count();
    let tick_s = f64::from(demand.tick_s);
    let mut dispersion = Vec::new();
    if let Some((window_s, counts)) = trace.and_then(subsecond) {
        dispersion.extend(index(&counts, window_s));
    }
    for ticks in lengths(demand.tick_s) {
        let counts: Vec<u64> = sums(&operations, &seen, ticks).collect();
        dispersion.extend(index(&counts, ticks as f64 * tick_s));
    }
    Burstiness {
        peak_over_mean: peak_over_mean(&known),
        bytes_peak_over_mean: peak_over_mean(&sums(&demand.bytes(), &seen, 1).collect::<Vec<_>>()),
        idle_share: share(known.len() - busy.len()),
        burst_share: share(above),
        burst_mean_s: (stretches > 0).then(|| above as f64 / stretches as f64 * tick_s),
        dispersion,
    }
}

fn peak_over_mean(counts: &[u64]) -> Option<f64> {
    let mean = mean(counts)?;
    (mean > 0.0).then(|| counts.iter().copied().max().unwrap_or(0) as f64 / mean)
}

fn mean(counts: &[u64]) -> Option<f64> {
    let sum: f64 = counts.iter().map(|&count| count as f64).sum();
    (!counts.is_empty()).then(|| sum / counts.len() as f64)
}

fn index(counts: &[u64], window_s: f64) -> Option<Dispersion> {
    let mean = mean(counts).filter(|mean| *mean > 0.0 && counts.len() >= FEWEST_WINDOWS)?;
    let squares: f64 = counts.iter().map(|&count| (count as f64 - mean).powi(2)).sum();
    Some(Dispersion { window_s, index: squares / (counts.len() - 1) as f64 / mean })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::Flow;

    fn demand(operations: Vec<u64>, gaps: Vec<std::ops::Range<usize>>) -> Demand {
        let flow =
            |operations: Vec<u64>| Flow { bytes: operations.iter().map(|o| o * 512).collect(), operations };
        let nothing = vec![0; operations.len()];
        Demand { tick_s: 1, read: flow(operations), write: flow(nothing), gaps, counted: None }
    }

    #[test]
    fn bursts_are_counted_with_their_length() {
        let mut operations = vec![10u64; 100];
        operations[20..25].fill(100);
        operations[70] = 100;
        operations[40..50].fill(0);
        let found = burstiness(&demand(operations, vec![]), None);
        assert_eq!((found.burst_share, found.burst_mean_s, found.idle_share), (0.06, Some(3.0), 0.1));
        assert!((found.peak_over_mean.unwrap() - 100.0 / 14.4).abs() < 1e-9);
    }

    #[test]
    fn what_was_not_seen_is_neither_idle_nor_a_burst() {
        let mut operations = vec![10u64; 100];
        operations[10..60].fill(0);
        let found = burstiness(&demand(operations, std::iter::once(10..60).collect()), None);
        assert_eq!((found.idle_share, found.peak_over_mean), (0.0, Some(1.0)));
        assert_eq!(found.dispersion[0].index, 0.0);
    }

    #[test]
    fn an_empty_series_has_no_figures() {
        let found = burstiness(&demand(vec![0; 5], vec![]), None);
        assert_eq!((found.peak_over_mean, found.idle_share, found.burst_mean_s), (None, 1.0, None));
        assert!(found.dispersion.is_empty());
    }
}
