//! The lab of doors where there are no loop devices: it says so.

use std::path::Path;

use super::Outcome;

/// What was typed.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Whatever the lab takes on Linux.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _words: Vec<String>,
}

/// Not here.
///
/// # Errors
/// None.
pub fn run(_root: &Path, _options: Options) -> Result<Outcome, String> {
    Ok(Outcome::Missing("the lab of doors needs Linux".to_owned()))
}
