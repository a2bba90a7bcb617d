//! What can be typed of several clients as one run.

use std::path::PathBuf;

use clap::Args;

pub const AGENT_EXAMPLES: &str = "\
Examples:
  fathom run --target data.bin --client local --client ssh:c1      starts one here and one on c1
  fathom run --target data.bin --client 'exec:docker exec -i db fathom agent'

It listens on nothing: what reaches it, as ssh, is its only peer. It ends when its input ends.";

/// From where a plan is run.
#[derive(Args, Debug)]
pub struct ClientArguments {
    /// Run the plan from here at the same time as from every other client, and add up what all measured: local,
    /// ssh:HOST, kubectl:NAMESPACE/POD, srun:NODE, or 'exec:COMMAND fathom agent'; NAME=REACH gives it a name. fathom
    /// has to be there in the same version. Each client carries the whole plan: jobs, depth and rates are each one's.
    #[arg(long, value_name = "REACH", conflicts_with = "replay")]
    pub client: Vec<String>,
    /// The same from a file: a table [[client]] for each, with reach, and where they differ name, program, targets and
    /// destroy.
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["client", "replay"])]
    pub clients: Option<PathBuf>,
    /// Give each client a part of the target's addresses to itself. Two clients that would write the same bytes are
    /// refused without it.
    #[arg(long)]
    pub partition: bool,
}

impl ClientArguments {
    /// Whether any client was named.
    pub fn is_given(&self) -> bool {
        !self.client.is_empty() || self.clients.is_some()
    }
}
