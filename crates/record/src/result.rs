//! The few numbers that most readers of a record want, computed from the rest of it and written before it.
//!
//! They are in no record as it is kept: a document is a record with its result in front.

use serde::{Deserialize, Serialize};

use crate::LatencySummary;
use crate::campaign::{CampaignRecord, CellResult, PatternResult};
use crate::comparison::Decision;
use crate::condition::ConditionOutcome;
use crate::run_record::{DirectionSummary, IoGroup, RunRecord};

/// A run in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunResult {
    /// Whether the run came to its end and no self-check failed.
    pub valid: bool,
    /// I/Os that ended well, per second, over all directions.
    pub iops: f64,
    /// Bytes that they transferred, per second.
    pub throughput_bytes_per_s: f64,
    /// I/Os that ended in an error; absent where they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<u64>,
    /// Reads; absent where none ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<DirectionResult>,
    /// Writes; absent where none ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<DirectionResult>,
    /// Trims; absent where none ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim: Option<DirectionResult>,
    /// Flushes; absent where none ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush: Option<DirectionResult>,
    /// Reads and writes that another tool did not tell apart; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixed: Option<DirectionResult>,
    /// What became of the conditions under which the command was to fail; absent where none was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ConditionOutcome>,
}

/// One direction in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DirectionResult {
    /// I/Os that ended well, per second.
    pub iops: f64,
    /// Bytes that they transferred, per second.
    pub throughput_bytes_per_s: f64,
    /// I/Os that ended in an error; absent where they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<u64>,
    /// Median of the service latency.
    pub service_p50_ns: Option<u64>,
    /// 99th percentile; absent with too few I/Os.
    pub service_p99_ns: Option<u64>,
    /// 99.9th percentile; absent with too few I/Os.
    pub service_p999_ns: Option<u64>,
    /// Median of the response latency; absent in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_p50_ns: Option<u64>,
    /// 99th percentile of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_p99_ns: Option<u64>,
    /// 99.9th percentile of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_p999_ns: Option<u64>,
}

/// A campaign in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CampaignResult {
    /// Whether no self-check failed where figures are published; nothing is said of campaigns that were stopped.
    pub valid: bool,
    /// An assessment's points to run at, a sweep's test points, or both sides of each workload of a comparison.
    pub points: Vec<PointResult>,
    /// What became of the conditions under which the command was to fail; absent where none was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ConditionOutcome>,
}

/// One point in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PointResult {
    /// The pattern or workload, or the values of a sweep's test point.
    pub name: String,
    /// Why it is listed: `balanced`, `peak`, `slo`, `side_a` or `side_b`; absent for a sweep's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<String>,
    /// What is said of side B; of comparisons alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// Jobs.
    pub jobs: u32,
    /// Depth of each.
    pub depth: u32,
    /// Whether no self-check failed.
    pub valid: bool,
    /// I/Os that ended well, per second, mean over runs.
    pub iops: f64,
    /// Bytes that they transferred, per second, mean over runs.
    pub throughput_bytes_per_s: f64,
    /// Median of the service latency.
    pub service_p50_ns: u64,
    /// 99th percentile; absent with too few I/Os.
    pub service_p99_ns: Option<u64>,
    /// 99.9th percentile; absent with too few I/Os.
    pub service_p999_ns: Option<u64>,
}

/// A record with its result in front, as it is printed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "{T}"))]
pub struct PrintedRecord<R, T> {
    /// The record in short; absent in documents of earlier builds.
    pub result: R,
    /// The record.
    #[serde(flatten)]
    pub record: T,
}

impl DirectionResult {
    fn of(direction: &DirectionSummary) -> Self {
        let quantile = |latency: &Option<LatencySummary>, q: f64| latency.as_ref()?.quantile_ns(q);
        Self {
            iops: direction.operations_per_s,
            throughput_bytes_per_s: direction.throughput_bytes_per_s,
            errors: direction.errors,
            service_p50_ns: quantile(&direction.service, 0.5),
            service_p99_ns: quantile(&direction.service, 0.99),
            service_p999_ns: quantile(&direction.service, 0.999),
            response_p50_ns: quantile(&direction.response, 0.5),
            response_p99_ns: quantile(&direction.response, 0.99),
            response_p999_ns: quantile(&direction.response, 0.999),
        }
    }
}

impl RunResult {
    /// Of a run, with what became of the conditions on it.
    pub fn of(run: &RunRecord, conditions: Vec<ConditionOutcome>) -> Self {
        let directions = &run.summary.directions;
        let of = |group: IoGroup| directions.iter().find(|d| d.direction == group).map(DirectionResult::of);
        Self {
            valid: run.is_valid(),
            iops: run.summary.operations_per_s(),
            throughput_bytes_per_s: run.throughput_bytes_per_s(),
            errors: directions.iter().map(|d| d.errors).sum(),
            read: of(IoGroup::Read),
            write: of(IoGroup::Write),
            trim: of(IoGroup::Trim),
            flush: of(IoGroup::Flush),
            mixed: of(IoGroup::Mixed),
            conditions,
        }
    }
}

impl RunRecord {
    /// The document of the run.
    pub fn document(&self, conditions: Vec<ConditionOutcome>) -> PrintedRecord<RunResult, &Self> {
        PrintedRecord { result: RunResult::of(self, conditions), record: self }
    }
}

impl CampaignRecord {
    /// The document of the campaign.
    pub fn document(&self, conditions: Vec<ConditionOutcome>) -> PrintedRecord<CampaignResult, &Self> {
        PrintedRecord { result: CampaignResult::of(self, conditions), record: self }
    }
}

impl CampaignResult {
    /// Of a campaign, with what became of the conditions on it.
    pub fn of(campaign: &CampaignRecord, conditions: Vec<ConditionOutcome>) -> Self {
        let points = points(campaign);
        let whole = match campaign {
            CampaignRecord::Assess(record) => record.patterns.iter().all(PatternResult::holds),
            CampaignRecord::Sweep(record) => record.cells.iter().any(|cell| cell.result.is_some()),
            CampaignRecord::Compare(record) => {
                record.workloads.iter().all(|workload| workload.decision() != Decision::NotComparable)
            }
            CampaignRecord::Explain(record) => {
                record.patterns.iter().any(|pattern| !pattern.cells.is_empty())
            }
            CampaignRecord::Repeat(record) => record.cells.iter().all(|cell| cell.result.is_some()),
        };
        Self {
            valid: whole && !points.is_empty() && points.iter().all(|point| point.valid),
            points,
            conditions,
        }
    }
}

fn points(campaign: &CampaignRecord) -> Vec<PointResult> {
    match campaign {
        CampaignRecord::Assess(record) => {
            let of_pattern = |pattern: &PatternResult| -> Vec<PointResult> {
                let points = pattern.operating_points.iter();
                let known = points.filter_map(|point| Some((point.kind, pattern.cells.get(point.cell)?)));
                known
                    .map(|(kind, cell)| {
                        PointResult::of(&pattern.name, Some(&kind.name().to_ascii_lowercase()), cell)
                    })
                    .collect()
            };
            record.patterns.iter().flat_map(of_pattern).collect()
        }
        CampaignRecord::Sweep(record) => {
            let cells = record.cells.iter().filter_map(|cell| Some((cell, cell.result.as_ref()?)));
            cells.map(|(cell, result)| PointResult::of(&record.plan.title(cell), None, result)).collect()
        }
        CampaignRecord::Compare(record) => {
            let sides = record.workloads.iter().flat_map(|workload| {
                let sides = [(&workload.a, "side_a"), (&workload.b, "side_b")];
                sides.into_iter().filter_map(move |(cell, side)| {
                    let decision = (side == "side_b").then(|| workload.decision());
                    let point = PointResult::of(&workload.name, Some(side), cell.as_ref()?);
                    Some(PointResult { decision, ..point })
                })
            });
            sides.collect()
        }
        CampaignRecord::Explain(record) => {
            let of_pattern = record.patterns.iter().flat_map(|pattern| {
                pattern.cells.iter().map(|cell| PointResult::of(&pattern.title, None, cell))
            });
            of_pattern.collect()
        }
        CampaignRecord::Repeat(record) => {
            let cells = record.plan.steps.iter().zip(&record.cells);
            let measured = cells.filter_map(|(step, cell)| Some((step, cell.result.as_ref()?)));
            measured.map(|(step, result)| PointResult::of(&step.title(), None, result)).collect()
        }
    }
}

impl PointResult {
    fn of(name: &str, point: Option<&str>, cell: &CellResult) -> Self {
        Self {
            name: name.to_owned(),
            point: point.map(str::to_owned),
            decision: None,
            jobs: cell.jobs,
            depth: cell.depth,
            valid: cell.failed_checks.is_empty(),
            iops: cell.operations_per_s,
            throughput_bytes_per_s: cell.throughput_bytes_per_s,
            service_p50_ns: cell.service_p50_ns,
            service_p99_ns: cell.service_p99_ns,
            service_p999_ns: cell.service_p999_ns,
        }
    }
}
