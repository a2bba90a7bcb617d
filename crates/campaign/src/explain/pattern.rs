//! One pattern's runs and answers, put before the evidence table.

use fathom_attribute::{Answer, Conclusion, Means, Pattern, Where, attribute};
use fathom_record::campaign::{CauseProbability, ExplainedPattern, Symptom};
use fathom_record::environment::Environment;
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::{KnownCeiling, RunRecord, Verdict, Workload};

use crate::ceilings;
use crate::cells::Cells;
use crate::plan::title_of;

/// What is known of a pattern beside its runs.
pub struct Known<'a> {
    /// Limits that were given or found.
    pub ceilings: &'a [KnownCeiling],
    /// What experiments answered.
    pub answers: &'a [Answer],
    /// What else can be done.
    pub means: &'a Means,
    /// How the rate changed in runs that are not among the cells any more.
    pub rate_change: Option<f64>,
    /// Writes the command line that runs a workload in this way.
    pub command: &'a dyn Fn(&Workload, &Where) -> String,
}

/// A pattern with what was concluded of it.
pub struct Explained {
    /// Its cells.
    pub cells: Cells,
    /// Index of the cell that is explained.
    pub focus: usize,
    /// What was concluded.
    pub conclusion: Conclusion,
    title: String,
    target: TargetFacts,
}

impl Explained {
    /// For the record, with the experiments still to be filled in.
    pub fn into_record(self, passive: Option<Verdict>) -> ExplainedPattern {
        let symptom = |seen: fathom_attribute::symptoms::Seen| Symptom {
            name: seen.figure.feature.name().to_owned(),
            value: seen.figure.value,
            error: seen.figure.error,
            text: seen.text,
        };
        ExplainedPattern {
            title: self.title,
            target: self.target,
            cells: self.cells.results,
            focus: self.focus,
            passive,
            experiments: Vec::new(),
            verdict: self.conclusion.verdict,
            symptoms: self.conclusion.seen.into_iter().map(symptom).collect(),
        }
    }

    /// Every cause with its probability.
    pub fn probabilities(&self) -> Vec<CauseProbability> {
        let listed = self.conclusion.weighed.iter().filter(|w| w.probability >= 0.001);
        listed.map(|w| CauseProbability { limit: w.limit, probability: w.probability }).collect()
    }
}

/// Explains runs of one pattern that differ in jobs and depth alone; `None` where none of them can be used.
///
/// `focus` is the cell that is explained; absent: the one with the highest rate.
pub fn explain(runs: &[RunRecord], focus: Option<(u32, u32)>, known: &Known<'_>) -> Option<Explained> {
    let first = runs.first()?;
    let mut cells = Cells::of(runs, None);
    let place = |wanted: (u32, u32)| cells.results.iter().position(|cell| (cell.jobs, cell.depth) == wanted);
    let fastest = || {
        let rate = |index: &usize| cells.results[*index].operations_per_s;
        (0..cells.results.len()).max_by(|a, b| rate(a).total_cmp(&rate(b)))
    };
    let focus = focus.and_then(place).or_else(fastest)?;
    if let (Some(seen), Some(change)) = (cells.telemetry.get_mut(focus), known.rate_change) {
        let away = |change: f64| change.ln().abs();
        if seen.rate_change.is_none_or(|own| away(change) > away(own)) {
            seen.rate_change = Some(change);
        }
    }
    let (target, title) = (first.target.clone(), title_of(&first.workload));
    let conclusion = attribute(&Pattern {
        title: &title,
        target: &target,
        engine: &first.engine.name,
        workload: &first.workload,
        cells: &cells.results,
        telemetry: &cells.telemetry,
        focus: Some(focus),
        known: &ceilings::of_runs(known.ceilings, runs),
        answers: known.answers,
        memory_bytes: Some(first.environment.memory_bytes).filter(|bytes| *bytes > 0),
        queue_tags: queue_tags(&target, &first.environment),
        means: known.means,
        command: known.command,
    });
    Some(Explained { cells, focus, conclusion, title, target })
}

/// I/Os that the device itself holds at once, where it says so: tags of all its hardware queues, or those that a
/// simulated device was given.
pub fn queue_tags(target: &TargetFacts, environment: &Environment) -> Option<f64> {
    if target.kind == TargetKind::Simulated {
        return target.simulated.as_ref()?.get("tags")?.as_f64();
    }
    if let Some(tags) = environment.queue_tags {
        return Some(tags as f64);
    }
    let disk = target.devices.iter().rev().find(|device| device.layer == "disk")?;
    Some(disk.queue_requests? as f64 * disk.hardware_queues? as f64)
}
