//! The loop and its engines: contract, endings, and what is known in closed form. One program, since each further one
//! compiles the loop again.

mod ahead;
mod conformance;
mod contract;
mod decorated;
mod endings;
mod in_flight;
mod nvme_tcp;
mod stripe;
mod truth;
mod uring;

fathom_skips::one_more_at_once!();

use fathom_engine::job::crew::{self, CrewPlan};
use fathom_engine::job::{JobPlan, Measurement, virtual_time_jobs};
use fathom_engine::{Engine, EngineError};
use fathom_measure::{VirtualClock, WallClock};

/// A job's engine, of whatever kind.
type Made = Result<Box<dyn Engine>, EngineError>;

/// Runs jobs on threads of their own; the loop is compiled once for all kinds of engines.
fn run_crew(
    plan: CrewPlan<'_>,
    clock: WallClock,
    build: &(dyn Fn(&JobPlan) -> Made + Sync),
) -> Result<Measurement, EngineError> {
    crew::run(plan, clock, build, |_| None, &mut |_| {})
}

/// The same in simulated time.
fn run_simulated(
    plan: CrewPlan<'_>,
    clock: &VirtualClock,
    build: &dyn Fn(&JobPlan) -> Made,
) -> Result<Measurement, EngineError> {
    virtual_time_jobs::run(plan, clock, build, &mut |_| {})
}
