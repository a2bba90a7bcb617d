//! `fathom show`: a run or a campaign on the terminal, or its record.

use fathom_report::terminal;
use fathom_store::{Store, StoredId};

use super::note::lines;
use super::record_json::{self, Shape};
use super::store_access::{StorePlace, StoredItem, find};
use super::tag::tags_of;
use crate::arguments::ShowArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// Prints it.
///
/// # Errors
/// When there is no such name, or what is there is damaged.
pub fn perform(place: &StorePlace, arguments: &ShowArguments) -> Result<Status, Failure> {
    let (found, store) = find(place, &arguments.name)?;
    let shape = if arguments.compact { Shape::Compact } else { Shape::Indented };
    let mut text = match (&found, arguments.switch.json) {
        (StoredItem::Run(run), true) => record_json::run(run, &[], shape),
        (StoredItem::Run(run), false) => terminal::run(run, output::style()),
        (StoredItem::Campaign(campaign), true) => record_json::campaign(campaign, &[], shape),
        (StoredItem::Campaign(campaign), false) => terminal::campaign(campaign, output::style()),
    };
    if !arguments.switch.json {
        text += &said(&store, &found)?;
    }
    output::result(&text)?;
    Ok(Status::Done)
}

/// What people say of it, which its record does not hold.
fn said(store: &Store, found: &StoredItem) -> Result<String, Failure> {
    let what = match found {
        StoredItem::Run(run) => StoredId::Run(run.id.clone()),
        StoredItem::Campaign(campaign) => StoredId::Campaign(campaign.id().to_owned()),
    };
    let (tags, notes) = (tags_of(store, &what)?, store.notes(&what)?);
    let is_baseline = store.baselines()?.iter().any(|baseline| baseline.run == what.id());
    let mut text = String::new();
    if is_baseline {
        text += "\nbaseline of its workload on its target\n";
    }
    if !tags.is_empty() {
        text += &format!("\ntags  {}\n", tags.join(" "));
    }
    if !notes.is_empty() {
        text += &format!("\nnotes of people\n{}", lines(&notes));
    }
    Ok(text)
}
