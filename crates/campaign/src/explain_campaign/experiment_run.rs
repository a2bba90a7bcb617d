//! Makes one experiment: opens what it needs, rests or trims before it, and turns its run into an answer.
use std::time::Duration;

use fathom_attribute::evidence::Feature;
use fathom_attribute::{
    ExperimentAnswer, ExperimentConditions, ExperimentTrial, TargetHandling, TrialPreparation,
};
use fathom_measure::Clock;
use fathom_record::error::in_one_line;
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::options::Durability;
use fathom_record::workload::{Arrival, Length, Mix};
use fathom_record::{RunRecord, Workload};
use fathom_stats::coefficient_of_variation;

use super::ExplainState;
use crate::cells::{rate_change, rates_by_second};
use crate::error::CampaignError;
use crate::progress::Progress;
use crate::single_run::Session;
use fathom_plan::RunPlan;

/// Least standard error of a ratio of two runs: what runs differ by however even their seconds are.
const LEAST_ERROR: f64 = 0.005;
/// How often a rest looks whether it is to end.
const NAP: Duration = Duration::from_millis(100);

/// What came of an experiment.
pub enum TrialOutcome {
    /// Its run.
    Run(Box<RunRecord>),
    /// It could not be made, for this reason.
    Failed(String),
    /// It was stopped.
    Stopped,
}

/// Makes an experiment.
pub fn make(
    state: &mut ExplainState<'_>,
    step: &str,
    experiment: Feature,
    trial: &ExperimentTrial,
    progress: &mut dyn Progress,
) -> Result<TrialOutcome, CampaignError> {
    let base = state.base;
    if trial.way == ExperimentConditions::default() && trial.workload.span_bytes == base.workload.span_bytes {
        let session = state.session;
        return in_session(state, (step, experiment), trial, session, progress);
    }
    let plan = plan_of_trial(base, &trial.workload, &trial.way);
    let (devices, stop) = (state.runner.devices(), state.runner.stop());
    match Session::open_for_all(&[&plan], base.workload.seed, devices, progress, stop) {
        Ok(mut session) => {
            session.keep_state();
            state.runner.remember(&session)?;
            in_session(state, (step, experiment), trial, &session, progress)
        }
        Err(error) => Ok(TrialOutcome::Failed(in_one_line(&error.to_string()))),
    }
}

/// The plan of an experiment that starts from another.
pub fn plan_of_trial(base: &RunPlan, workload: &Workload, way: &ExperimentConditions) -> RunPlan {
    let mut options = base.options.clone();
    match &way.manner {
        TargetHandling::Same => {}
        TargetHandling::Durable => options.durable = Some(Durability::Data),
        TargetHandling::NotDurable => {
            options.durable = None;
            (options.io_flags.dsync, options.io_flags.sync) = (false, false);
        }
        TargetHandling::OnProcessors(cpus) => options.cpus = Some(cpus.clone()),
    }
    let targets = way.place.targets(&base.targets);
    RunPlan { targets, workload: workload.clone(), options, ..base.clone() }
}

fn in_session(
    state: &mut ExplainState<'_>,
    (step, experiment): (&str, Feature),
    trial: &ExperimentTrial,
    session: &Session,
    progress: &mut dyn Progress,
) -> Result<TrialOutcome, CampaignError> {
    let before = match &trial.before {
        TrialPreparation::Nothing => true,
        TrialPreparation::Trim(trim) => {
            match state.step(&format!("{step}-trim"), "trim the span", trim, session, progress) {
                Ok(run) => run.is_some(),
                Err(error) => return failed(error),
            }
        }
        TrialPreparation::Rest(minutes) => rest(state, step, (trial, *minutes), session, progress)?,
    };
    if !before {
        return Ok(TrialOutcome::Stopped);
    }
    match state.step(step, purpose(experiment), &trial.workload, session, progress) {
        Ok(Some(run)) => Ok(TrialOutcome::Run(Box::new(run))),
        Ok(None) => Ok(TrialOutcome::Stopped),
        Err(error) => failed(error),
    }
}

/// A run that its target does not take is told, and the explanation goes on; a store that fails ends it.
fn failed(error: CampaignError) -> Result<TrialOutcome, CampaignError> {
    match error {
        CampaignError::Store(error) => Err(error.into()),
        error => Ok(TrialOutcome::Failed(in_one_line(&error.to_string()))),
    }
}

/// Lets the target rest; whether it was not stopped. On a simulated device time passes by one read a second.
fn rest(
    state: &mut ExplainState<'_>,
    step: &str,
    (trial, minutes): (&ExperimentTrial, f64),
    session: &Session,
    progress: &mut dyn Progress,
) -> Result<bool, CampaignError> {
    let rest_ns = (minutes * 60e9) as u64;
    if session.is_simulated_time() {
        let idle = Workload {
            mix: Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 },
            arrival: Arrival::Constant { rate_per_s: 1.0 },
            jobs: 1,
            depth: 1,
            length: Length { time_ns: Some(rest_ns), operations: None, bytes: None, warmup_ns: 0 },
            ..trial.workload.clone()
        };
        return Ok(state.step(&format!("{step}-rest"), "a rest", &idle, session, progress)?.is_some());
    }
    progress.note(&format!(
        "Resting for {} so that credits may come back.",
        fathom_measure::Nanos(rest_ns).coarse()
    ));
    state.spent_ns += rest_ns;
    let until_ns = session.clock().now_ns() + rest_ns;
    while session.clock().now_ns() < until_ns {
        if state.runner.is_stopped() {
            return Ok(false);
        }
        std::thread::sleep(NAP);
    }
    Ok(true)
}

fn purpose(experiment: Feature) -> &'static str {
    match experiment {
        Feature::DoubleDepth => "twice the depth",
        Feature::DoubleJobs => "twice the jobs at half the depth",
        Feature::ManyJobs => "many times the jobs with as many in flight",
        Feature::HalfBlock => "half the block size",
        Feature::DoubleBlock => "twice the block size",
        Feature::FarBlock => "a block of another order of size",
        Feature::Sequential => "sequential addresses",
        Feature::Reads => "reads in place of writes",
        Feature::Repeat => "the same again",
        Feature::LargerSpan => "eight times the span",
        Feature::RawDevice => "the device below the file system",
        Feature::SecondTarget => "a second target alongside",
        Feature::Idle => "the same after a rest",
        Feature::Purge => "the same after trimming",
        Feature::OtherFile => "a second file on the same path",
        Feature::Unflushed => "the same without waiting for stable storage",
        Feature::Durable => "each write made durable",
        Feature::OneConnection => "one connection more",
        Feature::OtherNode => "CPUs of another NUMA node",
        _ => "an experiment",
    }
}

/// Ratio of a run's end to its beginning from which on its seconds are of two levels.
const ONE_LEVEL: std::ops::RangeInclusive<f64> = 0.86..=1.16;

/// Variation from one second to the next up to which seconds of two levels are even on each.
const EVEN: f64 = 0.02;

/// Relative standard error of a run's mean rate. Of seconds that are even on two levels, as after a rest, the mean is as exact as
/// their changes from one to the next.
fn error_of(run: &RunRecord) -> f64 {
    let seconds = rates_by_second(run);
    let is_of_two = rate_change(&[run]).is_some_and(|change| !ONE_LEVEL.contains(&change));
    let even = from_one_to_the_next(&seconds).filter(|variation| is_of_two && *variation <= EVEN);
    let variation = even.or_else(|| coefficient_of_variation(&seconds)).unwrap_or(0.0);
    variation / (seconds.len().max(1) as f64).sqrt()
}

/// Coefficient of variation by the median change from one second to the next, which a few changes of level do not move.
fn from_one_to_the_next(seconds: &[f64]) -> Option<f64> {
    /// Median of the difference of two normal figures, in deviations of one.
    const MEDIAN_CHANGE: f64 = 0.954;
    let mut changes: Vec<f64> = seconds.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    changes.sort_by(f64::total_cmp);
    let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
    let median = *changes.get(changes.len() / 2)?;
    (mean > 0.0).then(|| median / MEDIAN_CHANGE / mean)
}

/// Ratio of the two last parts of a run that settled.
const SETTLED: std::ops::RangeInclusive<f64> = 0.97..=1.03;

/// Rate at which a run settled that began faster, in operations per second: what was in store for it before, as room in a cache
/// that an experiment of reads let drain, is no answer. `None` where it kept its rate, and where it was still falling.
fn settled(run: &RunRecord) -> Option<f64> {
    let change = rate_change(&[run]).filter(|change| *change < *ONE_LEVEL.start())?;
    let seconds = rates_by_second(run);
    let part = seconds.len() / 4;
    let mean = |seconds: &[f64]| seconds.iter().sum::<f64>() / seconds.len().max(1) as f64;
    let from = seconds.len().checked_sub(2 * part).filter(|_| part > 0 && change > 0.0)?;
    let (before, last) = seconds.get(from..)?.split_at_checked(part)?;
    SETTLED.contains(&(mean(last) / mean(before))).then(|| mean(last))
}

/// Experiments whose very start is what they ask for.
const OF_THE_START: [Feature; 3] = [Feature::Repeat, Feature::Idle, Feature::Purge];

/// The answer that a run gives, against the baseline.
pub fn answer(experiment: Feature, run: &RunRecord, before: Option<&RunRecord>) -> ExperimentAnswer {
    let error_share = error_of(run).hypot(before.map_or(0.0, error_of)).max(LEAST_ERROR);
    let settled = settled(run).filter(|_| !OF_THE_START.contains(&experiment));
    ExperimentAnswer {
        experiment,
        operations_per_s: settled.unwrap_or_else(|| run.summary.operations_per_s()),
        before_per_s: before.map_or(0.0, |run| run.summary.operations_per_s()),
        error_share,
        inferred: None,
    }
}

/// The one device below a file, which may be read in its stead.
pub fn raw_device(target: &TargetFacts) -> Option<String> {
    if target.kind != TargetKind::File || target.file_system.is_none() {
        return None;
    }
    target.devices.first().map(|device| format!("/dev/{}", device.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_level_is_no_variation_from_one_second_to_the_next() {
        let of = |seconds: &[f64]| from_one_to_the_next(seconds).unwrap();
        let stepped = [2001.0, 1999.0, 2000.0, 1000.0, 1001.0, 999.0, 1000.0];
        assert!(of(&stepped) < 0.002, "{}", of(&stepped));
        assert!(coefficient_of_variation(&stepped).unwrap() > 0.3);
        let uneven = [1000.0, 1400.0, 900.0, 1300.0, 800.0, 1500.0];
        assert!(of(&uneven) > EVEN);
        assert_eq!(from_one_to_the_next(&[5.0]), None);
    }
}
