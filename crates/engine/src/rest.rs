//! Waiting for a moment of the wall clock, to the moment: asleep while it is far, awake at its end.

use std::time::Duration;

use fathom_measure::Clock;

/// The last stretch is spun through: a sleep ends late by the time that it takes to wake up.
const SPIN_NS: u64 = 120_000;

/// Waits until `clock` shows `until_ns` or later, and returns what it then shows. The clock must move by
/// itself.
#[inline]
pub fn until(clock: &impl Clock, until_ns: u64) -> u64 {
    let mut now_ns = clock.now_ns();
    if until_ns.saturating_sub(now_ns) > SPIN_NS {
        std::thread::sleep(Duration::from_nanos(until_ns - now_ns - SPIN_NS));
        now_ns = clock.now_ns();
    }
    while now_ns < until_ns {
        std::hint::spin_loop();
        now_ns = clock.now_ns();
    }
    now_ns
}
