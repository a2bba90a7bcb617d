//! `repeat`: the steps of a published evaluation on one's own targets, each visited in random order until its rate and what
//! is said of it are known, saved run by run and continued where it was cut off; then the evaluation's statements, held against both.

mod conclusions;
mod optimum;
pub mod repeat_plan;
mod step_figures;

use std::sync::atomic::AtomicBool;

use fathom_engine::ErrorKind;
use fathom_order::InOrder;
use fathom_plan::repeat_command_line;
use fathom_record::campaign::{RepeatCell, RepeatPlan, RepeatRecord};
use fathom_record::error::in_one_line;
use fathom_record::{CampaignRecord, RunRecord, Workload};
use fathom_store::Store;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::cells::result_of;
use crate::error::CampaignError;
use crate::progress::{Progress, StepNotice};
use crate::record_ids;
use crate::restarts::{RestartStep, Restarts};
use crate::resumable_campaign::{ResumablePlan, Runner};
use crate::single_run::{RUN_OVERHEAD_NS, this_tool};
use crate::visits::{CellProgress, GridRuns, Rules, Sessions, wanted};
use repeat_plan::RepeatOptions;

impl ResumablePlan for RepeatPlan {
    const NOUN: &'static str = "repetition";
    const LETTER: &'static str = "p";

    fn without_seed(&self) -> Self {
        Self { seed: 0, ..self.clone() }
    }

    fn targets(&self) -> Vec<String> {
        self.targets()
    }
}

/// A repetition's result.
#[derive(Debug)]
pub struct RepeatResult {
    /// What was measured, and which statements hold.
    pub record: RepeatRecord,
    /// Every run it rests on.
    pub runs: Vec<RunRecord>,
    /// Whether it was stopped before its end; the same command continues it.
    pub interrupted: bool,
    /// What it waits for, where the machine has to restart before it continues.
    pub waits_for: Option<String>,
}

/// Repeats an evaluation, or continues where an earlier repetition with the same plan was cut off.
///
/// # Errors
/// When a target is refused or cannot be opened, or the store cannot keep what was measured.
pub fn repeat(
    options: &RepeatOptions,
    store: &Store,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<RepeatResult, CampaignError> {
    let (mut runner, sessions) =
        Runner::start((store, stop), (&options.plan, options.anew), progress, |plan, devices, progress| {
            Sessions::open(&options.cells, plan.seed, devices, progress, stop)
        })?;
    for session in sessions.opened() {
        runner.remember(session)?;
    }
    let runs = GridRuns::new(options.cells.len());
    let boots = match runner.saved() {
        Some(CampaignRecord::Repeat(record)) => record.boots.clone(),
        _ => Vec::new(),
    };
    let restarts = options.plan.across_restarts.as_ref().map(|across| Restarts::new(across, boots));
    let mut work = RepeatTools { options, runner, sessions, restarts, waits_for: None, runs };
    progress.note(&work.outlook());
    let interrupted = match work.all_passes(progress) {
        Err(CampaignError::Engine(error)) if error.kind == ErrorKind::Interrupted => true,
        Err(error) => {
            work.runner.save_progress(&work.record().into())?;
            return Err(error);
        }
        Ok(interrupted) => interrupted,
    };
    let mut record = work.record();
    let RepeatTools { runner, runs, waits_for, .. } = work;
    let runs = runs.into_runs();
    record.finished_at = (!interrupted).then(record_ids::now);
    runner.end(&record.clone().into(), interrupted)?;
    Ok(RepeatResult { record, runs, interrupted, waits_for })
}

/// The tools of a repetition under way.
struct RepeatTools<'a> {
    options: &'a RepeatOptions,
    runner: Runner<'a, RepeatPlan>,
    sessions: Sessions,
    restarts: Option<Restarts<'a>>,
    waits_for: Option<String>,
    runs: GridRuns,
}

impl RepeatTools<'_> {
    /// Makes all passes; whether it was stopped before their end.
    fn all_passes(&mut self, progress: &mut dyn Progress) -> Result<bool, CampaignError> {
        let plan = &self.runner.plan;
        let lengths = [self.options.cells.len()];
        let rules =
            Rules { lengths: &lengths, until_share: plan.until_share, adaptive: false, seed: plan.seed };
        for pass in 0..plan.visits {
            let mut cells = wanted(&rules, pass, &self.known());
            self.by_side(pass, &mut cells);
            for (at, cell) in cells.iter().enumerate() {
                if self.visit(pass, *cell, cells.len() - at, progress)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// What is known of each cell, for what the evaluation says of it.
    fn known(&self) -> Vec<CellProgress> {
        let mut known = self.runs.known();
        let runs = self.runs.cells().map(|(runs, _)| runs);
        for ((known, runs), step) in known.iter_mut().zip(runs).zip(&self.options.step_of) {
            let figures = step_figures::figures(runs);
            known.interval_share =
                conclusions::widest(&self.runner.plan, *step, known.interval_share, &figures);
        }
        known
    }

    /// Visits a cell, or takes the run of an earlier process; whether it was stopped.
    fn visit(
        &mut self,
        pass: u32,
        cell: usize,
        left_in_pass: usize,
        progress: &mut dyn Progress,
    ) -> Result<bool, CampaignError> {
        let step = format!("{pass:04}/{cell:05}");
        if let Some(run) = self.runner.made(&step)? {
            self.runs.take(cell, run);
            return Ok(false);
        }
        if self.runner.is_stopped() || self.waits(pass, cell, progress)? {
            return Ok(true);
        }
        let number = u64::from(pass) * self.options.cells.len() as u64 + cell as u64;
        // Each run has its own seed, so that repeats do not replay one another.
        let seed = self.runner.plan.seed.wrapping_add(number);
        let workload = Workload { seed, ..self.options.cells[cell].workload.clone() };
        progress.step(&self.notice(pass, cell, left_in_pass));
        match self.sessions.measure(&mut self.runner, (&step, cell), &workload, progress) {
            Ok(None) => return Ok(true),
            Ok(Some(run)) => self.runs.take(cell, run),
            // A step that its target or engine does not take is told; the others are measured all the same.
            Err(CampaignError::Store(error)) => return Err(error.into()),
            Err(error) => self.runs.give_up(cell, in_one_line(&error.to_string())),
        }
        Ok(false)
    }

    /// Across restarts all steps of one side are visited before those of the next, in an order of the pass's own.
    fn by_side(&self, pass: u32, cells: &mut [usize]) {
        if self.restarts.is_none() {
            return;
        }
        let mut sides: Vec<usize> = (0..self.runner.plan.sides.len()).collect();
        let seed = self.runner.plan.seed.wrapping_add(u64::from(pass));
        sides.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        cells.put_in_order_by_key(|cell| sides.iter().position(|side| *side == self.side_of(*cell)));
    }

    /// Number of the side that a cell belongs to.
    fn side_of(&self, cell: usize) -> usize {
        let plan = &self.runner.plan;
        let name = &plan.steps[self.options.step_of[cell]].side;
        plan.sides.iter().position(|side| side.name == *name).unwrap_or(0)
    }

    /// Whether the machine has to restart before a cell can be visited.
    fn waits(&mut self, pass: u32, cell: usize, progress: &mut dyn Progress) -> Result<bool, CampaignError> {
        let side = self.side_of(cell);
        let Some(restarts) = &mut self.restarts else { return Ok(false) };
        let step = restarts.step((pass, side), progress, self.runner.stop())?;
        // Whatever follows, the machine may restart before it ends.
        self.runner.save_progress(&self.record().into())?;
        self.waits_for = match (step, &mut self.restarts) {
            (RestartStep::Command(command), Some(restarts)) => {
                progress
                    .note(&format!("Restarting into side {}: {command}", self.options.plan.sides[side].name));
                Some(restarts.command(&command, self.options.before_limit_ns, self.runner.stop())?)
            }
            (RestartStep::Wait(what), _) => Some(what),
            _ => None,
        };
        Ok(self.waits_for.is_some())
    }

    fn length_ns(&self, cell: usize) -> u64 {
        let length = self.options.cells[cell].workload.length;
        length.warmup_ns + length.time_ns.unwrap_or(0) + RUN_OVERHEAD_NS
    }

    /// What is to be expected, before it starts.
    fn outlook(&self) -> String {
        let plan = &self.runner.plan;
        let cells = self.options.cells.len();
        let total_ns: u64 = (0..cells).map(|cell| self.length_ns(cell)).sum::<u64>() * u64::from(plan.visits);
        let most = if plan.until_share.is_some() { "at most " } else { "" };
        let time = fathom_measure::Nanos(total_ns).coarse();
        let (cells, passes) = (
            fathom_measure::counted(cells as u64, "step"),
            fathom_measure::counted(u64::from(plan.visits), "pass"),
        );
        format!("{}: {cells}, {passes} in random order, {most}{time} in all.", plan.title)
    }

    fn notice(&self, pass: u32, cell: usize, left_in_pass: usize) -> StepNotice {
        let plan = &self.runner.plan;
        let cells = self.options.cells.len();
        let mean_ns = (0..cells).map(|cell| self.length_ns(cell)).sum::<u64>() / cells.max(1) as u64;
        let later = self.runs.expected(false) as u64 * u64::from(plan.visits - pass - 1);
        let workload = &self.options.cells[cell].workload;
        StepNotice {
            title: plan.steps[self.options.step_of[cell]].title(),
            pattern: (pass as usize + 1, plan.visits as usize),
            cell: (workload.jobs, workload.depth),
            purpose: format!("{left_in_pass} left in this pass"),
            run_ns: self.length_ns(cell),
            left_ns: Some(mean_ns * (left_in_pass as u64 + later)),
        }
    }

    fn record(&self) -> RepeatRecord {
        let plan = &self.runner.plan;
        let cells = self.cells();
        RepeatRecord {
            format: CampaignRecord::FORMAT.to_owned(),
            version: CampaignRecord::VERSION,
            id: self.runner.id().to_owned(),
            started_at: self.runner.started_at().to_owned(),
            finished_at: None,
            tool: this_tool(),
            targets: self.sessions.targets().to_vec(),
            environment: self.sessions.environment().clone(),
            plan: plan.clone(),
            command: Some(repeat_command_line(plan, self.options.before_limit_ns)),
            boots: self.restarts.as_ref().map_or_else(Vec::new, |restarts| restarts.turns().to_vec()),
            conclusions: conclusions::judge(plan, &cells),
            cells,
            busy_seconds: self.runs.busy_seconds(),
            notes: self
                .restarts
                .iter()
                .flat_map(Restarts::notes)
                .chain(self.options.differences.clone())
                .collect(),
        }
    }

    /// Every step as it is recorded, in the order of the plan.
    fn cells(&self) -> Vec<RepeatCell> {
        let left_out = |at: usize| {
            let refused = self.options.refused.iter().find(|(step, _)| *step == at);
            refused.map(|(_, why)| why.clone())
        };
        let empty = |at: usize| RepeatCell { result: None, figures: Vec::new(), missing: left_out(at) };
        let mut out: Vec<RepeatCell> = (0..self.runner.plan.steps.len()).map(empty).collect();
        for (at, (runs, missing)) in self.options.step_of.iter().zip(self.runs.cells()) {
            let result = result_of(runs);
            let missing = match (missing, &result) {
                (Some(cause), _) => Some(cause.to_owned()),
                (None, None) => Some("the repetition ended before it".to_owned()),
                (None, Some(_)) => None,
            };
            out[*at] = RepeatCell { result, figures: step_figures::figures(runs), missing };
        }
        out
    }
}
