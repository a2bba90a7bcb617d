//! Linux's native asynchronous I/O, the interface behind libaio, by system call.
//!
//! For comparing with results of tools that use it. A batch goes in with one `io_submit`, stamped
//! before and after; completions come out with `io_getevents`, stamped when it returns. Submission
//! may block inside the kernel where io_uring would not: the time between the submitted and the
//! returned stamp shows it. Trims have no place in this interface and run as system calls.
#![allow(unsafe_code)] // Keeps buffers mapped when the kernel does not give them back.

mod abi;
mod context;
pub(crate) mod launch;

use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::facts::{EngineFacts, EngineFeature};
use fathom_record::options::IoFlags;

use crate::priority::PrioritySetter;
use crate::stripe::{Carrier, Part, Slots};
use crate::sync::perform;
use crate::{Arena, Completion, Engine, EngineError, Io, Stamps, Submission, Wait};
use abi::{Event, Flags, Request};
use context::Context;

/// Below this much time to a deadline the engine polls instead of sleeping, as engine `uring` does.
const SPIN_NS: u64 = 100_000;

/// Native asynchronous I/O on one open file or device, or on the members of a stripe.
#[derive(Debug)]
pub struct Aio<C> {
    context: Context,
    /// Unmapped only when the kernel has given every I/O back.
    arena: ManuallyDrop<Arena>,
    /// At least one.
    files: Vec<Arc<File>>,
    clock: C,
    /// One request a slot; the kernel reads them during submission only.
    requests: Box<[Request]>,
    /// Slots that wait for submission, in order.
    pending: Vec<u32>,
    /// Addresses of the pending slots' requests, as the kernel takes them.
    pointers: Vec<*mut Request>,
    /// I/Os that the kernel refused, with their error numbers.
    refused: Vec<(u32, i32)>,
    events: Box<[Event]>,
    /// Submitted and returned stamps by slot.
    stamps: Vec<(u64, u64)>,
    in_flight: usize,
    flags: Flags,
    /// Of the next reads and writes, as the kernel takes it; 0 for the thread's.
    priority: u16,
    facts: EngineFacts,
}

impl<C: Clock> Aio<C> {
    /// A context for `depth` I/Os over an open file or device.
    ///
    /// # Errors
    /// When the kernel has no such interface or no room for the context, or buffers cannot be had.
    pub fn new(file: Arc<File>, depth: u32, buffer_bytes: u64, clock: C) -> Result<Self, EngineError> {
        Self::over(&[file], Slots::whole(depth), buffer_bytes, clock)
    }

    /// One context over the members of a stripe, in their order.
    ///
    /// # Errors
    /// As [`new`](Self::new), for the parts in flight.
    pub fn over(files: &[Arc<File>], slots: Slots, buffer_bytes: u64, clock: C) -> Result<Self, EngineError> {
        let Slots { buffers, parts, numbers } = slots;
        let (slots, numbers) = (parts as usize, numbers as usize);
        Ok(Self {
            context: Context::new(parts)?,
            arena: ManuallyDrop::new(Arena::new(buffers, buffer_bytes)?),
            files: files.to_vec(),
            clock,
            requests: vec![Request::default(); numbers].into_boxed_slice(),
            pending: Vec::with_capacity(slots),
            pointers: Vec::with_capacity(slots),
            refused: Vec::with_capacity(slots),
            events: vec![Event::default(); slots].into_boxed_slice(),
            stamps: vec![(0, 0); numbers],
            in_flight: 0,
            flags: Flags::default(),
            priority: 0,
            facts: facts(),
        })
    }

    /// The same with flags on reads and writes.
    pub fn with_flags(mut self, flags: IoFlags) -> Self {
        self.facts.features.extend(flags.features());
        self.flags = flags.into();
        self
    }

    /// Takes an I/O for one of the files, or carries it out where the interface
    /// cannot.
    #[inline]
    fn take(&mut self, part: Part) -> Submission {
        let Part { io, member, buffer, skip_bytes } = part;
        let file = &self.files[member as usize];
        let place =
            self.arena.place(buffer, skip_bytes, io.bytes).filter(|_| io.direction != Direction::Trim);
        let Some(place) = place else {
            let submitted_ns = self.clock.now_ns();
            let own = self.arena.part(buffer, skip_bytes, io.bytes).unwrap_or_default();
            let result = perform(file, &io, own);
            let reaped_ns = self.clock.now_ns();
            let stamps = Stamps { submitted_ns, returned_ns: reaped_ns, reaped_ns };
            return Submission::Done(Completion { slot: io.slot, result, stamps });
        };
        self.requests[io.slot as usize] =
            Request::new(&io, file.as_raw_fd(), place, self.flags).with_priority(self.priority);
        self.pending.push(io.slot);
        Submission::Queued
    }

    /// Hands what is pending to the kernel, and stamps it.
    fn flush(&mut self) -> Result<(), EngineError> {
        while !self.pending.is_empty() {
            self.pointers.clear();
            for &slot in &self.pending {
                self.pointers.push(&raw mut self.requests[slot as usize]);
            }
            let submitted_ns = self.clock.now_ns();
            let outcome = self.context.submit(&mut self.pointers);
            let returned_ns = self.clock.now_ns();
            let accepted = match outcome {
                Ok(accepted) => accepted,
                // No room until something completes; with nothing in flight it is tried at the next turn.
                Err(libc::EAGAIN | libc::EINTR) => return Ok(()),
                Err(errno) => {
                    // The first one is refused; the others have not been looked at.
                    let slot = self.pending.remove(0);
                    self.stamps[slot as usize] = (submitted_ns, returned_ns);
                    self.refused.push((slot, errno));
                    continue;
                }
            };
            for slot in self.pending.drain(..accepted) {
                self.stamps[slot as usize] = (submitted_ns, returned_ns);
            }
            self.in_flight += accepted;
            if accepted == 0 {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Takes what has completed, waiting at most `wait_ns` for a first one.
    fn collect(&mut self, wait_ns: u64, done: &mut Vec<Completion>) -> Result<bool, EngineError> {
        let found = self.context.take(&mut self.events, wait_ns)?;
        if found == 0 && self.refused.is_empty() {
            return Ok(false);
        }
        let reaped_ns = self.clock.now_ns();
        let stamped = |slot: u32, result: i32, stamps: &[(u64, u64)]| {
            let (submitted_ns, returned_ns) = stamps[slot as usize];
            Completion { slot, result, stamps: Stamps { submitted_ns, returned_ns, reaped_ns } }
        };
        for event in &self.events[..found] {
            done.push(stamped(event.slot(), event.result(), &self.stamps));
        }
        self.in_flight -= found;
        for (slot, errno) in self.refused.drain(..) {
            done.push(stamped(slot, -errno, &self.stamps));
        }
        Ok(true)
    }
}

fn facts() -> EngineFacts {
    let note = "trims are fallocate calls inside the submission: the interface has none";
    EngineFacts {
        name: launch::NAME.to_owned(),
        version: 1,
        features: vec![EngineFeature::new("trim_by_call", true, Some(note.to_owned()))],
        completes_inline: false,
        returned_stamp: "return of the call that submitted the I/O's batch".to_owned(),
    }
}

impl<C: Clock> Engine for Aio<C> {
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
        self.take(Part { io, member: 0, buffer: io.slot, skip_bytes: 0 })
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        self.flush()?;
        loop {
            if self.in_flight == 0 && self.refused.is_empty() {
                return Ok(());
            }
            let left_ns = match wait {
                Wait::No => 0,
                Wait::Until(deadline_ns) => deadline_ns.saturating_sub(self.clock.now_ns()),
            };
            // The first look does not wait: what is there is taken with the submission's own stamps.
            if self.collect(0, done)? || left_ns == 0 {
                return Ok(());
            }
            if left_ns > SPIN_NS && self.collect(left_ns - SPIN_NS, done)? {
                return Ok(());
            }
        }
    }
}

impl<C: Clock> PrioritySetter for Aio<C> {
    #[inline]
    fn set_priority(&mut self, number: u16) {
        self.priority = number;
    }
}

impl<C: Clock> Carrier for Aio<C> {
    #[inline]
    fn submit_part(&mut self, part: Part) -> Submission {
        self.take(part)
    }
}

impl<C> Drop for Aio<C> {
    fn drop(&mut self) {
        // Destroying the context waits for everything in flight; if that fails, the kernel may still
        // write to the buffers, and they are left mapped.
        if self.context.destroy() {
            // SAFETY: nothing is in flight any more, and the arena is not used after this.
            unsafe { ManuallyDrop::drop(&mut self.arena) }
        }
    }
}
