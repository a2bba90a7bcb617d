//! `fathom tag`: words on a run or a campaign, by which it is found again.

use fathom_campaign::calendar_now;
use fathom_store::{Store, StoreError, StoredId, check_word};
use serde::Serialize;

use super::store_access::{StorePlace, existing};
use crate::arguments::TagArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// The tags for programs.
#[derive(Serialize)]
struct Tags<'a> {
    format: &'static str,
    version: u32,
    id: &'a str,
    tags: &'a [String],
}

/// Puts tags on it or takes them off, and prints those that it has then.
///
/// # Errors
/// When there is no such name, a word cannot be a tag, or the store cannot be written.
pub fn perform(place: &StorePlace, arguments: &TagArguments) -> Result<Status, Failure> {
    for word in &arguments.words {
        let refused = |error: StoreError| {
            Failure::usage(format!("tag `{word}`"), error.cause, "e.g. fathom tag last weekly")
        };
        check_word(word).map_err(refused)?;
    }
    let name = &arguments.name;
    let mut store = existing(place, name)?;
    let what = store.resolve(name)?;
    if !arguments.words.is_empty() {
        store = place.open()?;
        let now = calendar_now();
        if arguments.remove {
            store.unlabel(&what, &arguments.words, &now)?;
        } else {
            store.label(&what, &arguments.words, &now)?;
        }
    }
    let tags = tags_of(&store, &what)?;
    let text = if arguments.switch.json {
        output::json(&Tags { format: "fathom.tags", version: 1, id: what.id(), tags: &tags })
    } else if tags.is_empty() {
        format!("{}  no tags\n", what.id())
    } else {
        format!("{}  {}\n", what.id(), tags.join(" "))
    };
    output::result(&text)?;
    Ok(Status::Done)
}

/// The tags of a run or a campaign.
///
/// # Errors
/// When the store cannot be read.
pub fn tags_of(store: &Store, what: &StoredId) -> Result<Vec<String>, Failure> {
    let mut labels = store.labels()?;
    let of = match what {
        StoredId::Run(_) => &mut labels.runs,
        StoredId::Campaign(_) => &mut labels.campaigns,
    };
    Ok(of.remove(what.id()).unwrap_or_default())
}
