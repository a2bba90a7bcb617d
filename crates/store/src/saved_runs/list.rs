//! Lists runs from their summary columns, without touching a record.

use fathom_measure::Histogram;
use fathom_record::run_record::{DirectionSummary, RunEnding, RunRecord};
use fathom_record::{Direction, LatencySummary, SparseHistogram};
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};

use crate::error::StoreError;
use crate::id_lookup::Names;
use crate::saved_runs::workload_text::pattern_text;
use crate::store_file::Store;

/// Which runs to list; everything absent lists all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// At most so many, the newest.
    pub limit: Option<u32>,
    /// Only of this target, as the user named it.
    pub target: Option<String>,
    /// Only of the campaign with this id.
    pub campaign: Option<String>,
    /// Only those that started then or later, RFC 3339, UTC.
    pub since: Option<String>,
    /// Only those that came to their end and failed no self-check.
    pub valid: bool,
    /// Only those that belong to no campaign.
    pub alone: bool,
    /// Only those with this word on them.
    pub tag: Option<String>,
}

/// One run in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// The run's id.
    pub id: String,
    /// Start, RFC 3339, UTC.
    pub started_at: String,
    /// Target as the user named it.
    pub target: String,
    /// Name and model of the lowest device under it, where there is one.
    pub device: Option<String>,
    /// The workload in a few words, e.g. "4 KiB random read".
    pub pattern: String,
    /// Jobs.
    pub jobs: u32,
    /// Depth of each job.
    pub depth: u32,
    /// Operations per second over all directions.
    pub operations_per_s: f64,
    /// Bytes per second over all directions.
    pub throughput_bytes_per_s: f64,
    /// Median service latency of all directions but flushes, from their merged histograms.
    pub service_p50_ns: Option<u64>,
    /// 99th percentile of the same; absent with fewer than 10 I/Os beyond it.
    pub service_p99_ns: Option<u64>,
    /// Median response latency; absent in a closed loop.
    pub response_p50_ns: Option<u64>,
    /// 99th percentile of the same; absent in a closed loop or with fewer than 10 I/Os beyond it.
    pub response_p99_ns: Option<u64>,
    /// Median completion latency, of the tools that state it.
    pub completion_p50_ns: Option<u64>,
    /// 99th percentile of the same.
    pub completion_p99_ns: Option<u64>,
    /// The tool that measured: `fathom`, or with its version `fio 3.33`.
    pub tool: String,
    /// Whether it has any I/O; without, its rates are no rates of 0.
    pub has_io: bool,
    /// Whether it came to its end and no self-check failed.
    pub valid: bool,
    /// `complete`, `interrupted` or `failed`.
    pub ending: String,
    /// The campaign that it belongs to.
    pub campaign: Option<String>,
    /// Its step in that campaign.
    pub step: Option<String>,
}

impl RunRow {
    /// The columns of a row, in the order in which they are read.
    pub(crate) const COLUMNS: &str = "id, started_at, target, device, pattern, jobs, depth, operations_per_s,
        throughput_bytes_per_s, service_p50_ns, service_p99_ns, response_p50_ns, response_p99_ns, completion_p50_ns,
        completion_p99_ns, tool, has_io, valid, ending, campaign, step";

    /// What a list shows of a record.
    pub fn of(record: &RunRecord) -> Self {
        let directions = &record.summary.directions;
        let service = merged(directions, |d| d.service_histogram.as_ref());
        let response = merged(directions, |d| d.response_histogram.as_ref());
        let quantile =
            |of: &Option<LatencySummary>, q| of.as_ref().and_then(|summary| summary.quantile_ns(q));
        Self {
            id: record.id.clone(),
            started_at: record.started_at.clone(),
            target: record.target.name.clone(),
            device: device_text(record),
            pattern: pattern_text(&record.workload),
            jobs: record.workload.jobs,
            depth: record.workload.depth,
            operations_per_s: record.summary.operations_per_s(),
            throughput_bytes_per_s: record.throughput_bytes_per_s(),
            service_p50_ns: quantile(&service, 0.5).or_else(|| only(directions, 0.5)),
            service_p99_ns: quantile(&service, 0.99).or_else(|| only(directions, 0.99)),
            response_p50_ns: quantile(&response, 0.5),
            response_p99_ns: quantile(&response, 0.99),
            completion_p50_ns: stated(directions, 0.5),
            completion_p99_ns: stated(directions, 0.99),
            tool: tool_text(record),
            has_io: !(record.is_imported() && directions.is_empty()),
            valid: record.is_valid(),
            ending: match record.ending {
                RunEnding::Complete => "complete",
                RunEnding::Interrupted => "interrupted",
                RunEnding::Failed { .. } => "failed",
            }
            .into(),
            campaign: record.campaign.as_ref().map(|link| link.id.clone()),
            step: record.campaign.as_ref().map(|link| link.step.clone()),
        }
    }

    /// Reads a row of [`COLUMNS`](Self::COLUMNS): by place, since looking for names takes longer than all else.
    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let latency =
            |at: usize| row.get::<_, Option<i64>>(at).map(|ns| ns.and_then(|ns| u64::try_from(ns).ok()));
        Ok(Self {
            id: row.get(0)?,
            started_at: row.get(1)?,
            target: row.get(2)?,
            device: row.get(3)?,
            pattern: row.get(4)?,
            jobs: row.get(5)?,
            depth: row.get(6)?,
            operations_per_s: row.get(7)?,
            throughput_bytes_per_s: row.get(8)?,
            service_p50_ns: latency(9)?,
            service_p99_ns: latency(10)?,
            response_p50_ns: latency(11)?,
            response_p99_ns: latency(12)?,
            completion_p50_ns: latency(13)?,
            completion_p99_ns: latency(14)?,
            tool: row.get(15)?,
            has_io: row.get(16)?,
            valid: row.get(17)?,
            ending: row.get(18)?,
            campaign: row.get(19)?,
            step: row.get(20)?,
        })
    }
}

/// Directions' distributions as one; absent when there is none or one cannot be trusted.
fn merged<'a>(
    directions: &'a [DirectionSummary],
    histogram: impl Fn(&'a DirectionSummary) -> Option<&'a SparseHistogram>,
) -> Option<LatencySummary> {
    let of_io = directions.iter().filter(|summary| summary.direction != Direction::Flush);
    // Most runs lack one of them, which is known before any is made.
    let mut all = of_io.map(histogram).collect::<Option<Vec<_>>>()?.into_iter();
    let mut merged = Histogram::try_from(all.next()?).ok()?;
    for more in all {
        merged.merge(&Histogram::try_from(more).ok()?);
    }
    LatencySummary::of(&merged)
}

/// A quantile of the service latency that another tool states, of a run with one direction.
fn only(directions: &[DirectionSummary], q: f64) -> Option<u64> {
    match directions {
        [one] => one.service.as_ref()?.quantile_ns(q),
        _ => None,
    }
}

/// The worst direction's completion latency: what is listed of several directions is the one to look at.
fn stated(directions: &[DirectionSummary], q: f64) -> Option<u64> {
    directions.iter().filter_map(|d| d.completion.as_ref()?.quantile_ns(q)).max()
}

fn tool_text(record: &RunRecord) -> String {
    match record.is_imported() {
        true => format!("{} {}", record.tool.name, record.tool.version).trim_end().to_owned(),
        false => "fathom".to_owned(),
    }
}

fn device_text(record: &RunRecord) -> Option<String> {
    let device = record.target.devices.last()?;
    Some(match &device.model {
        Some(model) => format!("{} ({})", device.name, model.trim()),
        None => device.name.clone(),
    })
}

/// A run that has a word on it.
pub(crate) const TAGGED: &str =
    "id IN (SELECT object FROM label WHERE kind = 'run' AND word = ? AND void_at IS NULL)";

impl Store {
    /// What a list shows of the run with this id.
    ///
    /// # Errors
    /// When there is none, or the store cannot be read.
    pub fn run_row(&self, id: &str) -> Result<RunRow, StoreError> {
        let sql = format!("SELECT {} FROM run WHERE id = ?1", RunRow::COLUMNS);
        let row = self.one("listing runs", &sql, [id], RunRow::read)?;
        row.ok_or_else(|| self.unknown(id, &[Names::Runs]))
    }

    /// Runs that pass the filter, newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        let conditions = [
            ("target = ?", &filter.target),
            ("campaign = ?", &filter.campaign),
            ("started_at >= ?", &filter.since),
            (TAGGED, &filter.tag),
        ];
        let given = || conditions.iter().filter_map(|(condition, value)| Some((condition, value.as_ref()?)));
        let mut condition: String = given().map(|(condition, _)| format!(" AND {condition}")).collect();
        if filter.valid {
            condition += " AND valid";
        }
        if filter.alone {
            condition += " AND campaign IS NULL";
        }
        let values = given()
            .map(|(_, value)| Value::from(value.clone()))
            .chain([Value::from(filter.limit.map_or(-1, i64::from))]);
        let columns = RunRow::COLUMNS;
        let sql = format!(
            "SELECT {columns} FROM run WHERE true{condition} ORDER BY started_at DESC, id DESC LIMIT ?"
        );
        self.all("listing runs", &sql, params_from_iter(values), RunRow::read)
    }
}
