//! The terminal summary of a fleet's sizing.

use fathom_record::FleetRecord;

use super::Style;
use super::paint::{Sheet, Tone};
use crate::sheet::fleet as sheet;

/// Width of the names' column.
const NAMES: usize = 13;
/// Volumes that a terminal shows of each list; the record has more.
const SHOWN: usize = 10;

/// Writes it.
pub fn summary(record: &FleetRecord, style: Style) -> String {
    let mut out = Sheet::new(style);
    if let Some(waste) = sheet::waste(record) {
        out.named("wasted", &waste, (NAMES, Some(Tone::Title)));
    }
    out.named("choices", &sheet::cost(record), (NAMES, None));
    out.named("risk", &sheet::risk(record), (NAMES, None));
    out.named("requirements", &sheet::terms(record), (NAMES, None));
    out.named("read", &sheet::input(record), (NAMES, None));
    out.named("judged", &sheet::judged(record), (NAMES, None));
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
