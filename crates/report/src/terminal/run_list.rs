//! The list of stored runs.

use fathom_record::RunRecord;
use fathom_record::run_record::RunEnding;

use super::Style;
use super::paint::{Sheet, Tone};
use crate::table::{Table, numbers, paths, titles, words};
use crate::{import_words, number};

/// How a run ended, for a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// Came to its end, and every self-check held.
    Valid,
    /// Came to its end, and this many self-checks failed.
    FailedChecks(usize),
    /// The user stopped it.
    Interrupted,
    /// The target failed.
    Failed,
}

/// Heading of the moments at which something began.
const STARTED: &str = "started";

/// One run in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// Its id.
    pub id: String,
    /// Start, RFC 3339, UTC.
    pub started_at: String,
    /// Target as the user named it.
    pub target: String,
    /// Size, order and directions, in words.
    pub workload: String,
    /// Jobs and depth, as asked.
    pub jobs: u32,
    /// Depth of each job.
    pub depth: u32,
    /// Rate over all directions, per second.
    pub operations_per_s: f64,
    /// Throughput over all directions, in bytes per second.
    pub throughput_bytes_per_s: f64,
    /// The worst direction's 99th percentile of service latency; absent with too few I/Os.
    pub service_p99_ns: Option<u64>,
    /// How it ended.
    pub outcome: RunOutcome,
    /// What people say of it, in a few words; empty where nobody does.
    pub tags: String,
}

impl RunRow {
    /// The row of a record.
    pub fn of(run: &RunRecord) -> Self {
        let outcome = match (&run.ending, run.failed_checks().count()) {
            (RunEnding::Complete, 0) => RunOutcome::Valid,
            (RunEnding::Complete, failed) => RunOutcome::FailedChecks(failed),
            (RunEnding::Interrupted, _) => RunOutcome::Interrupted,
            (RunEnding::Failed { .. }, _) => RunOutcome::Failed,
        };
        let service = run.summary.directions.iter().filter_map(|d| d.service.as_ref());
        Self {
            id: run.id.clone(),
            started_at: run.started_at.clone(),
            target: run.target.name.clone(),
            workload: import_words::io(run),
            jobs: run.workload.jobs,
            depth: run.workload.depth,
            operations_per_s: run.summary.operations_per_s(),
            throughput_bytes_per_s: run.throughput_bytes_per_s(),
            service_p99_ns: service.filter_map(|s| s.quantile_ns(0.99)).max(),
            outcome,
            tags: String::new(),
        }
    }
}

/// A table of runs in the order given, with what to type to see one of them.
pub fn runs(rows: &[RunRow], style: Style) -> String {
    let mut out = Sheet::new(style);
    if rows.is_empty() {
        out.text(
            "No runs are stored yet. To make one: fathom run --target FILE --rw randread --time 10s",
            0,
            None,
        );
        return out.finish();
    }
    let are_tagged = rows.iter().any(|row| !row.tags.is_empty());
    let mut columns = vec![
        words("run", 0),
        words(STARTED, 4),
        paths("target", 3),
        titles("workload", 2),
        numbers("jobs × depth", 1),
        numbers("IOPS", 0),
        numbers("throughput", 5),
        numbers("p99", 1),
        words("outcome", 0),
    ];
    columns.extend(are_tagged.then(|| titles("tags", 2)));
    let mut table = Table::new(&columns);
    for row in rows {
        let cells = [
            row.id.clone(),
            style.zone.minute(&row.started_at),
            row.target.clone(),
            row.workload.clone(),
            number::cell(row.jobs, row.depth),
            number::rate(row.operations_per_s),
            number::throughput(row.throughput_bytes_per_s),
            row.service_p99_ns.map_or("–".to_owned(), |ns| number::time(ns as f64)),
            match row.outcome {
                RunOutcome::Valid => "valid".to_owned(),
                RunOutcome::FailedChecks(1) => "1 check failed".to_owned(),
                RunOutcome::FailedChecks(n) => format!("{n} checks failed"),
                RunOutcome::Interrupted => "interrupted".to_owned(),
                RunOutcome::Failed => "target failed".to_owned(),
            },
        ];
        table.row(cells.into_iter().chain(are_tagged.then(|| row.tags.clone())));
    }
    out.table(&table);
    out.gap();
    out.text("To see one: fathom show RUN", 0, Some(Tone::Quiet));
    out.finish()
}

/// One campaign in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct CampaignRow {
    /// Its id.
    pub id: String,
    /// Start, RFC 3339, UTC.
    pub started_at: String,
    /// Target as the user named it.
    pub target: String,
    /// Its finished runs.
    pub runs: u64,
    /// Whether it came to its end, in a word or two.
    pub state: String,
}

/// A table of campaigns in the order given; nothing without any.
pub fn campaigns(rows: &[CampaignRow], style: Style) -> String {
    let mut out = Sheet::new(style);
    if rows.is_empty() {
        return out.finish();
    }
    let mut table = Table::new(&[
        words("campaign", 0),
        words(STARTED, 1),
        paths("target", 0),
        numbers("runs", 0),
        words("state", 0),
    ]);
    for row in rows {
        let started = style.zone.minute(&row.started_at);
        table.row([row.id.clone(), started, row.target.clone(), row.runs.to_string(), row.state.clone()]);
    }
    out.table(&table);
    out.finish()
}
