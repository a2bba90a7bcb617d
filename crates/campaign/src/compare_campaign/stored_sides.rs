//! Two finished runs or campaigns put beside each other: no pairs, and sessions that differ.

use fathom_record::campaign::{
    ComparePlan, CompareRecord, ComparedMetric, ComparedWorkload, ComparisonEnding, SideFacts,
};
use fathom_record::comparison::{MetricComparison, UndecidedReason};
use fathom_record::run_record::RunEnding;
use fathom_record::{CampaignRecord, RunRecord, Workload};
use fathom_stats::paired_comparison::{
    Comparison, Conditions, Metric, Rules, Runs, latencies_comparable, unpaired, workloads_comparable,
};
use fathom_stats::student;
use fathom_store::{NewCampaign, Store};

use super::compare_plan::RawCompare;
use super::comparison_metrics::{MetricFigures, RunValues};
use super::workload_pairs::geometric_mean;
use super::{rules, spans_differ};
use crate::bands;
use crate::cells::result_of;
use crate::error::CampaignError;
use crate::record_ids;
use crate::resumable_campaign::PLAIN;
use crate::single_run::this_tool;
use fathom_plan::{PlanError, PlanErrorKind, RawPlan, compare_command_line, title_of};

/// A side that was measured before.
#[derive(Debug)]
pub struct StoredSide {
    /// Id of the run or campaign.
    pub id: String,
    /// What it is, as `run` or `assessment`.
    pub kind: &'static str,
    /// Its runs.
    pub runs: Vec<RunRecord>,
}

impl StoredSide {
    /// What a campaign is called as a side; `None` for a comparison, which has two sides itself.
    pub fn kind_of(campaign: &CampaignRecord) -> Option<&'static str> {
        match campaign {
            CampaignRecord::Assess(_) => Some("assessment"),
            CampaignRecord::Sweep(_) => Some("sweep"),
            CampaignRecord::Explain(_) => Some("explanation"),
            CampaignRecord::Repeat(_) => Some("repetition"),
            CampaignRecord::Compare(_) => None,
        }
    }
}

/// Compares the runs of two sides, workload by workload, and saves the result as a campaign without runs of
/// its own.
///
/// # Errors
/// When the sides are of different kinds, share a run or have none that came to its end, or the store cannot
/// keep the result.
pub fn compare_stored(
    plan: &ComparePlan,
    a: &StoredSide,
    b: &StoredSide,
    store: &Store,
) -> Result<CompareRecord, CampaignError> {
    let record = compare_sides(plan, a, b)?;
    let new = NewCampaign {
        id: &record.id,
        key: &format!("compare stored {}", record.id),
        target: &format!("{} | {}", a.id, b.id),
        started_at: &record.started_at,
        plan_json: &fathom_json::text(plan).expect(PLAIN),
    };
    let campaign = store.begin_campaign(&new)?;
    store.finish_campaign(campaign, &record.clone().into())?;
    Ok(record)
}

/// The plan of a comparison of finished measurements, as `fathom compare` has it where nothing else is typed.
///
/// # Errors
/// When the defaults contradict each other.
pub fn stored_plan(a: &str, b: &str) -> Result<ComparePlan, PlanError> {
    RawCompare::default().stored(&RawPlan::default(), (a, b))
}

/// Compares like [`compare_stored`], and saves nothing.
///
/// # Errors
/// When the sides are of different kinds, share a run or have none that came to its end.
pub fn compare_sides(plan: &ComparePlan, a: &StoredSide, b: &StoredSide) -> Result<CompareRecord, PlanError> {
    refuse(a, b)?;
    let (a_groups, b_groups) = (groups(&a.runs), groups(&b.runs));
    let mut record = CompareRecord {
        format: CampaignRecord::FORMAT.to_owned(),
        version: CampaignRecord::VERSION,
        id: record_ids::new_id("x"),
        started_at: record_ids::now(),
        finished_at: Some(record_ids::now()),
        tool: this_tool(),
        plan: plan.clone(),
        command: Some(compare_command_line(plan, 0)),
        a: facts(a),
        b: facts(b),
        environment: None,
        workloads: workloads(plan, &a_groups, &b_groups),
        commands: Vec::new(),
        boots: Vec::new(),
        busy_seconds: 0.0,
        notes: Vec::new(),
    };
    let spans = record.workloads.iter().map(|workload| &workload.workload);
    record.notes.extend(spans_differ(&record.a, &record.b, spans));
    record.notes.extend(record.workloads.iter().filter_map(bands::of_workload).collect::<Vec<_>>());
    // Where nothing is common the first of each stand beside each other, with what differs.
    let told = usize::from(!a_groups.iter().any(|a| b_groups.iter().any(|b| is_same(b, a[0]))));
    record.notes.extend(left_over(&a_groups[told..], &b_groups, 'A'));
    record.notes.extend(left_over(&b_groups[told..], &a_groups, 'B'));
    Ok(record)
}

fn refuse(a: &StoredSide, b: &StoredSide) -> Result<(), PlanError> {
    let refused = |place: &str, kind, cause: String| Err(PlanError::new(kind, place, cause));
    if a.id == b.id {
        let cause = format!("both sides are {} {}: name another", a.kind, a.id);
        return refused("B", PlanErrorKind::Contradiction, cause);
    }
    if let Some(run) = a.runs.iter().find(|run| b.runs.iter().any(|other| other.id == run.id)) {
        let cause = format!("both sides hold run {}: name sides that share none", run.id);
        return refused("B", PlanErrorKind::Contradiction, cause);
    }
    if a.kind != b.kind {
        let cause = format!(
            "A is of kind {}, B of kind {}, which measure in different ways: name two of one kind",
            a.kind, b.kind
        );
        return refused("B", PlanErrorKind::Contradiction, cause);
    }
    for (place, side) in [("A", a), ("B", b)] {
        if !side.runs.iter().any(|run| run.ending == RunEnding::Complete) {
            let cause = format!("{} {} has no run that came to its end", side.kind, side.id);
            return refused(place, PlanErrorKind::Value, cause);
        }
    }
    Ok(())
}

fn facts(side: &StoredSide) -> SideFacts {
    let run = side.runs.first();
    SideFacts {
        name: run.map_or_else(|| side.id.clone(), |run| format!("{} ({})", side.id, run.target.name)),
        target: run.map(|run| run.target.clone()),
        engine: run.map(|run| run.engine.name.clone()),
    }
}

/// Runs of the same workload together, in the order in which each was first run.
fn groups(runs: &[RunRecord]) -> Vec<Vec<&RunRecord>> {
    let mut groups: Vec<Vec<&RunRecord>> = Vec::new();
    for run in runs.iter().filter(|run| run.ending == RunEnding::Complete) {
        match groups.iter_mut().find(|group| is_same(group, run)) {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    groups
}

fn is_same(group: &[&RunRecord], run: &RunRecord) -> bool {
    group.first().is_some_and(|first| workloads_comparable(&first.workload, &run.workload, &[]).is_ok())
}

/// Workloads of one side that the other did not run.
fn left_over(own: &[Vec<&RunRecord>], other: &[Vec<&RunRecord>], name: char) -> Option<String> {
    let lone = own.iter().filter(|group| !other.iter().any(|other| is_same(other, group[0])));
    let titles: Vec<String> = lone.map(|group| title_of(&group[0].workload)).collect();
    (!titles.is_empty()).then(|| {
        format!(
            "Only {name} ran {}, left out here: {}.",
            fathom_measure::counted(titles.len() as u64, "further workload"),
            titles.join("; ")
        )
    })
}

fn workloads(plan: &ComparePlan, a: &[Vec<&RunRecord>], b: &[Vec<&RunRecord>]) -> Vec<ComparedWorkload> {
    let common: Vec<(&[&RunRecord], &[&RunRecord])> = a
        .iter()
        .filter_map(|a| Some((a.as_slice(), b.iter().find(|b| is_same(b, a[0]))?.as_slice())))
        .collect();
    let rules = rules(plan, common.len());
    if common.is_empty() {
        // Each side has at least one run, so what differs can be told.
        return a.iter().zip(b).take(1).map(|(a, b)| compared(a, b, &rules)).collect();
    }
    common.into_iter().map(|(a, b)| compared(a, b, &rules)).collect()
}

/// The workload in words, or those of both sides where they differ.
fn both_titles(a: &Workload, b: &Workload) -> String {
    let (a, b) = (title_of(a), title_of(b));
    if a == b { a } else { format!("{a} against {b}") }
}

fn compared(a: &[&RunRecord], b: &[&RunRecord], rules: &Rules) -> ComparedWorkload {
    let workload = a[0].workload.clone();
    let figures = MetricFigures::of_runs(&workload, a.iter().chain(b).copied());
    let in_flight = |runs: &[&RunRecord]| {
        let all: Vec<f64> = runs.iter().filter_map(|run| run.summary.in_flight()).collect();
        student::mean(&all).unwrap_or(f64::NAN)
    };
    let differ = workloads_comparable(&a[0].workload, &b[0].workload, &[]).err();
    let latencies = latencies_comparable(
        Conditions { workload: &a[0].workload, in_flight: in_flight(a) },
        Conditions { workload: &b[0].workload, in_flight: in_flight(b) },
    );
    let latencies = differ.clone().or(latencies.err());
    let result = |runs: &[&RunRecord]| result_of(&runs.iter().map(|run| (*run).clone()).collect::<Vec<_>>());
    ComparedWorkload {
        name: String::new(),
        title: both_titles(&workload, &b[0].workload),
        a: result(a),
        b: result(b),
        metrics: metrics(&figures, (a, b), rules, (differ, latencies.as_ref())),
        pairs: Vec::new(),
        shift: None,
        latencies,
        control: None,
        order: None,
        ended: Some(ComparisonEnding::NotInterleaved),
        workload,
    }
}

fn metrics(
    figures: &MetricFigures,
    (a, b): (&[&RunRecord], &[&RunRecord]),
    rules: &Rules,
    (differ, latencies): (Option<UndecidedReason>, Option<&UndecidedReason>),
) -> Vec<ComparedMetric> {
    let values = |runs: &[&RunRecord]| runs.iter().map(|run| figures.values(run)).collect::<Vec<_>>();
    let (a, b) = (values(a), values(b));
    let all = figures.metrics();
    let secondary = (all.len().max(2) - 1) as f64;
    let of = |values: &[RunValues], at: usize| -> Vec<f64> {
        values.iter().filter_map(|values| values.metrics[at]).collect()
    };
    all.iter()
        .enumerate()
        .map(|(at, metric)| {
            let (a, b) = (of(&a, at), of(&b, at));
            let reason = differ.as_ref().or(latencies.filter(|_| figures.is_latency(at)));
            let alpha = if metric.primary { rules.alpha } else { rules.alpha / secondary };
            let comparison = match reason {
                Some(reason) => without_number(metric, reason.clone()),
                None => unpaired(
                    metric,
                    Runs { values: &a, unit: &metric.unit },
                    Runs { values: &b, unit: &metric.unit },
                    &Rules { alpha, ..*rules },
                    None,
                ),
            };
            let mean = |values: Vec<f64>| geometric_mean(values.into_iter());
            (at, ComparedMetric { comparison, a: mean(a), b: mean(b) })
        })
        .filter(|(at, metric)| !figures.is_optional(*at) || metric.a.is_some() || metric.b.is_some())
        .map(|(_, metric)| metric)
        .collect()
}

/// The entry of a metric that is not comparable.
fn without_number(metric: &Metric, reason: UndecidedReason) -> MetricComparison {
    let alone = Metric { primary: true, ..metric.clone() };
    let mut comparison =
        Comparison::new(vec![alone], Rules::default(), 0).expect("the default rules make sense");
    comparison.exclude(0, reason);
    let mut entry = comparison.results().remove(0);
    entry.primary = metric.primary;
    entry
}
