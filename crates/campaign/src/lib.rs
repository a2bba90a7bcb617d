//! Runs workloads and assessments: plans in, run records and campaign records out, resumable.
//!
//! [`run_once`] makes one record. [`assess`] decides step by step what to measure next, saves each run
//! as it ends, and continues after any kind of end where it stopped. [`analyse`] reads finished runs again.

pub mod assess_campaign;
mod bands;
pub mod burst_balances;
pub mod ceilings;
mod cells;
pub mod checks;
pub mod clients;
pub mod compare_campaign;
mod device_origins;
mod error;
mod explain_campaign;
pub mod external;
pub mod live_seconds;
mod permits;
mod process_control;
pub mod profile_likeness;
mod progress;
mod record_ids;
pub mod repeat_campaign;
pub mod replay;
mod restarts;
pub mod result_trends;
mod resumable_campaign;
mod run_analysis;
mod scaling_expectation;
mod single_run;
pub mod sweep_campaign;
pub mod tool_jobs;
pub mod trend_marks;
mod turn_command;
mod visits;
pub mod write_cap;

pub use assess_campaign::assess_plan::{AssessKeys, AssessOptions, RawAssess, assess_decorators};
pub use assess_campaign::{Assessment, assess};
pub use compare_campaign::compare_plan::{CompareOptions, RawCompare, SidesPlan};
pub use compare_campaign::{CompareResult, StoredSide, compare, compare_sides, compare_stored, stored_plan};
pub use error::CampaignError;
pub use explain_campaign::explain_plan::{ExplainOptions, RawExplain};
pub use explain_campaign::{Explanation, explain, explain_finished, other_target};
pub use fathom_engine::job::tally::Tally;
pub use fathom_plan::PlanError;
pub use progress::{NoProgress, Progress, Second, StepNotice};
pub use record_ids::now as calendar_now;
pub use repeat_campaign::repeat_plan::{Evaluation, RawRepeat, RepeatOptions};
pub use repeat_campaign::{RepeatResult, repeat};
pub use restarts::restart_plan::RawRestarts;
pub use run_analysis::{AnalysisSubject, WHOLE_SECOND_NS, analyse};
pub use scaling_expectation::expectation;
pub use single_run::{
    ConcurrentRun, IoLog, JobDetails, Particulars, RunContext, Session, SessionPlan, run_once, run_together,
};
pub use sweep_campaign::sweep_plan::{RawSweep, SweepOptions};
pub use sweep_campaign::{Sweep, sweep};
