//! What a job does while its I/Os are in flight and nothing is due: content for the writes to come.

use fathom_measure::Clock;

use super::{Job, LOOK_NS, SPIN_NS};
use crate::{Engine, EngineError};

impl<E: Engine, C: Clock> Job<E, C> {
    /// Whether no start is due before content for one more write is made.
    pub(super) fn has_time(&self, now: u64) -> bool {
        self.issuing && (self.plan.arrival.is_none() || self.wake_ns() > now.saturating_add(2 * SPIN_NS))
    }

    /// Starts what is queued, and makes content for one more write while it is in flight. Waits only if there is
    /// no more to make.
    pub(super) fn work_ahead(&mut self, now: u64) -> Result<(), EngineError> {
        let before = self.in_flight;
        self.look(now, false)?;
        if self.in_flight < before {
            return Ok(());
        }
        let looked_ns = self.now_ns();
        if let Some((slot, bytes)) = self.ahead.next_to_make() {
            self.fill(slot, bytes);
            self.ahead.made(slot, bytes);
        }
        let made_ns = self.now_ns();
        self.look(now, !self.ahead.is_due())?;
        // What ended meanwhile was seen only now.
        if self.in_flight < before
            && self.last_look_ns.saturating_sub(self.timeline.origin_ns) < made_ns + LOOK_NS
        {
            self.tally.look_gap.record(made_ns.saturating_sub(looked_ns));
        }
        Ok(())
    }

    /// [`reap`](Self::reap) as a function, where two looks are in one turn.
    #[inline(never)]
    fn look(&mut self, turn_started_ns: u64, may_wait: bool) -> Result<(), EngineError> {
        self.reap(turn_started_ns, may_wait)
    }
}
