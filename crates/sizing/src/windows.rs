//! Rates of a demand over windows of several lengths: what averages over longer windows hide.

use fathom_record::sizing::{DemandSummary, FlowSummary, Percentiles, WindowSummary};

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
        total: flow(&total, demand.tick_s),
        read: flow(&demand.read, demand.tick_s),
        write: flow(&demand.write, demand.tick_s),
    }
}

fn flow(flow: &Flow, tick_s: u32) -> FlowSummary {
    let sum = |values: &[u64]| values.iter().sum::<u64>();
    let (operations, bytes) = (sum(&flow.operations), sum(&flow.bytes));
    let tick = u64::from(tick_s);
    let lengths = LENGTHS_S.into_iter().filter(|length| length.is_multiple_of(tick) || *length == tick);
    let lengths = std::iter::once(tick).chain(lengths.filter(|length| *length > tick));
    let window = |seconds: u64| WindowSummary {
        seconds,
        operations_per_s: percentiles(&flow.operations, seconds, tick),
        bytes_per_s: percentiles(&flow.bytes, seconds, tick),
    };
    let long_enough = |seconds: &u64| seconds / tick <= flow.operations.len() as u64;
    FlowSummary {
        operations,
        bytes,
        mean_bytes: (operations > 0).then(|| bytes as f64 / operations as f64),
        windows: lengths.filter(long_enough).map(window).collect(),
    }
}

/// Over windows beside each other; a last one that is not full is left out.
fn percentiles(units: &[u64], seconds: u64, tick_s: u64) -> Percentiles {
    let ticks = usize::try_from(seconds / tick_s).unwrap_or(1).max(1);
    let mut sums: Vec<u64> = units.chunks_exact(ticks).map(|window| window.iter().sum()).collect();
    sums.sort_unstable();
    let at = |q: f64| {
        let rank = (q * sums.len() as f64).ceil() as usize;
        sums.get(rank.clamp(1, sums.len().max(1)) - 1).map_or(0.0, |&sum| sum as f64 / seconds as f64)
    };
    Percentiles { p50: at(0.5), p95: at(0.95), p99: at(0.99), p999: at(0.999), max: at(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_windows_hide_bursts() {
        let mut operations = vec![10u64; 600];
        operations[77] = 6000;
        let summary = flow(&Flow { bytes: operations.iter().map(|o| o * 4096).collect(), operations }, 1);
        let max =
            |seconds| summary.windows.iter().find(|w| w.seconds == seconds).map(|w| w.operations_per_s.max);
        assert_eq!((max(1), max(10)), (Some(6000.0), Some(609.0)));
        assert_eq!(max(3600), None, "the series is shorter");
        assert_eq!(summary.mean_bytes, Some(4096.0));
    }

    #[test]
    fn coarse_ticks_have_no_short_windows() {
        let coarse = Flow { operations: vec![300; 20], bytes: vec![300; 20] };
        let seconds: Vec<u64> = flow(&coarse, 60).windows.iter().map(|w| w.seconds).collect();
        assert_eq!(seconds, [60, 300]);
    }
}
