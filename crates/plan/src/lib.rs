//! Plans: from what people type, in a file or on the command line, to what is run, and back.
//!
//! [`RawPlan`] is the one list of keys: a TOML key, a flag and a property of the schema are the same
//! field. A [`PlanSource`] is a plan file with the flags that override it; it resolves to a [`RunPlan`],
//! whose [`Workload`](fathom_record::Workload) is what engines are driven by and records keep.
//! [`to_toml`] and [`to_command_line`] go back; records keep the line that measures the same again, and
//! [`plan_of_record`] makes a plan of a record.
//!
//! There is no I/O here, no clock and no machine: what exists is for those to say who open it.

mod addresses;
mod admissible;
mod again;
mod assess;
mod campaigns;
mod catalogued;
mod client;
mod compare;
mod condition;
mod effort;
mod error;
mod explain;
mod known_limits;
mod optimum;
mod pasted;
mod pattern;
mod quantity;
mod rates;
mod raw;
mod repeat;
mod replay;
mod resolve;
mod restarts;
mod sizes;
mod source;
mod suggest;
mod sweep;
mod text;
mod traced;
mod write;

#[cfg(test)]
mod campaign_properties;
#[cfg(test)]
mod properties;

pub use admissible::{Named, Refusal, admissible, on_engine};
pub use again::{NoLine, assess_line, campaign_line, compare_line, explain_line, run_line, sweep_line};
pub use assess::{AssessOptions, RawAssess, assess_command_line, assess_decorators};
pub use campaigns::{compare_command_line, explain_command_line, repeat_command_line, sweep_command_line};
pub use catalogued::{instance_type, volume};
pub use client::clients_of_file;
pub use compare::{CompareOptions, RawCompare, SidesPlan, side_names};
pub use condition::{condition, unmeasurable};
pub use effort::RUN_OVERHEAD_NS;
pub use error::{Place, PlanError, PlanErrorKind};
pub use explain::{ExplainOptions, RawExplain};
pub use known_limits::{Applying, KnownLimits, RawKnownLimits};
pub use pasted::check_arguments;
pub use pattern::{pattern, patterns, title_of};
pub use rates::write as write_rates;
#[cfg(feature = "schema")]
pub use raw::derived_schema;
pub use raw::{PLAN_SCHEMA, RawPlan};
pub use repeat::{Evaluation, RawRepeat, RepeatOptions};
pub use replay::plan_of_record;
pub use source::PlanSource;
pub use suggest::foreign;
pub use sweep::{RawSweep, SweepOptions, sweep_place};
pub use text::Text;
pub use write::{exact_command_line, to_command_line, to_toml};

pub use fathom_record::options::{Client, Reach, Role};
pub use fathom_record::plan::{Needs, RunOptions, RunPlan};

/// Processors from how a plan writes them, `0-3,6`; `any` names none.
///
/// # Errors
/// What is no such list, and what to write.
pub fn processors_of(text: &str) -> Result<Vec<u32>, String> {
    quantity::cpus(text)
}

/// Processors as a plan and the kernel write them, `0-3,6`.
pub fn processors(cpus: &[u32]) -> String {
    quantity::write_cpus(cpus)
}
