//! The I/O loop: decide what is due, submit it, reap what has finished, count it.
//!
//! Nothing here allocates, locks, logs or divides. Time comes from the clock it was given, so the
//! same loop runs on the wall clock and on a virtual one.

mod depth_one_loop;
mod in_flight_work;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_measure::Clock;
use fathom_record::Direction;

use super::io_failures::{Failure, Failures};
use super::job_extras::JobExtras;
use super::pace::Pace;
use super::spare_buffers::{self, SpareBuffers, Spares};
use super::tally::Tally;
use super::timeline::Timeline;
use super::usage::Usage;
use crate::pattern::{ArrivalPattern, DataPattern, Draft, Generator};
use crate::{Completion, Engine, EngineError, Io, Submission, Wait};
use depth_one_loop::LoneJobState;

/// Longest sleep of a job, so that it sees a request to stop in time.
const LONGEST_WAIT_NS: u64 = 100_000_000;
/// Time before a due arrival from which a job polls instead of sleeping.
const SPIN_NS: u64 = 100_000;
/// Longest time that a look at the completion queue takes by itself: what is seen within it had ended before the look
/// began, while nobody looked. What is seen later was waited for.
const LOOK_NS: u64 = 1_000;

/// I/Os that one turn of a closed loop takes at least where they end inside their submission: looking at
/// the time and for the end of the run costs as much as several of them.
const INLINE_BURST: u32 = 32;

/// Longest time for which a job whose I/Os end inside their submission does not look around.
const LONGEST_BURST_NS: u64 = 1_000_000;

/// What a job does, apart from the engine that carries it.
#[derive(Debug)]
pub struct JobPlan {
    /// Number of the job, from 0.
    pub job: u32,
    /// Which of the run's targets it works on, from 0.
    pub target: u32,
    /// I/Os in flight: kept there by a closed loop, a cap for open arrivals.
    pub depth: u32,
    /// Buffers beyond the depth, in which content is made while I/Os are in flight.
    pub spares: Spares,
    /// What and where.
    pub generator: Generator,
    /// When; absent for a closed loop.
    pub arrival: Option<ArrivalPattern>,
    /// What holds the job back besides; absent: nothing.
    pub pace: Option<Pace>,
    /// What few jobs do at each I/O besides.
    pub aside: Option<Box<JobExtras>>,
    /// Content of writes.
    pub data: DataPattern,
    /// I/Os that this job may issue.
    pub operations: u64,
    /// Bytes that this job may issue.
    pub bytes: u64,
    /// Whether the process's processor time is counted by this job.
    pub counts_process: bool,
}

/// Buffers that hold content before the job's first I/O.
#[derive(Clone, Copy, Debug, Default)]
pub struct FilledBuffers {
    /// Their length; 0: none is filled.
    bytes: u32,
    /// The first of them, up to the last buffer.
    first: u32,
}

impl JobPlan {
    /// Buffers that its engine needs.
    pub fn buffers(&self) -> u32 {
        self.depth + self.spares.count
    }

    /// Fills the buffers that only writes use: no write of the run waits for a whole one then.
    pub fn fill<E: Engine>(&mut self, engine: &mut E) -> FilledBuffers {
        let Spares { count, for_reads, fill_bytes: bytes } = self.spares;
        // Where reads come too, any of the buffers up to the depth may become one's.
        let first = if for_reads > 0 { self.depth + for_reads.min(count) } else { 0 };
        for slot in (first..self.buffers()).take_while(|_| bytes > 0) {
            self.data.fill(&mut engine.buffer(slot)[..bytes as usize], false);
        }
        FilledBuffers { bytes, first }
    }

    /// The next start of an open arrival; 0 in a closed loop.
    #[inline]
    fn next_arrival_ns(&mut self) -> u64 {
        let Some(arrival) = &mut self.arrival else { return 0 };
        match self.aside.as_ref().and_then(|aside| aside.next_ns()) {
            Some(due_ns) => due_ns,
            None => arrival.next_ns(),
        }
    }

    /// Leaves nothing to do where no further start comes.
    #[inline]
    fn end_with_arrivals(&mut self, next_ns: u64) {
        if next_ns == u64::MAX {
            self.operations = 0;
        }
    }
}

/// The two ends that a job holds of its exchange with the control plane.
#[derive(Debug)]
pub struct Exchange {
    /// Finished tallies out.
    pub full: rtrb::Producer<Box<Tally>>,
    /// Empty tallies in.
    pub empty: rtrb::Consumer<Box<Tally>>,
}

/// What came of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnResult {
    /// There is more to do. On a virtual clock nothing happens before `until_ns`, from the run's origin.
    Working {
        /// Next moment at which the job has something to do.
        until_ns: u64,
    },
    /// All issued, all reaped, all handed over.
    Finished,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    direction: Direction,
    delayed: bool,
    in_flight: bool,
    bytes: u32,
    /// How much of the buffer's start still holds an earlier fill.
    filled_bytes: u32,
    offset: u64,
    intended_ns: u64,
    /// Start of the turn that issued it.
    turn_ns: u64,
}

impl Slot {
    /// Whether a result is that of an I/O that did all it was to do.
    #[inline(always)]
    fn ended_well(&self, result: i32) -> bool {
        result >= 0 && (result as u32 == self.bytes || self.direction == Direction::Flush)
    }
}

/// One job on one engine.
#[derive(Debug)]
pub struct Job<E, C> {
    engine: E,
    clock: C,
    timeline: Timeline,
    plan: JobPlan,
    next_arrival_ns: u64,
    slots: Box<[Slot]>,
    ahead: SpareBuffers,
    lone: LoneJobState,
    /// Whether the last write was filled in its turn, for lack of one that was made before.
    filled_in_turn: bool,
    free: Vec<u32>,
    done: Vec<Completion>,
    in_flight: u32,
    /// Sums of issue and of reaping times modulo 2^64: their difference plus what is in flight gives
    /// the in-flight integral without a visit to each I/O at each moment.
    issued_sum_ns: u64,
    reaped_sum_ns: u64,
    integral_base_ns: u64,
    /// End of the interval that was settled last.
    settled_ns: u64,
    last_look_ns: u64,
    /// When the last turn of a closed loop saw I/Os end, from the origin; 0: it saw none.
    seen_ns: u64,
    /// Whether nothing depends on the time but the run's end.
    is_closed: bool,
    /// Since when a slot is free again after all were taken.
    uncapped_at_ns: u64,
    issuing: bool,
    /// Most I/Os that one turn issues.
    burst: u32,
    tally: Box<Tally>,
    exchange: Exchange,
    failures: Failures,
    usage: (Usage, Usage),
    stop: Arc<AtomicBool>,
}

impl<E: Engine, C: Clock> Job<E, C> {
    /// A job that starts at the timeline's origin.
    pub fn new(
        engine: E,
        clock: C,
        timeline: Timeline,
        mut plan: JobPlan,
        filled: FilledBuffers,
        exchange: Exchange,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let slot = Slot {
            direction: Direction::Read,
            delayed: false,
            in_flight: false,
            bytes: 0,
            filled_bytes: 0,
            offset: 0,
            intended_ns: 0,
            turn_ns: 0,
        };
        let mut tally = Box::<Tally>::default();
        tally.begin(0, timeline.interval_end(0), timeline.phase(0));
        let is_inline = engine.facts().completes_inline && plan.arrival.is_none();
        let burst = if is_inline { plan.depth.max(INLINE_BURST) } else { plan.depth };
        let batch = plan.aside.as_ref().and_then(|aside| aside.batch);
        let burst = burst.min(batch.filter(|_| !is_inline).unwrap_or(u32::MAX)).max(1);
        let is_closed = plan.arrival.is_none() && plan.pace.is_none() && plan.aside.is_none();
        let lone = LoneJobState::new(is_closed && plan.depth == 1 && !is_inline);
        let next_arrival_ns = plan.next_arrival_ns();
        plan.end_with_arrivals(next_arrival_ns);
        let mut slots = vec![slot; plan.buffers() as usize].into_boxed_slice();
        slots[filled.first as usize..].iter_mut().for_each(|slot| slot.filled_bytes = filled.bytes);
        Self {
            engine,
            clock,
            timeline,
            next_arrival_ns,
            slots,
            ahead: SpareBuffers::new(plan.depth, plan.spares, filled.bytes > 0),
            lone,
            filled_in_turn: false,
            free: (0..plan.depth).rev().collect(),
            done: Vec::with_capacity(plan.depth as usize),
            plan,
            in_flight: 0,
            issued_sum_ns: 0,
            reaped_sum_ns: 0,
            integral_base_ns: 0,
            settled_ns: 0,
            last_look_ns: 0,
            seen_ns: 0,
            is_closed,
            uncapped_at_ns: 0,
            issuing: true,
            burst,
            tally,
            exchange,
            failures: Failures::new(),
            usage: (Usage::of_thread(), Usage::of_process()),
            stop,
        }
    }

    /// The engine, to ask for its facts.
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// The failure that ended the job, if one did, and the first ones seen.
    pub fn into_failures(self) -> (Option<Failure>, Vec<Failure>) {
        (self.failures.fatal(), self.failures.into_first())
    }

    /// When a turn begins. What has just been seen to end in a closed loop is that moment: at depth 1 a second look at
    /// the clock would be a tenth of the time between two I/Os.
    #[inline(always)]
    fn turn_ns(&mut self) -> u64 {
        match std::mem::replace(&mut self.seen_ns, 0) {
            0 => self.now_ns(),
            seen_ns => seen_ns,
        }
    }

    /// Time from the run's origin.
    #[inline(always)]
    fn now_ns(&self) -> u64 {
        self.clock.now_ns().saturating_sub(self.timeline.origin_ns)
    }

    /// Does what is due now; with `may_wait` it then sleeps until something is.
    ///
    /// Part of its caller, as is the engine's call in it: a processor does not foresee where a function returns to after
    /// the kernel has switched threads in it, and starts again there.
    ///
    /// # Errors
    /// When the engine is broken.
    #[inline(always)]
    pub fn turn(&mut self, may_wait: bool) -> Result<TurnResult, EngineError> {
        let now = self.turn_ns();
        if now >= self.tally.end_ns {
            self.rotate(now);
        }
        if self.issuing {
            self.check_end(now);
        }
        let queued = if !self.issuing || self.is_held(now) {
            0
        } else if self.lone.has_drawn() {
            self.issue_drawn(now)
        } else {
            self.issue(now)
        };
        if queued > 0 {
            // They start a little later, or much: their own stamps correct it when they end.
            self.issued_sum_ns = self.issued_sum_ns.wrapping_add(now.wrapping_mul(u64::from(queued)));
            self.in_flight += queued;
        }
        if self.in_flight > 0 {
            let may_wait = may_wait && !self.has_more();
            if may_wait && self.lone.leads() {
                self.lead(now)?;
                // Whatever has ended is to be followed at once.
                return Ok(TurnResult::Working { until_ns: now });
            } else if may_wait && self.ahead.is_due() && self.has_time(now) {
                self.work_ahead(now)?;
            } else {
                self.reap(now, may_wait)?;
            }
        } else if !self.issuing {
            if self.plan.aside.as_mut().is_some_and(|aside| std::mem::take(&mut aside.flush_at_end)) {
                self.flush_at_end(now);
                return Ok(TurnResult::Working { until_ns: self.wake_ns() });
            }
            self.hand_over_last();
            return Ok(TurnResult::Finished);
        } else if may_wait && (self.plan.arrival.is_some() || self.plan.pace.is_some()) {
            self.rest(now);
        }
        Ok(TurnResult::Working { until_ns: self.wake_ns() })
    }

    /// Stops issuing at the end of the window, of the quota, or when asked to. A job whose target has
    /// failed asks all others to.
    #[inline]
    fn check_end(&mut self, now: u64) {
        if self.failures.fatal().is_some() {
            self.stop.store(true, Ordering::Relaxed);
        }
        let over = now >= self.timeline.end_ns
            || self.plan.operations == 0
            || self.plan.bytes == 0
            || self.stop.load(Ordering::Relaxed);
        if over {
            self.issuing = false;
        }
    }

    /// Whether a pause or the job's share keeps it from issuing now.
    #[inline(always)]
    fn is_held(&mut self, now: u64) -> bool {
        match &mut self.plan.pace {
            None => false,
            Some(pace) => pace.holds(now, self.in_flight),
        }
    }

    /// Next moment from the origin at which there is something to do that no completion announces.
    fn wake_ns(&self) -> u64 {
        let mut wake = self.tally.end_ns;
        if !self.issuing && self.in_flight == 0 {
            return 0;
        }
        if self.issuing {
            wake = wake.min(self.timeline.end_ns);
            if !self.free.is_empty() {
                // A closed loop with a free slot is late already.
                let due = if self.plan.arrival.is_some() { self.next_arrival_ns } else { 0 };
                let held = self.plan.pace.as_ref().map_or(0, |pace| pace.until_ns(self.in_flight));
                wake = wake.min(due.max(held));
            }
        }
        match self.engine.next_due_ns() {
            Some(due) => wake.min(due.saturating_sub(self.timeline.origin_ns)),
            None => wake,
        }
    }

    /// Issues what is due; returns how many I/Os were queued. I/Os that end at once are counted here, for
    /// a limited time, so that the loop comes back to look around.
    #[inline]
    fn issue(&mut self, now: u64) -> u32 {
        let (mut queued, mut inline_ns) = (0, 0);
        let look_again_ns = self.timeline.origin_ns + self.tally.end_ns.min(now + LONGEST_BURST_NS);
        for _ in 0..self.burst {
            let due_ns = match &self.plan.arrival {
                None => 0,
                Some(_) if self.next_arrival_ns > now => break,
                Some(_) => self.next_arrival_ns,
            };
            if self.plan.operations == 0 || self.plan.bytes == 0 {
                break;
            }
            let Some(slot) = self.free.pop() else { break };
            let (draft, intended_ns) = match &mut self.plan.aside {
                None => (self.plan.generator.next(), due_ns),
                Some(aside) => match aside.next(&mut self.plan.generator, now, due_ns) {
                    Some(next) => next,
                    None => {
                        self.end_unwritten(slot);
                        break;
                    }
                },
            };
            let delayed = self.plan.arrival.is_some() && intended_ns < self.uncapped_at_ns;
            let io = self.prepare(slot, draft, (now, intended_ns), delayed);
            match self.engine.submit(io) {
                Submission::Queued => queued += 1,
                Submission::Done(completion) => {
                    self.complete_inline(io.slot, completion);
                    // A failure may be the last one that the job is to meet.
                    inline_ns = if completion.result < 0 { u64::MAX } else { completion.stamps.reaped_ns };
                }
                Submission::Full => self.refused(io.slot),
            }
            self.plan.operations -= 1;
            if let Some(pace) = &mut self.plan.pace {
                pace.issued();
            }
            self.plan.bytes = self.plan.bytes.saturating_sub(u64::from(draft.bytes));
            if self.plan.arrival.is_some() {
                self.tally.arrivals += 1;
                self.next_arrival_ns = self.plan.next_arrival_ns();
                self.plan.end_with_arrivals(self.next_arrival_ns);
            }
            // What is queued starts before the content of one more long write is made.
            if inline_ns >= look_again_ns || self.filled_in_turn || self.is_held(now) {
                self.filled_in_turn = false;
                break;
            }
        }
        queued
    }

    /// Ends all jobs before a write for which no bytes are left.
    #[cold]
    fn end_unwritten(&mut self, slot: u32) {
        self.free.push(slot);
        self.plan.operations = 0;
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Makes all that was written durable, as the job's last I/O.
    #[cold]
    fn flush_at_end(&mut self, now: u64) {
        let slot = self.free.pop().expect("nothing is in flight any more");
        let draft = Draft { direction: Direction::Flush, offset: Io::FLUSH_ALL, bytes: 0 };
        let io = self.prepare(slot, draft, (now, now), false);
        match self.engine.submit(io) {
            Submission::Queued => {
                self.issued_sum_ns = self.issued_sum_ns.wrapping_add(now);
                self.in_flight += 1;
            }
            Submission::Done(completion) => self.complete_inline(io.slot, completion),
            Submission::Full => self.refused(io.slot),
        }
    }

    /// Gives an I/O its buffer: the free slot's, or one that suits it better in exchange.
    ///
    /// `turn_ns` is when its turn began, `intended_ns` when it was to start. Inlined by force: having two callers it would
    /// be called, which costs each I/O 32 instructions.
    #[inline(always)]
    fn prepare(&mut self, free: u32, draft: Draft, (turn_ns, intended_ns): (u64, u64), delayed: bool) -> Io {
        let Draft { direction, offset, bytes } = draft;
        let filled_bytes = self.slots[free as usize].filled_bytes;
        let mut slot = free;
        match direction {
            Direction::Write => match self.ahead.take(free, bytes, filled_bytes > 0) {
                Some(made) => slot = made,
                None => {
                    if filled_bytes == 0 {
                        slot = self.ahead.written(free);
                    }
                    self.fill(slot, bytes);
                    self.filled_in_turn = bytes >= spare_buffers::WORTH_BYTES;
                }
            },
            Direction::Read if filled_bytes > 0 => {
                slot = self.ahead.blank(free);
                self.slots[slot as usize].filled_bytes = 0;
            }
            Direction::Read | Direction::Trim | Direction::Flush => {}
        }
        let state = &mut self.slots[slot as usize];
        // The caller's half of the engine's contract, as far as a job knows it; that I/Os lie within the target is the
        // generator's part.
        debug_assert!(!state.in_flight, "slot {slot} is in flight already");
        debug_assert!(
            bytes <= self.plan.generator.largest_io_bytes(),
            "{bytes} bytes do not fit into a buffer"
        );
        (state.direction, state.bytes, state.offset) = (direction, bytes, offset);
        (state.turn_ns, state.intended_ns) = (turn_ns, intended_ns);
        (state.delayed, state.in_flight) = (delayed, true);
        Io { slot, direction, offset, bytes }
    }

    /// Makes a buffer the content of a write.
    #[inline]
    fn fill(&mut self, slot: u32, bytes: u32) {
        let state = &mut self.slots[slot as usize];
        let buffer = &mut self.engine.buffer(slot)[..bytes as usize];
        self.plan.data.fill(buffer, state.filled_bytes >= bytes);
        state.filled_bytes = state.filled_bytes.max(bytes);
    }

    /// An I/O that ended inside its submission: in flight only while it was submitted.
    #[inline(always)]
    fn complete_inline(&mut self, submitted: u32, completion: Completion) {
        if completion.slot != submitted {
            return self.ended_as_another(submitted);
        }
        self.issued_sum_ns = self.issued_sum_ns.wrapping_add(self.slots[submitted as usize].turn_ns);
        self.in_flight += 1;
        self.complete(completion);
    }

    /// Whether a closed loop has slots that are free and nothing to wait for: its turn ended before all was issued.
    #[inline(always)]
    fn has_more(&self) -> bool {
        self.issuing && !self.free.is_empty() && self.plan.arrival.is_none() && self.plan.pace.is_none()
    }

    #[inline(always)]
    fn reap(&mut self, turn_started_ns: u64, may_wait: bool) -> Result<(), EngineError> {
        let wait = if may_wait { self.until(turn_started_ns) } else { Wait::No };
        self.check_looks(turn_started_ns);
        self.engine.reap(wait, &mut self.done)?;
        self.take_done();
        Ok(())
    }

    /// A wait that ends where something is to be done that no completion announces.
    #[inline(always)]
    fn until(&self, turn_started_ns: u64) -> Wait {
        let until = self.wake_ns().min(turn_started_ns + LONGEST_WAIT_NS);
        Wait::Until(self.timeline.origin_ns + until)
    }

    #[inline(always)]
    fn check_looks(&mut self, turn_started_ns: u64) {
        if self.last_look_ns > self.timeline.origin_ns.saturating_add(turn_started_ns) {
            // What was seen in an earlier turn cannot have been seen after this one began.
            self.tally.breaches.stamps_out_of_order += 1;
        }
    }

    /// Counts what the engine has handed out.
    #[inline(always)]
    fn take_done(&mut self) {
        let mut done = std::mem::take(&mut self.done);
        if let Some(first) = done.first() {
            let (returned_ns, reaped_ns) = (first.stamps.returned_ns, first.stamps.reaped_ns);
            // Completions that were there when the submission returned had waited at most since the last look.
            // Where the two stamps are one, completions are stamped as they happen and no look matters.
            let waited_ns = reaped_ns.saturating_sub(returned_ns);
            if (1..LOOK_NS).contains(&waited_ns) && self.last_look_ns > 0 {
                self.tally.look_gap.record(returned_ns.saturating_sub(self.last_look_ns));
            }
            self.last_look_ns = reaped_ns;
        }
        if let Some(last) = done.last().filter(|_| self.is_closed) {
            // Threads that stamp what they end may hand it over in another order.
            let seen_ns = last.stamps.reaped_ns.max(self.last_look_ns);
            self.seen_ns = seen_ns.saturating_sub(self.timeline.origin_ns);
        }
        for completion in done.drain(..) {
            self.complete(completion);
        }
        self.done = done;
    }

    #[inline(always)]
    fn complete(&mut self, completion: Completion) {
        let Some(state) = self.take_back(completion.slot) else { return };
        self.count(completion, state);
        if let Some(pace) = &mut self.plan.pace {
            pace.ended();
        }
        self.free.push(completion.slot);
    }

    /// What a slot holds of the I/O that has ended in it.
    #[inline(always)]
    fn take_back(&mut self, slot: u32) -> Option<Slot> {
        let Some(place) = self.slots.get_mut(slot as usize).filter(|place| place.in_flight) else {
            self.tally.breaches.unknown_completions += 1;
            return None;
        };
        // Copied before it is changed: a copy right behind the change of one byte waits for that to be stored.
        let state = *place;
        place.in_flight = false;
        Some(state)
    }

    /// Counts an I/O whose slot is its own no more.
    #[inline(always)]
    fn count(&mut self, completion: Completion, state: Slot) {
        let Completion { result, stamps, .. } = completion;
        let origin_ns = self.timeline.origin_ns;
        // Without short cuts: three comparisons and one branch that is always foreseen.
        let is_ordered = (origin_ns + state.turn_ns <= stamps.submitted_ns)
            & (stamps.submitted_ns <= stamps.returned_ns)
            & (stamps.returned_ns <= stamps.reaped_ns);
        if !is_ordered {
            return self.end_without_stamps();
        }
        let reaped_ns = stamps.reaped_ns - origin_ns;
        if reaped_ns >= self.tally.end_ns {
            if reaped_ns > self.now_ns() {
                return self.end_without_stamps();
            }
            self.rotate(reaped_ns);
        }
        self.reaped_sum_ns = self.reaped_sum_ns.wrapping_add(reaped_ns);
        self.in_flight -= 1;
        // It was counted from the start of its turn.
        let started_ns = stamps.submitted_ns - origin_ns;
        self.issued_sum_ns = self.issued_sum_ns.wrapping_add(started_ns.wrapping_sub(state.turn_ns));
        let direction = &mut self.tally.directions[state.direction.index()];
        if state.ended_well(result) {
            direction.service.record(stamps.reaped_ns - stamps.submitted_ns);
            direction.bytes += u64::from(state.bytes);
            if stamps.returned_ns != stamps.reaped_ns {
                direction.submit.record(stamps.returned_ns - stamps.submitted_ns);
            }
            if self.plan.arrival.is_some() {
                direction.response.record(reaped_ns.saturating_sub(state.intended_ns));
            }
            self.failures.clear_streak();
        } else {
            self.fail((state.direction, state.offset, state.bytes), result);
        }
        if self.plan.arrival.is_some() {
            self.count_arrival((state.intended_ns, state.delayed), stamps.submitted_ns, reaped_ns);
        }
    }

    /// Ends an I/O whose stamps cannot be believed: it was in flight until now, and has no latency.
    #[cold]
    fn end_without_stamps(&mut self) {
        self.tally.breaches.stamps_out_of_order += 1;
        self.reaped_sum_ns = self.reaped_sum_ns.wrapping_add(self.now_ns());
        self.in_flight -= 1;
    }

    /// An I/O that ended inside its submission under another one's slot: nothing is known of either.
    #[cold]
    fn ended_as_another(&mut self, submitted: u32) {
        self.tally.breaches.unknown_completions += 1;
        self.release(submitted);
    }

    /// An I/O that the engine did not take though a slot was free: it is left out.
    #[cold]
    fn refused(&mut self, slot: u32) {
        self.tally.breaches.refused_submissions += 1;
        self.release(slot);
    }

    /// Gives back the slot of an I/O of which nothing is known. One copy for its two callers: what is cold is inlined too
    /// where it is small.
    #[cold]
    #[inline(never)]
    fn release(&mut self, slot: u32) {
        self.slots[slot as usize].in_flight = false;
        if let Some(pace) = &mut self.plan.pace {
            pace.ended();
        }
        self.free.push(slot);
    }

    /// The fields and not the slot's state: what is passed by its address is stored for each I/O that goes well too.
    #[cold]
    fn fail(&mut self, (direction, offset, bytes): (Direction, u64, u32), result: i32) {
        let counts = &mut self.tally.directions[direction.index()];
        if result < 0 {
            counts.errors += 1;
        } else {
            counts.short += 1;
        }
        self.failures.note(Failure { direction, offset, bytes, errno: (-result).max(0) });
    }

    #[inline]
    fn count_arrival(&mut self, (intended_ns, delayed): (u64, bool), submitted_ns: u64, reaped_ns: u64) {
        if self.free.is_empty() {
            self.uncapped_at_ns = reaped_ns;
        }
        if delayed {
            self.tally.delayed += 1;
        } else {
            let submitted_ns = submitted_ns.saturating_sub(self.timeline.origin_ns);
            self.tally.lag.record(submitted_ns.saturating_sub(intended_ns));
        }
    }

    /// Sleeps until shortly before the next arrival when nothing is in flight.
    fn rest(&self, now: u64) {
        let left = self.wake_ns().min(now + LONGEST_WAIT_NS).saturating_sub(now);
        if left > SPIN_NS {
            std::thread::sleep(std::time::Duration::from_nanos(left - SPIN_NS));
        } else if self.plan.pace.as_ref().is_some_and(Pace::waits_for_others) {
            // On a machine with fewer processors than jobs the others could not go on otherwise.
            std::thread::yield_now();
        }
    }

    /// In-flight integral from the run's start to `at_ns`, modulo 2^64.
    fn integral_ns(&self, at_ns: u64) -> u64 {
        at_ns
            .wrapping_mul(u64::from(self.in_flight))
            .wrapping_add(self.reaped_sum_ns)
            .wrapping_sub(self.issued_sum_ns)
    }

    /// Ends the current interval, and any that passed without an event, up to the one that holds `now`.
    #[cold]
    fn rotate(&mut self, now: u64) {
        self.count_last();
        while now >= self.tally.end_ns {
            let start_ns = self.tally.end_ns;
            let (end_ns, phase) = (self.timeline.interval_end(start_ns), self.timeline.phase(start_ns));
            self.close_tally(start_ns);
            match self.exchange.empty.pop() {
                Ok(mut fresh) => {
                    fresh.begin(start_ns, end_ns, phase);
                    let finished = std::mem::replace(&mut self.tally, fresh);
                    self.exchange.full.push(finished).expect("the queue holds every tally that exists");
                }
                // The control plane is late. A phase must not run into the next one; an interval may.
                Err(_) if phase == self.tally.phase => {
                    self.tally.end_ns = end_ns;
                    self.tally.extended += 1;
                }
                Err(_) => std::thread::yield_now(),
            }
        }
    }

    /// Settles the integral and the processor times of the interval that ends at `end_ns`.
    fn close_tally(&mut self, end_ns: u64) {
        let integral = self.integral_ns(end_ns);
        let passed = integral.wrapping_sub(self.integral_base_ns) as i64;
        let most = u64::from(self.plan.depth).saturating_mul(end_ns.saturating_sub(self.settled_ns));
        self.tally.breaches.above_depth += u64::from(passed > 0 && passed as u64 > most);
        self.settled_ns = end_ns;
        self.tally.in_flight_integral_ns += passed.max(0) as u64;
        self.integral_base_ns = integral;
        let (thread, process) = (Usage::of_thread(), self.plan.counts_process.then(Usage::of_process));
        self.tally.thread_cpu_ns += thread.since(self.usage.0).total_ns();
        self.usage.0 = thread;
        if let Some(process) = process {
            let used = process.since(self.usage.1);
            self.tally.process_user_ns += used.user_ns;
            self.tally.process_system_ns += used.system_ns;
            self.usage.1 = process;
        }
    }

    fn hand_over_last(&mut self) {
        let now = self.now_ns();
        if now >= self.tally.end_ns {
            self.rotate(now);
        }
        self.close_tally(now);
        self.tally.end_ns = now;
        let last = std::mem::take(&mut self.tally);
        self.exchange.full.push(last).expect("the queue holds every tally that exists");
    }
}
