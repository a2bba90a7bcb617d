//! Plans: from what people type, in a file or on the command line, to what is run, and back.
//!
//! [`RawPlan`] is the one list of keys: a TOML key, a flag and a property of the schema are the same
//! field. A [`PlanSource`] is a plan file with the flags that override it; it resolves to a [`RunPlan`],
//! whose [`Workload`](fathom_record::Workload) is what engines are driven by and records keep.
//! [`to_toml`] and [`to_command_line`] go back; records keep the line that measures the same again, and
//! [`plan_of_record`] makes a plan of a record.
//!
//! Of single commands there is here what records and pages need: their lines. What a command alone is asked for stands
//! beside it, and is read with the same [quantities](quantity), [values](value()) and [advice].
//!
//! There is no I/O here, no clock and no machine: what exists is for those to say who open it.

mod addresses;
mod admissible;
mod campaign_command_lines;
mod catalogue_limits;
mod client_list;
mod condition_text;
mod engine_words;
mod error;
mod known_limits;
mod pasted_characters;
mod pattern_names;
mod plan_source;
pub mod quantity;
mod rates;
mod raw_plan;
mod recorded_plan;
mod rerun_line;
mod resolve;
mod scalar_text;
mod sizes;
mod suggest;
mod trace_keys;
mod write;

#[cfg(test)]
mod plan_round_trips;

pub use admissible::{Carrier, NameKind, RunRequest, admissible};
pub use campaign_command_lines::{
    assess_command_line, compare_command_line, explain_command_line, repeat_command_line, sweep_command_line,
};
pub use catalogue_limits::{instance_type, volume};
pub use client_list::{clients, clients_of_file};
pub use condition_text::{condition, unmeasurable};
pub use error::{Mistake, PlanError, PlanErrorKind};
pub use known_limits::{ApplicableLimits, KnownLimits, RawKnownLimits, iops_ceiling, throughput_ceiling};
pub use pasted_characters::check_arguments;
pub use pattern_names::{pattern, patterns, title_of};
pub use plan_source::PlanSource;
pub use rates::write as write_rates;
#[cfg(feature = "schema")]
pub use raw_plan::derived_schema;
pub use raw_plan::{Keys, PLAN_SCHEMA, PlanFlags, RawPlan, keys};
pub use recorded_plan::plan_of_record;
pub use rerun_line::{NoLine, assess_line, campaign_line, compare_line, explain_line, run_line, sweep_line};
pub use resolve::{decorators, name, value};
pub use scalar_text::Text;
pub use suggest::{advice, foreign};
pub use write::{exact_command_line, to_command_line, to_toml};

pub use fathom_record::options::{AgentLocation, Client, ClientRole};
pub use fathom_record::run_plan::{RunOptions, RunPlan, TargetUse};

/// Processors from how a plan writes them, `0-3,6`; `any` names none.
///
/// # Errors
/// What is no such list, and what to write.
pub fn processors_of(text: &str) -> Result<Vec<u32>, PlanError> {
    quantity::cpus(text).map_err(|fault| fault.at(PlanErrorKind::Value, "--cpus"))
}

/// Processors as a plan and the kernel write them, `0-3,6`.
pub fn processors(cpus: &[u32]) -> String {
    quantity::write_cpus(cpus)
}
