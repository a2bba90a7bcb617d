//! `explain`: what limits a workload. A baseline and a lone I/O are measured; then, one at a time, the experiment
//! is made that is expected to tell most for its time, until one cause is probable enough, none is left that
//! tells anything, or the budget is spent. Every run is saved as it ends.

mod experiment_run;
pub mod explain_plan;
mod finished_runs;
mod pattern_evidence;
mod second_target;
mod siblings;

use std::sync::atomic::AtomicBool;

use fathom_attribute::evidence::Feature;
use fathom_attribute::{ExperimentAnswer, ExperimentConditions, ExperimentResources};
use fathom_record::campaign::{ExperimentResult, ExplainPlan, ExplainRecord};
use fathom_record::{CampaignRecord, RunRecord, Verdict, Workload};
use fathom_store::Store;

use crate::cells::{rate_change, rates_by_second};
use crate::error::CampaignError;
use crate::progress::{Progress, StepNotice};
use crate::record_ids;
use crate::resumable_campaign::{ResumablePlan, Runner, base_targets};
use crate::single_run::{Session, this_tool};
use experiment_run::TrialOutcome;
use explain_plan::ExplainOptions;
use fathom_plan::{RunPlan, explain_command_line, title_of, to_command_line};
use pattern_evidence::{PatternConclusion, PatternContext, explain as put_before_the_table};

pub use finished_runs::explain_finished;
pub(crate) use pattern_evidence::{is_drive, queue_tags};
pub use second_target::other_target;
pub(crate) use siblings::{Peak, answers as answers_of_siblings};

/// Two runs of the baseline that differ by less than this share are taken as one level.
const SAME: f64 = 0.05;

/// The baseline again, as often as it spends what was earned before it.
const AGAIN: [&str; 4] = ["again", "again-2", "again-3", "again-4"];
/// Most runs that spend what one experiment left.
const MOST_SPENT: u32 = 4;
/// What a run does above the rate before it over what a lone I/O between them left undone, where that may have been earned and
/// lasts for longer than the run: something else stops it.
const EARNED: std::ops::RangeInclusive<f64> = 0.05..=0.95;

impl ResumablePlan for ExplainPlan {
    const NOUN: &'static str = "explanation";
    const LETTER: &'static str = "x";

    fn without_seed(&self) -> Self {
        Self { seed: 0, ..self.clone() }
    }

    fn targets(&self) -> Vec<String> {
        base_targets(&self.base)
    }
}

/// An explanation's result.
#[derive(Debug)]
pub struct Explanation {
    /// What was found.
    pub record: ExplainRecord,
    /// Every run it rests on.
    pub runs: Vec<RunRecord>,
    /// Whether it was stopped before its end; the same command continues it.
    pub interrupted: bool,
}

/// Explains a workload by experiments, or continues where an earlier explanation was cut off.
///
/// # Errors
/// When the target is refused or cannot be opened, or the store cannot keep what was measured.
pub fn explain(
    options: &ExplainOptions,
    store: &Store,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<Explanation, CampaignError> {
    let (mut runner, (base, mut session)) =
        Runner::start((store, stop), (&options.plan, options.anew), progress, |plan, devices, progress| {
            let mut base = options.base.clone();
            base.workload.seed = plan.seed;
            let session = Session::open_for_all(&[&base], plan.seed, devices, progress, stop)?;
            Ok((base, session))
        })?;
    // Credits that one run spends are gone in the next, as on a real volume.
    session.keep_state();
    runner.remember(&session)?;
    if let Some(last) = runner.last_run()? {
        session.restore(&last, stop)?;
    }
    let (second_target, other_file) =
        second_target::parted(session.target(), &base, runner.plan.second_target.as_deref());
    let means = ExperimentResources {
        second_target,
        other_file,
        other_node_cpus: session.other_node(&base.workload),
        raw_device: experiment_run::raw_device(session.target()),
        most_jobs: if session.is_simulated_time() { u32::MAX } else { session.environment().cpus },
        may_purge: runner.plan.may_purge,
        rest_minutes: runner.plan.rest_ns as f64 / 60e9,
        minutes_left: None,
    };
    let mut state = ExplainState {
        base: &base,
        known: &options.known,
        runner,
        session: &session,
        means,
        runs: Vec::new(),
        all_runs: Vec::new(),
        answers: Vec::new(),
        experiments: Vec::new(),
        passive: None,
        rate_change: None,
        spending: None,
        earns: false,
        spent_ns: 0,
    };
    let interrupted = state.run(progress)?;
    let mut record = state.record()?;
    let ExplainState { runner, all_runs: runs, .. } = state;
    record.finished_at = (!interrupted).then(record_ids::now);
    runner.end(&record.clone().into(), interrupted)?;
    Ok(Explanation { record, runs, interrupted })
}

/// An explanation under way.
struct ExplainState<'a> {
    base: &'a RunPlan,
    /// Flags of the limits that were given.
    known: &'a str,
    runner: Runner<'a, ExplainPlan>,
    session: &'a Session,
    means: ExperimentResources,
    /// Cells of the pattern itself.
    runs: Vec<RunRecord>,
    /// Those and the experiments'.
    all_runs: Vec<RunRecord>,
    answers: Vec<ExperimentAnswer>,
    experiments: Vec<ExperimentResult>,
    passive: Option<Verdict>,
    /// How the rate changed in a first baseline that a second one replaced.
    rate_change: Option<f64>,
    /// A second baseline that spends what was earned, until a later one says how it ends.
    spending: Option<RunRecord>,
    /// Whether a lighter load was seen to earn something that the next run spends.
    earns: bool,
    spent_ns: u64,
}

/// Whether a run ended at the mean rate of another.
fn ends_at(run: &RunRecord, other: &RunRecord) -> bool {
    let seconds = rates_by_second(run);
    let part = (seconds.len() / 6).max(1);
    let last = seconds.len().checked_sub(part).and_then(|from| seconds.get(from..)).unwrap_or_default();
    let end = last.iter().sum::<f64>() / last.len().max(1) as f64;
    (1.0 - SAME..=1.0 + SAME).contains(&(end / other.summary.operations_per_s()))
}

impl ExplainState<'_> {
    /// Makes the runs; whether it was stopped before their end.
    fn run(&mut self, progress: &mut dyn Progress) -> Result<bool, CampaignError> {
        let base = self.base.workload.clone();
        let Some(baseline) = self.step("baseline", "the workload itself", &base, self.session, progress)?
        else {
            return Ok(true);
        };
        self.runs.push(baseline);
        if (base.jobs, base.depth) != (1, 1) && !base.arrival.is_open() {
            let alone = Workload { jobs: 1, depth: 1, ..base };
            match self.step("alone", "a lone I/O", &alone, self.session, progress)? {
                Some(run) => self.runs.push(run),
                None => return Ok(true),
            }
        }
        if self.repeat(progress)? {
            return Ok(true);
        }
        self.passive = self.explained().map(|explained| explained.conclusion.verdict);
        self.experiment(progress)
    }

    /// Runs the baseline again; whether it was stopped. What a lone I/O left undone may have been earned, and last for several
    /// runs: as long as it does, it is run once more.
    fn repeat(&mut self, progress: &mut dyn Progress) -> Result<bool, CampaignError> {
        let base = self.base.workload.clone();
        for step in AGAIN {
            let Some(again) = self.step(step, "the same again", &base, self.session, progress)? else {
                return Ok(true);
            };
            if !self.is_spending(&again) {
                self.repeated(again);
                return Ok(false);
            }
            self.spending.get_or_insert(again);
        }
        // It lasts, so that it was not earned.
        if let Some(again) = self.spending.take() {
            self.repeated(again);
        }
        Ok(false)
    }

    /// Whether a second run spends what a lone I/O left undone and has not come to an end of it.
    fn is_spending(&self, again: &RunRecord) -> bool {
        let (Some(first), Some(alone)) = (self.runs.first(), self.runs.get(1)) else { return false };
        let rate = |run: &RunRecord| run.summary.operations_per_s();
        let (above, left_undone) = (rate(again) - rate(first), rate(first) - rate(alone));
        above > SAME * rate(first) && EARNED.contains(&(above / left_undone)) && !ends_at(again, first)
    }

    /// Takes in the baseline's second run. Where it changed, what changed it lasts: experiments are compared with
    /// the second one, and the first says only that there was a change. A second run that began faster and ended at the rate of
    /// the first has spent what the lone I/O between them left undone, and the first one stands.
    fn repeated(&mut self, last: RunRecord) {
        let again = self.spending.take().unwrap_or_else(|| last.clone());
        let answer = experiment_run::answer(Feature::Repeat, &again, self.runs.first());
        let ratio = answer.operations_per_s / answer.before_per_s;
        self.answers.push(answer);
        if (1.0 - SAME..=1.0 + SAME).contains(&ratio) {
            self.runs.push(again);
        } else if ratio > 1.0 && self.runs.first().is_some_and(|first| ends_at(&last, first)) {
            self.rate_change = rate_change(&[&last]);
            self.earns = true;
        } else if let Some(first) = self.runs.first_mut() {
            self.rate_change = rate_change(&[&*first]);
            *first = again;
        }
    }

    /// Runs the baseline until what an experiment left to be earned is spent; whether it was stopped.
    fn spend(
        &mut self,
        step: &str,
        run: &RunRecord,
        progress: &mut dyn Progress,
    ) -> Result<bool, CampaignError> {
        let Some(before) = self.before().cloned() else { return Ok(false) };
        let rate = |run: &RunRecord| run.summary.operations_per_s();
        let is_as_before = |run: &RunRecord| {
            (1.0 - SAME..=1.0 + SAME).contains(&(rate(run) / rate(&before))) || ends_at(run, &before)
        };
        if is_as_before(run) {
            return Ok(false);
        }
        for time in 1..=MOST_SPENT {
            if self.spent_ns >= self.runner.plan.budget_ns {
                break;
            }
            let workload = self.base.workload.clone();
            let step = format!("{step}-spent-{time}");
            let purpose = "the workload itself, until what was earned is spent";
            let Some(run) = self.step(&step, purpose, &workload, self.session, progress)? else {
                return Ok(true);
            };
            if is_as_before(&run) {
                break;
            }
        }
        Ok(false)
    }

    /// The baseline that experiments are compared with.
    fn before(&self) -> Option<&RunRecord> {
        let base = &self.base.workload;
        self.runs.iter().rev().find(|run| (run.workload.jobs, run.workload.depth) == (base.jobs, base.depth))
    }

    /// Makes experiments while they tell something; whether it was stopped.
    fn experiment(&mut self, progress: &mut dyn Progress) -> Result<bool, CampaignError> {
        while self.experiments.len() < self.runner.plan.max_experiments as usize {
            let left_ns = self.runner.plan.budget_ns.saturating_sub(self.spent_ns);
            let Some(explained) = self.explained_within(Some(left_ns as f64 / 60e9)) else {
                return Ok(false);
            };
            let Some((chosen, trial)) = explained.conclusion.next.clone() else { return Ok(false) };
            let step = format!("{:02}-{}", self.experiments.len() + 1, chosen.experiment.name());
            let question = explained.conclusion.verdict.next_experiment.clone();
            let made = experiment_run::make(self, &step, chosen.experiment, &trial, progress)?;
            let before_per_s = self.before().map_or(0.0, |run| run.summary.operations_per_s());
            let mut result = ExperimentResult {
                name: chosen.experiment.name().to_owned(),
                question: question.as_ref().map(|q| q.question.clone()).unwrap_or_default(),
                command: question.map(|q| q.command).unwrap_or_default(),
                run: None,
                operations_per_s: None,
                in_flight_mean: None,
                before_per_s,
                expected_information_nats: chosen.information_nats,
                failed: None,
                after: Vec::new(),
            };
            match made {
                TrialOutcome::Stopped => return Ok(true),
                TrialOutcome::Failed(why) => {
                    result.failed = Some(why);
                    // An experiment that failed is not proposed again: its ratio says nothing, very widely.
                    self.answers.push(ExperimentAnswer {
                        experiment: chosen.experiment,
                        operations_per_s: 0.0,
                        before_per_s,
                        error_share: 0.0,
                        inferred: None,
                    });
                }
                TrialOutcome::Run(run) => {
                    result.run = Some(run.id.clone());
                    let answer = experiment_run::answer(chosen.experiment, &run, self.before());
                    result.operations_per_s = Some(answer.operations_per_s);
                    result.in_flight_mean = run.summary.in_flight();
                    self.earns |= chosen.experiment == Feature::Idle
                        && answer.operations_per_s > (1.0 + SAME) * answer.before_per_s;
                    self.answers.push(answer);
                    if self.earns && self.spend(&step, &run, progress)? {
                        return Ok(true);
                    }
                }
            }
            result.after = self.explained().map(|explained| explained.probabilities()).unwrap_or_default();
            self.experiments.push(result);
        }
        Ok(false)
    }

    /// A run that is a step of this explanation, or that of an earlier process; `None` where it was stopped.
    fn step(
        &mut self,
        step: &str,
        purpose: &str,
        workload: &Workload,
        session: &Session,
        progress: &mut dyn Progress,
    ) -> Result<Option<RunRecord>, CampaignError> {
        if let Some(run) = self.runner.made(step)? {
            return Ok(Some(self.keep(run)));
        }
        if self.runner.is_stopped() {
            return Ok(None);
        }
        let length_ns = workload.length.warmup_ns + workload.length.time_ns.unwrap_or(0);
        progress.step(&self.notice(purpose, workload, length_ns));
        // Each run has its own seed, so that a repeat does not replay the same chance.
        let seed = workload.seed.wrapping_add(self.all_runs.len() as u64);
        let workload = Workload { seed, ..workload.clone() };
        let run = self.runner.step(step, (session, &workload), progress)?;
        Ok(run.map(|run| self.keep(run)))
    }

    /// Counts a run and the time that it took.
    fn keep(&mut self, run: RunRecord) -> RunRecord {
        self.spent_ns += run.workload.length.warmup_ns + run.summary.duration_ns;
        self.all_runs.push(run.clone());
        run
    }

    fn notice(&self, purpose: &str, workload: &Workload, run_ns: u64) -> StepNotice {
        StepNotice {
            title: title_of(workload),
            pattern: (self.experiments.len() + 1, self.runner.plan.max_experiments as usize + 1),
            cell: (workload.jobs, workload.depth),
            purpose: purpose.to_owned(),
            run_ns,
            left_ns: None,
        }
    }

    /// With every experiment that could still be made, whatever time is left.
    fn explained(&self) -> Option<PatternConclusion> {
        self.explained_within(None)
    }

    /// With experiments that fit into the time that is left.
    fn explained_within(&self, minutes_left: Option<f64>) -> Option<PatternConclusion> {
        let base = self.base;
        let command = |workload: &Workload, way: &ExperimentConditions| {
            to_command_line(&experiment_run::plan_of_trial(base, workload, way))
        };
        let means = ExperimentResources { minutes_left, ..self.means.clone() };
        let known = PatternContext {
            ceilings: &self.runner.plan.ceilings,
            answers: &self.answers,
            means: &means,
            rate_change: self.rate_change,
            command: &command,
        };
        put_before_the_table(&self.runs, Some((base.workload.jobs, base.workload.depth)), &known)
    }

    fn record(&self) -> Result<ExplainRecord, CampaignError> {
        let patterns = self.explained().map(|explained| {
            let mut pattern = explained.into_record(self.passive.clone());
            pattern.experiments = self.experiments.clone();
            pattern
        });
        Ok(ExplainRecord {
            format: CampaignRecord::FORMAT.to_owned(),
            version: CampaignRecord::VERSION,
            id: self.runner.id().to_owned(),
            started_at: self.runner.started_at().to_owned(),
            finished_at: None,
            tool: this_tool(),
            environment: Some(self.session.environment().clone()),
            plan: self.runner.plan.clone(),
            command: Some(explain_command_line(&self.runner.plan, self.known)),
            patterns: patterns.into_iter().collect(),
            busy_seconds: self.all_runs.iter().map(|run| run.summary.duration_ns as f64 / 1e9).sum(),
            notes: Vec::new(),
        })
    }
}
