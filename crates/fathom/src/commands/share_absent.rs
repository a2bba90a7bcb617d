//! `fathom share` of builds without the page.

use super::store_access::StorePlace;
use crate::arguments::ShareArguments;
use crate::exit_status::Status;
use crate::failure::Failure;

/// Writes nothing.
///
/// # Errors
/// Always.
pub fn perform(_: &StorePlace, _: &ShareArguments) -> Result<Status, Failure> {
    let cause = "this build shares nothing: it was built without the feature `page`";
    let remedy = "build fathom with its default features, or write one run with: fathom report last --html report.html";
    Err(Failure::usage("fathom share", cause, remedy))
}
