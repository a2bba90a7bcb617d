//! `sweep`: a grid over properties of a plan, each cell visited several times in random order, saved run by
//! run and continued where it was cut off.

mod sweep_identity;
pub mod sweep_plan;

use std::sync::atomic::AtomicBool;

use fathom_record::campaign::{SweepCell, SweepPlan, SweepRecord};
use fathom_record::error::in_one_line;
use fathom_record::{CampaignRecord, RunRecord, Workload};
use fathom_store::Store;

use crate::cells::result_of;
use crate::error::CampaignError;
use crate::progress::{Progress, StepNotice};
use crate::record_ids;
use crate::resumable_campaign::Runner;
use crate::single_run::{RUN_OVERHEAD_NS, this_tool};
use crate::visits::{GridRuns, Rules, Sessions, wanted};
use fathom_plan::sweep_command_line;
use sweep_plan::SweepOptions;

/// A sweep's result.
#[derive(Debug)]
pub struct Sweep {
    /// What was measured.
    pub record: SweepRecord,
    /// Every run it rests on.
    pub runs: Vec<RunRecord>,
    /// Whether it was stopped before its end; the same command continues it.
    pub interrupted: bool,
}

/// Sweeps, or continues where an earlier sweep with the same plan was cut off.
///
/// # Errors
/// When a target is refused or cannot be opened, or the store cannot keep what was measured.
pub fn sweep(
    options: &SweepOptions,
    store: &Store,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<Sweep, CampaignError> {
    let (mut runner, sessions) =
        Runner::start((store, stop), (&options.plan, options.anew), progress, |plan, devices, progress| {
            Sessions::open(&options.cells, plan.seed, devices, progress, stop)
        })?;
    for session in sessions.opened() {
        runner.remember(session)?;
    }
    let runs = GridRuns::new(options.cells.len());
    let mut work = SweepTools { options, runner, sessions, runs };
    progress.note(&work.outlook());
    let interrupted = work.all_passes(progress)?;
    let mut record = work.record();
    let SweepTools { runner, runs, .. } = work;
    let runs = runs.into_runs();
    record.finished_at = (!interrupted).then(record_ids::now);
    runner.end(&record.clone().into(), interrupted)?;
    Ok(Sweep { record, runs, interrupted })
}

/// The tools of a sweep under way.
struct SweepTools<'a> {
    options: &'a SweepOptions,
    runner: Runner<'a, SweepPlan>,
    sessions: Sessions,
    runs: GridRuns,
}

impl SweepTools<'_> {
    /// Makes all passes; whether it was stopped before their end.
    fn all_passes(&mut self, progress: &mut dyn Progress) -> Result<bool, CampaignError> {
        let plan = &self.runner.plan;
        let lengths: Vec<usize> = plan.axes.iter().map(|axis| axis.values.len()).collect();
        let rules = Rules {
            lengths: &lengths,
            until_share: plan.until_share,
            adaptive: plan.adaptive,
            seed: plan.seed,
        };
        for pass in 0..plan.passes {
            loop {
                let cells = wanted(&rules, pass, &self.runs.known());
                if cells.is_empty() {
                    break;
                }
                for (at, cell) in cells.iter().enumerate() {
                    let stopped = self.visit(pass, *cell, cells.len() - at, progress)?;
                    if stopped {
                        return Ok(true);
                    }
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
        let workload = self.workload(pass, cell);
        progress.step(&self.notice(pass, cell, left_in_pass));
        match self.sessions.measure(&mut self.runner, (&step, cell), &workload, progress) {
            Ok(None) => return Ok(true),
            Ok(Some(run)) => self.runs.take(cell, run),
            // A cell that its target or engine does not take is told; the others are measured all the same.
            Err(CampaignError::Store(error)) => return Err(error.into()),
            Err(error) => self.runs.give_up(cell, in_one_line(&error.to_string())),
        }
        Ok(false)
    }

    /// Each run has its own seed, so that repeats do not replay one another.
    fn workload(&self, pass: u32, cell: usize) -> Workload {
        let number = u64::from(pass) * self.options.cells.len() as u64 + cell as u64;
        let seed = self.runner.plan.seed.wrapping_add(number);
        Workload { seed, ..self.options.cells[cell].workload.clone() }
    }

    fn length_ns(&self, cell: usize) -> u64 {
        let length = self.options.cells[cell].workload.length;
        length.warmup_ns + length.time_ns.unwrap_or(0) + RUN_OVERHEAD_NS
    }

    /// What is to be expected, before it starts.
    fn outlook(&self) -> String {
        let plan = &self.runner.plan;
        let cells = self.options.cells.len();
        let total_ns: u64 = (0..cells).map(|cell| self.length_ns(cell)).sum::<u64>() * u64::from(plan.passes);
        let (time, most) =
            (fathom_measure::Nanos(total_ns).coarse(), plan.adaptive || plan.until_share.is_some());
        let ends = self.options.cells.iter().all(|cell| cell.workload.length.time_ns.is_some());
        let time = match (ends, most) {
            (false, _) => "as long as the counts take".to_owned(),
            (true, false) => format!("{time} in all"),
            (true, true) => format!("at most {time} in all"),
        };
        let cells = fathom_measure::counted(cells as u64, "cell");
        let passes = fathom_measure::counted(u64::from(plan.passes), "pass");
        format!("{cells}, {passes} in random order: {time}.")
    }

    fn notice(&self, pass: u32, cell: usize, left_in_pass: usize) -> StepNotice {
        let plan = &self.runner.plan;
        let place = sweep_plan::sweep_place(&plan.axes, cell);
        let mean_ns = (0..self.options.cells.len()).map(|cell| self.length_ns(cell)).sum::<u64>()
            / self.options.cells.len().max(1) as u64;
        let later = self.runs.expected(plan.adaptive) as u64 * u64::from(plan.passes - pass - 1);
        let workload = &self.options.cells[cell].workload;
        StepNotice {
            title: plan.title(&SweepCell { place, result: None, missing: None }),
            pattern: (pass as usize + 1, plan.passes as usize),
            cell: (workload.jobs, workload.depth),
            purpose: format!("{left_in_pass} left in this pass"),
            run_ns: self.length_ns(cell),
            left_ns: Some(mean_ns * (left_in_pass as u64 + later)),
        }
    }

    fn record(&self) -> SweepRecord {
        let plan = &self.runner.plan;
        SweepRecord {
            format: CampaignRecord::FORMAT.to_owned(),
            version: CampaignRecord::VERSION,
            id: self.runner.id().to_owned(),
            started_at: self.runner.started_at().to_owned(),
            finished_at: None,
            tool: this_tool(),
            targets: self.sessions.targets().to_vec(),
            environment: self.sessions.environment().clone(),
            plan: plan.clone(),
            command: Some(sweep_command_line(plan)),
            cells: self.cells(),
            busy_seconds: self.runs.busy_seconds(),
            notes: self.notes(),
        }
    }

    /// Every cell as it is recorded.
    fn cells(&self) -> Vec<SweepCell> {
        let plan = &self.runner.plan;
        let cell = |(at, (runs, missing)): (usize, (&[RunRecord], Option<&str>))| {
            let result = result_of(runs);
            let missing = match (missing, &result) {
                (Some(cause), _) => Some(cause.to_owned()),
                (None, None) if plan.adaptive && runs.is_empty() => Some(SweepCell::LEFT_OUT.to_owned()),
                (None, None) => Some("not measured: the sweep ended before".to_owned()),
                (None, Some(_)) => None,
            };
            SweepCell { place: sweep_plan::sweep_place(&plan.axes, at), result, missing }
        };
        self.runs.cells().enumerate().map(cell).collect()
    }

    fn notes(&self) -> Vec<String> {
        let writes = self.options.cells.iter().any(|cell| cell.workload.mix.changes_data());
        let varied = |key: &str| self.runner.plan.axes.iter().any(|axis| axis.key == key);
        let mut notes = Vec::new();
        if writes && (varied("rw") || varied("read-share") || varied("addresses") || varied("bs")) {
            notes.push(
                "Writes change the state of a device, and cells follow one another in random order: a cell's \
                 figures hold for the mixture of states that all of them left."
                    .to_owned(),
            );
        }
        notes
    }
}
