//! A shared mapping: an I/O is a copy between the page cache and the slot's buffer, on the job's thread.
//!
//! The kernel reads a page when it is first touched and writes changed ones back when it likes, so a
//! read's latency is that of the page cache or of page faults, and a write ends before a device has it.
//! A flush is `msync` of the job's whole mapping, since what came before it must be durable, wherever
//! it was written. Trims have no place in a mapping and run as system calls.
//!
//! Pages that cannot be had fail the I/O that touches them with EIO. The end of a file that was cut
//! short is seen by whole pages: the rest of its last page reads as zeros.

pub(crate) mod launch;
mod mapping;
mod sigbus_guard;

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::facts::{EngineFacts, EngineFeature};
use fathom_record::workload::Addresses;
use rustix::mm::Advice;

use crate::sync::perform;
use crate::{Arena, Completion, Engine, EngineError, Io, Stamps, Submission, Wait};
use mapping::Mapping;

/// Copies to and from a shared mapping of one open file or device.
#[derive(Debug)]
pub struct Mmap<C> {
    arena: Arena,
    mapping: Mapping,
    file: Arc<File>,
    clock: C,
    facts: EngineFacts,
}

impl<C: Clock> Mmap<C> {
    /// An engine with `depth` buffers of `buffer_bytes` over `span` of an open file or device, advised of
    /// the addresses to come.
    ///
    /// # Errors
    /// When the span cannot be mapped or buffers cannot be had.
    pub fn new(
        file: Arc<File>,
        span: Range<u64>,
        addresses: &Addresses,
        (depth, buffer_bytes): (u32, u64),
        clock: C,
    ) -> Result<Self, EngineError> {
        let (name, advice) = advice_for(addresses);
        let mapping = Mapping::new(Arc::clone(&file), span, advice)?;
        let refusal = mapping.advise().err().map(|errno| format!("refused by this kernel: {errno}"));
        let advised = EngineFeature::unless_refused(name, refusal);
        Ok(Self { arena: Arena::new(depth, buffer_bytes)?, mapping, file, clock, facts: facts(advised) })
    }

    fn perform(&mut self, io: &Io) -> i32 {
        let buffer = self.arena.slice(io.slot);
        match io.direction {
            Direction::Flush => self.mapping.sync(),
            Direction::Trim => perform(&self.file, io, buffer),
            Direction::Read | Direction::Write => match buffer.get_mut(..io.bytes as usize) {
                None => -libc::EINVAL,
                Some(buffer) if io.direction == Direction::Read => self.mapping.read(io.offset, buffer),
                Some(buffer) => self.mapping.write(io.offset, buffer),
            },
        }
    }
}

/// Ascending addresses are worth reading ahead for; all others, strides too, are not.
fn advice_for(addresses: &Addresses) -> (&'static str, Advice) {
    match addresses {
        Addresses::Sequential | Addresses::Interlocked => ("madvise_sequential", Advice::Sequential),
        _ => ("madvise_random", Advice::Random),
    }
}

fn facts(advised: EngineFeature) -> EngineFacts {
    let feature = |name: &str, note: &str| EngineFeature::new(name, true, Some(note.to_owned()));
    EngineFacts {
        name: launch::NAME.to_owned(),
        version: 1,
        features: vec![
            feature(
                "shared_mapping",
                "through the page cache: reads cost page faults, writes end before a device has them",
            ),
            advised,
            feature("flush_by_msync", "a flush is msync of all that the job has mapped"),
            feature("page_failures", "a page that cannot be had fails its I/O with EIO, whatever the cause"),
            feature("trim_by_call", "trims are fallocate calls inside the submission"),
        ],
        completes_inline: true,
        returned_stamp: "the completion itself: an I/O ends inside its submission".to_owned(),
    }
}

impl<C: Clock> Engine for Mmap<C> {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

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

    fn reap(&mut self, _: Wait, _: &mut Vec<Completion>) -> Result<(), EngineError> {
        Ok(())
    }
}
