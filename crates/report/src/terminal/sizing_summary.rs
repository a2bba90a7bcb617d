//! The terminal summary of a sizing.

use fathom_record::SizingRecord;

use super::Style;
use super::paint::{Sheet, Tone};
use crate::sheet::{profile_sheet, sizing_sheet as sheet};

/// Width of the names' column.
const NAMES: usize = 13;

/// Writes it.
pub fn summary(record: &SizingRecord, style: Style) -> String {
    let mut out = Sheet::new(style);
    out.named("buy", &sheet::choice(record), (NAMES, Some(Tone::Title)));
    if let Some(current) = sheet::current(record) {
        out.named("in use", &current, (NAMES, None));
    }
    if let Some(local) = sheet::local(record) {
        out.named("or local NVMe", &local, (NAMES, None));
    }
    if let Some(residency) = sheet::residency(record) {
        out.named("residency", &residency, (NAMES, None));
    }
    out.named("demand", &sheet::demand(record), (NAMES, None));
    out.named("needs", &sheet::requirement(record), (NAMES, None));
    out.named("requirements", &sheet::terms(record), (NAMES, None));
    out.gap();
    out.table(&profile_sheet::windows(&record.demand));
    if !record.by_type.is_empty() {
        out.gap();
        out.table(&sheet::by_type(record));
        out.gap();
        out.text("cost against margin", 0, Some(Tone::Title));
        out.table(&sheet::frontier(record));
    }
    if let Some(proof) = &record.proof {
        out.gap();
        out.text("to prove it", 0, Some(Tone::Title));
        proof.commands.iter().for_each(|command| out.command(command, 2));
        out.text(
            &format!(
                "It proves the choice if {}. It takes that long because {}.",
                proof.passes, proof.because
            ),
            0,
            None,
        );
        if let Some(shorter) = &proof.shorter {
            out.gap();
            out.text("to prove it in less time", 0, Some(Tone::Title));
            shorter.commands.iter().for_each(|command| out.command(command, 2));
            out.text(&sheet::shorter(shorter), 0, None);
        }
    }
    if !record.notes.is_empty() {
        out.gap();
        out.text("notes", 0, Some(Tone::Title));
        out.items(&record.notes, Some(Tone::Quiet));
    }
    if !record.sources.is_empty() {
        out.gap();
        out.text("sources", 0, Some(Tone::Title));
        let sources: Vec<String> =
            record.sources.iter().map(|s| format!("{} ({}): {}", s.what, s.date, s.source)).collect();
        out.items(&sources, Some(Tone::Quiet));
    }
    out.finish()
}
