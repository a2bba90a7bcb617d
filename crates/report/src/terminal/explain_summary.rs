//! The terminal summary of an explanation.

use fathom_measure::{Nanos, counted};
use fathom_record::campaign::{ExplainRecord, ExplainedPattern};

use super::Style;
use super::paint::{Sheet, Tone};
use crate::sheet::explain_sheet as sheet;
use crate::value_words;

/// Width of the names' column.
const NAMES: usize = 16;
/// Claims after the first that are shown.
const MORE_CLAIMS: usize = 3;
/// Evidence of the first claim that is shown.
const EVIDENCE: usize = 6;

/// Writes it.
pub fn summary(explain: &ExplainRecord, style: Style) -> String {
    let mut out = Sheet::new(style);
    let what =
        explain.plan.subject.as_ref().map_or_else(|| explain.id.clone(), |subject| format!("of {subject}"));
    out.named("explanation", &format!("{what}  {}", style.zone.second(&explain.started_at)), (NAMES, None));
    if explain.busy_seconds > 0.0 {
        let made: usize = explain.patterns.iter().map(|pattern| pattern.experiments.len()).sum();
        let load = Nanos::from_seconds(explain.busy_seconds).coarse();
        out.named("under load", &format!("{load}, {}", counted(made as u64, "experiment")), (NAMES, None));
    }
    out.alarm("READ THIS BEFORE THE NUMBERS", &sheet::failures(explain));
    if explain.patterns.is_empty() {
        out.text("nothing to explain: no run came to its end", 0, Some(Tone::Title));
    }
    for pattern in &explain.patterns {
        out.gap();
        one(&mut out, pattern);
    }
    if !explain.notes.is_empty() {
        out.gap();
        out.text("notes", 0, Some(Tone::Title));
        out.items(&explain.notes, Some(Tone::Quiet));
    }
    out.finish()
}

fn one(out: &mut Sheet, pattern: &ExplainedPattern) {
    out.text(&format!("{} on {}", pattern.title, value_words::target(&pattern.target)), 0, Some(Tone::Title));
    let Some(first) = pattern.verdict.claims.first() else { return };
    out.text(&sheet::claim(first), 2, None);
    for evidence in first.evidence.iter().take(EVIDENCE) {
        out.item(if evidence.supports { "+" } else { "-" }, &evidence.text, None);
    }
    let others: Vec<String> =
        pattern.verdict.claims.iter().skip(1).take(MORE_CLAIMS).map(sheet::claim).collect();
    if !others.is_empty() {
        out.text("otherwise", 2, Some(Tone::Quiet));
        out.items(&others, Some(Tone::Quiet));
    }
    if !pattern.experiments.is_empty() {
        out.gap();
        out.table(&sheet::experiments(pattern));
        out.items(&sheet::not_made(pattern), Some(Tone::Quiet));
    }
    if let Some(next) = &pattern.verdict.next_experiment {
        out.gap();
        out.text(&format!("what would decide more: {}", next.question), 2, None);
        // What nobody stated in full has a question and no command.
        if !next.command.is_empty() {
            out.command(&next.command, 2);
        }
        out.text(&next.reading, 2, Some(Tone::Quiet));
    }
    out.text(&format!("scope: {}", first.scope), 2, Some(Tone::Quiet));
}
