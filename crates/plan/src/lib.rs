//! Plans: from what people type, in a file or on the command line, to what is run, and back.
//!
//! [`RawPlan`] is the one list of keys: a TOML key, a flag and a property of the schema are the same
//! field. A [`PlanSource`] is a plan file with the flags that override it; it resolves to a [`RunPlan`],
//! whose [`Workload`](fathom_record::Workload) is what engines are driven by and records keep.
//! [`to_toml`] and [`to_command_line`] go back; records keep the line that measures the same again, and
//! [`RunPlan::replay`] makes a plan of a record.
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
mod known;
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

pub use admissible::{Asked, Named, Refusal, admissible, on_engine};
pub use again::{NoLine, assess_line, campaign_line, compare_line, explain_line, run_line, sweep_line};
pub use assess::{AssessOptions, RawAssess, assess_command_line, assess_decorators};
pub use campaigns::{compare_command_line, explain_command_line, repeat_command_line, sweep_command_line};
pub use catalogued::{instance_type, volume};
pub use client::{Client, Reach, Role, clients_of_file};
pub use compare::{CompareOptions, RawCompare, SidesPlan, side_names};
pub use condition::{condition, unmeasurable};
pub use effort::RUN_OVERHEAD_NS;
pub use error::{Place, PlanError, PlanErrorKind};
pub use explain::{ExplainOptions, RawExplain};
pub use known::{Applying, Known, RawKnown};
pub use pasted::check_arguments;
pub use pattern::{pattern, patterns, title_of};
pub use rates::write as write_rates;
#[cfg(feature = "schema")]
pub use raw::derived_schema;
pub use raw::{PLAN_SCHEMA, RawPlan};
pub use repeat::{Evaluation, RawRepeat, RepeatOptions};
pub use source::PlanSource;
pub use suggest::foreign;
pub use sweep::{RawSweep, SweepOptions, sweep_place};
pub use text::Text;
pub use write::{exact_command_line, to_command_line, to_toml};

use fathom_record::Workload;
use fathom_record::options::{Decorators, Durable, IoFlags, WitnessSource};

/// All that one run needs.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPlan {
    /// Targets as the user named them; at least one.
    pub targets: Vec<String>,
    /// Engine asked for; absent: chosen by the target.
    pub engine: Option<String>,
    /// What is done to the target.
    pub workload: Workload,
    /// How.
    pub options: RunOptions,
}

/// How a run goes about its target.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOptions {
    /// Past the page cache.
    pub direct: bool,
    /// All targets are one address space in chunks of so many bytes; absent: each job has one of them.
    pub stripe_bytes: Option<u64>,
    /// Serial numbers of the devices whose content may be lost.
    pub permits: Vec<String>,
    /// Devices that only reading can show to be empty are read, however long that takes.
    pub check_empty: bool,
    /// A simulated device runs by the wall clock.
    pub real_time: bool,
    /// Completions are polled for: inside the kernel, where the device needs poll queues, or at the socket.
    pub polled: bool,
    /// The same I/Os are watched in the block layer, through this source; absent: not.
    pub witness: Option<WitnessSource>,
    /// What is durable when a write ends; absent: whatever the device says.
    pub durable: Option<Durable>,
    /// Flags on single reads and writes.
    pub io_flags: IoFlags,
    /// A scratch file stays when the run is over.
    pub keep: bool,
    /// Processors that the jobs are bound to, in turn; none in the list: the scheduler's choice; absent:
    /// near the device.
    pub cpus: Option<Vec<u32>>,
    /// What is put around the engine.
    pub decorators: Decorators,
    /// Who carries it, all at once; none: this process alone.
    pub clients: Vec<Client>,
    /// Each client has a part of the addresses to itself.
    pub partition: bool,
}

/// Past the page cache, and nothing else that could be asked for.
impl Default for RunOptions {
    fn default() -> Self {
        Self {
            direct: true,
            stripe_bytes: None,
            permits: Vec::new(),
            check_empty: false,
            real_time: false,
            polled: false,
            witness: None,
            durable: None,
            io_flags: IoFlags::default(),
            keep: false,
            cpus: None,
            decorators: Decorators::default(),
            clients: Vec::new(),
            partition: false,
        }
    }
}

impl RunOptions {
    /// The clients that measure; none: this process alone does.
    pub fn measuring(&self) -> impl Iterator<Item = &Client> {
        self.clients.iter().filter(|client| client.role == Role::Load)
    }

    /// The same without the permission to destroy data, which whoever types the command again gives again.
    #[must_use]
    pub fn without_permits(&self) -> Self {
        let clients = self.clients.iter().map(Client::without_permits).collect();
        Self { permits: Vec::new(), check_empty: false, clients, ..self.clone() }
    }
}

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
