//! Faults as a decorator: makes chosen I/Os of an engine fail, fall short, lie or get lost, the same
//! ones each time.

mod fault_plan;

#[cfg(test)]
mod tests;

use fathom_record::Direction;
use fathom_record::facts::{EngineFacts, EngineFeature};

use crate::{Completion, Engine, EngineError, EventHandle, Io, Submission, Wait};

pub use fault_plan::{Effect, FaultPlan, FaultRule, FaultTrigger};

/// An engine whose I/Os go wrong by plan.
///
/// An I/O that is not carried out becomes a flush underneath, so that it still takes the inner engine's
/// way and stamps and leaves its buffer alone.
#[derive(Debug)]
pub struct Fault<E> {
    inner: E,
    facts: EngineFacts,
    plan: FaultPlan,
    /// I/Os accepted so far.
    number: u64,
    latest_ns: Option<u64>,
    /// What each slot in flight carries, and what will become of it.
    in_flight: Box<[Option<(Io, Effect)>]>,
    faults: u64,
}

impl<E: Engine> Fault<E> {
    /// Wraps an engine of `depth` slots.
    pub fn new(inner: E, plan: FaultPlan, depth: u32) -> Self {
        let mut facts = inner.facts().clone();
        facts.features.push(EngineFeature::new(
            "fault",
            true,
            Some("chosen I/Os are made to fail: results do not measure the target".to_owned()),
        ));
        let in_flight = vec![None; depth as usize].into_boxed_slice();
        Self { inner, facts, plan, number: 0, latest_ns: None, in_flight, faults: 0 }
    }

    /// I/Os that something became of.
    pub fn faults(&self) -> u64 {
        self.faults
    }

    /// The engine that was wrapped.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    /// Makes of a completion what was decided at its submission.
    fn finish(&mut self, completion: Completion) -> Completion {
        self.latest_ns = self.latest_ns.max(Some(completion.stamps.reaped_ns));
        let planned = self.in_flight.get_mut(completion.slot as usize).and_then(Option::take);
        let Some((io, effect)) = planned else { return completion };
        self.faults += 1;
        let acknowledged = if completion.result < 0 { completion.result } else { io.bytes as i32 };
        let result = match effect {
            Effect::Fail(errno) | Effect::CarryOutAndFail(errno) => -errno,
            Effect::Lose => acknowledged,
            Effect::Short(_) | Effect::Misplace(_) => completion.result,
            Effect::FlipByte(at) => {
                if u64::from(at) < completion.bytes()
                    && let Some(byte) = self.inner.buffer(completion.slot).get_mut(at as usize)
                {
                    *byte = !*byte;
                }
                completion.result
            }
        };
        Completion { result, ..completion }
    }
}

/// Whether an effect means anything for a direction.
fn applies(effect: Effect, direction: Direction) -> bool {
    match effect {
        Effect::Fail(_) | Effect::CarryOutAndFail(_) => true,
        Effect::Short(_) => matches!(direction, Direction::Read | Direction::Write),
        Effect::FlipByte(_) => direction == Direction::Read,
        Effect::Lose => matches!(direction, Direction::Write | Direction::Trim),
        Effect::Misplace(_) => direction == Direction::Write,
    }
}

/// What the inner engine is given instead.
fn instead(io: Io, effect: Effect) -> Io {
    match effect {
        Effect::Fail(_) | Effect::Lose => Io { direction: Direction::Flush, offset: 0, bytes: 0, ..io },
        Effect::Short(bytes) => Io { bytes: io.bytes.min(bytes), ..io },
        Effect::Misplace(offset) => Io { offset, ..io },
        Effect::CarryOutAndFail(_) | Effect::FlipByte(_) => io,
    }
}

impl<E: Engine> Engine for Fault<E> {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.inner.buffer(slot)
    }

    #[inline]
    fn view(&self, slot: u32) -> Option<&[u8]> {
        self.inner.view(slot)
    }

    fn submit(&mut self, io: Io) -> Submission {
        let effect = self
            .plan
            .effect(&io, self.number, self.latest_ns)
            .filter(|effect| applies(*effect, io.direction));
        let submission = self.inner.submit(effect.map_or(io, |effect| instead(io, effect)));
        if submission == Submission::Full {
            return submission;
        }
        self.number += 1;
        if let Some(slot) = self.in_flight.get_mut(io.slot as usize) {
            *slot = effect.map(|effect| (io, effect));
        }
        match submission {
            Submission::Done(completion) => Submission::Done(self.finish(completion)),
            other => other,
        }
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        let seen = done.len();
        let result = self.inner.reap(wait, done);
        for completion in &mut done[seen..] {
            *completion = self.finish(*completion);
        }
        result
    }

    fn next_due_ns(&self) -> Option<u64> {
        self.inner.next_due_ns()
    }

    fn announce(&mut self, event: EventHandle<'_>) -> bool {
        self.inner.announce(event)
    }
}
