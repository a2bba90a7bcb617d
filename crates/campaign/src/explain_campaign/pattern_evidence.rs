//! One pattern's runs and answers, put before the evidence table.

use fathom_attribute::{
    Conclusion, ExperimentAnswer, ExperimentConditions, ExperimentResources, MeasuredPattern, attribute,
};
use fathom_record::campaign::{CauseProbability, ExplainedPattern, Symptom};
use fathom_record::environment_facts::Environment;
use fathom_record::facts::{DeviceFacts, EngineFeature, TargetFacts, TargetKind};
use fathom_record::options::{Durability, IoFlags};
use fathom_record::{KnownCeiling, RunRecord, Verdict, Workload};
use fathom_tools::result_audit::{Weight, audit_run};

use crate::ceilings;
use crate::cells::Cells;
use fathom_plan::title_of;

/// Share of the highest rate that is as good as it.
const NEAR_PEAK: f64 = 0.98;

/// What is known of a pattern beside its runs.
pub struct PatternContext<'a> {
    /// Limits that were given or found.
    pub ceilings: &'a [KnownCeiling],
    /// What experiments answered.
    pub answers: &'a [ExperimentAnswer],
    /// What else can be done.
    pub means: &'a ExperimentResources,
    /// How the rate changed in runs that are not among the cells any more.
    pub rate_change: Option<f64>,
    /// Writes the command line that runs a workload in this way.
    pub command: &'a dyn Fn(&Workload, &ExperimentConditions) -> String,
}

/// A pattern with what was concluded of it.
pub struct PatternConclusion {
    /// Its cells.
    pub cells: Cells,
    /// Index of the cell that is explained.
    pub focus: usize,
    /// What was concluded.
    pub conclusion: Conclusion,
    title: String,
    target: TargetFacts,
}

impl PatternConclusion {
    /// For the record, with the experiments still to be filled in.
    pub fn into_record(self, passive: Option<Verdict>) -> ExplainedPattern {
        let symptom = |seen: fathom_attribute::symptoms::Symptom| Symptom {
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
/// `focus` is the cell that is explained; absent: the one with the fewest I/Os in flight of those whose rate is
/// within 2 % of the highest.
pub fn explain(
    runs: &[RunRecord],
    focus: Option<(u32, u32)>,
    known: &PatternContext<'_>,
) -> Option<PatternConclusion> {
    let first = runs.first()?;
    let mut cells = Cells::of(runs, None);
    let place = |wanted: (u32, u32)| cells.results.iter().position(|cell| (cell.jobs, cell.depth) == wanted);
    let peak = || {
        let highest = cells.results.iter().map(|cell| cell.operations_per_s).fold(0.0, f64::max);
        let near = |index: &usize| cells.results[*index].operations_per_s >= highest * NEAR_PEAK;
        let in_flight = |index: &usize| cells.results[*index].in_flight_mean;
        (0..cells.results.len()).filter(near).min_by(|a, b| in_flight(a).total_cmp(&in_flight(b)))
    };
    let focus = focus.and_then(place).or_else(peak)?;
    contradictions(&mut cells, runs);
    if let (Some(seen), Some(change)) = (cells.telemetry.get_mut(focus), known.rate_change) {
        let away = |change: f64| change.ln().abs();
        if seen.rate_change.is_none_or(|own| away(change) > away(own)) {
            seen.rate_change = Some(change);
        }
    }
    let cell = &cells.results[focus];
    let workload = Workload { jobs: cell.jobs, depth: cell.depth, ..first.workload.clone() };
    let (target, title) = (first.target.clone(), title_of(&workload));
    let conclusion = attribute(&MeasuredPattern {
        title: &title,
        target: &target,
        engine: &first.engine.name,
        workload: &workload,
        cells: &cells.results,
        telemetry: &cells.telemetry,
        focus: Some(focus),
        known: &ceilings::of_runs(known.ceilings, runs),
        answers: known.answers,
        memory_bytes: Some(first.environment.memory_bytes).filter(|bytes| *bytes > 0),
        queue_tags: queue_tags(&target, &first.environment, first.engine.is_polled()),
        is_drive: is_drive(&target, &first.environment),
        durable: is_durable(&first.engine.features),
        means: known.means,
        command: known.command,
    });
    Some(PatternConclusion { cells, focus, conclusion, title, target })
}

/// Simulated devices that are drives by their name.
const DRIVES: [&str; 5] = ["nvme", "qlc", "slc", "sata", "hdd"];
/// How the cloud's own disks begin their model: they may be limited, local ones too.
const CLOUD_MODELS: [&str; 1] = ["Amazon"];

/// Whether a target is known to be a drive of the machine's own: by its name where it is simulated, else by a link of
/// its own on a machine that nobody virtualises.
pub fn is_drive(target: &TargetFacts, environment: &Environment) -> bool {
    if let Some(simulated) = &target.simulated {
        return simulated
            .get("name")
            .and_then(|name| name.as_str())
            .is_some_and(|name| DRIVES.contains(&name));
    }
    let is_bare = environment.virtualization.is_none() && environment.instance.is_none();
    let cloud = |device: &DeviceFacts| {
        let model = device.model.as_deref().unwrap_or_default();
        CLOUD_MODELS.iter().any(|cloud| model.starts_with(cloud))
    };
    is_bare && !target.devices.iter().any(cloud) && ceilings::has_link(target, environment)
}

/// Whether each write of a run waits until it is durable, by how its target was opened or by flags of its I/Os.
pub fn is_durable(features: &[EngineFeature]) -> bool {
    let flags = IoFlags::of_features(features);
    Durability::of_features(features).is_some() || flags.dsync || flags.sync
}

/// Puts what a run's own figures contradict beside the self-checks of its cell: records may come from anywhere.
fn contradictions(cells: &mut Cells, runs: &[RunRecord]) {
    for cell in &mut cells.results {
        for run in runs.iter().filter(|run| cell.runs.contains(&run.id)) {
            let found = audit_run(run).into_iter().filter(|finding| finding.weight == Weight::Contradiction);
            for finding in found {
                let text = format!("The record contradicts itself, {}: {}.", finding.subject, finding.text);
                if !cell.failed_checks.contains(&text) {
                    cell.failed_checks.push(text);
                }
            }
        }
    }
}

/// I/Os that the device itself holds at once, where it says so: tags of all its hardware queues for I/O that is polled
/// or that is not, or those that a simulated device was given.
pub fn queue_tags(target: &TargetFacts, environment: &Environment, is_polled: bool) -> Option<f64> {
    if target.kind == TargetKind::Simulated {
        return target.simulated.as_ref()?.get("tags")?.as_f64();
    }
    let has_polled_queues = target.devices.iter().any(|device| device.polled_queues.is_some());
    if let Some(tags) = environment.queue_tags.filter(|_| !(is_polled && has_polled_queues)) {
        return Some(tags as f64);
    }
    let mut disks = target.devices.iter().filter(|device| device.layer == "disk");
    // Of several disks nobody knows how many get which I/O.
    let (Some(disk), None) = (disks.next(), disks.next()) else { return None };
    Some(disk.queue_requests? as f64 * disk.queues_of(is_polled)? as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(name: &str, polled_queues: Option<u64>) -> DeviceFacts {
        DeviceFacts {
            name: name.to_owned(),
            layer: "disk".to_owned(),
            queue_requests: Some(64),
            hardware_queues: Some(4),
            polled_queues,
            ..DeviceFacts::default()
        }
    }

    #[test]
    fn tags_are_those_of_the_queues_that_a_run_s_io_takes() {
        let json = include_bytes!("../../../../fuzz/seeds/record/run.json");
        let record = fathom_record::parse_run(json).expect("a record");
        let of = |devices: &[DeviceFacts], told: Option<u64>, is_polled| {
            let target = TargetFacts { devices: devices.to_vec(), ..record.target.clone() };
            let environment = Environment { queue_tags: told, ..record.environment.clone() };
            queue_tags(&target, &environment, is_polled)
        };
        let (plain, split) = (disk("a", None), disk("b", Some(1)));
        assert_eq!(of(std::slice::from_ref(&split), Some(192), false), Some(192.0));
        assert_eq!(of(std::slice::from_ref(&split), Some(192), true), Some(64.0), "of one queue");
        assert_eq!(of(std::slice::from_ref(&plain), Some(200), true), Some(200.0), "each takes all I/O");
        assert_eq!(of(std::slice::from_ref(&split), None, false), Some(192.0));
        assert_eq!(
            of(&[plain.clone(), split], Some(448), true),
            None,
            "nobody knows which disk has how many"
        );
        assert_eq!(of(&[plain.clone(), plain], None, false), None);
    }
}
