//! The process's own memory as a target: real data at memory speed, without the kernel.

pub(crate) mod launch;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::facts::EngineFacts;

use crate::os_error::EINVAL;
use crate::{Arena, Completion, Engine, EngineError, ErrorKind, Io, Stamps, Submission, Wait, free_memory};

const WORD: usize = 8;

/// Memory that the jobs of a run share. Words are written whole; overlapping I/Os of different jobs
/// may mix word by word, as sectors do on a disk.
#[derive(Clone, Debug)]
pub struct Store(Arc<Vec<AtomicU64>>);

impl Store {
    /// Zeroed memory of `bytes`, rounded down to whole words.
    ///
    /// # Errors
    /// When the machine does not have as much memory free.
    pub fn new(bytes: u64) -> Result<Self, EngineError> {
        const PLACE: &str = "allocating the memory target";
        const REMEDY: &str = "use a smaller one, e.g. memory:1g";
        free_memory::check(PLACE, u128::from(bytes), REMEDY)?;
        let count = bytes as usize / WORD;
        let mut words = Vec::new();
        words.try_reserve_exact(count).map_err(|error| {
            EngineError::new(ErrorKind::System, PLACE, error.to_string())
                .with_source(error)
                .with_remedy(REMEDY)
        })?;
        words.resize_with(count, || AtomicU64::new(0));
        Ok(Self(Arc::new(words)))
    }

    /// The words of an I/O; `None` when it is not made of whole ones, or reaches beyond the end.
    fn words(&self, io: &Io) -> Option<&[AtomicU64]> {
        let (offset, bytes) = (usize::try_from(io.offset).ok()?, io.bytes as usize);
        if !offset.is_multiple_of(WORD) || !bytes.is_multiple_of(WORD) {
            return None;
        }
        self.0.get(offset / WORD..(offset / WORD).checked_add(bytes / WORD)?)
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
            name: launch::NAME.to_owned(),
            version: 1,
            features: Vec::new(),
            completes_inline: true,
            returned_stamp: "the completion itself: an I/O ends inside its submission".to_owned(),
        };
        Ok(Self { arena: Arena::new(depth, buffer_bytes)?, store, clock, facts })
    }

    fn perform(&mut self, io: &Io) -> i32 {
        let Some(words) = self.store.words(io) else { return -EINVAL };
        let length = io.bytes as usize;
        match io.direction {
            Direction::Read => {
                let Some(buffer) = self.arena.slice(io.slot).get_mut(..length) else { return -EINVAL };
                for (bytes, word) in buffer.as_chunks_mut::<WORD>().0.iter_mut().zip(words) {
                    *bytes = word.load(Ordering::Relaxed).to_le_bytes();
                }
            }
            Direction::Write => {
                let Some(buffer) = self.arena.slice(io.slot).get(..length) else { return -EINVAL };
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
    fn view(&self, slot: u32) -> Option<&[u8]> {
        Some(self.arena.view(slot))
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

#[cfg(test)]
mod tests {
    use fathom_measure::VirtualClock;

    use super::*;

    #[test]
    fn what_a_device_would_refuse_fails_and_does_no_harm() {
        let mut engine = Memory::new(Store::new(16384).unwrap(), 1, 4096, VirtualClock::new()).unwrap();
        let bad = [(0, 8192), (4, 4096), (0, 4100), (16384, 4096), (u64::MAX - 7, 4096)];
        for direction in [Direction::Read, Direction::Write] {
            for (offset, bytes) in bad {
                let outcome = engine.submit(Io { slot: 0, direction, offset, bytes });
                let Submission::Done(completion) = outcome else { panic!("{outcome:?}") };
                assert_eq!(completion.errno(), Some(EINVAL), "{direction:?} {offset} {bytes}");
            }
        }
        assert!(engine.store.0.iter().all(|word| word.load(Ordering::Relaxed) == 0));
        assert_eq!(Store::new(1 << 60).unwrap_err().kind, ErrorKind::System);
    }
}
