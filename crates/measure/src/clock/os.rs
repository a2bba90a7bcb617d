//! The operating system's monotonic clock, in nanoseconds.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds since boot, untouched by clock adjustments.
#[inline]
pub fn now_ns() -> u64 {
    let time = clock_gettime(ClockId::MonotonicRaw);
    // Both fields are non-negative for a clock that counts from boot.
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
