//! The lab of kills where there are no process groups to kill: it says so.

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
    Ok(Outcome::Missing("the lab of kills needs Linux".to_owned()))
}
