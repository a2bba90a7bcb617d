//! Explains finished runs: those that differ in jobs and depth alone are one pattern's cells, and patterns that
//! differ in one more property answer each other's experiments.

use std::collections::BTreeMap;

use fathom_attribute::{ExperimentAnswer, ExperimentConditions, ExperimentResources};
use fathom_record::campaign::{ExplainPlan, ExplainRecord, ExplainedPattern};
use fathom_record::run_record::RunEnding;
use fathom_record::{CampaignRecord, KnownCeiling, RunRecord, Workload};

use super::experiment_run::plan_of_trial;
use super::pattern_evidence::{PatternContext, explain};
use super::siblings::{self, Peak, pattern_of};
use crate::record_ids;
use crate::single_run::this_tool;
use fathom_plan::{RunOptions, RunPlan, plan_of_record, to_command_line};

/// Explains runs with the limits that are known; the record is not saved, because it can be made again.
pub fn explain_finished(subject: &str, runs: &[RunRecord], ceilings: &[KnownCeiling]) -> ExplainRecord {
    let usable: Vec<&RunRecord> = runs.iter().filter(|run| run.ending == RunEnding::Complete).collect();
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
    let now = record_ids::now();
    ExplainRecord {
        format: CampaignRecord::FORMAT.to_owned(),
        version: CampaignRecord::VERSION,
        id: record_ids::new_id("x"),
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

fn one(
    group: &[RunRecord],
    answers: &[ExperimentAnswer],
    ceilings: &[KnownCeiling],
) -> Option<ExplainedPattern> {
    let first = group.first()?;
    let plan = plan_of(first);
    let command = |workload: &Workload, way: &ExperimentConditions| {
        to_command_line(&plan_of_trial(&plan, workload, way))
    };
    let known = PatternContext {
        ceilings,
        answers,
        means: &ExperimentResources::default(),
        rate_change: None,
        command: &command,
    };
    Some(explain(group, None, &known)?.into_record(None))
}

/// The plan of a run, for the command lines of experiments. What another tool called its engine and its job is
/// nothing that can be typed, nor are the processors that nobody wrote down.
fn plan_of(run: &RunRecord) -> RunPlan {
    let plan = plan_of_record(run);
    if run.origin.is_none() {
        return plan;
    }
    let is_place = |name: &String| name.starts_with('/') || name.starts_with('\\');
    let targets =
        plan.targets.iter().map(|name| if is_place(name) { name.clone() } else { "TARGET".to_owned() });
    let options = RunOptions { cpus: None, ..plan.options };
    RunPlan { targets: targets.collect(), engine: None, options, ..plan }
}

/// Runs by target, engine and pattern, in the order in which patterns first appear.
fn grouped(runs: &[&RunRecord]) -> Vec<Vec<RunRecord>> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<RunRecord>> = Vec::new();
    for run in runs {
        let decorated = run.target.decorated.as_ref().map(|decorated| decorated.words());
        let key = fathom_json::text(&(
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
fn answers(groups: &[Vec<RunRecord>], at: usize) -> Vec<ExperimentAnswer> {
    let place = |group: &[RunRecord]| {
        let first = group.first()?;
        Some((first.target.name.clone(), first.engine.name.clone()))
    };
    let own = place(&groups[at]);
    let is_here = |group: &[RunRecord]| place(group) == own;
    let peaks: Vec<Option<Peak<'_>>> =
        groups.iter().map(|group| Peak::of(group).filter(|_| is_here(group))).collect();
    siblings::answers(&peaks, at)
}
