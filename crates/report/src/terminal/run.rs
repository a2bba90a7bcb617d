//! The terminal summary of one run.

use fathom_record::RunRecord;

use super::Style;
use super::paint::{Sheet, Tone};
use crate::sheet::{run as sheet, witness};
use crate::{imported, words};

/// Width of the names' column.
const NAMES: usize = 16;

/// Writes it.
pub fn summary(run: &RunRecord, style: Style) -> String {
    let mut out = Sheet::new(style);
    out.named("run", &format!("{}  {}", run.id, run.started_at), (NAMES, None));
    out.named("target", &words::target(&run.target), (NAMES, None));
    out.named("workload", &words::workload(&run.workload), (NAMES, None));
    out.named("engine", &engine(run), (NAMES, None));
    for entry in imported::origin(run) {
        out.named(&entry.name, &entry.value, (NAMES, None));
    }
    out.alarm("FAILED: the numbers below do not measure what was asked for", &sheet::failures(run));
    out.gap();
    if run.summary.directions.is_empty() {
        let tone = if run.is_imported() { Tone::Quiet } else { Tone::Alarm };
        out.text(&sheet::nothing(run), 0, Some(tone));
    } else {
        out.table(&sheet::rates(run));
        out.gap();
        out.table(&sheet::latencies(run));
        for remark in sheet::latency_remarks(run) {
            out.text(&remark, 0, Some(Tone::Quiet));
        }
        if !run.targets.is_empty() {
            out.gap();
            out.table(&sheet::targets(run));
        }
    }
    out.gap();
    for entry in sheet::conditions(run) {
        out.named(&entry.name, &entry.value, (NAMES, None));
    }
    if let Some(account) = witness::account(run) {
        out.gap();
        out.text("beside the block layer", 0, Some(Tone::Title));
        if !account.table.rows.is_empty() {
            out.table(&account.table);
        }
        out.items(&account.sentences, Some(Tone::Quiet));
    }
    let cautions = sheet::cautions(run);
    if !cautions.is_empty() {
        out.gap();
        out.text("take care", 0, Some(Tone::Care));
        out.items(&cautions, None);
    }
    let notes = sheet::notes(run);
    if !notes.is_empty() {
        out.gap();
        out.text("notes", 0, Some(Tone::Title));
        out.items(&notes, Some(Tone::Quiet));
    }
    out.finish()
}

/// The engine, and what makes its numbers its own.
fn engine(run: &RunRecord) -> String {
    match (&run.clock, run.is_imported()) {
        (Some(clock), false) => {
            format!("{}, clock {}, seed {}", run.engine.name, clock.source, run.workload.seed)
        }
        _ => run.engine.name.clone(),
    }
}
