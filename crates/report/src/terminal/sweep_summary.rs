//! The terminal summary of a sweep.

use fathom_measure::{Nanos, counted};
use fathom_record::campaign::SweepRecord;

use super::Style;
use super::paint::{Sheet, Tone};
use crate::sheet::sweep_sheet as sheet;

/// Width of the names' column.
const NAMES: usize = 12;

/// Writes it.
pub fn summary(sweep: &SweepRecord, style: Style) -> String {
    let mut out = Sheet::new(style);
    out.named("sweep", &format!("{}  {}", sweep.id, style.zone.second(&sweep.started_at)), (NAMES, None));
    out.named("target", &sheet::targets(sweep), (NAMES, None));
    out.named("over", &sheet::axes(sweep), (NAMES, None));
    let load = Nanos::from_seconds(sweep.busy_seconds).coarse();
    let passes = counted(u64::from(sweep.plan.passes), "pass");
    out.named("under load", &format!("{load}, {passes} in random order"), (NAMES, None));
    out.alarm("READ THIS BEFORE THE NUMBERS", &sheet::failures(sweep));
    out.gap();
    sheet::extremes(sweep).iter().for_each(|text| out.text(text, 0, None));
    out.gap();
    out.text("test points (service latency)", 0, Some(Tone::Title));
    out.table(&sheet::cells(sweep));
    if let Some(scaling) = sheet::scaling(sweep) {
        out.gap();
        out.text("scaling with jobs", 0, Some(Tone::Title));
        out.table(&scaling);
    }
    if !sweep.notes.is_empty() {
        out.gap();
        out.text("notes", 0, Some(Tone::Title));
        out.items(&sweep.notes, Some(Tone::Quiet));
    }
    out.finish()
}
