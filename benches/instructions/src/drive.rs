//! One job of a case from its first I/O to its last, on one thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use fathom_engine::job::crew::Ends;
use fathom_engine::job::spare_buffers::Spares;
use fathom_engine::job::{FilledBuffers, Job, JobPlan, Timeline, TurnResult};
use fathom_engine::memory_target::{Memory, Store};
use fathom_engine::null::Null;
use fathom_engine::pattern::{ArrivalPattern, DataPattern, Generator, Geometry};
use fathom_engine::verify::{Verify, VerifyTable};
use fathom_engine::{Engine, EngineError};
use fathom_measure::{Clock, WallClock};
use fathom_record::workload::Workload;

use crate::counted_loads::{Case, IoCarrier};
use crate::ticking_clock::TickingClock;

/// Carries so many I/Os of the case.
///
/// # Errors
/// Where an engine cannot be made or breaks.
pub fn run(case: &Case, operations: u64) -> Result<(), EngineError> {
    let workload = case.workload(operations);
    let geometry = Geometry::of(&workload, case.target_bytes())?;
    let (depth, bytes) = (case.depth, geometry.largest_io_bytes);
    match case.carried {
        IoCarrier::Null => drive(Null::new(depth, u64::from(bytes), TickingClock)?, &workload, &geometry),
        IoCarrier::VerifiedMemory => {
            let memory =
                Memory::new(Store::new(case.target_bytes())?, depth, u64::from(bytes), TickingClock)?;
            let table = Arc::new(VerifyTable::of(&workload, &geometry, 1)?);
            drive(Verify::new(memory, table, depth, bytes)?, &workload, &geometry)
        }
        IoCarrier::Queues(commands) => crate::queues::run(commands, depth, operations),
        IoCarrier::Clock => {
            read_clock(operations);
            Ok(())
        }
    }
}

/// The loop as a job's thread runs it.
fn drive<E: Engine>(engine: E, workload: &Workload, geometry: &Geometry) -> Result<(), EngineError> {
    let plan = JobPlan {
        job: 0,
        target: 0,
        depth: workload.depth,
        spares: Spares::default(),
        generator: Generator::new(workload, geometry, 0, &Arc::new(AtomicU64::new(0))),
        arrival: workload
            .arrival
            .is_open()
            .then(|| ArrivalPattern::new(&workload.arrival, (0, 1), workload.seed)),
        pace: None,
        aside: None,
        data: DataPattern::new(&workload.data, workload.seed, 0),
        operations: workload.length.operations.unwrap_or(u64::MAX),
        bytes: u64::MAX,
        counts_process: true,
    };
    // Kept to the end, so that the job finds empty tallies where it looks for them.
    let (_ends, exchange) = Ends::new();
    let timeline = Timeline::new(TickingClock.now_ns(), &workload.length);
    let mut job = Job::new(
        engine,
        TickingClock,
        timeline,
        plan,
        FilledBuffers::default(),
        exchange,
        Arc::new(AtomicBool::new(false)),
    );
    while job.turn(true)? != TurnResult::Finished {}
    Ok(())
}

/// Readings of the clock that stamps real runs.
fn read_clock(readings: u64) {
    let clock = WallClock::uncalibrated();
    (0..readings).for_each(|_| {
        std::hint::black_box(clock.now_ns());
    });
}
