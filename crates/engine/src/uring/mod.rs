//! io_uring: one system call starts a batch and collects what has finished.
//!
//! A batch is stamped before the call that submits it and after that call returns; completions are
//! stamped when the completion queue is read. The submitting call also runs the kernel's completion
//! work but does not wait, so the `returned` stamp is the submission's own; only when nothing has
//! finished a second call waits.

mod queue;
mod setup;

use std::fs::File;
use std::sync::Arc;

use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::facts::EngineFacts;
use io_uring::squeue::Entry;
use io_uring::{opcode, types};

use crate::{Arena, Completion, Engine, EngineError, Io, Stamps, Submission, Wait};
use queue::Queue;
pub use setup::Options;

/// Below this much time to a deadline the engine polls instead of sleeping: a timer fires tens of
/// microseconds late, and open arrivals are to start within 5 us of their intended time.
const SPIN_NS: u64 = 100_000;

/// Whole mapping as one registered buffer.
const ARENA_BUFFER: u16 = 0;

/// The target, as the ring knows it.
const REGISTERED_FILE: types::Fixed = types::Fixed(0);

/// io_uring on one open file or device.
#[derive(Debug)]
pub struct Uring<C> {
    // The ring goes before the buffers: the kernel may write to them until it is closed.
    queue: Queue,
    arena: Arena,
    /// Keeps the target open as long as the ring refers to it.
    _file: Arc<File>,
    clock: C,
    registered_buffers: bool,
    /// Submitted and returned stamps by slot.
    stamps: Vec<(u64, u64)>,
    /// Slots whose entries are in the submission queue and not yet with the kernel, in order.
    pending: Vec<u32>,
    in_flight: u32,
    facts: EngineFacts,
}

impl<C: Clock> Uring<C> {
    /// A ring of `depth` entries over an open file or device. Must be made on the thread that uses it.
    ///
    /// # Errors
    /// When io_uring is missing or forbidden, or memory cannot be had.
    pub fn new(
        file: Arc<File>,
        depth: u32,
        buffer_bytes: u64,
        options: Options,
        clock: C,
    ) -> Result<Self, EngineError> {
        let arena = Arena::new(depth, buffer_bytes)?;
        let made = setup::make(&file, &arena, options)?;
        Ok(Self {
            queue: made.queue,
            arena,
            _file: file,
            clock,
            registered_buffers: made.registered_buffers,
            stamps: vec![(0, 0); depth as usize],
            pending: Vec::with_capacity(depth as usize),
            in_flight: 0,
            facts: made.facts,
        })
    }

    #[inline]
    fn entry(&self, io: &Io) -> Entry {
        let file = REGISTERED_FILE;
        let (slot, offset, bytes) = (io.slot, io.offset, io.bytes);
        let buffer = self.arena.pointer(slot);
        let entry = match (io.direction, self.registered_buffers) {
            (Direction::Read, true) => {
                opcode::ReadFixed::new(file, buffer, bytes, ARENA_BUFFER).offset(offset).build()
            }
            (Direction::Write, true) => {
                opcode::WriteFixed::new(file, buffer, bytes, ARENA_BUFFER).offset(offset).build()
            }
            (Direction::Read, false) => opcode::Read::new(file, buffer, bytes).offset(offset).build(),
            (Direction::Write, false) => opcode::Write::new(file, buffer, bytes).offset(offset).build(),
            (Direction::Trim, _) => opcode::Fallocate::new(file, u64::from(bytes))
                .offset(offset)
                .mode(libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE)
                .build(),
            (Direction::Flush, _) => opcode::Fsync::new(file).flags(types::FsyncFlags::DATASYNC).build(),
        };
        entry.user_data(u64::from(slot) | u64::from(bytes) << 32)
    }

    /// Hands what is pending to the kernel, and stamps it.
    fn flush(&mut self) -> Result<(), EngineError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let submitted_ns = self.clock.now_ns();
        let accepted = self.queue.start(self.pending.len() as u32)?;
        let returned_ns = self.clock.now_ns();
        for slot in self.pending.drain(..accepted as usize) {
            self.stamps[slot as usize] = (submitted_ns, returned_ns);
        }
        self.in_flight += accepted;
        Ok(())
    }

    /// Takes what is in the completion queue; all of it was there at one moment, and is stamped with it.
    fn collect(&mut self, done: &mut Vec<Completion>) -> bool {
        let mut completions = self.queue.completions();
        if completions.len() == 0 {
            return false;
        }
        let reaped_ns = self.clock.now_ns();
        for entry in &mut completions {
            let slot = entry.user_data() as u32;
            let (submitted_ns, returned_ns) = self.stamps[slot as usize];
            let stamps = Stamps { submitted_ns, returned_ns, reaped_ns };
            done.push(Completion { slot, result: moved(entry.result(), entry.user_data()), stamps });
            self.in_flight -= 1;
        }
        true
    }
}

/// A trim reports success as 0; a completion reports the bytes it covered.
#[inline]
fn moved(result: i32, user_data: u64) -> i32 {
    const TRIM: u64 = 1 << 63;
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
        let mut entry = self.entry(&io);
        if io.direction == Direction::Trim {
            entry.set_user_data(entry.get_user_data() | 1 << 63);
        }
        if !self.queue.push(&entry) {
            return Submission::Full;
        }
        self.pending.push(io.slot);
        Submission::Queued
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        self.flush()?;
        loop {
            if self.collect(done) || self.in_flight == 0 {
                return Ok(());
            }
            let Wait::Until(deadline_ns) = wait else {
                self.queue.poll()?;
                self.collect(done);
                return Ok(());
            };
            let now = self.clock.now_ns();
            if now >= deadline_ns {
                return Ok(());
            }
            match deadline_ns - now {
                left if left > SPIN_NS => self.queue.wait(left - SPIN_NS)?,
                _ => self.queue.poll()?,
            }
        }
    }
}

impl<C> Drop for Uring<C> {
    fn drop(&mut self) {
        // The kernel may still write to the buffers: wait for everything it was given.
        while self.in_flight > 0 {
            let finished = self.queue.completions().count() as u32;
            self.in_flight -= finished.min(self.in_flight);
            if self.in_flight > 0 && self.queue.wait(1_000_000_000).is_err() {
                return;
            }
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
