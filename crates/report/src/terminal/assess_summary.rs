//! The terminal summary of a campaign.

use fathom_measure::{Nanos, counted};
use fathom_record::campaign::{AssessRecord, PatternResult};

use super::Style;
use super::bars::bars;
use super::paint::{Sheet, Tone};
use crate::sheet::{assess_sheet as sheet, quality_sheet};
use crate::value_words;

/// Width of the names' column.
const NAMES: usize = 16;

/// Writes it.
pub fn summary(campaign: &AssessRecord, style: Style) -> String {
    let mut out = Sheet::new(style);
    out.named(
        "campaign",
        &format!("{}  {}", campaign.id, style.zone.second(&campaign.started_at)),
        (NAMES, None),
    );
    out.named("target", &value_words::target(&campaign.target), (NAMES, None));
    let load = Nanos::from_seconds(campaign.busy_seconds).coarse();
    out.named(
        "under load",
        &format!("{load}, {}", counted(campaign.patterns.len() as u64, "pattern")),
        (NAMES, None),
    );
    out.alarm("READ THIS BEFORE THE NUMBERS", &sheet::failures(campaign));
    for pattern in &campaign.patterns {
        out.gap();
        verdict(&mut out, pattern);
    }
    out.gap();
    let summary = sheet::summary(campaign);
    if summary.rows.is_empty() {
        out.text("no operating points: nothing was measured for them yet", 0, Some(Tone::Title));
    } else {
        out.text("operating points (service latency; jobs × depth as asked)", 0, Some(Tone::Title));
        out.table(&summary);
    }
    if !campaign.points.is_empty() {
        out.gap();
        out.text("how far they are known, and whether they last", 0, Some(Tone::Title));
        out.table(&quality_sheet::points(campaign));
        out.items(&quality_sheet::remarks(campaign), Some(Tone::Quiet));
    }
    if let Some(ledger) = &campaign.preconditioning {
        out.gap();
        out.text("written before", 0, Some(Tone::Title));
        out.table(&quality_sheet::preconditioning(ledger));
        out.text(&quality_sheet::preconditioned(ledger), 2, Some(Tone::Quiet));
    }
    if !campaign.notes.is_empty() {
        out.gap();
        out.text("notes", 0, Some(Tone::Title));
        out.items(&campaign.notes, Some(Tone::Quiet));
    }
    out.finish()
}

fn verdict(out: &mut Sheet, pattern: &PatternResult) {
    out.text(&pattern.title, 0, Some(Tone::Title));
    out.text(&sheet::reached(pattern), 2, None);
    out.text(&format!("limited by: {}", sheet::limited_by(pattern)), 2, None);
    if let Some(line) = sparkline(&sheet::rate_by_concurrency(pattern), out.width()) {
        out.line(&format!("  {line}"), Some(Tone::Quiet));
    }
}

/// Rates from 0 to the highest as bars over the concurrency that was asked for; `None` under three points
/// or where there is no room.
fn sparkline(rates: &[(u64, f64)], width: usize) -> Option<String> {
    let highest = rates.iter().map(|r| r.1).fold(0.0, f64::max);
    let (Some(first), Some(last)) = (rates.first(), rates.last()) else { return None };
    if rates.len() < 3 || highest <= 0.0 {
        return None;
    }
    let bars = bars(rates.iter().map(|r| Some(r.1)));
    let line = format!("IOPS over jobs × depth: {} {bars} {}", first.0, last.0);
    (line.chars().count() + 2 <= width).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_runs_from_zero_to_the_highest() {
        let line = sparkline(&[(1, 10.0), (4, 45.0), (16, 80.0)], 100).unwrap();
        assert_eq!(line, "IOPS over jobs × depth: 1 ▁▅█ 16");
        assert_eq!(sparkline(&[(1, 10.0), (4, 45.0)], 100), None);
        assert_eq!(sparkline(&[(1, 0.0), (2, 0.0), (4, 0.0)], 100), None);
    }
}
