//! `fathom serve` of builds without the page.

use std::path::PathBuf;

use crate::arguments::ServeArguments;
use crate::exit_status::Status;
use crate::failure::Failure;

/// Serves nothing.
///
/// # Errors
/// Always.
pub fn perform(_: Vec<PathBuf>, _: &ServeArguments) -> Result<Status, Failure> {
    let cause = "this build serves no page: it was built without the feature `page`";
    let remedy =
        "build fathom with its default features, or see one run with: fathom report last --html report.html";
    Err(Failure::usage("fathom serve", cause, remedy))
}
