//! Finds the processor's counter's rate against the operating system's clock.

use super::{counter, os};

/// How long the two clocks are compared, in nanoseconds. With edges known to about 30 ns this
/// bounds the rate error to a few parts per million, and delays the start by 20 ms.
const SPAN_NS: u64 = 20_000_000;

/// Two clocks read as close together as a few tries allow.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Counter value, taken between two reads of the system clock.
    pub ticks: u64,
    /// System time at the middle of the bracket.
    pub ns: u64,
    /// Width of the bracket: the edge is known to half of this.
    pub uncertainty_ns: u64,
}

/// The narrowest of several brackets, so that an interrupt in one of them does no harm.
pub fn edge() -> Edge {
    (0..32)
        .map(|_| {
            let before = os::now_ns();
            let ticks = counter::read();
            let after = os::now_ns();
            Edge { ticks, ns: before + (after - before) / 2, uncertainty_ns: after - before }
        })
        .min_by_key(|edge| edge.uncertainty_ns)
        .expect("the range is not empty")
}

/// A counter rate: nanoseconds = ticks * multiplier / 2^32.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Nanoseconds per tick as a 32.32 fixed-point number.
    pub multiplier: u64,
    /// Bound on the relative error, in parts per million.
    pub error_ppm: f64,
}

/// Compares the clocks over 20 ms; `None` when the counter stood still, ran absurdly, or not at the rate that it states.
pub fn calibrate() -> Option<(Rate, Edge)> {
    let start = edge();
    while os::now_ns() < start.ns + SPAN_NS {
        std::hint::spin_loop();
    }
    let end = edge();
    let ticks = end.ticks.checked_sub(start.ticks)?;
    let ns = end.ns - start.ns;
    let uncertainty_ns = (start.uncertainty_ns + end.uncertainty_ns) as f64 / 2.0;
    Some((rate((ticks, ns), uncertainty_ns, counter::stated_hz())?, end))
}

/// Ticks a second of the slowest and the fastest counter: Arm's begin at 1 MHz, time-stamp counters end below 20 GHz.
const HZ: std::ops::RangeInclusive<f64> = 1e6..=20e9;

/// Between a stated rate and the compared one, as a share, beyond what the edges leave open: the kernel's clock is
/// reckoned by the stated one, so that anything more is another counter.
const STATED_SLACK: f64 = 1e-3;

/// The rate by what passed on both clocks, or by what the processor states of it where that agrees.
fn rate((ticks, ns): (u64, u64), uncertainty_ns: f64, stated_hz: Option<u64>) -> Option<Rate> {
    let compared_hz = ticks as f64 / ns as f64 * 1e9;
    if !HZ.contains(&compared_hz) {
        return None;
    }
    let Some(hz) = stated_hz else {
        let multiplier = ((u128::from(ns) << 32) / u128::from(ticks)) as u64;
        return Some(Rate { multiplier, error_ppm: uncertainty_ns / ns as f64 * 1e6 });
    };
    // A coarse counter's edges are known to a tick.
    let open = (uncertainty_ns + 2e9 / hz as f64) / ns as f64 + STATED_SLACK;
    if (compared_hz / hz as f64 - 1.0).abs() > open {
        return None;
    }
    // Nothing is left to compare but the rounding of the multiplier.
    let multiplier = ((1_000_000_000u128 << 32) / u128::from(hz)) as u64;
    Some(Rate { multiplier, error_ppm: 1e6 / multiplier as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn a_rate_that_the_processor_states_is_taken_where_the_clocks_agree_with_it() {
        // 24 MHz: 480,000 ticks in 20 ms, and one more.
        let stated = rate((480_001, 20 * MS), 60.0, Some(24_000_000)).unwrap();
        assert_eq!(stated.multiplier, (1_000_000_000u64 << 32) / 24_000_000);
        assert!(stated.error_ppm < 0.001, "{stated:?}");
        assert!(rate((480_001, 20 * MS), 60.0, Some(25_000_000)).is_none(), "4 % off");
        let compared = rate((480_001, 20 * MS), 60.0, None).unwrap();
        assert!((compared.error_ppm - 3.0).abs() < 0.01, "{compared:?}");
        // 1 GHz is a tick a nanosecond exactly.
        assert_eq!(rate((20 * MS, 20 * MS), 60.0, Some(1_000_000_000)).unwrap().multiplier, 1 << 32);
    }

    #[test]
    fn a_counter_that_stands_still_or_runs_absurdly_is_none() {
        assert!(rate((0, 20 * MS), 60.0, None).is_none());
        assert!(rate((10, 20 * MS), 60.0, Some(1_000_000)).is_none());
        assert!(rate((20 * MS * 21, 20 * MS), 60.0, None).is_none());
        assert!(rate((20 * MS * 3, 20 * MS), 60.0, None).is_some());
    }
}
