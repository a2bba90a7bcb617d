//! The terminal summary of one run.

use fathom_record::RunRecord;
use fathom_record::telemetry::AbsentSource;

use super::Style;
use super::paint::{Sheet, Tone};
use crate::import_words;
use crate::sheet::{clients_sheet, expectation_sheet, run_sheet as sheet, series_sheet, witness_sheet};

/// Width of the names' column.
const NAMES: usize = 16;

/// Writes it.
pub fn summary(run: &RunRecord, lacked: &[AbsentSource], style: Style) -> String {
    let mut out = Sheet::new(style);
    out.named("run", &format!("{}  {}", run.id, style.zone.second(&run.started_at)), (NAMES, None));
    for (name, value) in [
        ("target", import_words::target(run)),
        ("workload", import_words::workload(run)),
        ("engine", engine(run)),
    ] {
        if let Some(value) = value {
            out.named(name, &value, (NAMES, None));
        }
    }
    for entry in import_words::origin(run) {
        out.named(&entry.name, &entry.value, (NAMES, None));
    }
    out.alarm("FAILED: the numbers below do not measure what was asked for", &sheet::failures(run));
    out.care("BUSY MACHINE", &sheet::busy(run));
    out.gap();
    if run.summary.directions.is_empty() {
        let tone = if run.is_imported() { Tone::Quiet } else { Tone::Alarm };
        out.text(&sheet::nothing(run), 0, Some(tone));
        if series_sheet::is_all(run) {
            out.table(&series_sheet::table(run));
            if let Some(remark) = series_sheet::remark(run) {
                out.text(&remark, 0, Some(Tone::Quiet));
            }
        }
    } else {
        out.table(&sheet::rates(run));
        out.gap();
        out.table(&sheet::latencies(run));
        for remark in sheet::latency_remarks(run) {
            out.text(&remark, 0, Some(Tone::Quiet));
        }
        together(run, &mut out);
        if !run.targets.is_empty() {
            out.gap();
            out.table(&sheet::targets(run));
        }
    }
    out.gap();
    for entry in sheet::conditions(run) {
        out.named(&entry.name, &entry.value, (NAMES, None));
    }
    if let Some(account) = witness_sheet::account(run) {
        out.gap();
        out.text("compared with the block layer", 0, Some(Tone::Title));
        if !account.table.rows.is_empty() {
            out.table(&account.table);
        }
        out.items(&account.sentences, Some(Tone::Quiet));
    }
    let cautions = sheet::cautions(run);
    if !cautions.is_empty() {
        out.gap();
        out.text("warnings", 0, Some(Tone::Care));
        out.items(&cautions, None);
    }
    let notes = sheet::notes_after(run, lacked);
    if !notes.is_empty() {
        out.gap();
        out.text("notes", 0, Some(Tone::Title));
        out.items(&notes, Some(Tone::Quiet));
    }
    out.finish()
}

/// The clients of a sum, and what it was expected to be.
fn together(run: &RunRecord, out: &mut Sheet) {
    if let Some(remark) = clients_sheet::remark(run) {
        out.gap();
        out.table(&clients_sheet::table(run));
        out.text(&remark, 0, Some(Tone::Quiet));
    }
    if let Some(remark) = expectation_sheet::remark(run) {
        out.gap();
        out.text(&remark, 0, None);
    }
}

/// The engine, and what makes its numbers its own; nothing where there is none.
fn engine(run: &RunRecord) -> Option<String> {
    if series_sheet::is_all(run) {
        return None;
    }
    Some(match (&run.clock, run.is_imported()) {
        (Some(clock), false) => {
            format!("{}, clock {}, seed {}", run.engine.name, clock.source, run.workload.seed)
        }
        _ => run.engine.name.clone(),
    })
}
