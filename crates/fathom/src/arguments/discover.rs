//! What can be typed for `fathom discover`.

use clap::Args;

/// Arguments of `discover`.
#[derive(Args, Debug)]
pub struct DiscoverArguments {
    /// Host name or address of the target, with its port where that is neither 8009 nor 4420; IPv6 in brackets.
    #[arg(value_name = "HOST[:PORT]")]
    pub host: String,
    /// NQN to ask as: targets list what this host may use. Default: that of /etc/nvme/hostnqn, else one that follows
    /// from this machine.
    #[arg(long, value_name = "NQN")]
    pub host_nqn: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Examples.
pub const DISCOVER_EXAMPLES: &str = "Examples:
  fathom discover 10.0.0.5
  fathom discover '[fe80::1]:8009' --json";
