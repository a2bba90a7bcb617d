//! io_uring: one system call starts a batch and collects what has finished.
//!
//! A batch is stamped just before the call that submits it, when all of it is prepared; completions are
//! stamped when the completion queue is read. Where the job would wait anyway, the submitting call also
//! waits for a first completion. How long submission alone takes is known from one batch in
//! [`TIMED_APART`], which is submitted by a call that does not wait.
#![allow(unsafe_code)] // Keeps buffers mapped when the kernel does not give them back.

pub(crate) mod queue;
pub(crate) mod setup;
mod workers;

use std::fs::File;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::facts::{EngineFacts, Feature};
use io_uring::squeue::Entry;
use io_uring::{opcode, types};

use crate::stripe::{Carrier, Part, Slots};
use crate::{Arena, Completion, Engine, EngineError, ErrorKind, Io, IoFlags, Stamps, Submission, Wait};
use queue::Queue;
pub use setup::Options;

/// Below this much time to a deadline the engine polls instead of sleeping: a timer fires tens of
/// microseconds late, and open arrivals are to start within 5 us of their intended time.
const SPIN_NS: u64 = 100_000;

/// One batch in so many, a power of two, is submitted by a call of its own: enough to know what submission
/// costs, and too few to show in the rate.
const TIMED_APART: u32 = 64;

/// The `returned` stamp of an I/O whose submission and wait were one call.
const UNKNOWN_NS: u64 = u64::MAX;

/// Whole mapping as one registered buffer.
const ARENA_BUFFER: u16 = 0;

/// The target, or the first of several, as the ring knows it.
const FIRST_FILE: u32 = 0;

/// Entries of the largest ring that the kernel makes (`IORING_MAX_ENTRIES`).
pub const MAX_DEPTH: u32 = 32_768;

/// What a trim does, for the record.
const TRIM_NOTE: &str =
    "trims punch holes (fallocate): a block device deallocates, or writes zeroes, as it supports";

fn facts(mut features: Vec<Feature>, flags: IoFlags) -> EngineFacts {
    features.extend(flags.features());
    let note = Some(TRIM_NOTE.to_owned());
    features.push(Feature { name: "trim_by_punch_hole".to_owned(), used: true, note });
    EngineFacts {
        name: "uring".to_owned(),
        version: 2,
        features,
        completes_inline: false,
        returned_stamp: format!(
            "return of the call that submitted the I/O's batch, where that call did not wait too: of one \
             batch in {TIMED_APART}, and of those submitted shortly before an arrival is due"
        ),
    }
}

/// io_uring on one open file or device, or on the members of a stripe.
#[derive(Debug)]
pub struct Uring<C> {
    queue: Queue,
    /// Unmapped only when the kernel has given every I/O back: it writes to buffers even after the ring
    /// is closed.
    arena: ManuallyDrop<Arena>,
    /// Keeps the targets open as long as the ring refers to them.
    _files: Vec<Arc<File>>,
    clock: C,
    registered_buffers: bool,
    flags: IoFlags,
    /// Submitted and returned stamps by slot.
    stamps: Vec<(u64, u64)>,
    /// Slots whose entries are in the submission queue and not yet with the kernel, in order.
    pending: Vec<u32>,
    in_flight: u32,
    /// Batches submitted so far, modulo 2^32.
    batches: u32,
    facts: EngineFacts,
    /// The ring is known to the kernel by the thread that made it, so it must not leave that thread.
    _of_this_thread: PhantomData<*const ()>,
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
        options: Options,
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
        options: Options,
        clock: C,
    ) -> Result<Self, EngineError> {
        let Slots { buffers, parts } = slots;
        if parts > MAX_DEPTH {
            let split = if parts > buffers { format!(" in {parts} parts") } else { String::new() };
            let cause =
                format!("depth {buffers}{split} is more than the {MAX_DEPTH} entries that a ring can have");
            return Err(EngineError::new(ErrorKind::Plan, "starting io_uring", cause)
                .with_remedy("use a smaller --depth and more --jobs"));
        }
        let arena = Arena::new(buffers, buffer_bytes)?;
        let descriptors: Vec<_> = files.iter().map(|file| file.as_raw_fd()).collect();
        let mut made = setup::make(&descriptors, parts, &arena, options)?;
        if options.on_time {
            made.features.push(workers::keep_elsewhere(&made.queue));
        }
        Ok(Self {
            queue: made.queue,
            arena: ManuallyDrop::new(arena),
            _files: files.to_vec(),
            clock,
            registered_buffers: made.registered_buffers,
            stamps: vec![(0, 0); parts as usize],
            pending: Vec::with_capacity(parts as usize),
            in_flight: 0,
            batches: 0,
            flags: options.flags,
            facts: facts(made.features, options.flags),
            _of_this_thread: PhantomData,
        })
    }

    #[inline]
    fn entry(&self, io: &Io, file: u32, buffer: *mut u8) -> Entry {
        let file = types::Fixed(file);
        let (slot, offset, bytes) = (io.slot, io.offset, io.bytes);
        let entry = match (io.direction, self.registered_buffers) {
            (Direction::Read, true) => opcode::ReadFixed::new(file, buffer, bytes, ARENA_BUFFER)
                .offset(offset)
                .rw_flags(self.flags.on_reads())
                .build(),
            (Direction::Write, true) => opcode::WriteFixed::new(file, buffer, bytes, ARENA_BUFFER)
                .offset(offset)
                .rw_flags(self.flags.on_writes())
                .build(),
            (Direction::Read, false) => {
                opcode::Read::new(file, buffer, bytes).offset(offset).rw_flags(self.flags.on_reads()).build()
            }
            (Direction::Write, false) => opcode::Write::new(file, buffer, bytes)
                .offset(offset)
                .rw_flags(self.flags.on_writes())
                .build(),
            (Direction::Trim, _) => opcode::Fallocate::new(file, u64::from(bytes))
                .offset(offset)
                .mode(libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE)
                .build(),
            (Direction::Flush, _) => opcode::Fsync::new(file).flags(types::FsyncFlags::DATASYNC).build(),
        };
        let trim = if io.direction == Direction::Trim { TRIM } else { 0 };
        entry.user_data(u64::from(slot) | (u64::from(bytes) << 32 & !TRIM) | trim)
    }

    /// Takes an entry to go with the next batch.
    #[inline]
    fn queue(&mut self, slot: u32, entry: &Entry) -> Submission {
        if !self.queue.push(entry) {
            return Submission::Full;
        }
        self.pending.push(slot);
        Submission::Queued
    }

    /// An I/O that the kernel must not see: it would write beyond the slot's buffer.
    #[cold]
    fn refuse(&self, slot: u32) -> Submission {
        let now_ns = self.clock.now_ns();
        let stamps = Stamps { submitted_ns: now_ns, returned_ns: now_ns, reaped_ns: now_ns };
        Submission::Done(Completion { slot, result: -libc::EINVAL, stamps })
    }

    /// Hands what is pending to the kernel, and stamps it; waits there for a first completion where that
    /// is wanted and the deadline is far.
    fn flush(&mut self, wait: Wait) -> Result<(), EngineError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let count = self.pending.len() as u32;
        let is_timed_apart = self.batches.is_multiple_of(TIMED_APART);
        self.batches = self.batches.wrapping_add(1);
        let submitted_ns = self.clock.now_ns();
        let (accepted, returned_ns) = match sleep_of(wait, submitted_ns) {
            Some(sleep_ns) if !is_timed_apart => (self.queue.start_and_wait(count, sleep_ns)?, UNKNOWN_NS),
            _ => (self.queue.start(count)?, self.clock.now_ns()),
        };
        for slot in self.pending.drain(..accepted as usize) {
            self.stamps[slot as usize] = (submitted_ns, returned_ns);
        }
        self.in_flight += accepted;
        Ok(())
    }

    /// Takes what is in the completion queue; all of it was there at one moment, and is stamped with it.
    fn collect(&mut self, done: &mut Vec<Completion>) -> bool {
        let mut completions = self.queue.completions();
        if completions.is_empty() {
            return false;
        }
        let reaped_ns = self.clock.now_ns();
        for entry in &mut completions {
            let slot = entry.user_data() as u32;
            let (submitted_ns, returned_ns) = self.stamps[slot as usize];
            let stamps = Stamps { submitted_ns, returned_ns: returned_ns.min(reaped_ns), reaped_ns };
            done.push(Completion { slot, result: moved(entry.result(), entry.user_data()), stamps });
            self.in_flight -= 1;
        }
        true
    }
}

/// How long the engine may sleep now: until a little before the deadline, or not at all.
#[inline]
fn sleep_of(wait: Wait, now_ns: u64) -> Option<u64> {
    let Wait::Until(deadline_ns) = wait else { return None };
    deadline_ns.saturating_sub(now_ns).checked_sub(SPIN_NS).filter(|sleep_ns| *sleep_ns > 0)
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
    fn submit(&mut self, io: Io) -> Submission {
        let moves_data = matches!(io.direction, Direction::Read | Direction::Write);
        if moves_data && io.bytes as usize > self.arena.stride() {
            return self.refuse(io.slot);
        }
        let entry = self.entry(&io, FIRST_FILE, self.arena.pointer(io.slot));
        self.queue(io.slot, &entry)
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        self.flush(wait)?;
        loop {
            if self.collect(done) || self.in_flight == 0 {
                return Ok(());
            }
            let Wait::Until(deadline_ns) = wait else {
                self.queue.poll()?;
                self.collect(done);
                return Ok(());
            };
            let now_ns = self.clock.now_ns();
            if now_ns >= deadline_ns {
                return Ok(());
            }
            match sleep_of(wait, now_ns) {
                Some(sleep_ns) => self.queue.wait(sleep_ns)?,
                None => self.queue.poll()?,
            }
        }
    }
}

impl<C: Clock> Carrier for Uring<C> {
    #[inline]
    fn submit_part(&mut self, part: Part) -> Submission {
        let Part { io, member, buffer, skip_bytes } = part;
        let moves_data = matches!(io.direction, Direction::Read | Direction::Write);
        let bytes = if moves_data { io.bytes } else { 0 };
        let Some(place) = self.arena.place(buffer, skip_bytes, bytes) else { return self.refuse(io.slot) };
        let entry = self.entry(&io, member, place);
        self.queue(io.slot, &entry)
    }
}

impl<C> Drop for Uring<C> {
    fn drop(&mut self) {
        while self.in_flight > 0 {
            let finished = self.queue.completions().count() as u32;
            self.in_flight -= finished.min(self.in_flight);
            if self.in_flight > 0 && self.queue.wait(1_000_000_000).is_err() {
                // Nobody will say any more when the kernel is done: the buffers stay mapped for good.
                return;
            }
        }
        // SAFETY: dropped once, here, and not used again.
        unsafe { ManuallyDrop::drop(&mut self.arena) };
    }
}

/// Whether io_uring can be used here at all.
///
/// # Errors
/// Why not, and what to type.
pub fn available() -> Result<(), EngineError> {
    setup::try_ring()
}

/// Whether a block device, by its kernel name, has queues that are polled.
pub fn has_poll_queues(device: &str) -> bool {
    let path = format!("/sys/block/{device}/queue/io_poll");
    std::fs::read_to_string(path).is_ok_and(|value| value.trim() == "1")
}
