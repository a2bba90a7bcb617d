//! What can be typed to give runs away as one file.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Switch;

/// Arguments of `share`.
#[derive(Args, Debug)]
pub struct ShareArguments {
    /// Runs and campaigns: ids, starts of ids, or last. A campaign comes with all of its runs.
    #[arg(value_name = "RUN|CAMPAIGN", required = true)]
    pub names: Vec<String>,
    /// Write one HTML page with the screens of fathom serve and their data, which opens without network.
    #[arg(long, value_name = "FILE.html")]
    pub html: PathBuf,
    /// Replace these by words of the same meaning, e.g. host-1: names and addresses of machines, serial numbers, and paths
    /// of files. A list, e.g. host,serial,path. In tags and notes too.
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',', hide_possible_values = true)]
    pub redact: Vec<RedactedPart>,
    /// How to print.
    #[command(flatten)]
    pub switch: Switch,
}

/// What is not given away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RedactedPart {
    /// Names and addresses of machines.
    Host,
    /// Serial numbers and world-wide names of devices.
    Serial,
    /// Paths of files and folders.
    Path,
}

pub const SHARE_EXAMPLES: &str = "\
Examples:
  fathom share last --html out.html
  fathom share r-20261120-155300123-7f3a r-20261121-0902 --html two.html
  fathom share last --html out.html --redact host,serial,path

The file asks for nothing from anywhere when it is opened.";
