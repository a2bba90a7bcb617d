//! The terminal summary of a profile.

use fathom_record::ProfileRecord;

use super::Style;
use super::paint::{Sheet, Tone};
use crate::sheet::profile_sheet as sheet;

/// Width of the names' column.
const NAMES: usize = 13;

/// Writes it.
pub fn summary(record: &ProfileRecord, style: Style) -> String {
    let mut out = Sheet::new(style);
    out.named("seen", &sheet::seen(record), (NAMES, Some(Tone::Title)));
    out.named("mix", &sheet::mix(record), (NAMES, None));
    out.named("bursts", &sheet::bursts(record), (NAMES, None));
    if let Some(hidden) = sheet::hidden(record) {
        out.named("hidden", &hidden, (NAMES, None));
    }
    if let Some(access) = &record.access {
        out.named("addresses", &sheet::access(access), (NAMES, None));
    }
    if let Some(seen) = &record.block_layer {
        out.named("arrivals", &sheet::arrivals(seen), (NAMES, None));
        if let Some(processes) = sheet::processes(seen) {
            out.named("asked by", &processes, (NAMES, None));
        }
    }
    out.gap();
    out.table(&sheet::windows(&record.demand));
    let sizes = sheet::sizes(record);
    if !sizes.rows.is_empty() {
        out.gap();
        out.text("sizes", 0, Some(Tone::Title));
        out.table(&sizes);
    }
    for line in sheet::frequent(record) {
        out.text(&line, 0, None);
    }
    if !record.operations_envelope.is_empty() {
        out.gap();
        out.text(
            "a token bucket of this rate and size lets everything through at once",
            0,
            Some(Tone::Title),
        );
        out.table(&sheet::envelope(record));
    }
    if !record.notes.is_empty() {
        out.gap();
        out.text("notes", 0, Some(Tone::Title));
        out.items(&record.notes, Some(Tone::Quiet));
    }
    out.finish()
}
