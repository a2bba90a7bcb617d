//! Time as a parameter: one trait, a wall clock that knows its own cost, and a virtual clock.
//!
//! The wall clock reads the processor's counter (the time-stamp counter of x86-64, the virtual counter of Arm) only when
//! its rate is constant, the kernel itself trusts it, and it could be calibrated; otherwise it reads
//! `CLOCK_MONOTONIC_RAW`, or what Rust's library takes where there is none. Either way it measures what a read costs and resolves.

mod calibrate;
mod counter;
pub mod offset;
#[cfg(unix)]
mod os;
#[cfg(not(unix))]
#[path = "os_elsewhere.rs"]
mod os;
mod virtual_clock;
mod wall_clock;

pub use virtual_clock::VirtualClock;
pub use wall_clock::{ClockFacts, ClockSource, WallClock};

/// Nanoseconds since an origin of the clock's own choosing; never steps back.
pub trait Clock {
    /// The time now, in nanoseconds since the clock's origin.
    fn now_ns(&self) -> u64;
}
