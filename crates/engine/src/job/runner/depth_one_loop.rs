//! One I/O in flight, on a target that ends it while the job does something else: what the job owes the last one is done
//! while the next is in flight.
//!
//! Between two I/Os of depth 1 the target has nothing to do. So the next I/O is drawn, and its content made, while the one
//! before it is in flight; what has ended is counted only after the next was started. Between the two are then the checks
//! that decide whether there is a next one, and its submission. Stamps are the engine's and do not change: an I/O is
//! stamped when it is handed over and when its end is seen.
//!
//! That takes a call that starts and a call that waits where one would do both. It is worth it for I/Os of some
//! microseconds, on a target that works by itself: where a kernel worker carries the I/O on the job's own processor, the
//! second call is in its way. So a stretch of I/Os in either order is timed, the faster order stays for a while, and then
//! both are timed again. Where I/Os end inside the call that starts them there is no meanwhile, and where they take long
//! the gap is nothing beside them: the job then works in the common order, and tries again after a while.

use fathom_measure::Clock;
use fathom_record::Direction;

use super::{Job, LOOK_NS, Slot};
use crate::pattern::Draft;
use crate::{Completion, Engine, EngineError, Submission, Wait};

/// I/Os in a row that end inside the call that starts them, after which the order is the common one.
const AT_ONCE: u32 = 4;
/// Turns in the common order before the target is tried again.
const PAUSE: u32 = 256;
/// I/Os in each order whose time is compared.
const STRETCH: u32 = 64;
/// I/Os in the order that was faster, before both are timed again: twice as many each time it is faster without doubt.
const RUN: u32 = 1024;
/// The most of them: a tenth of a second to a third, in which what carries the I/Os may change.
const MOST_RUN: u32 = 16 * RUN;
/// Comparisons that one order may be ahead: a stretch that was disturbed does not decide alone.
const MOST_AHEAD: i32 = 2;
/// From this latency on the time between two I/Os is below half a percent of it.
const LONG_NS: u64 = 20_000;

/// What a job at depth 1 keeps from one I/O to the next.
#[derive(Debug)]
pub(super) struct LoneJobState {
    /// Whether the job is one: closed, at depth 1, on an engine whose I/Os are in flight between two calls.
    is_on: bool,
    /// Turns in the common order that are left.
    pause: u32,
    /// I/Os in a row that ended inside the call that started them.
    at_once: u32,
    /// I/Os in this order before the common one is timed.
    left: u32,
    /// When the stretch began that is timed, from the origin.
    since_ns: u64,
    /// How long a stretch in this order took.
    led_ns: u64,
    /// Whether the stretch that is timed is in the common order.
    is_common: bool,
    /// Comparisons won by this order less those lost.
    ahead: i32,
    /// I/Os before the next comparison.
    run: u32,
    /// The next I/O.
    drawn: Option<Draft>,
    /// The last I/O, and what its slot held of it, as long as it is not counted. Never kept beyond a pause's beginning.
    last: Option<(Completion, Slot)>,
    /// How long nobody looked for it, where it may have ended meanwhile.
    unseen_ns: Option<u64>,
}

impl LoneJobState {
    pub fn new(is_on: bool) -> Self {
        Self {
            is_on,
            pause: 0,
            at_once: 0,
            left: STRETCH,
            since_ns: 0,
            led_ns: 0,
            is_common: false,
            ahead: 0,
            run: RUN,
            drawn: None,
            last: None,
            unseen_ns: None,
        }
    }

    /// Whether this turn starts its I/O first and counts the last one then.
    #[inline(always)]
    pub fn leads(&mut self) -> bool {
        if !self.is_on {
            return false;
        }
        self.pause = self.pause.saturating_sub(1);
        self.pause == 0
    }

    #[inline(always)]
    pub fn has_drawn(&self) -> bool {
        self.drawn.is_some()
    }

    fn ended_at_once(&mut self) {
        self.at_once += 1;
        if self.at_once >= AT_ONCE {
            self.at_once = 0;
            self.step_back();
        }
    }

    /// Works in the common order for a while, without a comparison.
    fn step_back(&mut self) {
        (self.pause, self.left, self.is_common) = (PAUSE, STRETCH, false);
    }

    /// Times the orders by turns, and goes on in the faster one. `now_ns` is the beginning of a turn of this order.
    fn compare(&mut self, now_ns: u64) {
        if self.is_common {
            self.is_common = false;
            let is_slower = now_ns.saturating_sub(self.since_ns) < self.led_ns;
            let step = if is_slower { -1 } else { 1 };
            self.ahead = (self.ahead + step).clamp(-MOST_AHEAD, MOST_AHEAD);
            let is_sure = self.ahead.abs() == MOST_AHEAD;
            self.run = if is_sure { (2 * self.run).min(MOST_RUN) } else { RUN };
            (self.left, self.pause) = if self.ahead < 0 { (STRETCH, self.run) } else { (self.run, 0) };
            return;
        }
        if self.left == STRETCH {
            self.since_ns = now_ns;
        }
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.led_ns = now_ns.saturating_sub(self.since_ns);
            // This turn's I/O begins the stretch, between two in the common order.
            (self.since_ns, self.is_common, self.pause) = (now_ns, true, STRETCH);
        }
    }
}

impl<E: Engine, C: Clock> Job<E, C> {
    /// Issues the I/O that was drawn while the last one was in flight; returns how many were queued.
    #[inline(always)]
    pub(super) fn issue_drawn(&mut self, now: u64) -> u32 {
        let Some(slot) = self.free.pop() else { return 0 };
        let Some(draft) = self.lone.drawn.take() else {
            self.free.push(slot);
            return 0;
        };
        let io = self.prepare(slot, draft, (now, 0), false);
        self.filled_in_turn = false;
        self.plan.operations -= 1;
        self.plan.bytes = self.plan.bytes.saturating_sub(u64::from(draft.bytes));
        match self.engine.submit(io) {
            Submission::Queued => return 1,
            Submission::Done(completion) => self.complete_inline(io.slot, completion),
            Submission::Full => self.refused(io.slot),
        }
        0
    }

    /// Starts what is queued, counts the I/O before it, makes the next one ready, and waits.
    pub(super) fn lead(&mut self, turn_started_ns: u64) -> Result<(), EngineError> {
        let started = self.engine.reap(Wait::No, &mut self.done);
        self.check_looks(turn_started_ns);
        self.lone.compare(turn_started_ns);
        self.count_last();
        started?;
        if self.in_flight == 0 || !self.done.is_empty() {
            self.lone.ended_at_once();
            self.take_done();
            return Ok(());
        }
        self.lone.at_once = 0;
        let looked_ns = self.now_ns();
        self.make_next();
        let made_ns = self.now_ns();
        let wait = self.until(turn_started_ns);
        self.engine.reap(wait, &mut self.done)?;
        self.keep_last((looked_ns, made_ns));
        Ok(())
    }

    /// Draws the I/O after the one that is in flight, if there is to be one, and makes its content.
    fn make_next(&mut self) {
        if self.lone.drawn.is_some() || self.plan.operations == 0 || self.plan.bytes == 0 {
            return;
        }
        let draft = self.plan.generator.next();
        self.lone.drawn = Some(draft);
        if draft.direction == Direction::Write
            && let Some(slot) = self.ahead.make_for(draft.bytes)
        {
            self.fill(slot, draft.bytes);
            self.ahead.made(slot, draft.bytes);
        }
    }

    /// Gives the slot of what has ended back, and leaves the counting for later, unless it decides what comes next.
    #[inline(always)]
    fn keep_last(&mut self, (looked_ns, made_ns): (u64, u64)) {
        let (Some(&completion), 1) = (self.done.first(), self.done.len()) else { return self.take_done() };
        if self.lone.pause > 0 {
            // The next turn is in the common order.
            return self.take_done();
        }
        let Completion { slot, result, stamps } = completion;
        let origin_ns = self.timeline.origin_ns;
        let known = self.slots.get(slot as usize);
        // A failure may be the last one that the job is to meet, and an interval's end is settled before the next begins.
        let may_wait = known.is_some_and(|state| state.in_flight && state.ended_well(result))
            && stamps.reaped_ns.saturating_sub(origin_ns) < self.tally.end_ns
            && stamps.reaped_ns.saturating_sub(stamps.submitted_ns) < LONG_NS;
        if !may_wait {
            self.lone.step_back();
            return self.take_done();
        }
        self.done.clear();
        let seen_ns = stamps.reaped_ns.max(self.last_look_ns);
        (self.last_look_ns, self.seen_ns) = (stamps.reaped_ns, seen_ns.saturating_sub(origin_ns));
        if let Some(state) = self.take_back(slot) {
            self.lone.last = Some((completion, state));
            self.free.push(slot);
        }
        // What ended while the next was made ready was seen only when that was done.
        let is_late = stamps.reaped_ns.saturating_sub(origin_ns) < made_ns + LOOK_NS;
        self.lone.unseen_ns = is_late.then(|| made_ns.saturating_sub(looked_ns));
    }

    /// Counts the I/O whose counting was left for later. Never inlined, because `count` always is: its callers would hold
    /// a copy of that each.
    #[inline(never)]
    pub(super) fn count_last(&mut self) {
        if let Some((completion, state)) = self.lone.last.take() {
            self.count(completion, state);
            if let Some(unseen_ns) = self.lone.unseen_ns.take() {
                self.tally.look_gap.record(unseen_ns);
            }
        }
    }
}

#[cfg(test)]
mod tests;
