//! The terminal summary of an analysis.

use fathom_record::analysis_record::Analysis;

use super::Style;
use super::paint::{Sheet, Tone};
use crate::sheet::analysis_sheet as sheet;

/// Width of the names' column.
const NAMES: usize = 13;
/// Runs that are listed.
const LISTED: usize = 20;

/// Writes it.
pub fn summary(analysis: &Analysis, style: Style) -> String {
    let mut out = Sheet::new(style);
    out.named("analysis of", &analysis.of, (NAMES, None));
    out.named("read", &sheet::read(analysis), (NAMES, None));
    out.named("seconds", &sheet::verdicts(analysis), (NAMES, None));
    out.alarm("READ THIS BEFORE THE NUMBERS", &analysis.unreadable);
    out.gap();
    out.text("workloads (95 % intervals over runs)", 0, Some(Tone::Title));
    out.table(&sheet::workloads(analysis));
    out.gap();
    out.text("runs (95 % intervals of each run by itself)", 0, Some(Tone::Title));
    out.table(&sheet::runs(analysis, LISTED));
    let left = analysis.runs.len().saturating_sub(LISTED);
    if left > 0 {
        out.text(&format!("{left} more runs: --html FILE.html or --json shows all"), 0, Some(Tone::Quiet));
    }
    let findings = sheet::findings(analysis);
    if !findings.is_empty() {
        out.gap();
        out.text("what they show", 0, Some(Tone::Title));
        out.items(&findings, None);
    }
    out.finish()
}
