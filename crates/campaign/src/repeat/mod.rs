//! `repeat`: the steps of a published evaluation on one's own targets, each visited in random order until its rate is
//! known, saved run by run and continued where it was cut off; then the evaluation's statements, held against both.

mod conclusions;
mod figures;

use std::sync::atomic::AtomicBool;

use fathom_plan::{RepeatOptions, repeat_command_line};
use fathom_record::campaign::{RepeatCell, RepeatPlan, RepeatRecord};
use fathom_record::{CampaignRecord, RunRecord, Workload};
use fathom_store::Store;

use crate::cells::result_of;
use crate::error::CampaignError;
use crate::identity;
use crate::progress::{Progress, StepNotice};
use crate::run::this_tool;
use crate::runner::{Resumable, Runner};
use crate::visits::{GridRuns, OVERHEAD_NS, Rules, Sessions, wanted};

impl Resumable for RepeatPlan {
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
pub struct Repeated {
    /// What was measured, and which statements hold.
    pub record: RepeatRecord,
    /// Every run it rests on.
    pub runs: Vec<RunRecord>,
    /// Whether it was stopped before its end; the same command continues it.
    pub interrupted: bool,
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
) -> Result<Repeated, CampaignError> {
    let (mut runner, sessions) =
        Runner::start((store, stop), (&options.plan, options.anew), progress, |plan, devices, progress| {
            Sessions::open(&options.cells, plan.seed, devices, progress, stop)
        })?;
    for session in sessions.opened() {
        runner.remember(session)?;
    }
    let runs = GridRuns::new(options.cells.len());
    let mut work = Work { options, runner, sessions, runs };
    progress.note(&work.outlook());
    let interrupted = work.all_passes(progress)?;
    let mut record = work.record();
    let Work { runner, runs, .. } = work;
    let runs = runs.into_runs();
    record.finished_at = (!interrupted).then(identity::now);
    runner.end(&record.clone().into(), interrupted)?;
    Ok(Repeated { record, runs, interrupted })
}

/// The tools of a repetition under way.
struct Work<'a> {
    options: &'a RepeatOptions,
    runner: Runner<'a, RepeatPlan>,
    sessions: Sessions,
    runs: GridRuns,
}

impl Work<'_> {
    /// Makes all passes; whether it was stopped before their end.
    fn all_passes(&mut self, progress: &mut dyn Progress) -> Result<bool, CampaignError> {
        let plan = &self.runner.plan;
        let lengths = [self.options.cells.len()];
        let rules =
            Rules { lengths: &lengths, until_share: plan.until_share, adaptive: false, seed: plan.seed };
        for pass in 0..plan.visits {
            let cells = wanted(&rules, pass, &self.runs.known());
            for (at, cell) in cells.iter().enumerate() {
                if self.visit(pass, *cell, cells.len() - at, progress)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
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
        if self.runner.is_stopped() {
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
            Err(error) => self.runs.give_up(cell, error.in_one_line()),
        }
        Ok(false)
    }

    fn length_ns(&self, cell: usize) -> u64 {
        let length = self.options.cells[cell].workload.length;
        length.warmup_ns + length.time_ns.unwrap_or(0) + OVERHEAD_NS
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
            command: Some(repeat_command_line(plan)),
            conclusions: conclusions::judge(plan, &cells),
            cells,
            busy_seconds: self.runs.busy_seconds(),
            notes: self.options.differences.clone(),
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
            out[*at] = RepeatCell { result, figures: figures::figures(runs), missing };
        }
        out
    }
}
