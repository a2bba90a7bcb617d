//! What `fathom repeat` is told.

use clap::Args;
use fathom_campaign::RawRepeat;
use fathom_plan::RawPlan;

use super::MeasurementOutputs;
use super::client_arguments::ClientsFile;

pub const REPEAT_EXAMPLES: &str = "\
Examples:
  fathom repeat --list                             what there is, what each needs, and how long it takes
  fathom repeat gp3-vs-local-nvme --target /mnt/nvme --target /mnt/gp3 --report page.html
  fathom repeat bdevperf-one-core --target /dev/nvme1n1 --target /dev/nvme2n1 --target /dev/nvme3n1 --destroy SERIAL
  fathom repeat nvmeof-initiators --local /dev/nvme1n1 --remote /dev/nvme5n1 --remote nvme+tcp://10.0.0.5/NQN
  fathom repeat nvmeof-initiators --local /dev/nvme1n1 --remote /dev/nvme5n1 --remote nvme+tcp://10.0.0.5/NQN --optimum last
  fathom repeat gp3-vs-local-nvme --side 'local NVMe=sim:nvme' --side gp3=sim:gp3,iops=16000 --budget 10m
  fathom repeat my-evaluation.toml --target . --as-published

A file is a table of published results with its method: docs/published.md. Flags of a plan override those of every
step. Each run is saved as it ends: after Ctrl-C or a crash the same command continues where it stopped.";

/// Arguments of `repeat`.
#[derive(Args, Debug)]
pub struct RepeatArguments {
    /// An evaluation that fathom holds, or a file of one.
    #[arg(value_name = "EVALUATION", required_unless_present = "list")]
    pub evaluation: Option<String>,
    /// List the evaluations that fathom holds: sides, steps, time and bytes written; measures nothing.
    #[arg(long)]
    pub list: bool,
    /// What stands for its sides, and how much is measured.
    #[command(flatten)]
    pub repeat: RawRepeat,
    /// What overrides the plans of its steps.
    #[command(flatten, next_help_heading = "Options that override the plans of all steps")]
    pub flags: RawPlan,
    /// From where.
    #[command(flatten)]
    pub clients: ClientsFile,
    /// Where the result goes.
    #[command(flatten, next_help_heading = "Results")]
    pub outputs: MeasurementOutputs,
}
