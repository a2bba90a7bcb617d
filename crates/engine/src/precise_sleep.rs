//! Waiting for a moment of the wall clock, to the moment: asleep while it is far, awake at its end.

use std::time::Duration;

use fathom_measure::Clock;

/// How near a moment is before its thread stays awake for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreciseSleep {
    spin_ns: u64,
}

impl Default for PreciseSleep {
    /// The time that it takes to wake up on a machine with nothing else to do.
    fn default() -> Self {
        Self { spin_ns: 120_000 }
    }
}

impl PreciseSleep {
    /// Where a processor is to spare beside those of the jobs. A thread that sleeps has given its processor
    /// away: a tick of another thread, or of another guest of the host, may pass before it has it back, and
    /// everything that fell due meanwhile is late. Five milliseconds are longer than a tick.
    pub const AWAKE: Self = Self { spin_ns: 5_000_000 };

    /// For `jobs` threads bound to `bound_to` processors (0: not bound) of a process that may use `allowed`.
    pub fn of(jobs: usize, bound_to: usize, allowed: usize) -> Self {
        let has_its_own = bound_to == 0 || jobs <= bound_to;
        if has_its_own && jobs < allowed { Self::AWAKE } else { Self::default() }
    }

    /// In words for a record.
    pub fn description(self) -> String {
        format!("awake from {} before each moment", fathom_measure::Nanos(self.spin_ns))
    }

    /// Waits until `clock` shows `until_ns` or later, and returns what it then shows. The clock must move by
    /// itself.
    #[inline]
    pub fn until(self, clock: &impl Clock, until_ns: u64) -> u64 {
        let mut now_ns = clock.now_ns();
        if until_ns.saturating_sub(now_ns) > self.spin_ns {
            std::thread::sleep(Duration::from_nanos(until_ns - now_ns - self.spin_ns));
            now_ns = clock.now_ns();
        }
        while now_ns < until_ns {
            std::hint::spin_loop();
            now_ns = clock.now_ns();
        }
        now_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_with_a_processor_to_spare_threads_stay_awake() {
        assert_eq!(PreciseSleep::of(1, 1, 2), PreciseSleep::AWAKE);
        assert_eq!(PreciseSleep::of(1, 0, 2), PreciseSleep::AWAKE);
        assert_eq!(PreciseSleep::of(3, 3, 4), PreciseSleep::AWAKE);
        for (jobs, bound_to, allowed) in [(1, 1, 1), (2, 0, 2), (2, 2, 2), (2, 1, 8), (64, 0, 4)] {
            assert_eq!(
                PreciseSleep::of(jobs, bound_to, allowed),
                PreciseSleep::default(),
                "{jobs} {bound_to} {allowed}"
            );
        }
    }
}
