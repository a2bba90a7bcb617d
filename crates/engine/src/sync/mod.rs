//! One system call an I/O: `pread` and `pwrite`, or `preadv2` and `pwritev2` where I/Os carry flags, on the job's own thread or on one thread a slot.
//!
//! With one I/O in flight the call runs on the job's thread. Above that each slot has a thread of its own, so
//! that the depth asked for is the depth the kernel sees; the stamps are taken on that thread, around
//! the call, and the hand-over between threads is outside them.

#[cfg_attr(target_os = "linux", path = "call_linux.rs")]
#[cfg_attr(windows, path = "call_windows.rs")]
mod call;
pub(crate) mod launch;
mod pool;

use std::sync::Arc;

use fathom_measure::Clock;
use fathom_record::engine_list::MOST_THREADS_OF_A_JOB;
use fathom_record::facts::{EngineFacts, EngineFeature};
use fathom_record::options::IoFlags;
use fathom_target::{Handle, Lane, lane};

use crate::stripe::{Carrier, Part, Slots};
use crate::{Arena, Completion, Engine, EngineError, Io, Stamps, Submission, Wait};
#[cfg(target_os = "linux")]
pub(crate) use call::perform;
use call::perform_with;
pub use launch::NAME;
use pool::Pool;

/// More threads than this a job are refused.
pub const MAX_DEPTH: u32 = MOST_THREADS_OF_A_JOB;

/// Synchronous system calls.
#[derive(Debug)]
pub struct Sync<C> {
    // The pool's threads use the arena: they are joined before it is unmapped.
    pool: Option<Pool>,
    arena: Arena,
    /// One a file, at least one.
    lanes: Vec<Lane>,
    flags: IoFlags,
    clock: C,
    facts: EngineFacts,
}

impl<C: Clock + Clone + Send + 'static> Sync<C> {
    /// An engine over an open file or device, by plain calls.
    ///
    /// # Errors
    /// When buffers or threads cannot be had, or the depth exceeds [`MAX_DEPTH`].
    pub fn new(file: Arc<Handle>, depth: u32, buffer_bytes: u64, clock: C) -> Result<Self, EngineError> {
        Self::with_flags(file, (depth, buffer_bytes), IoFlags::default(), clock)
    }

    /// The same, with `depth` buffers of `buffer_bytes`, by calls whose reads and writes carry flags.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_flags(
        file: Arc<Handle>,
        (depth, buffer_bytes): (u32, u64),
        flags: IoFlags,
        clock: C,
    ) -> Result<Self, EngineError> {
        Self::over(&[file], (Slots::whole(depth), buffer_bytes), flags, clock)
    }

    /// The same over the members of a stripe, in their order.
    ///
    /// # Errors
    /// As [`new`](Self::new), for the parts in flight.
    pub fn over(
        files: &[Arc<Handle>],
        (slots, buffer_bytes): (Slots, u64),
        flags: IoFlags,
        clock: C,
    ) -> Result<Self, EngineError> {
        let arena = Arena::new(slots.buffers, buffer_bytes)?;
        let lanes = files.iter().map(lane).collect::<Result<_, _>>()?;
        let pool = (slots.parts > 1).then(|| Pool::start(slots, files, flags, &clock)).transpose()?;
        let threads = EngineFeature::new(
            "thread_a_slot",
            pool.is_some(),
            pool.is_none().then(|| "depth 1: calls run on the job's own thread".to_owned()),
        );
        let facts = EngineFacts {
            name: NAME.to_owned(),
            version: 1,
            features: std::iter::once(threads).chain(flags.features()).collect(),
            completes_inline: pool.is_none(),
            returned_stamp: "the completion itself: the call returns with the data".to_owned(),
        };
        Ok(Self { pool, arena, lanes, flags, clock, facts })
    }
}

impl<C: Clock> Engine for Sync<C> {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.arena.slice(slot)
    }

    #[inline]
    fn view(&self, slot: u32) -> Option<&[u8]> {
        Some(self.arena.view(slot))
    }

    fn submit(&mut self, io: Io) -> Submission {
        self.submit_part(Part { io, member: 0, buffer: io.slot, skip_bytes: 0 })
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        match &mut self.pool {
            Some(pool) => pool.reap(wait, &self.clock, done),
            None => Ok(()),
        }
    }
}

impl<C: Clock> Carrier for Sync<C> {
    fn submit_part(&mut self, part: Part) -> Submission {
        let Part { io, member, buffer, skip_bytes } = part;
        if let Some(pool) = &mut self.pool {
            pool.submit(io, member, self.arena.place(buffer, skip_bytes, io.bytes));
            return Submission::Queued;
        }
        let submitted_ns = self.clock.now_ns();
        let own = self.arena.part(buffer, skip_bytes, io.bytes).unwrap_or_default();
        let result = perform_with(self.flags, &self.lanes[member as usize], &io, own);
        let reaped_ns = self.clock.now_ns();
        let stamps = Stamps { submitted_ns, returned_ns: reaped_ns, reaped_ns };
        Submission::Done(Completion { slot: io.slot, result, stamps })
    }
}
