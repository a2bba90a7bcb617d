//! Verification as a decorator: stamps what is written, checks what is read.
//!
//! Every block of a write carries its address, its generation, the run's tag and a checksum; the layout
//! is in `stamp.rs`. A block that is read must hold the last write that was acknowledged, or, where
//! several overlapped, one of them. What a failed write, a trim, a write under way or a mixture of
//! writes that overlapped leaves open is counted as uncertain and never called corrupt. Content that an earlier run stamped is checked for
//! address and checksum; where it fails, a run that only reads says so, and one that writes does not judge it, as others
//! may have written there since.

mod block_table;
mod content_check;
mod stamp;
mod state;
mod verify_report;

#[cfg(test)]
pub(crate) mod test_engine;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use fathom_record::Direction;
use fathom_record::facts::{EngineFacts, EngineFeature};

use crate::{Completion, Engine, EngineError, ErrorKind, Io, Submission, Wait};
use content_check::Evidence;
use stamp::Stamp;
use state::BlockState;

pub use block_table::VerifyTable;
pub use verify_report::{Damage, Finding, VerifyReport};

/// An engine that stamps writes and checks reads. Checksums are computed before the inner engine takes
/// its first stamp and after it took its last, so they are in no latency; they are in the generator's
/// time.
#[derive(Debug)]
pub struct Verify<E> {
    inner: E,
    facts: EngineFacts,
    table: Arc<VerifyTable>,
    /// What each slot carries while it is in flight.
    in_flight: Box<[Option<Io>]>,
    /// For each slot, the states of its blocks before it was submitted.
    before: Box<[BlockState]>,
    blocks_per_slot: usize,
    report: VerifyReport,
}

/// Memory for the states before submission.
const LIMIT_BYTES: usize = 256 << 20;

impl<E: Engine> Verify<E> {
    /// Wraps an engine of `depth` slots whose I/Os are at most `largest_io_bytes`. All jobs of a run
    /// share `table`.
    ///
    /// # Errors
    /// When depth and size are so large that the bookkeeping of one job would take more than 256 MiB.
    pub fn new(
        inner: E,
        table: Arc<VerifyTable>,
        depth: u32,
        largest_io_bytes: u32,
    ) -> Result<Self, EngineError> {
        // One more for an I/O that starts within a block.
        let blocks_per_slot = (largest_io_bytes / table.block_bytes()) as usize + 2;
        let entries = blocks_per_slot.saturating_mul(depth as usize);
        if entries.saturating_mul(size_of::<BlockState>()) > LIMIT_BYTES {
            return Err(EngineError::new(
                ErrorKind::Unsupported,
                "preparing verification",
                format!("{depth} I/Os of {blocks_per_slot} blocks in flight are too many to follow"),
            )
            .with_remedy("use a smaller --depth, or a larger --align"));
        }
        let mut facts = inner.facts().clone();
        facts.features.push(EngineFeature::new(
            "verify",
            true,
            Some(format!("blocks of {} bytes are stamped and checked", table.block_bytes())),
        ));
        Ok(Self {
            inner,
            facts,
            table,
            in_flight: vec![None; depth as usize].into_boxed_slice(),
            before: vec![BlockState::default(); entries].into_boxed_slice(),
            blocks_per_slot,
            report: VerifyReport::default(),
        })
    }

    /// What was found so far.
    pub fn report(&self) -> &VerifyReport {
        &self.report
    }

    /// The table of the run's blocks.
    pub fn table(&self) -> &Arc<VerifyTable> {
        &self.table
    }

    /// The engine that was wrapped.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    /// Notes the states of the I/O's blocks, begins its writes, and stamps its content.
    fn prepare(&mut self, io: &Io) {
        let (blocks, whole) = self.table.blocks(io);
        let first = blocks.start;
        let notes = io.slot as usize * self.blocks_per_slot;
        for index in blocks {
            let before = match io.direction {
                Direction::Write | Direction::Trim => self.table.begin(index),
                Direction::Read | Direction::Flush => self.table.state(index),
            };
            if index - first < self.blocks_per_slot {
                self.before[notes + index - first] = before;
            }
            if io.direction == Direction::Write && whole {
                let block_bytes = self.table.block_bytes();
                let stamp = Stamp {
                    block_bytes,
                    offset: self.table.offset(index),
                    tag: self.table.tag(),
                    generation: before.begin().issued(),
                };
                let start = (index - first) * block_bytes as usize;
                if let Some(block) = self.inner.buffer(io.slot).get_mut(start..start + block_bytes as usize) {
                    stamp.seal(block);
                }
            }
        }
    }

    /// Undoes what `prepare` noted for an I/O that the inner engine did not take.
    fn take_back(&mut self, io: &Io) {
        if !matches!(io.direction, Direction::Write | Direction::Trim) {
            return;
        }
        let (blocks, _) = self.table.blocks(io);
        let first = blocks.start;
        let notes = io.slot as usize * self.blocks_per_slot;
        for index in blocks {
            if index - first < self.blocks_per_slot {
                self.table.take_back(index, self.before[notes + index - first]);
            } else {
                self.table.end(index, false);
            }
        }
    }

    /// Draws the consequences of a completion.
    fn finish(&mut self, completion: &Completion) {
        let Some(io) = self.in_flight.get_mut(completion.slot as usize).and_then(Option::take) else {
            return;
        };
        let (blocks, whole) = self.table.blocks(&io);
        let moved = completion.bytes().min(u64::from(io.bytes));
        let block_bytes = u64::from(self.table.block_bytes());
        match io.direction {
            Direction::Write | Direction::Trim => {
                let stamped = io.direction == Direction::Write && whole;
                let first = blocks.start;
                for index in blocks {
                    let known = stamped && (index - first + 1) as u64 * block_bytes <= moved;
                    self.table.end(index, known);
                }
            }
            Direction::Read if whole => {
                let notes = io.slot as usize * self.blocks_per_slot;
                let count = blocks.len().min(self.blocks_per_slot).min((moved / block_bytes) as usize);
                self.report.unread += (blocks.len() - count) as u64;
                let buffer = self.inner.buffer(io.slot);
                let evidence = Evidence {
                    table: &self.table,
                    first_block: blocks.start,
                    content: &buffer[..(count * block_bytes as usize).min(buffer.len())],
                    before: &self.before[notes..notes + count],
                };
                evidence.judge(&mut self.report);
            }
            Direction::Read | Direction::Flush => {}
        }
    }
}

impl<E: Engine> Engine for Verify<E> {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.inner.buffer(slot)
    }

    fn submit(&mut self, io: Io) -> Submission {
        self.prepare(&io);
        if let Some(slot) = self.in_flight.get_mut(io.slot as usize) {
            *slot = Some(io);
        }
        let submission = self.inner.submit(io);
        match &submission {
            Submission::Done(completion) => self.finish(completion),
            Submission::Queued => {}
            Submission::Full => {
                if let Some(slot) = self.in_flight.get_mut(io.slot as usize) {
                    *slot = None;
                }
                self.take_back(&io);
            }
        }
        submission
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        let seen = done.len();
        let result = self.inner.reap(wait, done);
        for completion in &done[seen..] {
            self.finish(completion);
        }
        result
    }

    fn next_due_ns(&self) -> Option<u64> {
        self.inner.next_due_ns()
    }
}
