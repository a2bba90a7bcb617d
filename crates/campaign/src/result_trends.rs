//! How the results of a target went over its saved runs, and where a level changed.

use std::collections::BTreeMap;

use fathom_order::InOrder;
use fathom_stats::change_points::{Change, Level, Trend, trend};
use fathom_store::{Finding, FindingKey, RunFilter, RunRow, Store, StoreError};
use serde::Serialize;

use crate::trend_marks::{TrendMark, marks_of};

/// Most runs of a target that are read, the newest: finding a split takes time with the square of a workload's runs.
const RUNS_MAX: u32 = 20_000;
/// Most values of one workload, the newest.
const VALUES_MAX: usize = 2000;
/// What finds changes, for what is kept of one that was looked at.
const METHOD: &str = "energy distance, t-test and ranks";

/// What is followed over runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrendMetric {
    /// I/Os per second.
    Iops,
    /// Median latency: the response latency of runs with a rate, the service latency of others.
    P50,
    /// 99th percentile of the same.
    P99,
}

/// Which runs are followed: valid ones of the target, and what else is named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrendChoice {
    /// The target, as it was named in the runs.
    pub target: String,
    /// The workload in the words of lists.
    pub pattern: Option<String>,
    /// Jobs.
    pub jobs: Option<u32>,
    /// Depth of each job.
    pub depth: Option<u32>,
    /// Only runs that started then or later, RFC 3339, UTC.
    pub since: Option<String>,
}

/// The trends for programs.
#[derive(Serialize)]
pub struct Trends<'a> {
    format: &'static str,
    version: u32,
    target: &'a str,
    metric: &'static str,
    unit: &'static str,
    least_difference: f64,
    workloads: &'a [TrendWorkload],
    marks: &'a [TrendMark],
}

/// All workloads of a target over time, and what happened meanwhile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TargetTrends {
    /// Each workload.
    pub workloads: Vec<TrendWorkload>,
    /// What happened around its runs, oldest first.
    pub marks: Vec<TrendMark>,
}

/// One workload over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrendWorkload {
    /// Size, order and directions, in words.
    pub pattern: String,
    /// Jobs.
    pub jobs: u32,
    /// Depth of each job.
    pub depth: u32,
    /// The tool that measured.
    pub tool: String,
    /// Oldest first.
    pub values: Vec<TrendValue>,
    /// Absent with too few runs.
    pub levels: Option<Vec<TrendLevel>>,
}

/// The value of a run, or of all runs of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrendValue {
    /// Start of the first of them, RFC 3339, UTC.
    pub started_at: String,
    /// The newest of them.
    pub run: String,
    /// How many they are.
    pub runs: usize,
    /// The value, or their geometric mean, in the metric's unit.
    pub value: f64,
}

/// Values between two changes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrendLevel {
    /// Its first run.
    pub from_run: String,
    /// When that started, RFC 3339, UTC.
    pub from_at: String,
    /// Number of its values.
    pub values: usize,
    /// Their geometric mean, in the metric's unit.
    pub value: f64,
    /// Their deviation around it, as a share.
    pub deviation: f64,
    /// What changed at its first run; absent for the first level.
    pub change: Option<LevelChange>,
}

/// A level against the one before it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelChange {
    /// This level over the one before.
    pub ratio: f64,
    /// Lower end of the ratio's 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability of such a difference by chance.
    pub p_value: f64,
    /// Whether it is for the worse.
    pub slower: bool,
    /// Marks between the last run before it and the first behind it.
    pub marks: Vec<String>,
    /// What somebody who looked at it says; absent where nobody did.
    pub acknowledged: Option<Acknowledgement>,
}

/// That somebody looked at a change, and takes it as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Acknowledgement {
    /// Why.
    pub text: String,
    /// Who says so, as far as is known.
    pub author: Option<String>,
    /// When, RFC 3339, UTC.
    pub at: String,
}

/// Each workload of the chosen runs over time, with what happened around them; `least` is the least difference that matters, as a share.
///
/// # Errors
/// When the store cannot be read.
pub fn trends(
    store: &Store,
    choice: &TrendChoice,
    metric: TrendMetric,
    least: f64,
) -> Result<TargetTrends, StoreError> {
    let runs = chosen(store, choice)?;
    let (marks, findings) = (marks_of(store, &choice.target)?, store.findings(&choice.target)?);
    let judged = |(key, values)| {
        let mut workload = judged(key, values, metric, least);
        workload.annotate(&choice.target, metric, &marks, &findings);
        workload
    };
    let workloads = grouped(&runs, metric).into_iter().map(judged).collect();
    Ok(TargetTrends { workloads, marks })
}

impl TrendWorkload {
    /// Puts what is known of its changes on them.
    fn annotate(&mut self, target: &str, metric: TrendMetric, marks: &[TrendMark], findings: &[Finding]) {
        let keys: Vec<FindingKey> =
            self.levels.iter().flatten().map(|level| self.key(target, metric, &level.from_run)).collect();
        let mut from = 0;
        for (level, key) in self.levels.iter_mut().flatten().zip(keys) {
            let before = self.values[..from].last();
            from += level.values;
            let (Some(change), Some(before)) = (&mut level.change, before) else { continue };
            let between = marks.iter().filter(|mark| mark.is_between(&before.started_at, &level.from_at));
            change.marks = between.map(|mark| mark.title.clone()).collect();
            let found = findings.iter().find(|finding| finding.key == key);
            change.acknowledged = found.map(|finding| Acknowledgement {
                text: finding.text.clone(),
                author: finding.author.clone(),
                at: finding.at.clone(),
            });
        }
    }

    fn key(&self, target: &str, metric: TrendMetric, at_run: &str) -> FindingKey {
        FindingKey {
            target: target.to_owned(),
            pattern: self.pattern.clone(),
            jobs: self.jobs,
            depth: self.depth,
            tool: self.tool.clone(),
            metric: metric.name().to_owned(),
            at_run: at_run.to_owned(),
        }
    }

    /// What is to be kept of the change that begins with this run, as somebody looked at it; `None` where none does.
    pub fn finding(
        &self,
        target: &str,
        metric: TrendMetric,
        at_run: &str,
        seen: Acknowledgement,
    ) -> Option<Finding> {
        let levels = self.levels.as_ref()?;
        let at = levels.iter().position(|level| level.from_run == at_run)?;
        let before: usize = levels[..at].iter().map(|level| level.values).sum();
        let (change, last) = (levels[at].change.as_ref()?, self.values[..before].last()?);
        Some(Finding {
            key: self.key(target, metric, at_run),
            from_run: last.run.clone(),
            effect: change.ratio,
            interval: [change.low, change.high],
            p_value: change.p_value,
            method: METHOD.to_owned(),
            text: seen.text,
            author: seen.author,
            at: seen.at,
        })
    }
}

/// Valid runs of the target that fit, oldest first.
fn chosen(store: &Store, choice: &TrendChoice) -> Result<Vec<RunRow>, StoreError> {
    let (target, since) = (Some(choice.target.clone()), choice.since.clone());
    let filter = RunFilter { limit: Some(RUNS_MAX), target, since, valid: true, ..RunFilter::default() };
    let mut runs = store.runs(&filter)?;
    runs.retain(|run| {
        run.has_io
            && choice.pattern.as_ref().is_none_or(|pattern| *pattern == run.pattern)
            && choice.jobs.is_none_or(|jobs| jobs == run.jobs)
            && choice.depth.is_none_or(|depth| depth == run.depth)
    });
    runs.put_in_order_by(|one, other| (&one.started_at, &one.id).cmp(&(&other.started_at, &other.id)));
    Ok(runs)
}

/// What was measured how: pattern, jobs, depth and tool.
type Key = (String, u32, u32, String);

/// Values of each workload, oldest first; runs of one campaign are their geometric mean, since they share their day.
fn grouped(runs: &[RunRow], metric: TrendMetric) -> BTreeMap<Key, Vec<TrendValue>> {
    let mut all: BTreeMap<Key, Vec<(Option<&str>, TrendValue)>> = BTreeMap::new();
    for run in runs {
        let Some(value) = metric.of(run).filter(|value| value.is_finite() && *value > 0.0) else { continue };
        let key = (run.pattern.clone(), run.jobs, run.depth, run.tool.clone());
        let values = all.entry(key).or_default();
        let campaign = run.campaign.as_deref();
        let same = values.iter_mut().rev().find(|(of, _)| campaign.is_some() && *of == campaign);
        match same {
            Some((_, mean)) => mean.add(run, value),
            None => {
                let (started_at, run) = (run.started_at.clone(), run.id.clone());
                values.push((campaign, TrendValue { started_at, run, runs: 1, value }));
            }
        }
    }
    let newest = |values: Vec<(Option<&str>, TrendValue)>| {
        let skip = values.len().saturating_sub(VALUES_MAX);
        values.into_iter().skip(skip).map(|(_, value)| value).collect()
    };
    all.into_iter().map(|(key, values)| (key, newest(values))).collect()
}

fn judged(
    (pattern, jobs, depth, tool): Key,
    values: Vec<TrendValue>,
    metric: TrendMetric,
    least: f64,
) -> TrendWorkload {
    let numbers: Vec<f64> = values.iter().map(|value| value.value).collect();
    let levels = match trend(&numbers, least) {
        Some(Trend::Levels(levels)) => {
            Some(levels.iter().map(|level| TrendLevel::of(level, &values, metric)).collect())
        }
        Some(Trend::Unknown { .. }) | None => None,
    };
    TrendWorkload { pattern, jobs, depth, tool, values, levels }
}

impl<'a> Trends<'a> {
    /// The document of what [`trends`] found.
    pub fn new(target: &'a str, metric: TrendMetric, least_difference: f64, found: &'a TargetTrends) -> Self {
        Self {
            format: "fathom.trend",
            version: 1,
            target,
            metric: metric.name(),
            unit: metric.unit(),
            least_difference,
            workloads: &found.workloads,
            marks: &found.marks,
        }
    }
}

impl TrendValue {
    fn add(&mut self, run: &RunRow, value: f64) {
        let runs = self.runs as f64;
        self.value = (self.value.ln() * runs / (runs + 1.0) + value.ln() / (runs + 1.0)).exp();
        self.runs += 1;
        self.run.clone_from(&run.id);
    }
}

impl TrendLevel {
    fn of(level: &Level, values: &[TrendValue], metric: TrendMetric) -> Self {
        let first = &values[level.from];
        Self {
            from_run: first.run.clone(),
            from_at: first.started_at.clone(),
            values: level.until - level.from,
            value: level.value,
            deviation: level.deviation,
            change: level.change.map(|change| LevelChange::of(change, metric)),
        }
    }
}

impl LevelChange {
    fn of(Change { ratio, low, high, p_value }: Change, metric: TrendMetric) -> Self {
        let slower = (ratio < 1.0) == (metric == TrendMetric::Iops);
        Self { ratio, low, high, p_value, slower, marks: Vec::new(), acknowledged: None }
    }
}

impl TrendMetric {
    fn of(self, run: &RunRow) -> Option<f64> {
        let latency = |response: Option<u64>, service: Option<u64>, completion: Option<u64>| {
            response.or(service).or(completion).map(|ns| ns as f64)
        };
        match self {
            Self::Iops => Some(run.operations_per_s),
            Self::P50 => latency(run.response_p50_ns, run.service_p50_ns, run.completion_p50_ns),
            Self::P99 => latency(run.response_p99_ns, run.service_p99_ns, run.completion_p99_ns),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Iops => "operations_per_s",
            Self::P50 => "latency_p50_ns",
            Self::P99 => "latency_p99_ns",
        }
    }

    fn unit(self) -> &'static str {
        if self == Self::Iops { "1/s" } else { "ns" }
    }
}
