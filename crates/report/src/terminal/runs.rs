//! The list of stored runs.

use fathom_record::RunRecord;
use fathom_record::run::Ending;

use super::Style;
use super::paint::{Sheet, Tone};
use crate::table::{Table, numbers, words};
use crate::{imported, number};

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
}

impl RunRow {
    /// The row of a record.
    pub fn of(run: &RunRecord) -> Self {
        let outcome = match (&run.ending, run.failed_checks().count()) {
            (Ending::Complete, 0) => RunOutcome::Valid,
            (Ending::Complete, failed) => RunOutcome::FailedChecks(failed),
            (Ending::Interrupted, _) => RunOutcome::Interrupted,
            (Ending::Failed { .. }, _) => RunOutcome::Failed,
        };
        let service = run.summary.directions.iter().filter_map(|d| d.service.as_ref());
        Self {
            id: run.id.clone(),
            started_at: run.started_at.clone(),
            target: run.target.name.clone(),
            workload: imported::io(run),
            jobs: run.workload.jobs,
            depth: run.workload.depth,
            operations_per_s: run.summary.operations_per_s(),
            throughput_bytes_per_s: run.throughput_bytes_per_s(),
            service_p99_ns: service.filter_map(|s| s.quantile_ns(0.99)).max(),
            outcome,
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
    let mut table = Table::new(&[
        words("run", 0),
        words("started", 3),
        words("target", 2),
        words("workload", 1),
        numbers("jobs × depth", 5),
        numbers("IOPS", 0),
        numbers("throughput", 4),
        numbers("p99", 3),
        words("outcome", 0),
    ]);
    for row in rows {
        table.row([
            row.id.clone(),
            started(&row.started_at),
            shortened(&row.target),
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
        ]);
    }
    out.table(&table);
    out.gap();
    out.text("To see one: fathom show RUN", 0, Some(Tone::Quiet));
    out.finish()
}

/// `2026-11-20T16:15:00Z` as `2026-11-20 16:15`; anything else as it is.
fn started(at: &str) -> String {
    match (at.get(..10), at.get(10..11), at.get(11..16)) {
        (Some(day), Some("T"), Some(time)) => format!("{day} {time}"),
        _ => at.to_owned(),
    }
}

/// The end of a long path, where paths differ.
fn shortened(target: &str) -> String {
    const MOST: usize = 18;
    let length = target.chars().count();
    if length <= MOST {
        return target.to_owned();
    }
    ['…'].into_iter().chain(target.chars().skip(length - MOST + 1)).collect()
}
