//! The monotonic clock of an operating system other than Unix, in nanoseconds: on Windows the performance counter.
#![allow(clippy::disallowed_methods)] // This is where clocks are read.

use std::sync::OnceLock;
use std::time::Instant;

/// Nanoseconds since the process first asked.
#[inline]
pub fn now_ns() -> u64 {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    let passed = FIRST.get_or_init(Instant::now).elapsed();
    u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX)
}
