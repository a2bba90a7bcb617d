//! Runs workloads and assessments: plans in, run records and campaign records out, resumable.
//!
//! [`run_once`] makes one record. [`assess`] decides step by step what to measure next, saves each run
//! as it ends, and continues after any kind of end where it stopped. [`analyse`] reads finished runs again.

mod analyse;
pub mod assess;
pub mod balances;
mod bands;
pub mod ceilings;
mod cells;
pub mod checks;
pub mod clients;
pub mod compare;
mod devices;
mod error;
mod expectation;
mod explain;
pub mod external;
mod identity;
pub mod like;
pub mod live_seconds;
pub mod marks;
mod permits;
mod platform;
mod progress;
pub mod repeat;
pub mod replay;
mod restarts;
mod run;
mod runner;
mod shell;
pub mod sweep;
pub mod tool_jobs;
pub mod trend;
mod visits;
pub mod wear;

pub use analyse::{Subject, WHOLE_SECOND_NS, analyse};
pub use assess::plan::{AssessKeys, AssessOptions, RawAssess, assess_decorators};
pub use assess::{Assessment, assess};
pub use compare::plan::{CompareOptions, RawCompare, SidesPlan};
pub use compare::{Compared, StoredSide, compare, compare_sides, compare_stored, stored_plan};
pub use error::CampaignError;
pub use expectation::expectation;
pub use explain::plan::{ExplainOptions, RawExplain};
pub use explain::{Explanation, explain, explain_finished, other_target};
pub use fathom_engine::job::tally::Tally;
pub use fathom_plan::PlanError;
pub use identity::now as calendar_now;
pub use progress::{Progress, Second, Silent, StepNotice};
pub use repeat::plan::{Evaluation, RawRepeat, RepeatOptions};
pub use repeat::{Repeated, repeat};
pub use restarts::plan::RawRestarts;
pub use run::{
    IoLog, JobDetails, Part, Particulars, RunContext, Session, SessionPlan, run_once, run_together,
};
pub use sweep::plan::{RawSweep, SweepOptions};
pub use sweep::{Sweep, sweep};
