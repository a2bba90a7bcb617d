//! `compare`: two sides under the same workloads, in pairs of runs in random order, until each workload is
//! decided or its pairs are used up; saved run by run and continued where it was cut off.
//!
//! A round gives every undecided workload one pair. Without commands the runs of a pair follow each other;
//! where a command makes a side ready, all workloads of one side run before those of the other, so that a
//! round switches once. The next step depends on nothing but the plan and the runs so far.

mod compare_identity;
pub mod compare_plan;
mod comparison_metrics;
mod stored_sides;
mod turns;
mod workload_pairs;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use fathom_engine::ErrorKind;
use fathom_record::campaign::{ComparePlan, CompareRecord, ComparedWorkload, SideFacts};
use fathom_record::comparison::Side;
use fathom_record::run_record::RunEnding;
use fathom_record::{CampaignRecord, RunRecord, Workload};
use fathom_stats::paired_comparison::{Rules, first_side};
use fathom_store::Store;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::bands;
use crate::error::CampaignError;
use crate::permits;
use crate::progress::{Progress, StepNotice};
use crate::record_ids;
use crate::restarts::{RestartStep, Restarts};
use crate::resumable_campaign::Runner;
use crate::single_run::this_tool;
use compare_plan::{CompareOptions, SidesPlan, side_names};
use comparison_metrics::MetricFigures;
use fathom_plan::compare_command_line;
use turns::{SideSessions, letter};
use workload_pairs::WorkloadRuns;

pub use stored_sides::{StoredSide, compare_sides, compare_stored, stored_plan};

/// Pairs before anything is planned.
const PILOT_PAIRS: u32 = 5;
/// Chance that identical sides are called different anywhere in a comparison.
const ALPHA: f64 = 0.05;

/// A comparison's result.
#[derive(Debug)]
pub struct CompareResult {
    /// What was concluded.
    pub record: CompareRecord,
    /// Every run it rests on, without its seconds: those are in the store.
    pub runs: Vec<RunRecord>,
    /// Whether it was stopped before its end; the same command continues it.
    pub interrupted: bool,
    /// What it waits for, where the machine has to restart before it continues.
    pub waits_for: Option<String>,
}

/// Compares, or continues where an earlier comparison with the same plan was cut off.
///
/// # Errors
/// When a target is refused or cannot be opened before anything was measured, a command before a side's turn
/// fails, or the store cannot keep what was measured. What was measured stays, and the same command continues.
pub fn compare(
    options: &CompareOptions,
    store: &Store,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<CompareResult, CampaignError> {
    let mut options = options.clone();
    permits::to_each_side_its_own(&mut options.workloads);
    let options = &options;
    let (runner, turns) =
        Runner::start((store, stop), (&options.plan, options.anew), progress, |plan, devices, progress| {
            let mut turns = SideSessions::new(options, plan.seed);
            turns.open_early(devices, progress, stop)?;
            Ok(turns)
        })?;
    let (seed, failed) = (runner.plan.seed, runner.failed_steps()?);
    let (commands, boots) = match runner.saved() {
        Some(CampaignRecord::Compare(record)) => (record.commands.clone(), record.boots.clone()),
        _ => Default::default(),
    };
    let restarts = options.plan.across_restarts.as_ref().map(|across| Restarts::new(across, boots));
    let (lines, failures) = (lines(options, seed), Vec::new());
    let waits_for = None;
    let mut work =
        CompareTools { options, runner, failed, seed, turns, restarts, waits_for, lines, commands, failures };
    progress.note(&work.outlook());
    let ended = work.all_rounds(progress);
    let mut record = work.record();
    let CompareTools { runner, lines, waits_for, .. } = work;
    let runs: Vec<RunRecord> = lines.into_iter().flat_map(WorkloadRuns::into_runs).collect();
    let interrupted = match ended {
        Ok(interrupted) => interrupted,
        // A turn that waits for a restart is kept, whatever became of it.
        Err(error) if !runner.has_runs()? && record.boots.is_empty() => {
            runner.give_up()?;
            return Err(error);
        }
        Err(error) => {
            runner.save_progress(&record.into())?;
            return Err(error);
        }
    };
    record.finished_at = (!interrupted).then(record_ids::now);
    runner.end(&record.clone().into(), interrupted)?;
    Ok(CompareResult { record, runs, interrupted, waits_for })
}

/// What counts as a difference of one workload of several: each has its part of the error.
fn rules(plan: &ComparePlan, workloads: usize) -> Rules {
    let max_pairs = plan.max_pairs.max(PILOT_PAIRS);
    Rules {
        materiality: plan.materiality,
        margin: 3.0 * plan.materiality,
        detect: 2.0 * plan.materiality,
        alpha: ALPHA / workloads.max(1) as f64,
        pilot: if plan.fixed_pairs { max_pairs } else { PILOT_PAIRS },
        max_pairs,
        ..Rules::default()
    }
}

fn lines(options: &CompareOptions, seed: u64) -> Vec<WorkloadRuns> {
    let rules = rules(&options.plan, options.workloads.len());
    let line = |(at, sides): (usize, &SidesPlan)| {
        WorkloadRuns::new(
            (&sides.name, &sides.title),
            MetricFigures::of(&sides.a.workload),
            rules,
            seed_of(seed, at),
        )
    };
    options.workloads.iter().enumerate().map(line).collect()
}

/// Seed of a workload's order: each tosses coins of its own.
fn seed_of(seed: u64, line: usize) -> u64 {
    seed.wrapping_add((line as u64 + 1).wrapping_mul(0xD1B5_4A32_D192_ED03))
}

/// What came of one side's run.
enum SideOutcome {
    Ran(Box<RunRecord>),
    Failed(Option<Box<RunRecord>>),
    Stopped,
}

/// One run to make.
#[derive(Clone, Copy)]
struct SideTurn {
    line: usize,
    side: Side,
    is_first: bool,
}

/// The tools of a comparison under way.
struct CompareTools<'a> {
    options: &'a CompareOptions,
    runner: Runner<'a, ComparePlan>,
    /// Steps that gave no run in earlier sittings.
    failed: BTreeSet<String>,
    seed: u64,
    turns: SideSessions<'a>,
    restarts: Option<Restarts<'a>>,
    waits_for: Option<String>,
    lines: Vec<WorkloadRuns>,
    commands: Vec<fathom_record::campaign::CommandOutcome>,
    failures: Vec<String>,
}

impl CompareTools<'_> {
    /// Makes all rounds; whether it was stopped before their end.
    fn all_rounds(&mut self, progress: &mut dyn Progress) -> Result<bool, CampaignError> {
        for round in 0.. {
            let turns = self.schedule(round);
            if turns.is_empty() {
                break;
            }
            let mut halves: BTreeMap<usize, RunRecord> = BTreeMap::new();
            for turn in turns {
                if !turn.is_first && !halves.contains_key(&turn.line) {
                    continue;
                }
                match self.visit(round, turn, progress)? {
                    SideOutcome::Stopped => return Ok(true),
                    SideOutcome::Failed(run) => {
                        let lone = halves.remove(&turn.line).into_iter().chain(run.map(|run| *run));
                        self.lines[turn.line].failed(turn.side, lone);
                    }
                    SideOutcome::Ran(run) => match halves.remove(&turn.line) {
                        None => drop(halves.insert(turn.line, *run)),
                        Some(first) => {
                            let (a, b) = if turn.side == Side::B { (first, *run) } else { (*run, first) };
                            self.lines[turn.line].take(turn.side.other(), a, b);
                        }
                    },
                }
            }
        }
        Ok(false)
    }

    /// The runs of a round: one pair of every workload that is not decided.
    fn schedule(&self, round: u32) -> Vec<SideTurn> {
        let mut due: Vec<usize> = (0..self.lines.len()).filter(|at| self.lines[*at].is_open()).collect();
        due.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(self.seed.wrapping_add(u64::from(round))));
        let turn = |line, side, is_first| SideTurn { line, side, is_first };
        if self.turns.have_commands() {
            let first = first_side(self.seed, round);
            let half = |side, is_first| due.iter().map(move |line| turn(*line, side, is_first));
            return half(first, true).chain(half(first.other(), false)).collect();
        }
        let pair = |line: usize| {
            let first = first_side(seed_of(self.seed, line), round);
            [turn(line, first, true), turn(line, first.other(), false)]
        };
        due.into_iter().flat_map(pair).collect()
    }

    /// Makes a run, or takes that of an earlier sitting.
    fn visit(
        &mut self,
        round: u32,
        turn: SideTurn,
        progress: &mut dyn Progress,
    ) -> Result<SideOutcome, CampaignError> {
        let step = format!("{round:04}/{:03}/{}", turn.line, letter(turn.side).to_ascii_lowercase());
        if let Some(run) = self.runner.made(&step)? {
            return Ok(self.outcome(turn, run));
        }
        if self.failed.contains(&step) {
            return Ok(SideOutcome::Failed(None));
        }
        if self.runner.is_stopped() {
            return Ok(SideOutcome::Stopped);
        }
        match self.prepare(round, turn.side, progress) {
            Err(CampaignError::Engine(error)) if error.kind == ErrorKind::Interrupted => {
                return Ok(SideOutcome::Stopped);
            }
            other => other?,
        }
        if self.waits_for.is_some() {
            return Ok(SideOutcome::Stopped);
        }
        match self.measure(round, turn, &step, progress) {
            Ok(None) => Ok(SideOutcome::Stopped),
            Ok(Some(run)) => Ok(self.outcome(turn, run)),
            Err(CampaignError::Engine(error)) if error.kind == ErrorKind::Interrupted => {
                Ok(SideOutcome::Stopped)
            }
            // What fails before anything was measured was asked for wrongly; later, a side failed.
            Err(CampaignError::Engine(error)) if self.runs().next().is_some() => {
                self.fail(turn, &format!("{}: {}", error.place, error.cause));
                self.runner.fail(&step, error.cause)?;
                Ok(SideOutcome::Failed(None))
            }
            Err(error) => Err(error),
        }
    }

    fn fail(&mut self, turn: SideTurn, cause: &str) {
        let title = self.lines[turn.line].title();
        self.failures.push(format!("{title}, side {}: {cause}", letter(turn.side)));
    }

    /// Makes a side whose turn begins ready, or finds what it waits for.
    fn prepare(&mut self, round: u32, side: Side, progress: &mut dyn Progress) -> Result<(), CampaignError> {
        if let Some(restarts) = &mut self.restarts {
            let step = restarts.step((round, side as usize), progress, self.runner.stop())?;
            // Whatever follows, the machine may restart before it ends.
            self.runner.save_progress(&self.record().into())?;
            self.waits_for = match (step, &mut self.restarts) {
                (RestartStep::Command(command), Some(restarts)) => {
                    progress.note(&format!("Restarting into side {}: {command}", letter(side)));
                    Some(restarts.command(&command, self.options.before_limit_ns, self.runner.stop())?)
                }
                (RestartStep::Wait(what), _) => Some(what),
                _ => None,
            };
            return Ok(());
        }
        if let Some(said) = self.turns.prepare(side, round, progress, self.runner.stop())? {
            self.commands.push(said);
            // What follows may restart the machine.
            let record = self.record().into();
            self.runner.save_progress(&record)?;
        }
        Ok(())
    }

    fn outcome(&mut self, turn: SideTurn, run: RunRecord) -> SideOutcome {
        let RunEnding::Failed { error } = &run.ending else { return SideOutcome::Ran(Box::new(run)) };
        self.fail(turn, &format!("the target failed: {error}"));
        SideOutcome::Failed(Some(Box::new(run)))
    }

    fn measure(
        &mut self,
        round: u32,
        turn: SideTurn,
        step: &str,
        progress: &mut dyn Progress,
    ) -> Result<Option<RunRecord>, CampaignError> {
        let workload = self.workload(round, turn);
        progress.step(&self.notice(turn, &workload));
        self.turns.session(turn.side, self.runner.devices(), progress, self.runner.stop())?;
        self.turns.remember(&mut self.runner)?;
        let session = self.turns.session(turn.side, self.runner.devices(), progress, self.runner.stop())?;
        self.runner.step(step, (session, &workload), progress)
    }

    /// Both runs of a pair do the same I/Os on two targets, so that the addresses do not add to the
    /// difference. On one target the second run would find what the first one left in its caches, and a
    /// simulated device draws its own noise from the same numbers: there each run has its own.
    fn workload(&self, round: u32, turn: SideTurn) -> Workload {
        let side = if self.turns.may_share_seeds() { 0 } else { turn.side as u64 };
        let number = (u64::from(round) * self.lines.len() as u64 + turn.line as u64) * 2 + side;
        let seed = self.seed.wrapping_add(number);
        Workload { seed, ..self.options.workloads[turn.line].of(turn.side).workload.clone() }
    }

    /// Length of a run with all around it; 0 where a count ends it.
    fn run_ns(&self) -> u64 {
        let length = self.options.workloads.first().map(|sides| sides.a.workload.length).unwrap_or_default();
        length.time_ns.map_or(0, |time_ns| time_ns + length.warmup_ns + 80_000_000)
    }

    /// What is to be expected, before it starts.
    fn outlook(&self) -> String {
        let plan = &self.options.plan;
        let (workloads, run_ns) = (self.lines.len() as u64, self.run_ns());
        let least = if plan.fixed_pairs { plan.max_pairs } else { PILOT_PAIRS.min(plan.max_pairs) };
        let time = |pairs: u32| fathom_measure::Nanos(run_ns * 2 * workloads * u64::from(pairs)).coarse();
        let pairs = match (plan.fixed_pairs, run_ns) {
            (true, 0) => format!("{least} pairs each"),
            (true, _) => format!("{least} pairs each: {}", time(least)),
            (false, 0) => format!("{least} to {} pairs each", plan.max_pairs),
            (false, _) => {
                let (short, long) = (time(least), time(plan.max_pairs));
                format!("{least} to {} pairs each: {short} to {long}", plan.max_pairs)
            }
        };
        let word = if workloads == 1 { "workload" } else { "workloads" };
        format!("{workloads} {word} on two sides, {pairs}.")
    }

    fn notice(&self, turn: SideTurn, workload: &Workload) -> StepNotice {
        let wanted = |line: &WorkloadRuns| {
            let (pairs, next_look) = line.pairs();
            u64::from(next_look.saturating_sub(pairs))
        };
        let left: u64 = self.lines.iter().filter(|line| line.is_open()).map(wanted).sum();
        let (pairs, next_look) = self.lines[turn.line].pairs();
        StepNotice {
            title: self.lines[turn.line].title().to_owned(),
            pattern: (turn.line + 1, self.lines.len()),
            cell: (workload.jobs, workload.depth),
            purpose: format!(
                "side {}, pair {} of {next_look} until the next look",
                letter(turn.side),
                pairs + 1
            ),
            run_ns: self.run_ns(),
            left_ns: (self.run_ns() > 0).then(|| left * 2 * self.run_ns()),
        }
    }

    fn runs(&self) -> impl Iterator<Item = &RunRecord> {
        self.lines.iter().flat_map(WorkloadRuns::runs)
    }

    fn record(&self) -> CompareRecord {
        let plan = ComparePlan { seed: self.seed, ..self.options.plan.clone() };
        let [a, b] = side_names(&plan);
        let side = |side: Side, name: String| {
            let run = self.lines.iter().find_map(|line| line.runs_of(side).next());
            let target = run.map(|run| run.target.clone());
            SideFacts { name, target, engine: run.map(|run| run.engine.name.clone()) }
        };
        let (a, b) = (side(Side::A, a), side(Side::B, b));
        let workloads: Vec<ComparedWorkload> =
            self.lines.iter().filter_map(WorkloadRuns::concluded).collect();
        CompareRecord {
            format: CampaignRecord::FORMAT.to_owned(),
            version: CampaignRecord::VERSION,
            id: self.runner.id().to_owned(),
            started_at: self.runner.started_at().to_owned(),
            finished_at: None,
            tool: this_tool(),
            command: Some(compare_command_line(&plan, self.options.before_limit_ns)),
            environment: self.runs().next().map(|run| run.environment.clone()),
            notes: self.notes(&a, &b, &workloads),
            boots: self.restarts.as_ref().map_or_else(Vec::new, |restarts| restarts.turns().to_vec()),
            workloads,
            commands: self.commands.clone(),
            busy_seconds: self.runs().map(|run| run.ledger.seconds).sum(),
            plan,
            a,
            b,
        }
    }

    fn notes(&self, a: &SideFacts, b: &SideFacts, workloads: &[ComparedWorkload]) -> Vec<String> {
        let mut notes = self.failures.clone();
        notes.extend(self.restarts.iter().flat_map(Restarts::notes));
        notes.extend(spans_differ(a, b, self.options.workloads.iter().map(|sides| &sides.a.workload)));
        notes.extend(workloads.iter().filter_map(bands::of_workload));
        let from_runs: BTreeSet<&String> = self.runs().flat_map(|run| &run.notes).collect();
        notes.extend(from_runs.into_iter().cloned());
        notes
    }
}

/// Random addresses over the whole of targets of different sizes meet caches differently.
fn spans_differ<'a>(
    a: &SideFacts,
    b: &SideFacts,
    mut workloads: impl Iterator<Item = &'a Workload>,
) -> Option<String> {
    let (a, b) = (a.target.as_ref()?.size_bytes, b.target.as_ref()?.size_bytes);
    let whole = workloads.any(|workload| workload.span_bytes.is_none());
    (a != b && whole).then(|| {
        let (a, b) = (fathom_measure::Bytes(a), fathom_measure::Bytes(b));
        format!("The I/Os were spread over all of each target: {a} of A, {b} of B. --size makes it the same.")
    })
}
