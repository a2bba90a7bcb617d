//! What can be typed to look on at a measurement.

use clap::Args;

/// Arguments of `watch`.
#[derive(Args, Debug)]
pub struct WatchArguments {
    /// Which, where several run: the number of its process, the id of its campaign or run, or the start of one.
    #[arg(value_name = "ID|PID")]
    pub what: Option<String>,
    /// Show how it stands now, and end.
    #[arg(long)]
    pub once: bool,
    /// Print lines of JSON: one a second, and one for each step and saved run; with --once, or where several run, one
    /// document with all that run.
    #[arg(long)]
    pub json: bool,
}

pub const WATCH_EXAMPLES: &str = "\
Examples:
  fathom watch                          what runs, in another terminal
  fathom watch 12345                    of several, by the number of its process or the start of an id
  fathom watch --json | jq .iops
  fathom watch --once

Ctrl-C ends the watch and not the measurement. What another user measures is seen as that user: sudo fathom watch.";
