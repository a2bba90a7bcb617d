//! The lab of kills where there are no process groups to kill: it says so.

use std::path::Path;

use super::Outcome;

pub const USAGE: &str = "cargo lab kills    whether anything is lost when fathom is killed; on Linux only";

/// Not here.
///
/// # Errors
/// None.
pub fn run(_root: &Path, _arguments: impl IntoIterator<Item = String>) -> Result<Outcome, String> {
    Ok(Outcome::Missing("the lab of kills needs Linux".to_owned()))
}
