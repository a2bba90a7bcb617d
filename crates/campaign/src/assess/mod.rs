//! `assess`: what a target can do, at which concurrency, what limits it, and how sure that is.
//!
//! For each pattern a search walks the grid of jobs x depth in short runs, the chosen points are
//! repeated with what is left of the pattern's share of the budget, and the result is held against
//! the ceilings that are known. Every run is saved as it ends; the same command continues an
//! unfinished assessment of the same target with the same plan.

mod budget;
mod points;
mod resume;
mod steps;

use std::sync::atomic::{AtomicBool, Ordering};

use fathom_attribute::{Pattern, attribute};
use fathom_engine::{ErrorKind, IoFlags};
use fathom_record::campaign::{AssessPlan, AssessRecord, PatternPlan, PatternResult};
use fathom_record::run::Ending;
use fathom_record::{CampaignRecord, RunRecord, Workload};
use fathom_store::{Campaign, Store};

use crate::cells::Cells;
use crate::error::CampaignError;
use crate::identity;
use crate::plan::{AssessOptions, RunOptions, RunPlan, assess_decorators, to_command_line};
use crate::progress::Progress;
use crate::run::{Session, SessionPlan, this_tool};
use budget::Budget;
use steps::Steps;

/// An assessment's result.
#[derive(Debug)]
pub struct Assessment {
    /// What was concluded.
    pub record: AssessRecord,
    /// Every run it rests on.
    pub runs: Vec<RunRecord>,
    /// Whether it was stopped before its end; the same command continues it.
    pub interrupted: bool,
}

/// Assesses a target within its budget, or continues where an earlier one was cut off.
///
/// # Errors
/// When the target is refused or cannot be opened, or the store cannot keep what was measured.
pub fn assess(
    options: &AssessOptions,
    store: &Store,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<Assessment, CampaignError> {
    let unfinished = resume::find(store, &options.plan, progress)?;
    let plan = unfinished.as_ref().map_or(&options.plan, |started| &started.plan);
    let session = open(plan, options.permit.as_slice(), progress, stop)?;
    // Begun only now: a target that is refused leaves nothing behind.
    let started = match unfinished {
        Some(started) => started,
        None => resume::begin(store, &options.plan)?,
    };
    let budget = Budget::start(&session, started.plan.budget_ns, started.spent_ns());
    let mut work = Work { store, session: &session, campaign: &started.campaign, budget, stop };
    let mut record = work.blank_record(&started.plan);
    let mut runs = Vec::new();
    for (index, pattern) in started.plan.patterns.iter().enumerate() {
        let known = started.runs_of(store, pattern)?;
        let outcome = work.pattern(&started.plan, index, known, progress)?;
        if let Some(note) = points::unmet(&outcome.result, started.plan.slo) {
            record.notes.push(note);
        }
        let (ended, failed) = (outcome.interrupted, outcome.result.incomplete.is_some());
        record.patterns.push(outcome.result);
        runs.extend(outcome.runs);
        record.busy_seconds = runs.iter().map(|run| run.ledger.seconds).sum();
        if ended || (failed && outcome.target_gone) {
            store.save_campaign_progress(&started.campaign, &record.clone().into())?;
            if ended {
                return Ok(Assessment { record, runs, interrupted: true });
            }
            break;
        }
        store.save_campaign_progress(&started.campaign, &record.clone().into())?;
    }
    record.finished_at = Some(identity::now());
    store.finish_campaign(started.campaign, &record.clone().into())?;
    Ok(Assessment { record, runs, interrupted: false })
}

/// Opens the target for everything that the plan's patterns do to it.
fn open(
    plan: &AssessPlan,
    permits: &[String],
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<Session, CampaignError> {
    let any = |test: &dyn Fn(&Workload) -> bool| plan.patterns.iter().any(|pattern| test(&pattern.workload));
    let session = Session::open(
        &SessionPlan {
            targets: std::slice::from_ref(&plan.target),
            engine: plan.engine.as_deref(),
            reads: any(&|workload| workload.mix.read_share > 0.0),
            writes: any(&|workload| workload.mix.changes_data()),
            direct: true,
            stripe_bytes: None,
            size_bytes: plan.size_bytes,
            permits,
            keep: false,
            real_time: false,
            polled: false,
            witness: None,
            durable: None,
            io_flags: IoFlags::default(),
            cpus: None,
            decorators: &assess_decorators(plan)?,
            seed: plan.seed,
        },
        progress,
        stop,
    );
    session.map_err(|error| match error {
        CampaignError::Engine(mut refusal)
            if refusal.kind == ErrorKind::Refused && any(&|workload| workload.mix.changes_data()) =>
        {
            refusal.remedy.push_str("\n  or measure reads only: --patterns randread-4k,randread-64k,read-1m");
            CampaignError::Engine(refusal)
        }
        other => other,
    })
}

/// What came of one pattern.
struct PatternOutcome {
    result: PatternResult,
    runs: Vec<RunRecord>,
    interrupted: bool,
    target_gone: bool,
}

/// The tools of an assessment under way.
struct Work<'a> {
    store: &'a Store,
    session: &'a Session,
    campaign: &'a Campaign,
    budget: Budget,
    stop: &'a AtomicBool,
}

impl Work<'_> {
    fn blank_record(&self, plan: &AssessPlan) -> AssessRecord {
        AssessRecord {
            format: CampaignRecord::FORMAT.to_owned(),
            version: CampaignRecord::VERSION,
            id: self.campaign.id().to_owned(),
            started_at: self.campaign.started_at().to_owned(),
            finished_at: None,
            tool: this_tool(),
            target: self.session.target().clone(),
            environment: self.session.environment().clone(),
            plan: plan.clone(),
            patterns: Vec::new(),
            busy_seconds: 0.0,
            notes: Vec::new(),
        }
    }

    /// Measures one pattern, after the runs of it that are `known` already.
    fn pattern(
        &mut self,
        plan: &AssessPlan,
        index: usize,
        known: Vec<RunRecord>,
        progress: &mut dyn Progress,
    ) -> Result<PatternOutcome, CampaignError> {
        let pattern = &plan.patterns[index];
        let share = self.budget.share(plan.patterns.len() - index, &known);
        let mut steps = Steps::new(pattern, self.session, share, known);
        let (mut interrupted, mut failure) = (false, None);
        while let Some(step) = steps.next(&self.budget) {
            if self.stop.load(Ordering::Relaxed) {
                interrupted = true;
                break;
            }
            progress.step(&steps.notice(&step, (index + 1, plan.patterns.len()), &self.budget));
            let run = self.run_step(&steps, &step, plan.seed, progress)?;
            match &run.ending {
                Ending::Interrupted => interrupted = true,
                Ending::Failed { error } => failure = Some(error.clone()),
                Ending::Complete => {}
            }
            if interrupted {
                break;
            }
            let link = run.campaign.clone().map(|link| link.step).unwrap_or_default();
            self.store.put_run_for_step(self.campaign, &link, &run, &identity::now())?;
            steps.take(run);
            if failure.is_some() {
                break;
            }
        }
        let incomplete = match (&failure, interrupted) {
            (Some(error), _) => Some(format!("the target failed: {error}")),
            (None, true) => Some("stopped before its end".to_owned()),
            (None, false) if steps.is_empty() => Some("no time was left for it in the budget".to_owned()),
            (None, false) => None,
        };
        let runs = steps.into_runs();
        let result = self.conclude(plan, pattern, &runs, incomplete);
        Ok(PatternOutcome { result, runs, interrupted, target_gone: failure.is_some() })
    }

    fn run_step(
        &mut self,
        steps: &Steps<'_>,
        step: &steps::Step,
        seed: u64,
        progress: &mut dyn Progress,
    ) -> Result<RunRecord, CampaignError> {
        let workload = steps.workload(step, seed);
        let link =
            fathom_record::run::CampaignLink { id: self.campaign.id().to_owned(), step: steps.key(step) };
        let started = fathom_store::StepState::Started;
        self.store.journal(self.campaign, &link.step, &started, &identity::now())?;
        let run = self.session.run(&workload, Some(link), progress, self.stop)?;
        self.budget.spend(&run);
        Ok(run)
    }

    /// Cells, operating points and verdict of what was measured.
    fn conclude(
        &self,
        plan: &AssessPlan,
        pattern: &PatternPlan,
        runs: &[RunRecord],
        incomplete: Option<String>,
    ) -> PatternResult {
        let cells = Cells::of(runs, plan.slo);
        let (operating_points, focus) = points::choose(&cells.observed, plan.slo);
        let command = |workload: &Workload| {
            to_command_line(&RunPlan {
                targets: vec![plan.target.clone()],
                engine: plan.engine.clone(),
                workload: workload.clone(),
                options: RunOptions {
                    direct: true,
                    stripe_bytes: None,
                    permits: Vec::new(),
                    real_time: false,
                    polled: false,
                    witness: None,
                    durable: None,
                    io_flags: IoFlags::default(),
                    keep: false,
                    cpus: None,
                    decorators: self.session.decorators().clone(),
                },
            })
        };
        let verdict = (!cells.results.is_empty()).then(|| {
            attribute(&Pattern {
                title: &pattern.title,
                target: self.session.target(),
                engine: self.session.engine().entry().name,
                workload: &pattern.workload,
                cells: &cells.results,
                telemetry: &cells.telemetry,
                focus,
                declared: &plan.ceilings,
                memory_bytes: Some(self.session.environment().memory_bytes).filter(|bytes| *bytes > 0),
                command: &command,
            })
        });
        PatternResult {
            name: pattern.name.clone(),
            title: pattern.title.clone(),
            cells: cells.results,
            operating_points,
            verdict,
            incomplete,
        }
    }
}
