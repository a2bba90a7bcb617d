//! `fathom trend`: how the results of a target went over its runs, and where a level changed.

use fathom_campaign::calendar_now;
use fathom_campaign::result_trends::{
    Acknowledgement, LevelChange, TargetTrends, TrendChoice, TrendLevel, TrendMetric, TrendWorkload, Trends,
    trends,
};
use fathom_report::terminal::{self, TrendChange, TrendRow, TrendUnit};
use fathom_stats::change_points::RUNS_MIN;
use fathom_store::{RunFilter, Store, pattern_text};

use super::author::author;
use super::store_access::StorePlace;
use super::typed_moment::since;
use crate::arguments::{FollowedMetric, TrendArguments, TrendCondition};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// Prints the trends.
///
/// # Errors
/// When the store cannot be read, or nothing of the target is in it.
pub fn perform(place: &StorePlace, arguments: &TrendArguments) -> Result<Status, Failure> {
    let store = place.open_existing()?;
    let (choice, metric) = (choice(arguments)?, arguments.metric.into());
    let read = |store: &Store| trends(store, &choice, metric, arguments.least.0);
    let mut found = store.as_ref().map(read).transpose()?.unwrap_or_default();
    if let Some(store) = acknowledged(place, store.as_ref(), arguments, (&found, metric))? {
        found = read(&store)?;
    }
    let workloads = &found.workloads;
    if workloads.is_empty() {
        return Err(nothing(store.as_ref(), arguments));
    }
    let text = if arguments.switch.json {
        output::json(&Trends::new(&choice.target, metric, arguments.least.0, &found))
    } else {
        let rows: Vec<TrendRow> = workloads.iter().map(|workload| row(workload, metric)).collect();
        terminal::trends(&arguments.target, &rows, output::style())
    };
    output::result(&text)?;
    let fails =
        arguments.fail_if == Some(TrendCondition::Slower) && workloads.iter().any(is_slower_or_unknown);
    Ok(if fails { Status::Condition } else { Status::Done })
}

/// The store with the change that was looked at, where one was.
fn acknowledged(
    place: &StorePlace,
    store: Option<&Store>,
    arguments: &TrendArguments,
    (found, metric): (&TargetTrends, TrendMetric),
) -> Result<Option<Store>, Failure> {
    let (Some(store), Some(name)) = (store, &arguments.acknowledge) else { return Ok(None) };
    let run = store.resolve_run(name)?;
    let text = arguments.because.clone().unwrap_or_default();
    let seen = Acknowledgement { text, author: author(), at: calendar_now() };
    let begins = |workload: &TrendWorkload| workload.finding(&arguments.target, metric, &run, seen.clone());
    let Some(finding) = found.workloads.iter().find_map(begins) else {
        let cause = format!("no change of level begins with run {run}");
        let remedy = "name the second run of the fathom compare that fathom trend prints for the change";
        return Err(Failure::usage("--acknowledge", cause, remedy));
    };
    let store = place.open()?;
    store.acknowledge(&finding)?;
    Ok(Some(store))
}

/// Which runs were asked for.
fn choice(arguments: &TrendArguments) -> Result<TrendChoice, Failure> {
    Ok(TrendChoice {
        target: arguments.target.clone(),
        pattern: arguments.pattern.as_deref().map(words_of).transpose()?,
        jobs: arguments.jobs,
        depth: arguments.depth,
        since: arguments.since.as_deref().map(|text| since(text, &calendar_now())).transpose()?,
    })
}

/// A pattern's name in the words of lists; those words themselves are taken as they are.
fn words_of(text: &str) -> Result<String, Failure> {
    if text.contains(' ') {
        return Ok(text.to_owned());
    }
    let pattern = fathom_plan::pattern(text).map_err(|error| {
        Failure::usage("--pattern", error.cause, "or type the workload as fathom runs shows it, in quotes")
    })?;
    Ok(pattern_text(&pattern.workload))
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

fn is_slower_or_unknown(workload: &TrendWorkload) -> bool {
    let is_slower = |change: &LevelChange| change.slower && change.acknowledged.is_none();
    let newest = |levels: &Vec<TrendLevel>| {
        levels.last().and_then(|level| level.change.as_ref()).is_some_and(is_slower)
    };
    workload.levels.as_ref().is_none_or(newest)
}

fn row(workload: &TrendWorkload, metric: TrendMetric) -> TrendRow {
    let mut until = 0;
    let mut changes = Vec::new();
    for level in workload.levels.iter().flatten() {
        let before = until;
        until += level.values;
        let (Some(change), Some(before)) = (&level.change, before.checked_sub(1)) else { continue };
        changes.push(TrendChange {
            at: level.from_at.clone(),
            before: workload.values[before].run.clone(),
            after: level.from_run.clone(),
            ratio: [change.ratio, change.low, change.high],
            slower: change.slower,
            marks: change.marks.clone(),
            acknowledged: change.acknowledged.as_ref().map(|seen| match &seen.author {
                Some(author) => format!("{} ({author})", seen.text),
                None => seen.text.clone(),
            }),
        });
    }
    TrendRow {
        workload: workload.pattern.clone(),
        jobs: workload.jobs,
        depth: workload.depth,
        unit: if metric == TrendMetric::Iops { TrendUnit::PerSecond } else { TrendUnit::Nanoseconds },
        values: workload.values.iter().map(|value| value.value).collect(),
        level: workload.levels.as_ref().and_then(|levels| levels.last()).map(|level| level.value),
        runs_needed: RUNS_MIN,
        changes,
    }
}

impl From<FollowedMetric> for TrendMetric {
    fn from(metric: FollowedMetric) -> Self {
        match metric {
            FollowedMetric::Iops => Self::Iops,
            FollowedMetric::P50 => Self::P50,
            FollowedMetric::P99 => Self::P99,
        }
    }
}
