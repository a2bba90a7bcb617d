//! What can be typed to list runs.

use std::path::PathBuf;

use clap::Args;

use super::Switch;

/// Arguments of `runs`.
#[derive(Args, Debug)]
pub struct RunsArguments {
    /// At most N runs.
    #[arg(long, short = 'n', value_name = "NUMBER", default_value_t = 20)]
    pub limit: u32,
    /// Only of this target, as it was named then.
    #[arg(long, value_name = "TARGET")]
    pub target: Option<String>,
    /// Only since then: a date (its start here) or time, e.g. 2026-11-20 or 2026-11-20T08:00:00Z, or how long ago, e.g.
    /// 7d.
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only runs that came to their end and failed no self-check.
    #[arg(long)]
    pub valid: bool,
    /// Only those with this tag, as fathom tag puts it.
    #[arg(long, value_name = "WORD")]
    pub tag: Option<String>,
    /// The test points of this campaign: an id, the start of one, or last.
    #[arg(long, value_name = "CAMPAIGN")]
    pub campaign: Option<String>,
    /// The test points of campaigns too. Default: a campaign is one line.
    #[arg(long, conflicts_with = "campaign")]
    pub all: bool,
    /// How to print.
    #[command(flatten)]
    pub switch: Switch,
}

pub const RUNS_EXAMPLES: &str = "\
Examples:
  fathom runs
  fathom runs --since 7d --valid
  fathom runs -n 5 --target /dev/nvme1n1
  fathom runs --tag weekly
  fathom runs --campaign last --json";

pub const DEVICES_EXAMPLES: &str = "\
Examples:
  fathom devices                       a line each
  fathom devices /dev/nvme1n1          what holds it, what it offers, and how it can be written
  fathom devices nvme                  all of a kind, by the start of a name: nvme, loop, md, dm
  fathom devices --json | jq '.devices[].path'
  fathom devices --capture drives.json  what the drives of this machine answer, of Windows; to read anywhere:
  fathom devices --from drives.json";

/// Arguments of `devices`.
#[derive(Args, Clone, Debug)]
pub struct DevicesArguments {
    /// Devices to show in full, by path, name, serial number, or the start of a name. Default: a line for each.
    #[arg(value_name = "DEVICE")]
    pub names: Vec<String>,
    /// Write what the drives of Windows answer to this file, byte by byte. Nothing is opened for reading or writing.
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["names", "from", "json"])]
    pub capture: Option<PathBuf>,
    /// List the drives of such a file, of whatever machine, in place of the devices here.
    #[arg(long, value_name = "FILE.json")]
    pub from: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
