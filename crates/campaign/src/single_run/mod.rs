//! One run, from a plan to a record.

mod binding;
mod cautions;
mod child_handle;
mod client_sessions;
mod concurrent_runs;
pub(crate) mod fitness;
mod io_log;
mod neighbours;
mod particulars;
mod record_assembly;
mod sample_log;
mod session;
mod summary;
mod targets;
mod witness_session;

use std::sync::atomic::AtomicBool;

use fathom_engine::{EngineError, ErrorKind};
use fathom_record::RunRecord;

use crate::device_origins::Devices;
use crate::error::CampaignError;
use crate::progress::Progress;
use crate::replay::TraceSurvey;
use fathom_plan::{RunPlan, TargetUse, exact_command_line};

pub(crate) use binding::nodes_apart;
pub(crate) use cautions::Queues;
pub use concurrent_runs::{ConcurrentRun, run_together};
pub use io_log::IoLog;
pub use neighbours::ForeignTraffic;
pub use particulars::{JobDetails, Particulars};
pub use record_assembly::this_tool;
pub use session::{RunContext, Session, SessionPlan};

/// What a run costs beside its own length, in nanoseconds: threads, buffers, telemetry, saving.
pub(crate) const RUN_OVERHEAD_NS: u64 = 80_000_000;

/// Runs a plan once. The record is returned, not stored.
///
/// Setting `stop` ends the run early; the record then covers what was measured until then.
///
/// # Errors
/// When there is nothing to record: the plan is wrong, the target is refused, an engine cannot start.
pub fn run_once(
    plan: &RunPlan,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<RunRecord, CampaignError> {
    if let Some(survey) = TraceSurvey::of(&plan.workload)? {
        return replay_once(plan, &survey, progress, stop);
    }
    let session = Session::open(&SessionPlan::of(plan), progress, stop)?;
    session.run(&plan.workload, None, progress, stop)
}

/// Replays a trace that was surveyed; the record says how like it the run was.
fn replay_once(
    asked: &RunPlan,
    survey: &TraceSurvey,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<RunRecord, CampaignError> {
    let plan = &RunPlan { workload: survey.directions(&asked.workload), ..asked.clone() };
    let session = Session::open(&SessionPlan::of(plan), progress, stop)?;
    let target = session.target();
    let workload = survey.workload(&plan.workload, target.size_bytes, u64::from(target.logical_block_bytes));
    let mut record = session.run(&workload, None, progress, stop)?;
    record.command = exact_command_line(asked);
    let said = survey.similarity(&record);
    record.notes.extend(said);
    Ok(record)
}

/// A thread of a run that ended in a broken invariant.
fn panicked() -> CampaignError {
    EngineError::new(ErrorKind::System, "running several workloads at once", "a run's thread panicked").into()
}

impl Session {
    /// Opens what all these plans go about in the same way, for all that any of them does to it; at least
    /// one. `devices` are those that their campaign began on.
    ///
    /// # Errors
    /// As [`Session::open`].
    pub fn open_for_all(
        plans: &[&RunPlan],
        seed: u64,
        devices: &Devices,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Self, CampaignError> {
        let needs = TargetUse::of(plans.iter().map(|plan| &plan.workload));
        let plan = SessionPlan { needs, seed, devices: Some(devices), ..SessionPlan::of(plans[0]) };
        Self::open(&plan, progress, stop)
    }
}

impl<'a> SessionPlan<'a> {
    /// What one run needs of its session.
    pub fn of(plan: &'a RunPlan) -> Self {
        let needs = TargetUse::of([&plan.workload]);
        Self { plan, needs, devices: None, marks: true, literal: false, seed: plan.workload.seed }
    }
}
