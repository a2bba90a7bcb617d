//! The terminal summary of a fleet's sizing.

use fathom_record::FleetRecord;

use super::Style;
use super::paint::{Sheet, Tone};
use crate::sheet::{account_sheet, fleet_sheet as sheet};

/// Width of the names' column.
const NAMES: usize = 13;
/// Volumes that a terminal shows of each list; the record has more.
const SHOWN: usize = 10;
/// Groups that it shows.
const GROUPS_SHOWN: usize = 20;

/// What it costs, what is wasted, how sure that is, what was read, and how many volumes were judged.
pub fn add_answer(out: &mut Sheet, record: &FleetRecord, read: &str) {
    if let Some(waste) = sheet::waste(record) {
        out.named("wasted", &waste, (NAMES, Some(Tone::Title)));
    }
    out.named("choices", &sheet::cost(record), (NAMES, None));
    out.named("risk", &sheet::risk(record), (NAMES, None));
    out.named("requirements", &sheet::terms(record), (NAMES, None));
    out.named("read", read, (NAMES, None));
    out.named("judged", &sheet::judged(record), (NAMES, None));
}

/// Writes it.
pub fn summary(record: &FleetRecord, style: Style) -> String {
    let mut out = Sheet::new(style);
    add_answer(&mut out, record, &sheet::input(record));
    for grouping in &record.by {
        out.gap();
        out.text(&account_sheet::grouping(grouping), 0, Some(Tone::Title));
        out.table(&account_sheet::groups(grouping, GROUPS_SHOWN));
    }
    for (title, rows) in [("top savings", &record.top_savings), ("too small today", &record.too_small)] {
        if !rows.is_empty() {
            out.gap();
            out.text(title, 0, Some(Tone::Title));
            out.table(&sheet::volumes(&rows[..rows.len().min(SHOWN)]));
        }
    }
    if !record.not_judged.is_empty() {
        out.gap();
        out.text("not judged", 0, Some(Tone::Title));
        out.table(&sheet::reasons(record));
    }
    if !record.notes.is_empty() {
        out.gap();
        out.text("notes", 0, Some(Tone::Title));
        out.items(&record.notes, Some(Tone::Quiet));
    }
    out.finish()
}
