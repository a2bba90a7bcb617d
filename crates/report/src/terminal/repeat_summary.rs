//! The terminal summary of a repeated evaluation.

use fathom_measure::Nanos;
use fathom_record::campaign::RepeatRecord;

use super::Style;
use super::paint::{Sheet, Tone};
use crate::sheet::repeat_sheet as sheet;

/// Width of the names' column.
const NAMES: usize = 12;

/// Writes it.
pub fn summary(repeat: &RepeatRecord, style: Style) -> String {
    let mut out = Sheet::new(style);
    out.named("repeated", &repeat.plan.title, (NAMES, None));
    if !repeat.plan.source.is_empty() {
        out.named("published", &repeat.plan.source, (NAMES, None));
    }
    out.named(
        "repetition",
        &format!("{}  {}", repeat.id, style.zone.second(&repeat.started_at)),
        (NAMES, None),
    );
    out.named("here", &sheet::sides(repeat), (NAMES, None));
    out.named("under load", &Nanos::from_seconds(repeat.busy_seconds).coarse(), (NAMES, None));
    out.alarm("READ THIS BEFORE THE NUMBERS", &sheet::failures(repeat));
    out.gap();
    out.text(&sheet::headline(repeat), 0, Some(Tone::Title));
    if !repeat.notes.is_empty() {
        out.gap();
        out.text("what differs between its machine and this one", 0, Some(Tone::Title));
        out.items(&repeat.notes, None);
    }
    out.gap();
    out.text("steps", 0, Some(Tone::Title));
    out.table(&sheet::figures(repeat));
    if !repeat.conclusions.is_empty() {
        out.gap();
        out.text("conclusions", 0, Some(Tone::Title));
        out.table(&sheet::conclusions(repeat));
    }
    super::boots(&mut out, &repeat.boots);
    out.finish()
}
