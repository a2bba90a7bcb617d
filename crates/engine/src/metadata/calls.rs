//! The engine: a call of the kernel for each I/O. Space and lengths are of the target, an open file. Names are in a
//! folder of the engine's own ([`names`](super::names)).

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::facts::{EngineFacts, EngineFeature, NO_DATA};
use rustix::fs::{FallocateFlags, fallocate, ftruncate};
use rustix::io::Errno;

use super::act::MetadataCall;
use super::names::Names;
use crate::sync::perform;
use crate::{Arena, Completion, Engine, EngineError, Io, Stamps, Submission, Wait};

#[derive(Debug)]
enum Work {
    Allocate,
    /// With the length that the file had, and has again when the engine goes.
    Truncate(u64),
    Names(Names),
}

/// Calls about one open file, or about names in an open folder.
#[derive(Debug)]
pub struct Metadata<C> {
    work: Work,
    arena: Arena,
    file: Arc<File>,
    clock: C,
    facts: EngineFacts,
}

impl<C: Clock> Metadata<C> {
    /// An engine with `depth` buffers of `buffer_bytes`. Names are made as the addresses of `span` want
    /// them: one for each buffer's worth.
    ///
    /// # Errors
    /// When the file's length is not told, or names cannot be made in the folder.
    pub fn new(
        act: MetadataCall,
        file: Arc<File>,
        span: Range<u64>,
        (depth, buffer_bytes): (u32, u64),
        clock: C,
    ) -> Result<Self, EngineError> {
        let mut arena = Arena::new(depth, buffer_bytes)?;
        let work = match act {
            MetadataCall::Allocate => Work::Allocate,
            MetadataCall::Truncate => {
                let meta = file.metadata();
                Work::Truncate(
                    meta.map_err(|error| EngineError::system("looking at the file's length", &error))?.len(),
                )
            }
            MetadataCall::Name(act) => Work::Names(Names::make(act, &file, span, arena.slice(0))?),
        };
        Ok(Self { work, arena, file, clock, facts: facts(act) })
    }

    fn perform(&mut self, io: &Io) -> i32 {
        if io.direction == Direction::Flush {
            return perform(&self.file, io, &mut []);
        }
        let outcome = match &mut self.work {
            Work::Allocate => {
                let flags = match io.direction {
                    Direction::Read => FallocateFlags::KEEP_SIZE,
                    Direction::Trim => FallocateFlags::KEEP_SIZE | FallocateFlags::PUNCH_HOLE,
                    _ => FallocateFlags::empty(),
                };
                retry(|| fallocate(&*self.file, flags, io.offset, u64::from(io.bytes)))
            }
            Work::Truncate(_) if io.direction == Direction::Write => {
                retry(|| ftruncate(&*self.file, io.offset))
            }
            Work::Truncate(_) => Err(Errno::INVAL),
            Work::Names(names) => names.act_on(io.offset),
        };
        match outcome {
            Ok(()) => io.bytes as i32,
            Err(errno) => -errno.raw_os_error(),
        }
    }
}

fn retry(mut call: impl FnMut() -> Result<(), Errno>) -> Result<(), Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            other => return other,
        }
    }
}

fn facts(act: MetadataCall) -> EngineFacts {
    let (name, note) = match act {
        MetadataCall::Allocate => {
            ("space_by_fallocate", "no data is moved: bytes are those of the ranges that the calls named")
        }
        MetadataCall::Truncate => (
            "length_by_ftruncate",
            "no data is moved; the file has its length again at the end, and holes where it was cut",
        ),
        MetadataCall::Name(_) => (
            "names_in_a_folder",
            "no data is moved: an I/O is a call about a name in a folder of the engine's own, which goes at the end",
        ),
    };
    EngineFacts {
        name: act.name().to_owned(),
        version: 1,
        features: vec![
            EngineFeature::new(name, true, Some(note.to_owned())),
            EngineFeature::new(NO_DATA, true, None),
        ],
        completes_inline: true,
        returned_stamp: "the completion itself: an I/O ends inside its submission".to_owned(),
    }
}

impl<C: Clock> Engine for Metadata<C> {
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
        if let Work::Names(names) = &mut self.work {
            names.settle();
        }
        let stamps = Stamps { submitted_ns, returned_ns: reaped_ns, reaped_ns };
        Submission::Done(Completion { slot: io.slot, result, stamps })
    }

    fn reap(&mut self, _: Wait, _: &mut Vec<Completion>) -> Result<(), EngineError> {
        Ok(())
    }
}

impl<C> Drop for Metadata<C> {
    fn drop(&mut self) {
        if let Work::Truncate(length) = self.work {
            // What was cut off is gone already; a length that cannot be given back is found by who opens it next.
            let _ = ftruncate(&*self.file, length);
        }
    }
}
