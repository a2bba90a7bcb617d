//! What to run next for one pattern: the search's wish, then repeats of the points it found.

use fathom_record::campaign::PatternPlan;
use fathom_record::engine_list::InFlight;
use fathom_record::workload::Length;
use fathom_record::{RunRecord, Workload};
use fathom_stats::search::{Cell, Grid, Observation, Purpose, Search, SearchOptions};
use fathom_stats::{coefficient_of_variation, student};
use fathom_target::remote::deepest;

use super::budget::{Budget, Share};
use crate::progress::StepNotice;
use crate::single_run::Session;

/// Runs of a pattern's time that are kept for repeats.
const REPEATS_KEPT: u64 = 3;
/// More repeats of one point than this narrow its interval too little to be worth the time.
const MOST_REPEATS: usize = 8;
/// Memory that the buffers of one run may take.
const BUFFER_LIMIT_BYTES: u64 = 128 << 20;
/// Seconds that a run needs before its own series says how much a run scatters.
const SECONDS_FOR_NOISE: usize = 4;

/// One run to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssessStep {
    cell: Cell,
    purpose: &'static str,
    /// Number of the run within its pattern, from 0.
    number: usize,
}

/// The runs of one pattern, made and to be made.
pub struct PatternSteps<'a> {
    pattern: &'a PatternPlan,
    share: Share,
    search: Search,
    runs: Vec<RunRecord>,
    /// Whether time that the search leaves is spent on repeats.
    repeats: bool,
    /// Clients that carry each run: cells are in jobs of one of them, runs in those of all.
    clients: u32,
}

impl<'a> PatternSteps<'a> {
    /// Steps after the runs that are `known` already.
    pub fn new(
        pattern: &'a PatternPlan,
        session: &Session,
        share: Share,
        known: Vec<RunRecord>,
        repeats: bool,
    ) -> Self {
        let search = Search::new(grid(session, &pattern.workload), SearchOptions::default());
        let clients = session.clients();
        let mut steps = Self { pattern, share, search, runs: Vec::new(), repeats, clients };
        known.into_iter().for_each(|run| steps.take(run));
        steps
    }

    /// The next run; `None` when everything is decided or the pattern's time is over.
    pub fn next(&mut self, budget: &Budget) -> Option<AssessStep> {
        let left_ns =
            self.share.until_ns.min(budget.now_ns() + budget.left_ns()).saturating_sub(budget.now_ns());
        let runs_left = left_ns / self.share.run_ns();
        if runs_left == 0 {
            return None;
        }
        let number = self.runs.len();
        let kept = if self.repeats { REPEATS_KEPT } else { 0 };
        let for_search = runs_left.saturating_sub(kept).max(u64::from(number < 2));
        self.search.remaining(u32::try_from(for_search).unwrap_or(u32::MAX));
        if let Some(step) = self.search.next() {
            return Some(AssessStep { cell: step.cell, purpose: words(step.purpose), number });
        }
        let cell = self.repeats.then(|| self.repeat())?;
        cell.map(|cell| AssessStep { cell, purpose: "repeat of a chosen point", number })
    }

    /// The chosen point with the fewest runs that hold.
    fn repeat(&self) -> Option<Cell> {
        let estimates = self.search.estimates();
        let chosen = [self.search.balanced().map(|p| p.index), self.search.peak().map(|p| p.index)];
        chosen
            .into_iter()
            .flatten()
            .map(|index| Cell::new(estimates[index].jobs, estimates[index].depth))
            .map(|cell| (self.runs.iter().filter(move |run| self.cell_of(run) == cell), cell))
            .filter(|(runs, _)| runs.clone().count() < MOST_REPEATS)
            .min_by_key(|(runs, _)| runs.clone().filter(|run| run.is_valid()).count())
            .map(|(_, cell)| cell)
    }

    /// Takes in a run that was made.
    pub fn take(&mut self, run: RunRecord) {
        let x_per_s = if run.ending == fathom_record::run_record::RunEnding::Complete {
            run.summary.operations_per_s()
        } else {
            0.0
        };
        let observation =
            Observation { x_per_s, r_ns: run.summary.service_mean_ns().unwrap_or(0.0), noise: noise(&run) };
        self.search.observe(self.cell_of(&run), observation);
        self.runs.push(run);
    }

    fn cell_of(&self, run: &RunRecord) -> Cell {
        Cell::new(run.workload.jobs / self.clients, run.workload.depth)
    }

    /// Whether nothing was run.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// All runs.
    pub fn into_runs(self) -> Vec<RunRecord> {
        self.runs
    }

    /// The step's key in the journal: sorts in the order of the steps.
    pub fn key(&self, step: &AssessStep) -> String {
        format!("{}/{:04}/{}x{}", self.pattern.name, step.number, step.cell.jobs, step.cell.depth)
    }

    /// The step's workload. Each run has its own seed, so that repeats do not replay one another.
    pub fn workload(&self, step: &AssessStep, seed: u64) -> Workload {
        Workload {
            jobs: step.cell.jobs,
            depth: step.cell.depth,
            length: Length {
                time_ns: Some(self.share.window_ns),
                warmup_ns: self.share.warmup_ns,
                ..Length::default()
            },
            seed: seed.wrapping_add(step.number as u64),
            ..self.pattern.workload.clone()
        }
    }

    /// The step as it is shown.
    pub fn notice(&self, step: &AssessStep, pattern: (usize, usize), budget: &Budget) -> StepNotice {
        StepNotice {
            title: self.pattern.title.clone(),
            pattern,
            cell: (step.cell.jobs, step.cell.depth),
            purpose: step.purpose.to_owned(),
            run_ns: self.share.warmup_ns + self.share.window_ns,
            left_ns: Some(budget.left_ns()),
        }
    }
}

/// The concurrency worth trying with this engine, machine and size.
pub fn grid(session: &Session, workload: &Workload) -> Grid {
    let cpus = session.environment().cpus.max(1).next_power_of_two();
    let engine = session.engine().entry();
    // A decorator holds many I/Os at once, whatever the engine does; those of `sync` still need a thread each.
    let asynchronous = match engine.in_flight {
        InFlight::Depth => true,
        InFlight::Threads => false,
        InFlight::One => !session.decorators().is_empty(),
    };
    let (jobs, depth) = match (session.is_simulated_time(), asynchronous) {
        (true, _) => (16, 256),
        (false, true) => (cpus.min(16), 256),
        // One thread an I/O in flight.
        (false, false) if engine.in_flight == InFlight::Threads => (cpus.min(16), 32),
        (false, false) => (cpus.min(16), 1),
    };
    let largest = workload.sizes.read.max_bytes().max(workload.sizes.write.max_bytes()).max(1);
    // A namespace over a fabric has queues of so many entries.
    let depth = deepest(session.target(), largest).map_or(depth, |most| most.min(depth));
    Grid::up_to(jobs, depth).with_max_in_flight(BUFFER_LIMIT_BYTES / largest)
}

/// Relative standard deviation of the run's mean rate, from its own seconds.
fn noise(run: &RunRecord) -> Option<f64> {
    let rates = crate::cells::rates_by_second(run);
    let variation = (rates.len() >= SECONDS_FOR_NOISE).then(|| coefficient_of_variation(&rates))??;
    let mean = student::mean(&rates)?;
    (mean > 0.0).then(|| variation / (rates.len() as f64).sqrt())
}

fn words(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Unloaded => "unloaded latency",
        Purpose::Capacity => "probing peak",
        Purpose::Start => "first guess",
        Purpose::OneJob => "one job at that depth",
        Purpose::Climb => "refining",
        Purpose::Drift => "best point again, for drift",
        Purpose::FarProbe => "checking max concurrency",
        Purpose::PeakBracket => "around the peak",
        Purpose::Race => "comparing the best",
    }
}
