//! Carries a job's I/O to a simulated device, on a virtual clock or in real time.

pub(crate) mod launch;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Mutex, PoisonError};

use fathom_measure::Clock;
use fathom_record::facts::{EngineFacts, EngineFeature};

use crate::precise_sleep::PreciseSleep;
use crate::{Arena, Completion, Engine, EngineError, Io, Stamps, Submission, Wait};
use fathom_sim::SimDevice;

/// `EINVAL` of Linux, which records use on every platform.
const INVALID_ARGUMENT: i32 = 22;

/// What moves the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The caller does: an I/O is over when the clock stands at its end or later, and was seen then.
    Virtual,
    /// The world does: an I/O is over when its end has passed, and is seen when the engine looks.
    RealTime,
}

/// Engine over a simulated device, which the engines of a run share. Nothing touches the buffers of
/// I/Os in flight, so dropping it waits for nothing.
#[derive(Debug)]
pub struct SimEngine<C> {
    device: Arc<Mutex<SimDevice>>,
    job: u32,
    size_bytes: u64,
    block_bytes: u64,
    depth: usize,
    cpu_ns: u64,
    arena: Arena,
    clock: C,
    mode: Mode,
    pending: BinaryHeap<Reverse<PendingIo>>,
    submissions: u64,
    facts: EngineFacts,
}

/// An I/O in flight; ordered by its end, then by submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PendingIo {
    due_ns: u64,
    sequence: u64,
    slot: u32,
    result: i32,
    submitted_ns: u64,
    returned_ns: u64,
}

impl<C: Clock> SimEngine<C> {
    /// An engine for one job, with `depth` slots of `buffer_bytes` each.
    ///
    /// # Errors
    /// When the system has no room for the buffers.
    pub fn new(
        device: Arc<Mutex<SimDevice>>,
        depth: u32,
        buffer_bytes: u64,
        clock: C,
        mode: Mode,
    ) -> Result<Self, EngineError> {
        let (job, size_bytes, block_bytes, cpu_ns) = {
            let mut device = device.lock().unwrap_or_else(PoisonError::into_inner);
            let job = device.new_job();
            let parameters = device.parameters();
            (job, parameters.size_bytes, u64::from(parameters.logical_block_bytes), parameters.cpu_ns)
        };
        Ok(Self {
            device,
            job,
            size_bytes,
            block_bytes,
            depth: depth as usize,
            cpu_ns,
            arena: Arena::new(depth, buffer_bytes)?,
            clock,
            mode,
            pending: BinaryHeap::with_capacity(depth as usize),
            submissions: 0,
            facts: facts(mode),
        })
    }

    /// Whether the device takes the I/O: within it, whole blocks, and no larger than a buffer.
    fn accepts(&self, io: &Io) -> bool {
        let bytes = u64::from(io.bytes);
        let end = io.offset.checked_add(bytes);
        // Trims and flushes move nothing, so that the buffer does not matter to them.
        let moves_data =
            matches!(io.direction, fathom_record::Direction::Read | fathom_record::Direction::Write);
        end.is_some_and(|end| end <= self.size_bytes)
            && io.offset.is_multiple_of(self.block_bytes)
            && bytes.is_multiple_of(self.block_bytes)
            && (!moves_data || bytes <= self.arena.stride() as u64)
    }

    /// Does what the software above the device does for an I/O, and says when the device gets it. A thread that loses its
    /// processor meanwhile has spent less than it should, once in many I/Os: a turn on a processor is far longer than one.
    fn spend(&self, submitted_ns: u64) -> u64 {
        let until_ns = submitted_ns.saturating_add(self.cpu_ns);
        if self.mode == Mode::Virtual || self.cpu_ns == 0 {
            return until_ns;
        }
        loop {
            let now_ns = self.clock.now_ns();
            if now_ns >= until_ns {
                return now_ns;
            }
            std::hint::spin_loop();
        }
    }

    /// Moves what is over at `now_ns` to `done`.
    fn take_due(&mut self, now_ns: u64, done: &mut Vec<Completion>) {
        while let Some(&Reverse(io)) = self.pending.peek()
            && io.due_ns <= now_ns
        {
            self.pending.pop();
            let reaped_ns = match self.mode {
                Mode::Virtual => io.due_ns,
                Mode::RealTime => now_ns.max(io.returned_ns),
            };
            let stamps = Stamps { submitted_ns: io.submitted_ns, returned_ns: io.returned_ns, reaped_ns };
            done.push(Completion { slot: io.slot, result: io.result, stamps });
        }
    }
}

impl<C: Clock> Engine for SimEngine<C> {
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
        if self.pending.len() >= self.depth {
            return Submission::Full;
        }
        let accepted = self.accepts(&io);
        let submitted_ns = self.clock.now_ns();
        let due_ns = if accepted {
            let handed_ns = self.spend(submitted_ns);
            let mut device = self.device.lock().unwrap_or_else(PoisonError::into_inner);
            device.serve(self.job, handed_ns, io.direction, io.offset, u64::from(io.bytes))
        } else {
            submitted_ns
        };
        let returned_ns = match self.mode {
            Mode::Virtual => submitted_ns,
            Mode::RealTime => self.clock.now_ns(),
        };
        self.submissions += 1;
        self.pending.push(Reverse(PendingIo {
            due_ns,
            sequence: self.submissions,
            slot: io.slot,
            result: if accepted { io.bytes.min(i32::MAX as u32) as i32 } else { -INVALID_ARGUMENT },
            submitted_ns,
            returned_ns,
        }));
        Submission::Queued
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        if let (Mode::RealTime, Wait::Until(until_ns), Some(Reverse(next))) =
            (self.mode, wait, self.pending.peek())
        {
            PreciseSleep::default().until(&self.clock, until_ns.min(next.due_ns));
        }
        self.take_due(self.clock.now_ns(), done);
        Ok(())
    }

    fn next_due_ns(&self) -> Option<u64> {
        match self.mode {
            Mode::Virtual => self.pending.peek().map(|io| io.0.due_ns),
            Mode::RealTime => None,
        }
    }
}

fn facts(mode: Mode) -> EngineFacts {
    let feature = |name: &str, used, note: &str| EngineFeature::new(name, used, Some(note.to_owned()));
    let (virtual_note, returned_stamp) = match mode {
        Mode::Virtual => ("time is simulated and passes as fast as it can be computed", "equals submitted"),
        Mode::RealTime => {
            ("completions are waited for on the wall clock", "when the end of the I/O had been computed")
        }
    };
    EngineFacts {
        name: launch::NAME.to_owned(),
        version: 1,
        features: vec![
            feature("virtual_clock", mode == Mode::Virtual, virtual_note),
            feature(
                "content_kept",
                false,
                "content not kept: reads return whatever is in the buffer, so nothing can be verified",
            ),
        ],
        completes_inline: false,
        returned_stamp: returned_stamp.to_owned(),
    }
}
