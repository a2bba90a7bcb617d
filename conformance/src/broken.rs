//! Engines that break one promise on purpose: what the suite, and whoever drives an engine, has to notice.

use std::collections::VecDeque;

use fathom_engine::{Completion, Engine, EngineError, Io, Submission, Wait};
use fathom_record::Direction;
use fathom_record::facts::EngineFacts;

use crate::{BUFFER_BYTES, TARGET_BYTES};

/// A promise that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breach {
    /// Each completion comes out again at the next look.
    EndsTwice,
    /// A completion names a slot that the engine does not have.
    EndsUnknownSlot,
    /// One completion in eight never comes out.
    LosesCompletions,
    /// An I/O that was taken returns after it was reaped.
    ReapedBeforeReturned,
    /// An I/O was handed on after its call returned.
    ReturnedBeforeSubmitted,
    /// An I/O was handed on before it was asked for.
    SubmittedBeforeAsked,
    /// A completion was seen later than it is told.
    ReapedInTheFuture,
    /// Every other submission finds the engine full.
    FullWithAFreeSlot,
    /// All slots have one buffer.
    SharedBuffer,
    /// Buffers are half as long as they should be.
    ShortBuffers,
    /// Buffers change places when something was submitted.
    MovedBuffers,
    /// Half of each I/O is carried.
    MovesHalf,
    /// I/O beyond the target's end succeeds.
    NoEnd,
    /// Reads bring something else.
    WrongContent,
    /// Facts change when something was submitted.
    ChangedFacts,
    /// With nothing in flight it waits.
    WaitsForNothing,
}

impl Breach {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::EndsTwice,
        Self::EndsUnknownSlot,
        Self::LosesCompletions,
        Self::ReapedBeforeReturned,
        Self::ReturnedBeforeSubmitted,
        Self::SubmittedBeforeAsked,
        Self::ReapedInTheFuture,
        Self::FullWithAFreeSlot,
        Self::SharedBuffer,
        Self::ShortBuffers,
        Self::MovedBuffers,
        Self::MovesHalf,
        Self::NoEnd,
        Self::WrongContent,
        Self::ChangedFacts,
        Self::WaitsForNothing,
    ];
}

/// An engine over another one whose I/Os end inside their submission. `None` breaks nothing, so that what is noticed
/// is the breach.
pub struct BrokenEngine<'a, E> {
    inner: E,
    breach: Option<Breach>,
    facts: [EngineFacts; 2],
    depth: u32,
    submitted: u64,
    /// What comes out at the next look, with its I/O.
    held: VecDeque<(Io, Completion)>,
    /// What came out at the last look.
    again: Vec<Completion>,
    /// Moves the clock on to a time.
    advance_to: &'a dyn Fn(u64),
}

impl<'a, E: Engine> BrokenEngine<'a, E> {
    /// Wraps an engine of that depth; `advance_to` moves its clock on, for what waits.
    pub fn new(inner: E, breach: Option<Breach>, depth: u32, advance_to: &'a dyn Fn(u64)) -> Self {
        let facts = EngineFacts { completes_inline: false, ..inner.facts().clone() };
        let changed = EngineFacts { version: facts.version + 1, ..facts.clone() };
        let (held, again) = (VecDeque::new(), Vec::new());
        Self { inner, breach, facts: [facts, changed], depth, submitted: 0, held, again, advance_to }
    }

    fn is(&self, breach: Breach) -> bool {
        self.breach == Some(breach)
    }

    /// The completion as it is told.
    fn told(&mut self, io: &Io, completion: Completion) -> Completion {
        let Completion { mut slot, mut result, mut stamps } = completion;
        match self.breach {
            Some(Breach::EndsUnknownSlot) => slot += self.depth,
            Some(Breach::ReapedBeforeReturned) => stamps.returned_ns = stamps.reaped_ns + 1,
            Some(Breach::ReturnedBeforeSubmitted) => stamps.submitted_ns = stamps.returned_ns + 1,
            Some(Breach::SubmittedBeforeAsked) => stamps.submitted_ns = 0,
            Some(Breach::ReapedInTheFuture) => stamps.reaped_ns += 3_600_000_000_000,
            Some(Breach::MovesHalf) => result /= 2,
            Some(Breach::NoEnd) if io.offset >= TARGET_BYTES => result = io.bytes as i32,
            Some(Breach::WrongContent) if io.direction == Direction::Read => {
                self.inner.buffer(slot)[0] ^= 1;
            }
            _ => {}
        }
        Completion { slot, result, stamps }
    }
}

impl<E: Engine> Engine for BrokenEngine<'_, E> {
    fn facts(&self) -> &EngineFacts {
        &self.facts[usize::from(self.is(Breach::ChangedFacts) && self.submitted > 0)]
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        match self.breach {
            Some(Breach::SharedBuffer) => self.inner.buffer(0),
            Some(Breach::ShortBuffers) => &mut self.inner.buffer(slot)[..BUFFER_BYTES as usize / 2],
            Some(Breach::MovedBuffers) if self.submitted > 0 => self.inner.buffer((slot + 1) % self.depth),
            _ => self.inner.buffer(slot),
        }
    }

    fn submit(&mut self, io: Io) -> Submission {
        self.submitted += 1;
        if self.is(Breach::FullWithAFreeSlot) && self.submitted.is_multiple_of(2) {
            return Submission::Full;
        }
        let Submission::Done(completion) = self.inner.submit(io) else {
            unreachable!("the engine underneath ends its I/Os inside their submission")
        };
        if !(self.is(Breach::LosesCompletions) && self.submitted.is_multiple_of(8)) {
            self.held.push_back((io, completion));
        }
        Submission::Queued
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        if self.is(Breach::EndsTwice) {
            done.append(&mut self.again);
        }
        if let (Wait::Until(deadline_ns), true) = (wait, self.held.is_empty() && done.is_empty())
            && self.is(Breach::WaitsForNothing)
        {
            (self.advance_to)(deadline_ns);
        }
        while let Some((io, completion)) = self.held.pop_front() {
            let told = self.told(&io, completion);
            done.push(told);
            self.again.push(told);
        }
        Ok(())
    }
}
