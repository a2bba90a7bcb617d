//! What every engine promises, and what it may rely on.

use fathom_record::Direction;
use fathom_record::facts::EngineFacts;

use crate::{EngineError, EventHandle};

/// One I/O, as the loop hands it to an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// Which of the engine's slots carries it, 0 to depth - 1.
    pub slot: u32,
    /// What it does.
    pub direction: Direction,
    /// First byte on the target; of a flush, what it makes durable: [`FLUSH_DATA`](Self::FLUSH_DATA) or
    /// [`FLUSH_ALL`](Self::FLUSH_ALL).
    pub offset: u64,
    /// Length; 0 for a flush.
    pub bytes: u32,
}

impl Io {
    /// The place of a flush of data and what is needed to find it, as `fdatasync` makes it.
    pub const FLUSH_DATA: u64 = 0;
    /// The place of a flush of all metadata too, as `fsync` makes it. Where a target knows one kind alone, it is that.
    pub const FLUSH_ALL: u64 = 1;

    /// Whether a flush is one of all metadata.
    #[inline]
    pub fn flushes_all(&self) -> bool {
        self.offset == Self::FLUSH_ALL
    }
}

/// When things happened, in nanoseconds of the clock that the engine was made with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamps {
    /// Just before the call that handed the I/O to the target.
    pub submitted_ns: u64,
    /// When that call returned. Where submission and wait are one call, an upper bound:
    /// `EngineFacts::returned_stamp` says which.
    pub returned_ns: u64,
    /// When the completion was seen.
    pub reaped_ns: u64,
}

/// The end of one I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The slot, free again.
    pub slot: u32,
    /// Bytes moved, a negated `errno`, or below all of those a status of the target's own
    /// ([`crate::passthrough::status_errno`]).
    pub result: i32,
    /// When.
    pub stamps: Stamps,
}

/// What became of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submission {
    /// It is over already; the completion will not be reaped again.
    Done(Completion),
    /// It will come out of [`Engine::reap`].
    Queued,
    /// The engine takes no more until something is reaped; the I/O was not accepted.
    Full,
}

/// How long [`Engine::reap`] may wait for a first completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Not at all: start what is queued, take what is there.
    No,
    /// Until one completion is there, or the clock shows this time (nanoseconds), whichever is first.
    Until(u64),
}

/// Carries I/O to one target for one job.
///
/// # What the engine promises
/// * It has as many slots as the depth it was made with, each with its own buffer of the size it was
///   made with. Buffers do not overlap and do not move.
/// * Nothing is allocated, locked for long, or logged in [`submit`](Engine::submit) and
///   [`reap`](Engine::reap).
/// * An I/O that was `Queued` comes out of [`reap`](Engine::reap) exactly once, whatever becomes of
///   it: a target that fails gives completions with a negative result, not an error of the engine.
/// * Between `Queued` and its completion the engine alone touches the slot's buffer.
/// * `submitted_ns <= returned_ns <= reaped_ns`, all from the engine's clock.
/// * [`facts`](Engine::facts) never change after the engine was made.
/// * Dropping an engine with I/O in flight waits for it: no buffer is freed under a device.
///
/// # What the caller promises
/// * A slot is submitted again only after its completion was handed out.
/// * Offset and length lie within the target, are multiples of its logical block, and the length is
///   at most the size of a slot's buffer. Engines may rely on it and must still not corrupt memory
///   if it is broken: a device answers with an error.
/// * [`buffer`](Engine::buffer) and [`view`](Engine::view) are called only for slots that are not in flight.
pub trait Engine {
    /// What the engine is and which of its features are in force.
    fn facts(&self) -> &EngineFacts;

    /// The buffer of a slot that is not in flight.
    fn buffer(&mut self, slot: u32) -> &mut [u8];

    /// The same to read alone, so that those of several slots can be read at once; `None` from an engine that has no
    /// such view of it.
    fn view(&self, slot: u32) -> Option<&[u8]> {
        let _ = slot;
        None
    }

    /// Takes one I/O. It may be kept back until the next [`reap`](Engine::reap), which starts it.
    fn submit(&mut self, io: Io) -> Submission;

    /// Starts everything that was kept back, and appends all completions that are there to `done`,
    /// which has room for one entry a slot. With nothing in flight it returns at once.
    ///
    /// # Errors
    /// Only when the engine itself is broken: its ring or its threads are gone. What is in flight
    /// then is lost to the caller.
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError>;

    /// When the next completion of this engine is due, on a virtual clock; `None` when nothing is in
    /// flight, or on a real clock, where nobody knows. An engine that holds I/Os back itself may name, on
    /// any clock, the moment at which it lets the next one go.
    fn next_due_ns(&self) -> Option<u64> {
        None
    }

    /// From now on adds to `event` whenever an I/O may have ended that nothing in
    /// this process ended. False from an engine that cannot. For whoever waits for more than one engine: after the
    /// event, [`reap`](Engine::reap) without waiting finds what ended. To be called by the thread that submits, before
    /// the first I/O.
    fn announce(&mut self, event: EventHandle<'_>) -> bool {
        let _ = event;
        false
    }
}

/// An engine whose kind is known only when it runs: what decorators are stacked on.
impl<E: Engine + ?Sized> Engine for Box<E> {
    fn facts(&self) -> &EngineFacts {
        (**self).facts()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        (**self).buffer(slot)
    }

    fn view(&self, slot: u32) -> Option<&[u8]> {
        (**self).view(slot)
    }

    fn submit(&mut self, io: Io) -> Submission {
        (**self).submit(io)
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        (**self).reap(wait, done)
    }

    fn next_due_ns(&self) -> Option<u64> {
        (**self).next_due_ns()
    }

    fn announce(&mut self, event: EventHandle<'_>) -> bool {
        (**self).announce(event)
    }
}

impl Completion {
    /// Bytes moved; 0 for a failed I/O.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.result.max(0) as u64
    }

    /// The error number of a failed I/O, or what stands for its status.
    #[inline]
    pub fn errno(&self) -> Option<i32> {
        (self.result < 0).then_some(-self.result)
    }
}
