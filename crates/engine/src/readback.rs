//! Reads back everything a run wrote, through the verifying engine, when the measurement is over.

use std::sync::atomic::{AtomicBool, Ordering};

use fathom_measure::{Clock, Histogram, WallClock};
use fathom_record::run_record::ReadBack;
use fathom_record::{Direction, SparseHistogram};

use crate::verify::VerifyTable;
use crate::{Completion, Engine, EngineError, Io, Submission, Wait};

/// What was read back.
#[derive(Clone, Debug, Default)]
pub struct ReadBackTally {
    /// Bytes of reads that ended well.
    pub bytes: u64,
    /// How long all of it took.
    pub duration_ns: u64,
    /// Service latencies of those reads.
    pub service: Histogram,
}

impl ReadBackTally {
    /// Adds what was read back of another target, after this one.
    pub fn merge(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.duration_ns += other.duration_ns;
        self.service.merge(&other.service);
    }

    /// As records hold it.
    pub fn summary(&self) -> ReadBack {
        ReadBack {
            operations: self.service.count(),
            bytes: self.bytes,
            duration_ns: self.duration_ns,
            service_histogram: SparseHistogram::from(&self.service),
        }
    }

    fn add(&mut self, completion: &Completion) {
        if completion.result >= 0 {
            self.bytes += completion.bytes();
            self.service.record(completion.stamps.reaped_ns.saturating_sub(completion.stamps.submitted_ns));
        }
    }
}

/// Reads every written stretch once, `depth` at a time; what is wrong ends up in the engine's report.
///
/// # Errors
/// When the engine is broken. A read that fails is the verifier's to count.
pub fn run<E: Engine>(
    engine: &mut E,
    table: &VerifyTable,
    depth: u32,
    largest_bytes: u32,
    clock: WallClock,
    stop: &AtomicBool,
) -> Result<ReadBackTally, EngineError> {
    let started_ns = clock.now_ns();
    let mut tally = ReadBackTally::default();
    let mut free: Vec<u32> = (0..depth).collect();
    let mut done: Vec<Completion> = Vec::with_capacity(depth as usize);
    let mut stretches = table.written(largest_bytes);
    loop {
        while !stop.load(Ordering::Relaxed)
            && let Some(slot) = free.pop()
        {
            let Some((offset, bytes)) = stretches.next() else {
                free.push(slot);
                break;
            };
            match engine.submit(Io { slot, direction: Direction::Read, offset, bytes }) {
                Submission::Done(completion) => {
                    tally.add(&completion);
                    free.push(completion.slot);
                }
                Submission::Queued => {}
                Submission::Full => unreachable!("an engine has as many slots as its depth"),
            }
        }
        if free.len() == depth as usize {
            tally.duration_ns = clock.now_ns().saturating_sub(started_ns);
            return Ok(tally);
        }
        engine.reap(Wait::Until(clock.now_ns() + 100_000_000), &mut done)?;
        for completion in done.drain(..) {
            tally.add(&completion);
            free.push(completion.slot);
        }
    }
}
