//! What was typed after `cargo lab sizing`.

use std::path::PathBuf;

use clap::Args;

pub const PARTS: [&str; 5] = ["size", "mixed", "stalls", "healthy", "search"];

/// Which parts, on what.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Only this part; again for another. Default: all.
    #[arg(long = "part", value_name = "NAME", value_parser = PARTS, default_values = PARTS, hide_default_value = true)]
    pub parts: Vec<String>,
    /// Demands of the part size.
    #[arg(long, value_name = "NUMBER", default_value_t = 200)]
    pub demands: usize,
    /// Devices of the parts stalls, healthy and search, each.
    #[arg(long, value_name = "NUMBER", default_value_t = 40)]
    pub devices: usize,
    /// Draws the same demands and devices again.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Only demands and devices whose name or shape contains it.
    #[arg(long, value_name = "WORD", default_value = "", hide_default_value = true)]
    pub only: String,
    /// Program to try. Default: built from this tree.
    #[arg(long, value_name = "PATH")]
    pub fathom: Option<PathBuf>,
    /// Write the report.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Keep what fathom was given there.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}
