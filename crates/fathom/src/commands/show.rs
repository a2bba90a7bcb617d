//! `fathom show`: a run or a campaign on the terminal, or its record.

use fathom_report::terminal;

use super::document::{self, Shape};
use super::stored::{Found, StorePlace, find};
use crate::arguments::ShowArguments;
use crate::failure::Failure;
use crate::output;
use crate::status::Status;

/// Prints it.
///
/// # Errors
/// When there is no such name, or what is there is damaged.
pub fn perform(place: &StorePlace, arguments: &ShowArguments) -> Result<Status, Failure> {
    let (found, _) = find(place, &arguments.name)?;
    let shape = if arguments.compact { Shape::Compact } else { Shape::Indented };
    let text = match (&found, arguments.switch.json) {
        (Found::Run(run), true) => document::run(run, &[], shape),
        (Found::Run(run), false) => terminal::run(run, output::style()),
        (Found::Campaign(campaign), true) => document::campaign(campaign, &[], shape),
        (Found::Campaign(campaign), false) => terminal::campaign(campaign, output::style()),
    };
    output::result(&text)?;
    Ok(Status::Done)
}
