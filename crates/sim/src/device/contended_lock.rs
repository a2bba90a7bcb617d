//! A lock of the software above the device: one I/O at a time, and longer with each job that contends for it.

use crate::parameters::Lock;

/// A job contends for this long after its last I/O.
const CONTENDS_NS: u64 = 100_000_000;

/// A lock and who wanted it of late.
#[derive(Clone, Debug)]
pub struct ContendedLock {
    lock: Lock,
    free_ns: u64,
    /// Jobs with the time of their last I/O.
    jobs: Vec<(u32, u64)>,
}

impl ContendedLock {
    /// A lock that nobody wanted yet.
    pub fn new(lock: Lock) -> Self {
        Self { lock, free_ns: 0, jobs: Vec::new() }
    }

    /// When an I/O of `job` that comes at `now_ns` has let go of the lock; `speed` divides the time it takes.
    pub fn pass(&mut self, now_ns: u64, job: u32, speed: Option<f64>) -> u64 {
        self.jobs.retain(|(known, last_ns)| *known != job && last_ns.saturating_add(CONTENDS_NS) >= now_ns);
        let others = self.jobs.len() as u64;
        self.jobs.push((job, now_ns));
        let held_ns = self.lock.hold_ns.saturating_add(self.lock.handover_ns.saturating_mul(others));
        let held_ns = speed.map_or(held_ns, |speed| (held_ns as f64 / speed + 0.5) as u64);
        self.free_ns = self.free_ns.max(now_ns).saturating_add(held_ns);
        self.free_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_longer_with_each_other_job() {
        let mut lock = ContendedLock::new(Lock { hold_ns: 10, handover_ns: 5 });
        assert_eq!(lock.pass(0, 1, None), 10);
        assert_eq!(lock.pass(0, 1, None), 20);
        assert_eq!(lock.pass(0, 2, None), 35);
        assert_eq!(lock.pass(100, 3, None), 120);
        assert_eq!(lock.pass(200, 1, Some(2.0)), 210);
        assert_eq!(lock.pass(300_000_000, 1, None), 300_000_010, "the others have gone");
    }
}
