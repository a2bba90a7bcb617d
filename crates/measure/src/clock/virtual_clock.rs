//! A clock that moves only when told to, shared by everything that lives in one simulation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Clock;

/// Simulated time in nanoseconds from zero. Clones share the same time.
#[derive(Clone, Debug, Default)]
pub struct VirtualClock(Arc<AtomicU64>);

impl VirtualClock {
    /// A clock at time zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves the time forward to `ns`; a time that has passed already changes nothing.
    pub fn advance_to(&self, ns: u64) {
        self.0.fetch_max(ns, Ordering::Relaxed);
    }
}

impl Clock for VirtualClock {
    #[inline]
    fn now_ns(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_time_and_time_never_steps_back() {
        let clock = VirtualClock::new();
        let twin = clock.clone();
        clock.advance_to(50);
        twin.advance_to(20);
        assert_eq!((clock.now_ns(), twin.now_ns()), (50, 50));
    }
}
