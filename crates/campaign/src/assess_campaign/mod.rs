//! `assess`: what a target can do, at which concurrency, what limits it, and how sure that is.
//!
//! Where it is asked for, the target is preconditioned first. For each pattern a search walks the grid of
//! jobs x depth in short runs. The chosen points are repeated, with what is left of the pattern's share of
//! the budget or in passes over all points until a stated error is reached, and the result is held against
//! the ceilings that are known. Every run is saved as it ends; the same command continues an
//! unfinished assessment of the same target with the same plan.

mod assess_identity;
pub mod assess_plan;
mod budget;
mod conclude;
mod effort;
mod notes;
mod passes;
mod pattern_search;
mod point_repeats;
mod points;
mod precondition;
mod quality;
mod run_stalls;
mod steps;
mod work;

use std::sync::atomic::AtomicBool;

use fathom_engine::ErrorKind;
use fathom_order::InOrder;
use fathom_record::RunRecord;
use fathom_record::campaign::{
    AssessPlan, AssessRecord, PatternResult, PointQuality, PreconditionEnd, RepeatEnd, RepeatRule,
};
use fathom_store::Store;
use fathom_target::TargetName;

use crate::bands;
use crate::device_origins::Devices;
use crate::error::CampaignError;
use crate::explain_campaign::{Peak, answers_of_siblings};
use crate::progress::Progress;
use crate::record_ids;
use crate::resumable_campaign::Runner;
use crate::single_run::{Session, SessionPlan};
use assess_plan::{AssessOptions, assess_decorators};
use budget::Budget;
use conclude::PointChoice;
use fathom_plan::{KnownLimits, RunOptions, RunPlan, TargetUse};
use passes::Point;
use pattern_search::PatternSearchResult;
use work::AssessTools;

pub(crate) use quality::capacity_bytes;

/// An assessment's result.
#[derive(Debug)]
pub struct Assessment {
    /// What was concluded.
    pub record: AssessRecord,
    /// Every run it rests on, without the histograms of its seconds: those are in the store.
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
    let permits = options.permit.as_slice();
    let (mut runner, mut session) =
        Runner::start((store, stop), (&options.plan, options.anew), progress, |plan, devices, progress| {
            let mut session = open(plan, options, devices, progress, stop)?;
            session.set_known_limits(&KnownLimits::of(plan))?;
            precondition::admit(plan, &session, permits)?;
            Ok(session)
        })?;
    session.keep_state();
    runner.remember(&session)?;
    if let Some(last) = runner.last_run()? {
        session.restore(&last, stop)?;
    }
    let budget = Budget::start(&session, runner.plan.budget_ns, assess_identity::spent(&runner)?);
    let work = AssessTools { runner: &runner, session: &session, budget };
    let mut record = work.blank_record();
    if let Some(note) = short_budget(&runner.plan) {
        progress.note(&note);
        record.notes.push(note);
    }
    let mut state =
        AssessState { plan: &runner.plan, work, record, before: Vec::new(), searched: Vec::new() };
    let interrupted = state.run(permits, progress)?;
    let AssessState { mut record, before, searched, .. } = state;
    record.notes.extend(record.patterns.iter().filter_map(notes::disturbed).collect::<Vec<_>>());
    record.notes.extend(record.patterns.iter().flat_map(bands::of_pattern).collect::<Vec<_>>());
    let found = searched.into_iter().flat_map(|pattern| pattern.runs.into_iter().chain(pattern.windows));
    let runs: Vec<RunRecord> = before.into_iter().chain(found).collect();
    record.finished_at = (!interrupted).then(record_ids::now);
    runner.end(&record.clone().into(), interrupted)?;
    Ok(Assessment { record, runs, interrupted })
}

/// That a plan's budget has no room for a search of each of its patterns.
fn short_budget(plan: &AssessPlan) -> Option<String> {
    let least_ns = Budget::least_ns(plan.patterns.len(), pattern_search::part_of(plan));
    notes::short_budget(plan.budget_ns, least_ns, plan.patterns.len())
}

/// One pattern under way.
struct PatternRuns {
    /// Of the search.
    runs: Vec<RunRecord>,
    /// Of the passes.
    windows: Vec<RunRecord>,
    choice: PointChoice,
    incomplete: Option<String>,
}

impl PatternRuns {
    /// The runs that are published: a cell that was visited in passes rests on those windows alone, and
    /// stays in its place.
    fn published(&self) -> Vec<RunRecord> {
        let cell = |run: &RunRecord| (run.workload.jobs, run.workload.depth);
        let mut out: Vec<RunRecord> = Vec::new();
        for run in &self.runs {
            let windows: Vec<&RunRecord> = self.windows.iter().filter(|w| cell(w) == cell(run)).collect();
            if windows.is_empty() {
                out.push(run.clone());
            } else if !out.iter().any(|known| cell(known) == cell(run)) {
                out.extend(windows.into_iter().cloned());
            }
        }
        out
    }

    /// All runs with so much in flight or more, in the order in which they were made.
    fn with_at_least(&self, in_flight: u64) -> Vec<&RunRecord> {
        let all = self.runs.iter().chain(&self.windows);
        all.filter(|run| u64::from(run.workload.jobs) * u64::from(run.workload.depth) >= in_flight).collect()
    }

    /// The chosen cells, each once.
    fn chosen(&self, result: &PatternResult) -> Vec<(u32, u32)> {
        let mut out = Vec::new();
        for cell in self.choice.points.iter().filter_map(|point| result.cells.get(point.cell)) {
            if !out.contains(&(cell.jobs, cell.depth)) {
                out.push((cell.jobs, cell.depth));
            }
        }
        out
    }
}

/// An assessment from its first step to its last.
struct AssessState<'a> {
    plan: &'a AssessPlan,
    work: AssessTools<'a>,
    record: AssessRecord,
    /// Runs before the first measurement.
    before: Vec<RunRecord>,
    searched: Vec<PatternRuns>,
}

impl AssessState<'_> {
    /// Runs the stages; whether it was stopped.
    fn run(&mut self, permits: &[String], progress: &mut dyn Progress) -> Result<bool, CampaignError> {
        let plan = self.plan;
        if !plan.precondition.is_none() {
            let done = precondition::perform(&mut self.work, plan, permits, progress)?;
            let ended = done.ledger.ended;
            self.record.notes.extend(notes::preconditioning(plan.precondition, &done.ledger));
            (self.record.preconditioning, self.before) = (Some(done.ledger), done.runs);
            match ended {
                PreconditionEnd::Stopped => return Ok(true),
                PreconditionEnd::Failed => {
                    self.leave_all("the target failed while it was preconditioned");
                    return Ok(false);
                }
                PreconditionEnd::Steady | PreconditionEnd::BytesSpent => {}
            }
        }
        let (stopped, failed) = self.search(progress)?;
        if stopped || failed {
            self.judge_points(None);
            return Ok(stopped);
        }
        let Some(rule) = point_repeats::rule_of(plan) else {
            self.judge_points(None);
            return Ok(false);
        };
        self.repeat(rule, progress)
    }

    /// Searches every pattern; whether it was stopped, and whether the target failed.
    fn search(&mut self, progress: &mut dyn Progress) -> Result<(bool, bool), CampaignError> {
        let plan = self.plan;
        for index in 0..plan.patterns.len() {
            let PatternSearchResult { runs, incomplete, interrupted, target_gone } =
                pattern_search::search(&mut self.work, plan, index, progress)?;
            let choice = PointChoice::of(plan, &runs);
            self.searched.push(PatternRuns { runs, windows: Vec::new(), choice, incomplete });
            self.record.patterns = self.results();
            self.save()?;
            if interrupted || target_gone {
                return Ok((interrupted, target_gone));
            }
        }
        Ok((false, false))
    }

    /// Repeats the chosen points in passes; whether it was stopped.
    fn repeat(&mut self, rule: RepeatRule, progress: &mut dyn Progress) -> Result<bool, CampaignError> {
        let plan = self.plan;
        let chosen = self.searched.iter().zip(&self.record.patterns).enumerate();
        let points: Vec<Point> = chosen
            .flat_map(|(pattern, (runs, result))| {
                let cells = runs.chosen(result).into_iter();
                cells.map(move |(jobs, depth)| Point { pattern, jobs, depth })
            })
            .collect();
        let before = self.searched.iter().flat_map(|pattern| &pattern.runs).map(run_stalls::of).collect();
        let what = (rule, points, before);
        let done = point_repeats::perform(&mut self.work, plan, what, progress)?;
        for run in done.runs {
            let name = run.campaign.as_ref().and_then(|link| link.step.split('/').nth(2));
            let at = plan.patterns.iter().position(|pattern| Some(pattern.name.as_str()) == name);
            if let Some(pattern) = at.and_then(|at| self.searched.get_mut(at)) {
                pattern.windows.push(run);
            }
        }
        self.record.patterns = self.results();
        for (number, point) in done.passes.points().iter().enumerate() {
            let share = done.passes.precision(number).and_then(|precision| precision.half_width_share);
            let cells = &mut self.record.patterns[point.pattern].cells;
            let cell = cells.iter_mut().find(|c| (c.jobs, c.depth) == (point.jobs, point.depth));
            if let (Some(cell), Some(share)) = (cell, share) {
                cell.interval_share = Some(share);
            }
        }
        self.judge_points(Some(&done.passes));
        self.record.notes.extend(notes::repeats(&done.repeats, &self.record.points, plan.budget_ns));
        let ended = done.repeats.ended;
        self.record.repeats = Some(done.repeats);
        self.save()?;
        Ok(ended == RepeatEnd::Stopped)
    }

    /// What is concluded of every pattern that was searched: what was measured later answers about what was before.
    fn results(&self) -> Vec<PatternResult> {
        let published: Vec<Vec<RunRecord>> = self.searched.iter().map(PatternRuns::published).collect();
        let peaks: Vec<Option<Peak<'_>>> = published.iter().map(|runs| Peak::of(runs)).collect();
        let one = |index: usize| {
            let (pattern, searched) = (&self.plan.patterns[index], &self.searched[index]);
            let answers = answers_of_siblings(&peaks, index);
            let beside = (answers.as_slice(), searched.incomplete.clone());
            let runs = &published[index];
            conclude::conclude(self.work.session, self.plan, pattern, runs, &searched.choice, beside)
        };
        (0..self.searched.len()).map(one).collect()
    }

    /// Every run on the target in the order in which they were made.
    fn exposed(&self) -> Vec<&RunRecord> {
        let searched = self.searched.iter().flat_map(|pattern| &pattern.runs);
        let mut windows: Vec<&RunRecord> =
            self.searched.iter().flat_map(|pattern| &pattern.windows).collect();
        windows.put_in_order_by_key(|run| run.campaign.as_ref().map(|link| link.step.clone()));
        self.before.iter().chain(searched).chain(windows).collect()
    }

    /// Judges the seconds of the chosen points, and what the passes came to.
    fn judge_points(&mut self, passes: Option<&passes::Passes>) {
        let plan = self.plan;
        let exposed = self.exposed();
        // Other patterns, or other sizes, draw on a bucket at another price.
        let alike = (plan.patterns.len() == 1 && self.before.is_empty()).then_some(exposed.as_slice());
        let mut points = Vec::new();
        for (pattern, (runs, result)) in self.searched.iter().zip(&self.record.patterns).enumerate() {
            let published = runs.published();
            for (jobs, depth) in runs.chosen(result) {
                let here = |run: &&RunRecord| (run.workload.jobs, run.workload.depth) == (jobs, depth);
                let own: Vec<&RunRecord> = published.iter().filter(here).collect();
                let full = runs.with_at_least(u64::from(jobs) * u64::from(depth));
                let Some(last) = own.last() else { continue };
                let guard = quality::guard_of(last, &exposed, self.work.session.target().size_bytes);
                let steadiness = quality::judge_long(&own, &guard);
                let number = passes.and_then(|passes| {
                    passes.points().iter().position(|p| *p == Point { pattern, jobs, depth })
                });
                let at = passes.zip(number);
                let precision = at.and_then(|(passes, number)| passes.precision(number));
                let rounds = plan.thorough.then_some(at).flatten();
                points.push(PointQuality {
                    pattern: result.name.clone(),
                    jobs,
                    depth,
                    target_met: precision.is_some().then(|| at.is_some_and(|(p, number)| p.is_met(number))),
                    precision,
                    rounds: rounds.map_or_else(Vec::new, |(passes, number)| {
                        passes.visits(number).iter().map(|visit| visit.value).collect()
                    }),
                    snia: rounds.and_then(|(passes, number)| passes.snia(number)),
                    guard: steadiness.is_some().then_some(guard),
                    steadiness,
                    bucket: quality::bucket_of(&full, alike),
                });
            }
        }
        // Short runs without passes carry nothing that could be judged.
        points.retain(|p| passes.is_some() || p.steadiness.is_some() || p.bucket.is_some());
        self.record.points = points;
    }

    /// Names every pattern as not measured.
    fn leave_all(&mut self, reason: &str) {
        for pattern in &self.plan.patterns {
            let choice = PointChoice::default();
            let incomplete = Some(reason.to_owned());
            let (session, plan) = (self.work.session, self.plan);
            let beside = (&[][..], incomplete);
            self.record.patterns.push(conclude::conclude(session, plan, pattern, &[], &choice, beside));
        }
    }

    fn save(&mut self) -> Result<(), CampaignError> {
        self.record.busy_seconds = self.exposed().iter().map(|run| run.ledger.seconds).sum();
        Ok(self.work.runner.save_progress(&self.record.clone().into())?)
    }
}

/// Opens the target for everything that the plan's patterns do to it.
fn open(
    plan: &AssessPlan,
    options: &AssessOptions,
    devices: &Devices,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<Session, CampaignError> {
    let workloads = || plan.patterns.iter().map(|pattern| &pattern.workload);
    let run = RunPlan {
        targets: vec![plan.target.clone()],
        engine: plan.engine.clone(),
        workload: workloads().next().expect("an assessment has a pattern").clone(),
        options: RunOptions {
            permits: options.permit.iter().cloned().collect(),
            check_empty: options.check_empty,
            // Clients share the real time.
            real_time: !options.clients.is_empty() && TargetName::is_simulated(&plan.target),
            decorators: assess_decorators(plan)?,
            clients: options.clients.clone(),
            partition: plan.partition,
            ..RunOptions::default()
        },
    };
    let patterns = TargetUse::of(workloads());
    let needs = TargetUse {
        writes: !plan.precondition.is_none() || patterns.writes,
        size_bytes: plan.size_bytes,
        ..patterns
    };
    let asked = SessionPlan { needs, devices: Some(devices), seed: plan.seed, ..SessionPlan::of(&run) };
    let session = Session::open(&asked, progress, stop);
    session.map_err(|error| match error {
        CampaignError::Engine(mut refusal)
            if refusal.kind == ErrorKind::Refused && !refusal.remedy.is_empty() && patterns.writes =>
        {
            refusal.remedy.push_str("\n  or measure reads only: --patterns randread-4k,randread-64k,read-1m");
            CampaignError::Engine(refusal)
        }
        other => other,
    })
}
