//! What holds a job back besides its arrivals: pauses, and its share of what several jobs do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Jobs that hold one another back, so that each does its share of the I/Os of all.
#[derive(Debug, Default)]
pub struct Flow {
    /// I/Os issued by the jobs that are part of it now.
    issued: AtomicU64,
    /// Their weights together.
    weights: AtomicU64,
}

/// What each job of a run does of a flow.
#[derive(Clone, Debug)]
pub struct Share {
    flow: Arc<Flow>,
    weight: u32,
    pause_ns: u64,
}

impl Share {
    /// The share of a run's `jobs`, each with `weight` among all, at least 1. Their weights count from now on, so that
    /// nobody runs ahead before they have started. A job that is ahead of its share pauses for `pause_ns` when its I/Os
    /// have ended; with 0 it waits for the others.
    pub fn new(flow: &Arc<Flow>, weight: u32, jobs: u32, pause_ns: u64) -> Self {
        flow.weights.fetch_add(u64::from(weight) * u64::from(jobs), Ordering::Relaxed);
        Self { flow: Arc::clone(flow), weight, pause_ns }
    }

    /// Weight of each job.
    pub fn weight(&self) -> u32 {
        self.weight
    }
}

/// What holds one job back.
#[derive(Debug)]
pub struct Pace {
    pauses: Option<Pauses>,
    member: Option<Member>,
    refill: Option<Refill>,
    /// When the pause that has begun is over; 0 where there is none.
    until_ns: u64,
    is_held: bool,
}

#[derive(Debug)]
struct Pauses {
    after_operations: u64,
    pause_ns: u64,
    ended: u64,
}

/// A full queue that drains before it is filled again.
#[derive(Clone, Copy, Debug)]
pub struct Refill {
    /// I/Os of a full queue.
    depth: u32,
    /// I/Os in flight at which it is filled again.
    at: u32,
    drains: bool,
}

impl Refill {
    /// Of a queue of `depth` that is filled again at `at` I/Os in flight.
    pub fn new(depth: u32, at: u32) -> Self {
        Self { depth, at, drains: false }
    }

    fn holds(&mut self, in_flight: u32) -> bool {
        self.drains = in_flight >= self.depth || self.drains && in_flight > self.at;
        self.drains
    }
}

/// A job in its flow; it leaves with all that it did when it ends.
#[derive(Debug)]
struct Member {
    share: Share,
    issued: u64,
}

impl Member {
    /// fio's rule: the share of the I/Os until now is above the share of the weights.
    fn is_ahead(&self) -> bool {
        let flow = &self.share.flow;
        let (all, weights) = (flow.issued.load(Ordering::Relaxed), flow.weights.load(Ordering::Relaxed));
        u128::from(self.issued) * u128::from(weights) > u128::from(all) * u128::from(self.share.weight)
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.share.flow.issued.fetch_sub(self.issued, Ordering::Relaxed);
        self.share.flow.weights.fetch_sub(u64::from(self.share.weight), Ordering::Relaxed);
    }
}

impl Pace {
    /// What a job is held back by: `pauses` are the I/Os between two of them and their length in nanoseconds.
    /// Each job of a share has one such value, and leaves the flow with it.
    pub fn new(pauses: Option<(u64, u64)>, share: Option<Share>, refill: Option<Refill>) -> Option<Self> {
        if pauses.is_none() && share.is_none() && refill.is_none() {
            return None;
        }
        let pauses =
            pauses.map(|(after_operations, pause_ns)| Pauses { after_operations, pause_ns, ended: 0 });
        let member = share.map(|share| Member { share, issued: 0 });
        Some(Self { pauses, member, refill, until_ns: 0, is_held: false })
    }

    /// An I/O was issued.
    #[inline]
    pub fn issued(&mut self) {
        if let Some(member) = &mut self.member {
            member.issued += 1;
            member.share.flow.issued.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// An I/O has ended.
    #[inline]
    pub fn ended(&mut self) {
        if let Some(pauses) = &mut self.pauses {
            pauses.ended += 1;
        }
    }

    /// Whether nothing may be issued at `now_ns`, with so many I/Os in flight. A pause begins when none is.
    pub fn holds(&mut self, now_ns: u64, in_flight: u32) -> bool {
        if self.until_ns > 0 {
            self.is_held = now_ns < self.until_ns;
            if self.is_held {
                return true;
            }
            self.until_ns = 0;
            if let Some(pauses) = &mut self.pauses {
                pauses.ended = 0;
            }
        }
        if self.refill.as_mut().is_some_and(|refill| refill.holds(in_flight)) {
            self.is_held = true;
            return true;
        }
        let pause_ns = self.pause_due();
        self.is_held = pause_ns.is_some();
        if let Some(pause_ns) = pause_ns.filter(|pause_ns| in_flight == 0 && *pause_ns > 0) {
            self.until_ns = now_ns.saturating_add(pause_ns).max(1);
        }
        self.is_held
    }

    /// Whether what holds it now is that others are behind.
    pub fn waits_for_others(&self) -> bool {
        self.is_held && self.until_ns == 0 && self.member.is_some()
    }

    /// Length of the pause that has to be now; 0 where the job waits for others.
    fn pause_due(&self) -> Option<u64> {
        let tired = self.pauses.as_ref().filter(|pauses| pauses.ended >= pauses.after_operations);
        let ahead = self.member.as_ref().filter(|member| member.is_ahead());
        tired.map(|pauses| pauses.pause_ns).or_else(|| ahead.map(|member| member.share.pause_ns))
    }

    /// Until when it holds, as far as that is known: the end of what is in flight is none of its events.
    pub fn until_ns(&self, in_flight: u32) -> u64 {
        match self.until_ns {
            0 if self.is_held && in_flight > 0 => u64::MAX,
            until_ns => until_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_begins_when_all_has_ended_and_counts_anew_after_it() {
        let mut pace = Pace::new(Some((2, 1000)), None, None).unwrap();
        assert!(!pace.holds(0, 0));
        pace.ended();
        assert!(!pace.holds(10, 3));
        pace.ended();
        assert!(pace.holds(20, 2), "two have ended");
        assert_eq!(pace.until_ns(2), u64::MAX, "those in flight come first");
        pace.ended();
        pace.ended();
        assert!(pace.holds(30, 0));
        assert_eq!(pace.until_ns(0), 1030);
        assert!(pace.holds(1029, 0));
        assert!(!pace.holds(1030, 0));
        pace.ended();
        assert!(!pace.holds(1040, 0), "one of two");
    }

    #[test]
    fn a_full_queue_drains_to_its_mark_before_it_is_filled() {
        let mut pace = Pace::new(None, None, Some(Refill::new(8, 4))).unwrap();
        let held: Vec<bool> = [0, 4, 7, 8, 7, 5, 4, 5, 8, 5].iter().map(|n| pace.holds(0, *n)).collect();
        assert_eq!(held, [false, false, false, true, true, true, false, false, true, true]);
        assert_eq!(pace.until_ns(5), u64::MAX, "an I/O that ends comes first");
    }

    #[test]
    fn jobs_of_a_flow_keep_their_shares_and_the_last_one_goes_on_alone() {
        let flow = Arc::new(Flow::default());
        let shares = [1, 8].map(|weight| Share::new(&flow, weight, 1, 0));
        let mut jobs: Vec<Pace> =
            shares.into_iter().map(|share| Pace::new(None, Some(share), None).unwrap()).collect();
        let mut counts = [0u32; 2];
        for turn in 0..9000 {
            let job = turn % 2;
            if !jobs[job].holds(0, 0) {
                jobs[job].issued();
                counts[job] += 1;
            }
        }
        assert!(counts[1].abs_diff(counts[0] * 8) <= 9, "{counts:?}");
        jobs.truncate(1);
        for _ in 0..100 {
            assert!(!jobs[0].holds(0, 0), "nobody else is there to wait for");
            jobs[0].issued();
        }
    }
}
