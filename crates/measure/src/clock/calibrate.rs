//! Finds the time-stamp counter's rate against the operating system's clock.

use super::{os, tsc};

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
            let ticks = tsc::read();
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

/// Compares the clocks over 20 ms; `None` when the counter stood still or ran absurdly.
pub fn calibrate() -> Option<(Rate, Edge)> {
    let start = edge();
    while os::now_ns() < start.ns + SPAN_NS {
        std::hint::spin_loop();
    }
    let end = edge();
    let ticks = end.ticks.checked_sub(start.ticks)?;
    let ns = end.ns - start.ns;
    // 0.1 to 20 ticks per nanosecond covers every processor made.
    if ticks < ns / 10 || ticks > ns * 20 {
        return None;
    }
    let multiplier = ((u128::from(ns) << 32) / u128::from(ticks)) as u64;
    let error_ppm = (start.uncertainty_ns + end.uncertainty_ns) as f64 / 2.0 / ns as f64 * 1e6;
    Some((Rate { multiplier, error_ppm }, end))
}
