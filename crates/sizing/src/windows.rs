//! Rates of a demand over windows of several lengths: what averages over longer windows hide.

use fathom_record::sizing_record::{DemandSummary, FlowSummary, Percentiles, WindowSummary};

use crate::demand::{Demand, Flow};

/// Lengths of the windows, in seconds; those shorter than a tick are left out.
const LENGTHS_S: [u64; 5] = [1, 10, 60, 300, 3600];

/// A demand in numbers.
pub fn summary(demand: &Demand, from: &str) -> DemandSummary {
    let total = Flow { operations: demand.operations(), bytes: demand.bytes() };
    DemandSummary {
        from: from.to_owned(),
        tick_s: demand.tick_s,
        ticks: demand.ticks() as u64,
        ticks_seen: demand.ticks_seen() as u64,
        total: flow(&total, demand.tick_s, &demand.seen()),
        read: flow(&demand.read, demand.tick_s, &demand.seen()),
        write: flow(&demand.write, demand.tick_s, &demand.seen()),
    }
}

/// Lengths of the windows that a tick allows, in ticks.
pub fn lengths(tick_s: u32) -> impl Iterator<Item = usize> {
    let tick = u64::from(tick_s.max(1));
    let longer = LENGTHS_S.into_iter().filter(move |length| length.is_multiple_of(tick) && *length > tick);
    std::iter::once(1).chain(longer.filter_map(move |length| usize::try_from(length / tick).ok()))
}

/// Units in windows beside each other, of so many ticks; windows that were not seen whole are left out,
/// and so is a last one that is not full.
pub fn sums<'a>(units: &'a [u64], seen: &'a [bool], ticks: usize) -> impl Iterator<Item = u64> + 'a {
    let windows = units.chunks_exact(ticks.max(1)).zip(seen.chunks_exact(ticks.max(1)));
    windows.filter(|(_, seen)| seen.iter().all(|seen| *seen)).map(|(units, _)| units.iter().sum())
}

fn flow(flow: &Flow, tick_s: u32, seen: &[bool]) -> FlowSummary {
    let sum = |values: &[u64]| values.iter().sum::<u64>();
    let (operations, bytes) = (sum(&flow.operations), sum(&flow.bytes));
    let window = |ticks: usize| {
        let seconds = ticks as u64 * u64::from(tick_s);
        let of = |units: &[u64]| percentiles(sums(units, seen, ticks).collect(), seconds as f64);
        let (operations_per_s, bytes_per_s) = (of(&flow.operations)?, of(&flow.bytes)?);
        Some(WindowSummary { seconds, operations_per_s, bytes_per_s })
    };
    FlowSummary {
        operations,
        bytes,
        mean_bytes: (operations > 0).then(|| bytes as f64 / operations as f64),
        windows: lengths(tick_s).filter_map(window).collect(),
    }
}

/// Rates over windows, by the nearest rank; absent without a window.
pub fn percentiles(mut sums: Vec<u64>, seconds: f64) -> Option<Percentiles> {
    sums.sort_unstable();
    let at = |q: f64| {
        let rank = (q * sums.len() as f64).ceil() as usize;
        sums.get(rank.clamp(1, sums.len().max(1)) - 1).map(|&sum| sum as f64 / seconds)
    };
    Some(Percentiles { p50: at(0.5)?, p95: at(0.95)?, p99: at(0.99)?, p999: at(0.999)?, max: at(1.0)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_windows_hide_bursts() {
        let mut operations = vec![10u64; 600];
        operations[77] = 6000;
        let seen = vec![true; 600];
        let bytes = operations.iter().map(|o| o * 4096).collect();
        let summary = flow(&Flow { bytes, operations }, 1, &seen);
        let max =
            |seconds| summary.windows.iter().find(|w| w.seconds == seconds).map(|w| w.operations_per_s.max);
        assert_eq!((max(1), max(10)), (Some(6000.0), Some(609.0)));
        assert_eq!(max(3600), None, "the series is shorter");
        assert_eq!(summary.mean_bytes, Some(4096.0));
    }

    #[test]
    fn coarse_ticks_have_no_short_windows() {
        let coarse = Flow { operations: vec![300; 20], bytes: vec![300; 20] };
        let seconds: Vec<u64> = flow(&coarse, 60, &[true; 20]).windows.iter().map(|w| w.seconds).collect();
        assert_eq!(seconds, [60, 300]);
    }

    #[test]
    fn windows_that_were_not_seen_whole_claim_nothing() {
        let mut seen = vec![true; 20];
        seen[3] = false;
        let half = Flow { operations: vec![5; 20], bytes: vec![5; 20] };
        let summary = flow(&half, 1, &seen);
        assert_eq!(summary.windows[0].operations_per_s.p50, 5.0);
        assert_eq!(sums(&half.operations, &seen, 10).collect::<Vec<_>>(), [50]);
    }
}
