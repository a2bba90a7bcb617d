//! Reads back everything a run wrote, through the verifying engine, when the measurement is over.

use std::sync::atomic::{AtomicBool, Ordering};

use fathom_measure::{Clock, WallClock};
use fathom_record::Direction;

use crate::verify::VerifyTable;
use crate::{Completion, Engine, EngineError, Io, Submission, Wait};

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
) -> Result<(), EngineError> {
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
                Submission::Done(completion) => free.push(completion.slot),
                Submission::Queued => {}
                Submission::Full => unreachable!("an engine has as many slots as its depth"),
            }
        }
        if free.len() == depth as usize {
            return Ok(());
        }
        engine.reap(Wait::Until(clock.now_ns() + 100_000_000), &mut done)?;
        free.extend(done.drain(..).map(|completion| completion.slot));
    }
}
