//! The terminal summary of a comparison.

use fathom_record::campaign::CompareRecord;
use fathom_record::comparison::{Decision, Side};

use super::Style;
use super::paint::{Sheet, Tone};
use crate::sheet::compare_sheet as sheet;

/// Width of the names' column.
const NAMES: usize = 12;

/// How an answer is coloured: a difference for the better, for the worse, and what is not known.
fn tone(decision: Decision) -> Option<Tone> {
    match decision {
        Decision::Faster => Some(Tone::Good),
        Decision::Slower | Decision::NotComparable => Some(Tone::Alarm),
        Decision::Inconclusive => Some(Tone::Care),
        Decision::Equivalent => None,
    }
}

/// Writes it.
pub fn summary(record: &CompareRecord, style: Style) -> String {
    let mut out = Sheet::new(style);
    out.named(
        "comparison",
        &format!("{}  {}", record.id, style.zone.second(&record.started_at)),
        (NAMES, None),
    );
    out.named("A", &sheet::side(record, Side::A), (NAMES, None));
    out.named("B", &sheet::side(record, Side::B), (NAMES, None));
    out.named("from", &sheet::made(record), (NAMES, None));
    out.alarm("READ THIS BEFORE THE NUMBERS", &sheet::failures(record));
    out.gap();
    out.table(&sheet::decisions(record));
    out.gap();
    for workload in &record.workloads {
        out.text(&sheet::sentence(workload), 0, tone(workload.decision()));
    }
    out.text(&sheet::legend(record), 0, Some(Tone::Quiet));
    for workload in &record.workloads {
        out.gap();
        out.text(&workload.title, 0, Some(Tone::Title));
        out.table(&sheet::metrics(workload));
        out.items(&sheet::conditions(workload), Some(Tone::Quiet));
    }
    let commands = sheet::commands(record);
    if !commands.rows.is_empty() {
        out.gap();
        out.text("commands before the sides' turns", 0, Some(Tone::Title));
        out.table(&commands);
    }
    super::boots(&mut out, &record.boots);
    if !record.notes.is_empty() {
        out.gap();
        out.text("notes", 0, Some(Tone::Title));
        out.items(&record.notes, Some(Tone::Quiet));
    }
    out.finish()
}
