//! The lab of fio where there is no strace: it says so.

use std::path::Path;

use super::Outcome;

pub const USAGE: &str = "cargo lab fio    the same job files by fathom fio and by fio; on Linux only";

/// Not here.
///
/// # Errors
/// None.
pub fn run(_root: &Path, _arguments: impl IntoIterator<Item = String>) -> Result<Outcome, String> {
    Ok(Outcome::Missing("the lab of fio needs Linux".to_owned()))
}
