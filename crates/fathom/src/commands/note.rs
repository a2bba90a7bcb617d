//! `fathom note`: what people write about a run or a campaign.

use fathom_campaign::calendar_now;
use fathom_report::layout;
use fathom_store::{Note, StoreError, check_note};
use serde::Serialize;

use super::author::author;
use super::store_access::{StorePlace, existing};
use crate::arguments::NoteArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// Width of the numbers' column.
const NUMBERS: usize = 6;

/// The notes for programs.
#[derive(Serialize)]
struct Notes<'a> {
    format: &'static str,
    version: u32,
    id: &'a str,
    notes: Vec<NoteLine>,
}

/// A note for programs.
#[derive(Serialize)]
pub struct NoteLine {
    number: i64,
    text: String,
    author: Option<String>,
    at: String,
}

impl NoteLine {
    /// The same as the store has it.
    pub fn of(note: Note) -> Self {
        Self { number: note.number, text: note.text, author: note.author, at: note.at }
    }
}

/// Writes a note or takes one back, and prints those that there are then.
///
/// # Errors
/// When there is no such name or note, or the store cannot be written.
pub fn perform(place: &StorePlace, arguments: &NoteArguments) -> Result<Status, Failure> {
    let name = &arguments.name;
    let mut store = existing(place, name)?;
    let what = store.resolve(name)?;
    if let Some(text) = &arguments.text {
        let refused = |error: StoreError| {
            Failure::usage("TEXT", error.cause, "e.g. fathom note last \"after the update\"")
        };
        let text = check_note(text).map_err(refused)?;
        store = place.open()?;
        store.write_note(&what, text, author().as_deref(), &calendar_now())?;
    }
    if let Some(number) = arguments.remove {
        store = place.open()?;
        if !store.void_note(&what, number, &calendar_now())? {
            let cause = format!("{} has no note {number}", what.id());
            return Err(Failure::usage("--remove", cause, format!("its notes: fathom note {}", what.id())));
        }
    }
    let notes = store.notes(&what)?;
    let text = if arguments.switch.json {
        let notes = notes.into_iter().map(NoteLine::of).collect();
        output::json(&Notes { format: "fathom.notes", version: 1, id: what.id(), notes })
    } else {
        format!("{}\n{}", what.id(), lines(&notes))
    };
    output::result(&text)?;
    Ok(Status::Done)
}

/// Notes as lines, each with its number, when it was written and by whom.
pub fn lines(notes: &[Note]) -> String {
    let style = output::style();
    let mut text = String::new();
    for note in notes {
        let by = note.author.as_ref().map_or_else(String::new, |author| format!(", {author}"));
        let said = format!("{} ({}{by})", note.text, style.zone.minute(&note.at));
        let width = style.width.min(output::SENTENCES);
        for line in layout::named(&format!("  {}", note.number), NUMBERS, &said, width) {
            text += &line;
            text.push('\n');
        }
    }
    if notes.is_empty() { "  no notes\n".to_owned() } else { text }
}
