//! Explains finished runs: those that differ in jobs and depth alone are one pattern's cells, and patterns that
//! differ in one more property answer each other's experiments.

use std::collections::BTreeMap;

use fathom_attribute::evidence::Feature;
use fathom_attribute::{Answer, Means, Way};
use fathom_record::campaign::{ExplainPlan, ExplainRecord, ExplainedPattern};
use fathom_record::run::Ending;
use fathom_record::workload::{Addresses, Length, Sizes};
use fathom_record::{CampaignRecord, KnownCeiling, RunRecord, Workload};

use super::pattern::{Known, explain};
use super::trial::plan_of_trial;
use crate::identity;
use crate::run::this_tool;
use fathom_plan::{RunOptions, RunPlan, to_command_line};

/// Standard error of a ratio of two patterns' rates, where they were not made for one another.
const RATIO_ERROR: f64 = 0.03;

/// Explains runs with the limits that are known; the record is not saved, because it can be made again.
pub fn explain_finished(subject: &str, runs: &[RunRecord], ceilings: &[KnownCeiling]) -> ExplainRecord {
    let usable: Vec<&RunRecord> = runs.iter().filter(|run| run.ending == Ending::Complete).collect();
    let groups = grouped(&usable);
    let patterns = groups
        .iter()
        .enumerate()
        .filter_map(|(at, group)| one(group, &answers(&groups, at), ceilings))
        .collect::<Vec<ExplainedPattern>>();
    let left_out = runs.len() - usable.len();
    let mut notes = Vec::new();
    if left_out > 0 {
        notes.push(format!("{left_out} of {} runs did not come to their end and were left out.", runs.len()));
    }
    let now = identity::now();
    ExplainRecord {
        format: CampaignRecord::FORMAT.to_owned(),
        version: CampaignRecord::VERSION,
        id: identity::new_id("x"),
        started_at: now.clone(),
        finished_at: Some(now),
        tool: this_tool(),
        environment: usable.first().map(|run| run.environment.clone()),
        plan: ExplainPlan {
            base: serde_json::Value::Null,
            subject: Some(subject.to_owned()),
            max_experiments: 0,
            budget_ns: 0,
            second_target: None,
            rest_ns: 0,
            may_purge: false,
            ceilings: ceilings.to_vec(),
            seed: 0,
        },
        command: None,
        patterns,
        busy_seconds: 0.0,
        notes,
    }
}

fn one(group: &[RunRecord], answers: &[Answer], ceilings: &[KnownCeiling]) -> Option<ExplainedPattern> {
    let first = group.first()?;
    let plan = plan_of(first);
    let command = |workload: &Workload, way: &Way| to_command_line(&plan_of_trial(&plan, workload, way));
    let known = Known { ceilings, answers, means: &Means::default(), rate_change: None, command: &command };
    Some(explain(group, None, &known)?.into_record(None))
}

/// The plan of a run, for the command lines of experiments. What another tool called its engine and its job is
/// nothing that can be typed, nor are the processors that nobody wrote down.
fn plan_of(run: &RunRecord) -> RunPlan {
    let plan = RunPlan::replay(run);
    if run.origin.is_none() {
        return plan;
    }
    let is_place = |name: &String| name.starts_with('/') || name.starts_with('\\');
    let targets =
        plan.targets.iter().map(|name| if is_place(name) { name.clone() } else { "TARGET".to_owned() });
    let options = RunOptions { cpus: None, ..plan.options };
    RunPlan { targets: targets.collect(), engine: None, options, ..plan }
}

/// A workload without what varies between cells.
fn pattern_of(workload: &Workload) -> Workload {
    Workload { jobs: 1, depth: 1, seed: 0, length: Length::default(), ..workload.clone() }
}

/// Runs by target, engine and pattern, in the order in which patterns first appear.
fn grouped(runs: &[&RunRecord]) -> Vec<Vec<RunRecord>> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<RunRecord>> = Vec::new();
    for run in runs {
        let decorated = run.target.decorated.as_ref().map(|decorated| decorated.words());
        let key = serde_json::to_string(&(
            &run.target.name,
            &run.engine.name,
            decorated,
            run.target.members.len(),
            pattern_of(&run.workload),
        ))
        .unwrap_or_default();
        let place = *places.entry(key).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push((*run).clone());
    }
    groups
}

/// What other patterns of the same target answer about this one.
fn answers(groups: &[Vec<RunRecord>], at: usize) -> Vec<Answer> {
    let Some(own) = fastest(&groups[at]) else { return Vec::new() };
    let mut found: Vec<Answer> = Vec::new();
    for other in groups.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, group)| group) {
        let Some(best) = fastest(other) else { continue };
        let same_place = best.target.name == own.target.name && best.engine.name == own.engine.name;
        let Some(experiment) = experiment_between(&own.workload, &best.workload).filter(|_| same_place)
        else {
            continue;
        };
        if found.iter().all(|answer| answer.experiment != experiment) {
            found.push(Answer {
                experiment,
                operations_per_s: best.summary.operations_per_s(),
                before_per_s: own.summary.operations_per_s(),
                error_share: RATIO_ERROR,
            });
        }
    }
    found
}

fn fastest(group: &[RunRecord]) -> Option<&RunRecord> {
    group.iter().max_by(|a, b| a.summary.operations_per_s().total_cmp(&b.summary.operations_per_s()))
}

/// The experiment that leads from one workload to another, where they differ in its property alone.
fn experiment_between(from: &Workload, to: &Workload) -> Option<Feature> {
    let block = |workload: &Workload| match (&workload.sizes.read, &workload.sizes.write) {
        (Sizes::Fixed { bytes: read }, Sizes::Fixed { bytes: write }) if read == write => Some(*read),
        _ => None,
    };
    let (a, b) = (pattern_of(from), pattern_of(to));
    let same_but_size = Workload { sizes: a.sizes.clone(), ..b.clone() } == a;
    if let (true, Some(own), Some(other)) = (same_but_size, block(&a), block(&b)) {
        return match (own, other) {
            (own, other) if other * 2 == own => Some(Feature::HalfBlock),
            (own, other) if other == own * 2 => Some(Feature::DoubleBlock),
            _ => None,
        };
    }
    let same_but_order = Workload { addresses: a.addresses.clone(), ..b.clone() } == a;
    let becomes_sequential = a.addresses != Addresses::Sequential && b.addresses == Addresses::Sequential;
    (same_but_order && becomes_sequential).then_some(Feature::Sequential)
}
