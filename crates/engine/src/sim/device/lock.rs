//! A lock of the software above the device: one I/O at a time, and longer where the job changes.

use crate::sim::parameters::Lock;

/// A lock and who held it last.
#[derive(Clone, Debug)]
pub struct Turns {
    lock: Lock,
    free_ns: u64,
    holder: Option<u32>,
}

impl Turns {
    /// A lock that nobody has held.
    pub fn new(lock: Lock) -> Self {
        Self { lock, free_ns: 0, holder: None }
    }

    /// When an I/O of `job` that comes at `now_ns` has let go of the lock; `speed` divides the time it takes.
    pub fn pass(&mut self, now_ns: u64, job: u32, speed: Option<f64>) -> u64 {
        let handed_over = self.holder.is_some_and(|holder| holder != job);
        let held_ns = self.lock.hold_ns.saturating_add(if handed_over { self.lock.handover_ns } else { 0 });
        let held_ns = speed.map_or(held_ns, |speed| (held_ns as f64 / speed + 0.5) as u64);
        self.free_ns = self.free_ns.max(now_ns).saturating_add(held_ns);
        self.holder = Some(job);
        self.free_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_longer_after_another_job() {
        let mut turns = Turns::new(Lock { hold_ns: 10, handover_ns: 5 });
        assert_eq!(turns.pass(0, 1, None), 10);
        assert_eq!(turns.pass(0, 1, None), 20);
        assert_eq!(turns.pass(0, 2, None), 35);
        assert_eq!(turns.pass(100, 1, None), 115);
        assert_eq!(turns.pass(100, 1, Some(2.0)), 120);
    }
}
