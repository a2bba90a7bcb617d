//! The lab of doors where there are no loop devices: it says so.

use std::path::Path;

use super::Outcome;

pub const USAGE: &str = "cargo lab doors    whether fathom changes what nobody named; on Linux only";

/// Not here.
///
/// # Errors
/// None.
pub fn run(_root: &Path, _arguments: impl IntoIterator<Item = String>) -> Result<Outcome, String> {
    Ok(Outcome::Missing("the lab of doors needs Linux".to_owned()))
}
