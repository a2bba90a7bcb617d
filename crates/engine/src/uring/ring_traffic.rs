//! What is between a submission and its completion on one ring: batches out, stamps, completions in.
//!
//! A batch is stamped just before the call that submits it, when all of it is prepared; completions are
//! stamped when the completion queue is read. Where the job would wait anyway, the submitting call also
//! waits for a first completion. How long submission alone takes is known from one batch in
//! [`TIMED_APART`], which is submitted by a call that does not wait.
//!
//! A wait must end, also where the target never answers. A timer for each would be started and taken back
//! with every batch, so one timer of the ring's own ticks every [`TICK_NS`] and ends those waits that may
//! last longer than that; shorter ones bring a timer along.

use std::marker::PhantomData;
use std::os::fd::{AsRawFd, BorrowedFd};

use fathom_measure::Clock;
use fathom_record::facts::EngineFeature;
use io_uring::{cqueue, opcode, squeue, types};

use super::ring_queues::Queue;
use crate::{Completion, EngineError, Stamps, Submission, Wait};

/// Below this much time to a deadline the engine polls instead of sleeping: a timer fires tens of
/// microseconds late, and open arrivals are to start within 5 us of their intended time.
const SPIN_NS: u64 = 100_000;

/// One batch in so many, a power of two, is submitted by a call of its own: enough to know what submission
/// costs, and too few to show in the rate.
const TIMED_APART: u32 = 64;

/// The `returned` stamp of an I/O whose submission and wait were one call.
const UNKNOWN_NS: u64 = u64::MAX;

/// Between two ticks of the ring's timer.
const TICK_NS: u64 = 50_000_000;

/// User data of the timer. Its lower half is the slot of an I/O, and no ring has so many.
const TICK: u64 = u64::MAX;

/// Name of the timer in the engine's facts.
const NAME: &str = "standing_timer";

/// What the `returned` stamp is, for the record.
pub fn returned_stamp() -> String {
    format!(
        "return of the call that submitted the I/O's batch, where that call did not wait too: of one \
         batch in {TIMED_APART}, and of those submitted shortly before an arrival is due"
    )
}

/// I/Os of one job on one ring. An entry's user data names its slot in the lower half; the rest is the
/// engine's.
#[derive(Debug)]
pub struct Traffic<C, S: squeue::EntryMarker = squeue::Entry, E: cqueue::EntryMarker = cqueue::Entry> {
    queue: Queue<S, E>,
    clock: C,
    /// Submitted and returned stamps by slot.
    stamps: Vec<(u64, u64)>,
    /// Slots whose entries are in the submission queue and not yet with the kernel, in order.
    pending: Vec<u32>,
    in_flight: u32,
    /// Batches submitted so far, modulo 2^32.
    batches: u32,
    /// Whether the ring's timer ticks.
    ticks: bool,
    /// The ring is known to the kernel by the thread that made it, so it must not leave that thread.
    _of_this_thread: PhantomData<*const ()>,
}

impl<C, S, E> Traffic<C, S, E>
where
    C: Clock,
    S: squeue::EntryMarker + From<squeue::Entry>,
    E: cqueue::EntryMarker + Into<cqueue::Entry>,
{
    /// Nothing in flight on a ring of `slots` entries.
    pub fn new(queue: Queue<S, E>, slots: u32, clock: C) -> Self {
        Self {
            queue,
            clock,
            stamps: vec![(0, 0); slots as usize],
            pending: Vec::with_capacity(slots as usize),
            in_flight: 0,
            batches: 0,
            ticks: false,
            _of_this_thread: PhantomData,
        }
    }

    /// Starts the ring's timer, where waits may be long: in a closed loop whose completions announce
    /// themselves. Says whether it ticks. To be called before anything else is submitted.
    ///
    /// # Errors
    /// When the ring is broken.
    pub fn start_ticking(&mut self, has_long_waits: bool) -> Result<EngineFeature, EngineError> {
        if !has_long_waits {
            let note = "only for closed loops that are not polled".to_owned();
            return Ok(EngineFeature::new(NAME, false, Some(note)));
        }
        let period = types::Timespec::new().nsec(TICK_NS as u32);
        let timer = opcode::Timeout::new(&raw const period)
            .flags(types::TimeoutFlags::MULTISHOT)
            .build()
            .user_data(TICK);
        // An older kernel refuses the flag at once, with a completion.
        self.ticks = self.queue.push(&timer.into())
            && self.queue.start(1)? == 1
            && !self.queue.completions().any(|entry| has_ended(&entry.into()));
        let refusal = (!self.ticks).then(|| "refused by this kernel (needs 6.4)".to_owned());
        Ok(EngineFeature::unless_refused(NAME, refusal))
    }

    /// Has the kernel add to an event descriptor whenever something completed; false where it does not.
    pub fn announce(&self, event: BorrowedFd<'_>) -> bool {
        self.queue.ring().submitter().register_eventfd(event.as_raw_fd()).is_ok()
    }

    /// The ring's clock.
    #[inline]
    pub fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    /// Takes an entry to go with the next batch.
    #[inline]
    pub fn push(&mut self, slot: u32, entry: &S) -> Submission {
        if !self.queue.push(entry) {
            return Submission::Full;
        }
        self.pending.push(slot);
        Submission::Queued
    }

    /// An I/O that the kernel must not see.
    #[cold]
    pub fn refuse(&self, slot: u32, errno: i32) -> Submission {
        let now_ns = self.clock.now_ns();
        let stamps = Stamps { submitted_ns: now_ns, returned_ns: now_ns, reaped_ns: now_ns };
        Submission::Done(Completion { slot, result: -errno, stamps })
    }

    /// Hands over what is pending and takes what has completed, as [`Engine::reap`](crate::Engine::reap)
    /// has it. `moved` makes an I/O's result from its completion's and its user data.
    ///
    /// # Errors
    /// When the ring is broken.
    #[inline(always)]
    pub fn reap(
        &mut self,
        wait: Wait,
        done: &mut Vec<Completion>,
        moved: impl Fn(i32, u64) -> i32,
    ) -> Result<(), EngineError> {
        self.flush(wait)?;
        loop {
            if self.collect(done, &moved) || self.in_flight == 0 {
                return Ok(());
            }
            let Wait::Until(deadline_ns) = wait else {
                self.queue.poll()?;
                self.collect(done, &moved);
                return Ok(());
            };
            let now_ns = self.clock.now_ns();
            if now_ns >= deadline_ns {
                return Ok(());
            }
            match sleep_of(wait, now_ns) {
                Some(sleep_ns) => self.start_and_wait(0, sleep_ns).map(|_| ())?,
                None => self.queue.poll()?,
            }
        }
    }

    /// Hands what is pending to the kernel, and stamps it; waits there for a first completion where that
    /// is wanted and the deadline is far.
    #[inline(always)]
    fn flush(&mut self, wait: Wait) -> Result<(), EngineError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let count = self.pending.len() as u32;
        let is_timed_apart = self.batches.is_multiple_of(TIMED_APART);
        self.batches = self.batches.wrapping_add(1);
        let submitted_ns = self.clock.now_ns();
        let (accepted, returned_ns) = match sleep_of(wait, submitted_ns) {
            Some(sleep_ns) if !is_timed_apart => (self.start_and_wait(count, sleep_ns)?, UNKNOWN_NS),
            _ => (self.queue.start(count)?, self.clock.now_ns()),
        };
        for slot in self.pending.drain(..accepted as usize) {
            self.stamps[slot as usize] = (submitted_ns, returned_ns);
        }
        self.in_flight += accepted;
        Ok(())
    }

    /// Submits `count` entries and waits until something completes, at most `sleep_ns`.
    #[inline(always)]
    fn start_and_wait(&mut self, count: u32, sleep_ns: u64) -> Result<u32, EngineError> {
        if self.ticks && sleep_ns >= TICK_NS {
            self.queue.start_and_wait_for_any(count)
        } else {
            self.queue.start_and_wait(count, sleep_ns)
        }
    }

    /// Takes what is in the completion queue; all of it was there at one moment, and is stamped with it.
    /// Says whether an I/O was among it.
    #[inline]
    fn collect(&mut self, done: &mut Vec<Completion>, moved: &impl Fn(i32, u64) -> i32) -> bool {
        let mut completions = self.queue.completions();
        if completions.is_empty() {
            return false;
        }
        let reaped_ns = self.clock.now_ns();
        let before = done.len();
        for entry in &mut completions {
            let entry: cqueue::Entry = entry.into();
            let slot = entry.user_data() as u32;
            let Some(&(submitted_ns, returned_ns)) = self.stamps.get(slot as usize) else {
                self.ticks &= !has_ended(&entry);
                continue;
            };
            let stamps = Stamps { submitted_ns, returned_ns: returned_ns.min(reaped_ns), reaped_ns };
            done.push(Completion { slot, result: moved(entry.result(), entry.user_data()), stamps });
        }
        let ended = (done.len() - before) as u32;
        debug_assert!(ended <= self.in_flight, "the kernel completed an I/O twice");
        // Not below 0 where it did: the count would begin anew from the top, and `drain` would wait for all of it.
        self.in_flight = self.in_flight.saturating_sub(ended);
        ended > 0
    }
}

impl<C, S, E> Traffic<C, S, E>
where
    S: squeue::EntryMarker,
    E: cqueue::EntryMarker + Into<cqueue::Entry>,
{
    /// Waits until the kernel has given every I/O back. False where nobody will say any more when it has:
    /// then it may still write to the buffers, even after the ring is closed.
    pub fn drain(&mut self) -> bool {
        while self.in_flight > 0 {
            let finished = self.queue.completions().filter(|entry| !is_tick(&entry.clone().into())).count();
            self.in_flight -= (finished as u32).min(self.in_flight);
            if self.in_flight > 0 && self.queue.wait(1_000_000_000).is_err() {
                return false;
            }
        }
        true
    }
}

fn is_tick(entry: &cqueue::Entry) -> bool {
    entry.user_data() == TICK
}

/// Whether the timer will not tick again.
#[cold]
fn has_ended(entry: &cqueue::Entry) -> bool {
    !cqueue::more(entry.flags())
}

/// How long the engine may sleep now: until a little before the deadline, or not at all.
#[inline]
fn sleep_of(wait: Wait, now_ns: u64) -> Option<u64> {
    let Wait::Until(deadline_ns) = wait else { return None };
    deadline_ns.saturating_sub(now_ns).checked_sub(SPIN_NS).filter(|sleep_ns| *sleep_ns > 0)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;
    use std::sync::Arc;

    use fathom_measure::WallClock;
    use fathom_record::Direction;

    use super::*;
    use crate::uring::{Options, Uring, available};
    use crate::{Engine, Io};

    #[test]
    fn a_wait_ends_though_the_target_does_not_answer() {
        if let Err(reason) = available() {
            fathom_skips::skipped(reason);
            return;
        }
        let (clock, _) = WallClock::start();
        for on_time in [false, true] {
            let (reader, mut writer) = std::io::pipe().unwrap();
            let options = Options { on_time, ..Options::default() };
            let silent = Arc::new(File::from(std::os::fd::OwnedFd::from(reader)));
            let mut engine = Uring::new(silent, 1, 4096, options, clock).unwrap();
            let feature = engine.facts().features.iter().find(|feature| feature.name == NAME).unwrap();
            assert!(!(feature.used && on_time), "{feature:?}");
            assert_eq!(feature.used, feature.note.is_none());
            let io = Io { slot: 0, direction: Direction::Read, offset: 0, bytes: 4096 };
            assert_eq!(engine.submit(io), Submission::Queued);
            let mut done = Vec::with_capacity(1);
            for waits in 1..=3 {
                let deadline_ns = clock.now_ns() + TICK_NS * waits;
                engine.reap(Wait::Until(deadline_ns), &mut done).unwrap();
                assert!(done.is_empty() && clock.now_ns() >= deadline_ns);
            }
            writer.write_all(&[7; 100]).unwrap();
            engine.reap(Wait::Until(u64::MAX), &mut done).unwrap();
            assert_eq!((done.len(), done[0].result), (1, 100));
        }
    }

    #[test]
    fn an_event_tells_that_something_completed_and_not_before() {
        use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
        if let Err(reason) = available() {
            fathom_skips::skipped(reason);
            return;
        }
        let (clock, _) = WallClock::start();
        let (reader, mut writer) = std::io::pipe().unwrap();
        let silent = Arc::new(File::from(std::os::fd::OwnedFd::from(reader)));
        let options = Options { on_time: true, ..Options::default() };
        let mut engine = Uring::new(silent, 1, 4096, options, clock).unwrap();
        let event = eventfd(0, EventfdFlags::NONBLOCK).unwrap();
        assert!(engine.announce(std::os::fd::AsFd::as_fd(&event)));
        let is_told = |ms: i64| {
            let time = Timespec { tv_sec: ms / 1000, tv_nsec: ms % 1000 * 1_000_000 };
            poll(&mut [PollFd::new(&event, PollFlags::IN)], Some(&time)).unwrap() == 1
        };
        let mut done = Vec::with_capacity(1);
        let io = Io { slot: 0, direction: Direction::Read, offset: 0, bytes: 4096 };
        assert_eq!(engine.submit(io), Submission::Queued);
        engine.reap(Wait::No, &mut done).unwrap();
        assert!(done.is_empty() && !is_told(20));
        writer.write_all(&[7; 100]).unwrap();
        assert!(is_told(10_000));
        engine.reap(Wait::No, &mut done).unwrap();
        assert_eq!((done.len(), done[0].result), (1, 100));
    }
}
