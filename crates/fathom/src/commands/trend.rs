//! `fathom trend`: how the results of a target went over its runs, and where a level changed.

use std::collections::BTreeMap;

use fathom_campaign::calendar_now;
use fathom_report::terminal::{self, TrendChange, TrendRow, TrendUnit};
use fathom_stats::trend::{Change, Level, RUNS_MIN, Trend, trend};
use fathom_store::{RunFilter, RunRow, Store, pattern_text};
use serde::Serialize;

use super::moment::since;
use super::stored::StorePlace;
use crate::arguments::{TrendArguments, TrendCondition, TrendMetric};
use crate::failure::Failure;
use crate::output;
use crate::status::Status;

/// Most runs of a target that are read, the newest: finding a split takes time with the square of a workload's runs.
const RUNS_MAX: u32 = 20_000;
/// Most values of one workload, the newest.
const VALUES_MAX: usize = 2000;

/// The trends for programs.
#[derive(Serialize)]
struct Trends<'a> {
    format: &'static str,
    version: u32,
    target: &'a str,
    metric: &'static str,
    unit: &'static str,
    least_difference: f64,
    workloads: &'a [Workload],
}

/// One workload over time.
#[derive(Serialize)]
struct Workload {
    pattern: String,
    jobs: u32,
    depth: u32,
    tool: String,
    values: Vec<Value>,
    /// Absent with too few runs.
    levels: Option<Vec<LevelOut>>,
}

/// The value of a run, or of all runs of a campaign.
#[derive(Clone, Serialize)]
struct Value {
    started_at: String,
    /// The newest of them.
    run: String,
    runs: usize,
    value: f64,
}

/// Values between two changes.
#[derive(Serialize)]
struct LevelOut {
    from_run: String,
    from_at: String,
    values: usize,
    value: f64,
    deviation: f64,
    change: Option<ChangeOut>,
}

/// A level against the one before it.
#[derive(Clone, Copy, Serialize)]
struct ChangeOut {
    ratio: f64,
    low: f64,
    high: f64,
    p_value: f64,
    slower: bool,
}

/// Prints the trends.
///
/// # Errors
/// When the store cannot be read, or nothing of the target is in it.
pub fn perform(place: &StorePlace, arguments: &TrendArguments) -> Result<Status, Failure> {
    let store = place.open_existing()?;
    let runs = store.as_ref().map(|store| chosen(store, arguments)).transpose()?.unwrap_or_default();
    let workloads: Vec<Workload> = grouped(&runs, arguments.metric)
        .into_iter()
        .map(|(key, values)| judged(key, values, arguments))
        .collect();
    if workloads.is_empty() {
        return Err(nothing(store.as_ref(), arguments));
    }
    let text = if arguments.switch.json {
        output::json(&Trends {
            format: "fathom.trend",
            version: 1,
            target: &arguments.target,
            metric: arguments.metric.name(),
            unit: arguments.metric.unit(),
            least_difference: arguments.least.0,
            workloads: &workloads,
        })
    } else {
        let rows: Vec<TrendRow> = workloads.iter().map(|workload| workload.row(arguments.metric)).collect();
        terminal::trends(&arguments.target, &rows, output::style())
    };
    output::result(&text)?;
    let fails = arguments.fail_if == Some(TrendCondition::Slower)
        && workloads.iter().any(Workload::is_slower_or_unknown);
    Ok(if fails { Status::Condition } else { Status::Done })
}

/// Valid runs of the target that fit, oldest first.
fn chosen(store: &Store, arguments: &TrendArguments) -> Result<Vec<RunRow>, Failure> {
    let since = arguments.since.as_deref().map(|text| since(text, &calendar_now())).transpose()?;
    let target = Some(arguments.target.clone());
    let filter =
        RunFilter { limit: Some(RUNS_MAX), target, campaign: None, since, valid: true, alone: false };
    let mut runs = store.runs(&filter)?;
    let pattern = arguments.pattern.as_deref().map(words_of).transpose()?;
    runs.retain(|run| {
        run.has_io
            && pattern.as_ref().is_none_or(|pattern| *pattern == run.pattern)
            && arguments.jobs.is_none_or(|jobs| jobs == run.jobs)
            && arguments.depth.is_none_or(|depth| depth == run.depth)
    });
    runs.sort_by(|one, other| (&one.started_at, &one.id).cmp(&(&other.started_at, &other.id)));
    Ok(runs)
}

/// A pattern's name in the words of lists; those words themselves are taken as they are.
fn words_of(text: &str) -> Result<String, Failure> {
    if text.contains(' ') {
        return Ok(text.to_owned());
    }
    let pattern = fathom_plan::pattern(text).map_err(|cause| {
        Failure::usage("--pattern", cause, "or type the workload as fathom runs shows it, in quotes")
    })?;
    Ok(pattern_text(&pattern.workload))
}

/// What was measured how: pattern, jobs, depth and tool.
type Key = (String, u32, u32, String);

/// Values of each workload, oldest first; runs of one campaign are their geometric mean, since they share their day.
fn grouped(runs: &[RunRow], metric: TrendMetric) -> BTreeMap<Key, Vec<Value>> {
    let mut all: BTreeMap<Key, Vec<(Option<&str>, Value)>> = BTreeMap::new();
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
                values.push((campaign, Value { started_at, run, runs: 1, value }));
            }
        }
    }
    let newest = |values: Vec<(Option<&str>, Value)>| {
        let skip = values.len().saturating_sub(VALUES_MAX);
        values.into_iter().skip(skip).map(|(_, value)| value).collect()
    };
    all.into_iter().map(|(key, values)| (key, newest(values))).collect()
}

fn judged((pattern, jobs, depth, tool): Key, values: Vec<Value>, arguments: &TrendArguments) -> Workload {
    let numbers: Vec<f64> = values.iter().map(|value| value.value).collect();
    let levels = match trend(&numbers, arguments.least.0) {
        Some(Trend::Levels(levels)) => {
            Some(levels.iter().map(|level| LevelOut::of(level, &values, arguments.metric)).collect())
        }
        Some(Trend::Unknown { .. }) | None => None,
    };
    Workload { pattern, jobs, depth, tool, values, levels }
}

fn nothing(store: Option<&Store>, arguments: &TrendArguments) -> Failure {
    let target = &arguments.target;
    let known = store
        .and_then(|store| {
            store.runs(&RunFilter { limit: Some(1), target: Some(target.clone()), ..Default::default() }).ok()
        })
        .is_some_and(|runs| !runs.is_empty());
    let cause = if known {
        format!("no valid run of {target} fits what was asked")
    } else {
        format!("the run store holds no run of a target named {target}")
    };
    Failure::usage(
        "fathom trend",
        cause,
        "type the target as fathom runs --all shows it, and fewer conditions",
    )
}

impl Value {
    fn add(&mut self, run: &RunRow, value: f64) {
        let runs = self.runs as f64;
        self.value = (self.value.ln() * runs / (runs + 1.0) + value.ln() / (runs + 1.0)).exp();
        self.runs += 1;
        self.run.clone_from(&run.id);
    }
}

impl LevelOut {
    fn of(level: &Level, values: &[Value], metric: TrendMetric) -> Self {
        let first = &values[level.from];
        Self {
            from_run: first.run.clone(),
            from_at: first.started_at.clone(),
            values: level.until - level.from,
            value: level.value,
            deviation: level.deviation,
            change: level.change.map(|change| ChangeOut::of(change, metric)),
        }
    }
}

impl ChangeOut {
    fn of(Change { ratio, low, high, p_value }: Change, metric: TrendMetric) -> Self {
        Self { ratio, low, high, p_value, slower: (ratio < 1.0) == (metric == TrendMetric::Iops) }
    }
}

impl Workload {
    fn is_slower_or_unknown(&self) -> bool {
        self.levels.as_ref().is_none_or(|levels| {
            levels.last().and_then(|level| level.change).is_some_and(|change| change.slower)
        })
    }

    fn row(&self, metric: TrendMetric) -> TrendRow {
        let mut until = 0;
        let mut changes = Vec::new();
        for level in self.levels.iter().flatten() {
            let before = until;
            until += level.values;
            let (Some(change), Some(before)) = (level.change, before.checked_sub(1)) else { continue };
            changes.push(TrendChange {
                at: level.from_at.clone(),
                before: self.values[before].run.clone(),
                after: level.from_run.clone(),
                ratio: [change.ratio, change.low, change.high],
                slower: change.slower,
            });
        }
        TrendRow {
            workload: self.pattern.clone(),
            jobs: self.jobs,
            depth: self.depth,
            unit: if metric == TrendMetric::Iops { TrendUnit::PerSecond } else { TrendUnit::Nanoseconds },
            values: self.values.iter().map(|value| value.value).collect(),
            level: self.levels.as_ref().and_then(|levels| levels.last()).map(|level| level.value),
            runs_needed: RUNS_MIN,
            changes,
        }
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
