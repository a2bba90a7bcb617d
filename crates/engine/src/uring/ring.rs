//! The engine: one system call starts a batch and collects what has finished ([`ring_traffic`](super::ring_traffic)).
#![allow(unsafe_code)] // Keeps buffers mapped when the kernel does not give them back.

use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::facts::{EngineFacts, EngineFeature};
use fathom_record::options::IoFlags;
use io_uring::squeue::{Entry, Flags};
use io_uring::{opcode, types};

use super::ring_options::Options;
use super::ring_traffic::{self, Traffic};
use super::{inline_execution, setup, workers};
use crate::priority::PrioritySetter;
use crate::stripe::{Carrier, Part, Slots};
use crate::{Arena, Completion, Engine, EngineError, ErrorKind, EventHandle, Io, Submission, Wait, io_flags};

/// Whole mapping as one registered buffer.
const ARENA_BUFFER: u16 = 0;

/// The target, or the first of several, as the ring knows it.
const FIRST_FILE: u32 = 0;

/// Entries of the largest ring that the kernel makes (`IORING_MAX_ENTRIES`).
pub const MAX_DEPTH: u32 = 32_768;

/// As many bytes are asked for to see whether the target can be asked without waiting.
const BLOCK: usize = 4096;

/// What a trim does, for the record.
const TRIM_NOTE: &str =
    "trims punch holes (fallocate): a block device deallocates, or writes zeroes, as it supports";

fn facts(mut features: Vec<EngineFeature>, flags: IoFlags) -> EngineFacts {
    features.extend(flags.features());
    let note = Some(TRIM_NOTE.to_owned());
    features.push(EngineFeature::new("trim_by_punch_hole", true, note));
    EngineFacts {
        name: super::launch::NAME.to_owned(),
        version: 5,
        features,
        completes_inline: false,
        returned_stamp: ring_traffic::returned_stamp(),
    }
}

/// io_uring on one open file or device, or on the members of a stripe.
#[derive(Debug)]
pub struct Uring<C> {
    traffic: Traffic<C>,
    /// Unmapped only when the kernel has given every I/O back: it writes to buffers even after the ring
    /// is closed.
    arena: ManuallyDrop<Arena>,
    /// Keeps the targets open as long as the ring refers to them.
    _files: Vec<Arc<File>>,
    registered_buffers: bool,
    flags: IoFlags,
    /// What goes with each entry.
    entry_flags: Flags,
    /// Of the next reads and writes, as the kernel takes it; 0 for the thread's.
    priority: u16,
    facts: EngineFacts,
}

impl<C: Clock> Uring<C> {
    /// A ring of `depth` entries over an open file or device. Belongs to the thread that makes it.
    ///
    /// # Errors
    /// When io_uring is missing or forbidden, memory cannot be had, or `depth` exceeds [`MAX_DEPTH`].
    pub fn new(
        file: Arc<File>,
        depth: u32,
        buffer_bytes: u64,
        options: Options<'_>,
        clock: C,
    ) -> Result<Self, EngineError> {
        Self::over(&[file], Slots::whole(depth), buffer_bytes, options, clock)
    }

    /// One ring over the members of a stripe, in their order.
    ///
    /// # Errors
    /// As [`new`](Self::new), for the parts in flight.
    pub fn over(
        files: &[Arc<File>],
        slots: Slots,
        buffer_bytes: u64,
        options: Options<'_>,
        clock: C,
    ) -> Result<Self, EngineError> {
        let Slots { buffers, parts, numbers } = slots;
        if parts > MAX_DEPTH {
            let cause = format!("{parts} I/Os in flight are more than the {MAX_DEPTH} entries of a ring");
            return Err(EngineError::new(ErrorKind::Plan, "starting io_uring", cause)
                .with_remedy("use a smaller --depth and more --jobs"));
        }
        let mut arena = Arena::new(buffers, buffer_bytes)?;
        let descriptors: Vec<_> = files.iter().map(|file| file.as_raw_fd()).collect();
        let mut made = setup::make(&descriptors, parts, &arena, options.run)?;
        if options.on_time {
            made.features.push(workers::keep_elsewhere(&made.queue));
        }
        let mut traffic = Traffic::new(made.queue, numbers, clock);
        made.features.push(traffic.start_ticking(!options.run.polled && !options.on_time)?);
        let targets: Vec<&File> = files.iter().map(AsRef::as_ref).collect();
        let block = arena.stride().min(BLOCK);
        let (entry_flags, tried) =
            inline_execution::flags(&targets, &mut arena.slice(0)[..block], options.run.polled);
        made.features.push(tried);
        Ok(Self {
            traffic,
            arena: ManuallyDrop::new(arena),
            _files: files.to_vec(),
            registered_buffers: made.registered_buffers,
            flags: options.run.io_flags,
            entry_flags,
            priority: 0,
            facts: facts(made.features, options.run.io_flags),
        })
    }

    #[inline]
    fn entry(&self, io: &Io, file: u32, buffer: *mut u8) -> Entry {
        let file = types::Fixed(file);
        let (slot, offset, bytes) = (io.slot, io.offset, io.bytes);
        let entry = match (io.direction, self.registered_buffers) {
            (Direction::Read, true) => opcode::ReadFixed::new(file, buffer, bytes, ARENA_BUFFER)
                .offset(offset)
                .ioprio(self.priority)
                .rw_flags(io_flags::on_reads(self.flags))
                .build(),
            (Direction::Write, true) => opcode::WriteFixed::new(file, buffer, bytes, ARENA_BUFFER)
                .offset(offset)
                .ioprio(self.priority)
                .rw_flags(io_flags::on_writes(self.flags))
                .build(),
            (Direction::Read, false) => opcode::Read::new(file, buffer, bytes)
                .offset(offset)
                .ioprio(self.priority)
                .rw_flags(io_flags::on_reads(self.flags))
                .build(),
            (Direction::Write, false) => opcode::Write::new(file, buffer, bytes)
                .offset(offset)
                .ioprio(self.priority)
                .rw_flags(io_flags::on_writes(self.flags))
                .build(),
            (Direction::Trim, _) => opcode::Fallocate::new(file, u64::from(bytes))
                .offset(offset)
                .mode(libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE)
                .build(),
            (Direction::Flush, _) if io.flushes_all() => opcode::Fsync::new(file).build(),
            (Direction::Flush, _) => opcode::Fsync::new(file).flags(types::FsyncFlags::DATASYNC).build(),
        };
        let entry = entry.flags(self.entry_flags);
        let trim = if io.direction == Direction::Trim { TRIM } else { 0 };
        entry.user_data(u64::from(slot) | (u64::from(bytes) << 32 & !TRIM) | trim)
    }
}

/// Marks a trim in an entry's user data; below it are the I/O's length, and in the lower half its slot.
const TRIM: u64 = 1 << 63;

/// A trim reports success as 0; a completion reports the bytes it covered.
#[inline]
fn moved(result: i32, user_data: u64) -> i32 {
    if result == 0 && user_data & TRIM != 0 { ((user_data & !TRIM) >> 32) as i32 } else { result }
}

impl<C: Clock> Engine for Uring<C> {
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
        let moves_data = matches!(io.direction, Direction::Read | Direction::Write);
        if moves_data && io.bytes as usize > self.arena.stride() {
            return self.traffic.refuse(io.slot, libc::EINVAL);
        }
        let entry = self.entry(&io, FIRST_FILE, self.arena.pointer(io.slot));
        self.traffic.push(io.slot, &entry)
    }

    #[inline(always)]
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        self.traffic.reap(wait, done, moved)
    }

    fn announce(&mut self, event: EventHandle<'_>) -> bool {
        self.traffic.announce(event)
    }
}

impl<C: Clock> PrioritySetter for Uring<C> {
    #[inline]
    fn set_priority(&mut self, number: u16) {
        self.priority = number;
    }
}

impl<C: Clock> Carrier for Uring<C> {
    #[inline]
    fn submit_part(&mut self, part: Part) -> Submission {
        let Part { io, member, buffer, skip_bytes } = part;
        let moves_data = matches!(io.direction, Direction::Read | Direction::Write);
        let bytes = if moves_data { io.bytes } else { 0 };
        let Some(place) = self.arena.place(buffer, skip_bytes, bytes) else {
            return self.traffic.refuse(io.slot, libc::EINVAL);
        };
        let entry = self.entry(&io, member, place);
        self.traffic.push(io.slot, &entry)
    }
}

impl<C> Drop for Uring<C> {
    fn drop(&mut self) {
        if self.traffic.drain() {
            // SAFETY: dropped once, here, and not used again.
            unsafe { ManuallyDrop::drop(&mut self.arena) };
        }
    }
}

/// Whether io_uring can be used here at all.
///
/// # Errors
/// Why not, and what to type.
pub fn available() -> Result<(), EngineError> {
    setup::try_ring()
}
