//! The process's own memory as a target: real data at memory speed, without the kernel.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::facts::EngineFacts;

use crate::{Arena, Completion, Engine, EngineError, Io, Stamps, Submission, Wait};

const WORD: usize = 8;

/// Memory that the jobs of a run share. Words are written whole; overlapping I/Os of different jobs
/// may mix word by word, as sectors do on a disk.
#[derive(Clone, Debug)]
pub struct Store(Arc<[AtomicU64]>);

impl Store {
    /// Zeroed memory of `bytes`, rounded down to whole words.
    pub fn new(bytes: u64) -> Self {
        Self((0..bytes as usize / WORD).map(|_| AtomicU64::new(0)).collect())
    }

    fn words(&self, io: &Io) -> Option<&[AtomicU64]> {
        let first = usize::try_from(io.offset).ok()? / WORD;
        self.0.get(first..first.checked_add(io.bytes as usize / WORD)?)
    }
}

/// Copies between a slot's buffer and the shared memory inside the submission.
#[derive(Debug)]
pub struct Memory<C> {
    arena: Arena,
    store: Store,
    clock: C,
    facts: EngineFacts,
}

impl<C: Clock> Memory<C> {
    /// An engine with `depth` buffers of `buffer_bytes` over `store`.
    ///
    /// # Errors
    /// When the buffers cannot be allocated.
    pub fn new(store: Store, depth: u32, buffer_bytes: u64, clock: C) -> Result<Self, EngineError> {
        let facts = EngineFacts {
            name: "memory".to_owned(),
            version: 1,
            features: Vec::new(),
            completes_inline: true,
            returned_stamp: "the completion itself: an I/O ends inside its submission".to_owned(),
        };
        Ok(Self { arena: Arena::new(depth, buffer_bytes)?, store, clock, facts })
    }

    fn perform(&mut self, io: &Io) -> i32 {
        let Some(words) = self.store.words(io) else { return -libc::EINVAL };
        let length = io.bytes as usize;
        match io.direction {
            Direction::Read => {
                let buffer = &mut self.arena.slice(io.slot)[..length];
                for (bytes, word) in buffer.as_chunks_mut::<WORD>().0.iter_mut().zip(words) {
                    *bytes = word.load(Ordering::Relaxed).to_le_bytes();
                }
            }
            Direction::Write => {
                let buffer = &self.arena.slice(io.slot)[..length];
                for (bytes, word) in buffer.as_chunks::<WORD>().0.iter().zip(words) {
                    word.store(u64::from_le_bytes(*bytes), Ordering::Relaxed);
                }
            }
            Direction::Trim => words.iter().for_each(|word| word.store(0, Ordering::Relaxed)),
            Direction::Flush => {}
        }
        io.bytes as i32
    }
}

impl<C: Clock> Engine for Memory<C> {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    #[inline]
    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.arena.slice(slot)
    }

    #[inline]
    fn submit(&mut self, io: Io) -> Submission {
        let submitted_ns = self.clock.now_ns();
        let result = self.perform(&io);
        let reaped_ns = self.clock.now_ns();
        let stamps = Stamps { submitted_ns, returned_ns: reaped_ns, reaped_ns };
        Submission::Done(Completion { slot: io.slot, result, stamps })
    }

    #[inline]
    fn reap(&mut self, _: Wait, _: &mut Vec<Completion>) -> Result<(), EngineError> {
        Ok(())
    }
}
