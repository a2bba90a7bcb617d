//! What can be typed of several clients as one run.

use std::path::PathBuf;

use clap::Args;

pub const AGENT_EXAMPLES: &str = "\
Examples:
  fathom run --target data.bin --client local --client ssh:c1      starts one here and one on c1
  fathom run --target data.bin --client 'exec:docker exec -i db fathom agent'
  fathom compare ssh:a:/mnt/x ssh:b:/mnt/x                         one test on two machines

It listens on nothing: what reaches it, as ssh, is its only peer. It ends when its input ends.";

/// A file of clients, in place of naming them one by one.
#[derive(Args, Debug)]
pub struct ClientsFile {
    /// As --client, from a file: a table [[client]] for each, with reach, and where they differ name, program, targets
    /// and destroy.
    #[arg(long, value_name = "FILE.toml", conflicts_with = "client")]
    pub clients: Option<PathBuf>,
}
