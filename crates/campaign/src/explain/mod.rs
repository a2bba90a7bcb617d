//! `explain`: what limits a workload. A baseline and a lone I/O are measured; then, one at a time, the experiment
//! is made that is expected to tell most for its time, until one cause is probable enough, none is left that
//! tells anything, or the budget is spent. Every run is saved as it ends.

mod passive;
mod pattern;
mod resume;
mod trial;

use std::sync::atomic::{AtomicBool, Ordering};

use fathom_attribute::evidence::Feature;
use fathom_attribute::{Answer, Means};
use fathom_record::campaign::{ExperimentResult, ExplainRecord};
use fathom_record::run::{CampaignLink, Ending};
use fathom_record::verdict::Limit;
use fathom_record::{CampaignRecord, RunRecord, Verdict, Workload};
use fathom_store::{StepState, Store};

use crate::cells::rate_change;
use crate::error::CampaignError;
use crate::identity;
use crate::plan::{ExplainOptions, RunPlan, title_of, to_command_line};
use crate::progress::{Progress, StepNotice};
use crate::run::{Session, this_tool};
use pattern::{Explained, Known, explain as put_before_the_table};
use resume::Started;
use trial::Made;

pub use passive::explain_finished;
pub(crate) use pattern::queue_tags;

/// From this probability on no further experiment is made.
const ANSWERED: f64 = 0.95;

/// Two runs of the baseline that differ by less than this share are taken as one level.
const SAME: f64 = 0.05;

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
    let unfinished = resume::find(store, &options.plan, progress)?;
    let mut session = Session::open_for_all(&[&options.base], options.plan.seed, progress, stop)?;
    // Credits that one run spends are gone in the next, as on a real volume.
    session.keep_state();
    let started = match unfinished {
        Some(started) => started,
        None => resume::begin(store, &options.plan, &options.base.targets.join(" + "))?,
    };
    let means = Means {
        second_target: options.plan.second_target.clone(),
        raw_device: trial::raw_device(session.target()),
        may_purge: options.plan.may_purge,
        rest_minutes: options.plan.rest_ns as f64 / 60e9,
    };
    let mut course = Course {
        options,
        store,
        started: &started,
        session: &session,
        means,
        runs: Vec::new(),
        all_runs: Vec::new(),
        answers: Vec::new(),
        experiments: Vec::new(),
        passive: None,
        rate_change: None,
        spent_ns: 0,
        stop,
    };
    let interrupted = course.run(progress)?;
    let mut record = course.record()?;
    let runs = course.all_runs;
    if interrupted {
        store.save_campaign_progress(&started.campaign, &record.clone().into())?;
    } else {
        record.finished_at = Some(identity::now());
        store.finish_campaign(started.campaign, &record.clone().into())?;
    }
    Ok(Explanation { record, runs, interrupted })
}

/// An explanation under way.
struct Course<'a> {
    options: &'a ExplainOptions,
    store: &'a Store,
    started: &'a Started,
    session: &'a Session,
    means: Means,
    /// Cells of the pattern itself.
    runs: Vec<RunRecord>,
    /// Those and the experiments'.
    all_runs: Vec<RunRecord>,
    answers: Vec<Answer>,
    experiments: Vec<ExperimentResult>,
    passive: Option<Verdict>,
    /// How the rate changed in a first baseline that a second one replaced.
    rate_change: Option<f64>,
    spent_ns: u64,
    stop: &'a AtomicBool,
}

impl Course<'_> {
    /// Makes the runs; whether it was stopped before their end.
    fn run(&mut self, progress: &mut dyn Progress) -> Result<bool, CampaignError> {
        let base = self.options.base.workload.clone();
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
        let again = self.options.base.workload.clone();
        let Some(again) = self.step("again", "the same again", &again, self.session, progress)? else {
            return Ok(true);
        };
        self.repeated(again);
        self.passive = self.explained().map(|explained| explained.conclusion.verdict);
        self.experiment(progress)
    }

    /// Takes in the baseline's second run. Where it changed, what changed it lasts: experiments are compared with
    /// the second one, and the first says only that there was a change.
    fn repeated(&mut self, again: RunRecord) {
        let answer = trial::answer(Feature::Repeat, &again, self.runs.first());
        let ratio = answer.operations_per_s / answer.before_per_s;
        self.answers.push(answer);
        if (1.0 - SAME..=1.0 + SAME).contains(&ratio) {
            self.runs.push(again);
        } else if let Some(first) = self.runs.first_mut() {
            self.rate_change = rate_change(&[&*first]);
            *first = again;
        }
    }

    /// The baseline that experiments are compared with.
    fn before(&self) -> Option<&RunRecord> {
        let base = &self.options.base.workload;
        self.runs.iter().rev().find(|run| (run.workload.jobs, run.workload.depth) == (base.jobs, base.depth))
    }

    /// Makes experiments while they tell something; whether it was stopped.
    fn experiment(&mut self, progress: &mut dyn Progress) -> Result<bool, CampaignError> {
        while self.experiments.len() < self.options.plan.max_experiments as usize {
            let Some(explained) = self.explained() else { return Ok(false) };
            let best = explained.conclusion.weighed.iter().find(|w| w.limit != Limit::Unknown);
            let Some((chosen, trial)) = explained.conclusion.next.clone() else { return Ok(false) };
            let costs_ns = trial::costs_ns(&trial);
            if best.is_some_and(|w| w.probability >= ANSWERED)
                || self.spent_ns + costs_ns > self.options.plan.budget_ns
            {
                return Ok(false);
            }
            let step = format!("{:02}-{}", self.experiments.len() + 1, chosen.experiment.name());
            let question = explained.conclusion.verdict.next_experiment.clone();
            let made = trial::make(self, &step, chosen.experiment, &trial, progress)?;
            let before_per_s = self.before().map_or(0.0, |run| run.summary.operations_per_s());
            let mut result = ExperimentResult {
                name: chosen.experiment.name().to_owned(),
                question: question.as_ref().map(|q| q.question.clone()).unwrap_or_default(),
                command: question.map(|q| q.command).unwrap_or_default(),
                run: None,
                operations_per_s: None,
                before_per_s,
                expected_information_nats: chosen.information_nats,
                failed: None,
                after: Vec::new(),
            };
            match made {
                Made::Stopped => return Ok(true),
                Made::Failed(why) => {
                    result.failed = Some(why);
                    // An experiment that failed is not proposed again: its ratio says nothing, very widely.
                    self.answers.push(Answer {
                        experiment: chosen.experiment,
                        operations_per_s: 0.0,
                        before_per_s,
                        error_share: 0.0,
                    });
                }
                Made::Run(run) => {
                    result.run = Some(run.id.clone());
                    result.operations_per_s = Some(run.summary.operations_per_s());
                    let answer = trial::answer(chosen.experiment, &run, self.before());
                    self.answers.push(answer);
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
        let length_ns = workload.length.warmup_ns + workload.length.time_ns.unwrap_or(0);
        self.spent_ns += length_ns;
        if let Some(id) = self.started.run_of(step) {
            let run = self.store.run(id)?;
            self.all_runs.push(run.clone());
            return Ok(Some(run));
        }
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        progress.step(&self.notice(purpose, workload, length_ns));
        let campaign = &self.started.campaign;
        self.store.journal(campaign, step, &StepState::Started, &identity::now())?;
        let link = CampaignLink { id: campaign.id().to_owned(), step: step.to_owned() };
        // Each run has its own seed, so that a repeat does not replay the same chance.
        let seed = workload.seed.wrapping_add(self.all_runs.len() as u64);
        let workload = Workload { seed, ..workload.clone() };
        let run = session.run(&workload, Some(link), progress, self.stop)?;
        if run.ending == Ending::Interrupted {
            return Ok(None);
        }
        self.store.put_run_for_step(campaign, step, &run, &identity::now())?;
        self.all_runs.push(run.clone());
        Ok(Some(run))
    }

    fn notice(&self, purpose: &str, workload: &Workload, run_ns: u64) -> StepNotice {
        StepNotice {
            title: title_of(workload),
            pattern: (self.experiments.len() + 1, self.options.plan.max_experiments as usize + 1),
            cell: (workload.jobs, workload.depth),
            purpose: purpose.to_owned(),
            run_ns,
            left_ns: None,
        }
    }

    fn explained(&self) -> Option<Explained> {
        let base = &self.options.base;
        let command =
            |workload: &Workload| to_command_line(&RunPlan { workload: workload.clone(), ..base.clone() });
        let known = Known {
            ceilings: &self.options.plan.ceilings,
            answers: &self.answers,
            means: &self.means,
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
            id: self.started.campaign.id().to_owned(),
            started_at: self.started.campaign.started_at().to_owned(),
            finished_at: None,
            tool: this_tool(),
            environment: Some(self.session.environment().clone()),
            plan: self.started.plan.clone(),
            patterns: patterns.into_iter().collect(),
            busy_seconds: self.all_runs.iter().map(|run| run.summary.duration_ns as f64 / 1e9).sum(),
            notes: Vec::new(),
        })
    }
}
