//! Explained rows as the patterns of the record that reports and machines read.

use fathom_order::InOrder;
use fathom_record::campaign::{CellResult, ExplainedPattern, Symptom};
use fathom_record::facts::TargetFacts;
use fathom_tools::result_audit::Weight;
use fathom_tools::result_import::blank_target;

use super::table_audit::audit_published;
use super::{PublishedRow, PublishedTable, RowExplanation, other_rows, question};

/// One pattern for each explained row.
pub fn explained_patterns(
    published: &PublishedTable,
    explained: Vec<RowExplanation>,
) -> Vec<ExplainedPattern> {
    explained.into_iter().map(|explained| pattern(published, explained)).collect()
}

/// What a reader has to know of a table beside its verdicts.
pub fn remarks(published: &PublishedTable) -> Vec<String> {
    let mut notes = vec![format!("Explained from a published table: {}.", published.title)];
    if !published.source.is_empty() {
        notes.push(format!("Source: {}", published.source));
    }
    for row in published.rows.iter().filter(|row| row.unit_factor() > 1.0) {
        notes.push(format!(
            "{}: depth and latency show that the throughput is in binary units, {:.1} % above what it says.",
            row.subject(),
            100.0 * (row.unit_factor() - 1.0)
        ));
    }
    notes.extend(question::unrated(published));
    notes.extend(question::ambiguous(published));
    notes.extend(question::bounds(published));
    notes.extend(question::credits(published));
    notes.extend(other_rows::remarks(published));
    let found = audit_published(published);
    let contradictions = found.into_iter().filter(|finding| finding.weight == Weight::Contradiction);
    notes.extend(contradictions.map(|finding| format!("{}: {}.", finding.subject, finding.text)));
    notes
}

fn pattern(published: &PublishedTable, explained: RowExplanation) -> ExplainedPattern {
    // Without the explained row's own cell no other can be its curve.
    let cells = cell(&explained.row).map_or_else(Vec::new, |own| curve(published, &explained, own));
    let symptom = |seen: &fathom_attribute::symptoms::Symptom| Symptom {
        name: seen.figure.feature.name().to_owned(),
        value: seen.figure.value,
        error: seen.figure.error,
        text: seen.text.clone(),
    };
    ExplainedPattern {
        title: explained.title.clone(),
        target: TargetFacts { name: published.title.clone(), ..blank_target() },
        cells,
        focus: 0,
        passive: None,
        experiments: Vec::new(),
        verdict: explained.verdict,
        symptoms: explained.seen.iter().map(symptom).collect(),
    }
}

/// Most cells of a curve: of a table that is one long curve each row has the others beside it.
const MOST_CELLS: usize = 64;

/// The explained row's cell and those that differ in concurrency alone, of very many the ones with the nearest concurrency.
fn curve(published: &PublishedTable, explained: &RowExplanation, own: CellResult) -> Vec<CellResult> {
    let away = |row: &PublishedRow| {
        let ratio = row.concurrency().zip(explained.row.concurrency()).map(|(its, mine)| its / mine);
        ratio.map_or(f64::INFINITY, |ratio| ratio.ln().abs())
    };
    let mut rows: Vec<&PublishedRow> = explained.curve.iter().map(|at| &published.rows[*at]).collect();
    if rows.len() >= MOST_CELLS {
        rows.put_in_order_by(|a, b| away(a).total_cmp(&away(b)));
        rows.truncate(MOST_CELLS - 1);
    }
    [own].into_iter().chain(rows.into_iter().filter_map(cell)).collect()
}

/// A row as a cell; `None` where it does not state all that a cell holds.
fn cell(row: &PublishedRow) -> Option<CellResult> {
    let latency_ns = row.latency_ns()?;
    let operations_per_s = row.operations_per_s()?;
    Some(CellResult {
        jobs: row.jobs.unwrap_or(1.0) as u32,
        depth: row.depth.unwrap_or(1.0) as u32,
        runs: Vec::new(),
        operations_per_s,
        throughput_bytes_per_s: row.bytes_per_s()?,
        interval_share: None,
        in_flight_mean: operations_per_s * latency_ns / 1e9,
        service_mean_ns: latency_ns,
        // 0 stands for a median that is not known, as in cells of imported runs.
        service_p50_ns: percentile(row, 50.0).unwrap_or(0),
        service_p99_ns: percentile(row, 99.0),
        service_p999_ns: percentile(row, 99.9),
        cpu_ns_per_operation: None,
        busiest_core_share: row.busiest_core_percent.map(|percent| percent / 100.0),
        others_cpu_share: None,
        others_device_share: None,
        disturbed_runs: Vec::new(),
        failed_checks: Vec::new(),
    })
}

fn percentile(row: &PublishedRow, order: f64) -> Option<u64> {
    let pair = row.percentiles_us.iter().find(|pair| (pair[0] - order).abs() < 1e-6)?;
    Some((pair[1] * 1000.0) as u64)
}
