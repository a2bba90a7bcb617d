//! The terminal summary of one run.

use fathom_record::RunRecord;

use super::Style;
use super::paint::{Sheet, Tone};
use crate::sheet::{run as sheet, witness};
use crate::words;

/// Width of the names' column.
const NAMES: usize = 16;

/// Writes it.
pub fn summary(run: &RunRecord, style: Style) -> String {
    let mut out = Sheet::new(style);
    out.named("run", &format!("{}  {}", run.id, run.started_at), (NAMES, None));
    out.named("target", &words::target(&run.target), (NAMES, None));
    out.named("workload", &words::workload(&run.workload), (NAMES, None));
    let engine = format!("{}, clock {}, seed {}", run.engine.name, run.clock.source, run.workload.seed);
    out.named("engine", &engine, (NAMES, None));
    out.alarm("FAILED: the numbers below do not measure what was asked for", &sheet::failures(run));
    out.gap();
    if run.summary.directions.is_empty() {
        out.text("No I/O finished in the measured window.", 0, Some(Tone::Alarm));
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
