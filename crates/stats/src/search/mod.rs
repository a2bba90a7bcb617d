//! The search for operating points over jobs x depth: which cell to measure next, and when to stop.
//!
//! Anchors first (unloaded latency, rough capacity), the start and one job as deep, then a hill climb of normalised power over the
//! eight neighbours on the log2 grid, leaving out cells that concavity excludes; then far probes against
//! a second hill, the bracket of the peak, and a race of the best cells until they are decided or differ
//! by less than 2 %. The incumbent is measured again every few cells to see the device drift.
//!
//! The next step is a pure function of the observations so far, so a campaign resumes by replaying them.

mod bounds;
mod climb;
mod grid;
mod peak;
mod picture;
mod probes;
mod race;

use crate::operating_point::{self, BalancedPoint, MeasuredCell, PeakPoint};
pub use grid::{Cell, Grid, MAX_DEPTH, MAX_JOBS};
pub use picture::DEFAULT_NOISE;
use picture::Picture;

/// Anchor of the unloaded latency.
const UNLOADED: Cell = Cell::new(1, 1);
/// Anchor of the rough capacity.
const CAPACITY: Cell = Cell::new(8, 32);

/// One measured run of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Operations per second.
    pub x_per_s: f64,
    /// Mean latency, in nanoseconds.
    pub r_ns: f64,
    /// Relative standard deviation of the rate from run to run, as far as the run can tell;
    /// absent: [`DEFAULT_NOISE`].
    pub noise: Option<f64>,
}

impl Observation {
    /// Whether rate and latency are numbers that a running target can have. A run that failed is
    /// observed with a rate of zero: its cell is then left alone.
    pub fn is_usable(&self) -> bool {
        [self.x_per_s, self.r_ns].iter().all(|v| v.is_finite() && *v > 0.0)
    }
}

/// How a search goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchOptions {
    /// Runs that it may take in all; [`Search::remaining`] changes it on the way.
    pub max_runs: u32,
    /// Cells between two measurements of the incumbent.
    pub drift_every: usize,
    /// Cells that race at the end.
    pub racers: usize,
    /// Runs of one racing cell at most.
    pub max_passes: usize,
    /// Difference of normalised power that is a tie.
    pub tie_share: f64,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { max_runs: u32::MAX, drift_every: 5, racers: 4, max_passes: 8, tie_share: 0.02 }
    }
}

/// What a step is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// One job at depth one: the unloaded latency.
    Unloaded,
    /// Many I/Os in flight: the rough capacity.
    Capacity,
    /// Where the climb starts.
    Start,
    /// One job with as much in flight as there: whether jobs stand in each other's way.
    OneJob,
    /// A neighbour of the best cell so far.
    Climb,
    /// The best cell again, to see drift.
    Drift,
    /// A far corner, against a second hill.
    FarProbe,
    /// Between the best cell and the highest rate, or beyond it.
    PeakBracket,
    /// A repeat that decides between the best cells.
    Race,
}

/// The next measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where.
    pub cell: Cell,
    /// Why.
    pub purpose: Purpose,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// No cell can be better by more than the tie, and the peak is bracketed.
    Decided,
    /// The best cells were repeated as often as allowed and still differ by less than their noise.
    Undecided,
    /// The runs are used up.
    BudgetSpent,
    /// No run gave a usable rate.
    NothingUsable,
}

/// A search in progress.
#[derive(Clone, Debug)]
pub struct Search {
    grid: Grid,
    options: SearchOptions,
    log: Vec<(Cell, Observation)>,
    max_runs: u64,
}

/// What a look at the observations leads to.
type StepResult = Result<Step, SearchEnd>;

impl Search {
    /// A search over a grid.
    pub fn new(grid: Grid, options: SearchOptions) -> Self {
        Self { grid, options, log: Vec::new(), max_runs: u64::from(options.max_runs) }
    }

    /// Takes in a run, also one that was not asked for.
    pub fn observe(&mut self, cell: Cell, observation: Observation) {
        self.log.push((cell, observation));
    }

    /// Sets how many runs may still follow from here.
    pub fn remaining(&mut self, runs: u32) {
        self.max_runs = self.log.len() as u64 + u64::from(runs);
    }

    /// Runs observed so far.
    pub fn runs(&self) -> usize {
        self.log.len()
    }

    /// What to measure next; `None` when the search has [finished](Self::finished).
    pub fn next(&self) -> Option<Step> {
        self.decide().ok()
    }

    /// Why nothing more is to be measured; `None` while something is.
    pub fn finished(&self) -> Option<SearchEnd> {
        self.decide().err()
    }

    /// One estimate a cell, free of drift, by the order in which the cells were first measured.
    pub fn estimates(&self) -> Vec<MeasuredCell> {
        Picture::of(&self.log).estimates.iter().map(|e| e.observed()).collect()
    }

    /// Relative standard deviation of one run's rate, as the runs report it or their repeats show it.
    pub fn noise(&self) -> f64 {
        Picture::of(&self.log).noise
    }

    /// The balanced operating point so far; its indices are those of [`estimates`](Self::estimates).
    pub fn balanced(&self) -> Option<BalancedPoint> {
        operating_point::balanced(&self.estimates())
    }

    /// The peak so far; its indices are those of [`estimates`](Self::estimates).
    pub fn peak(&self) -> Option<PeakPoint> {
        operating_point::peak(&self.estimates())
    }

    fn decide(&self) -> StepResult {
        if self.log.len() as u64 >= self.max_runs {
            return Err(SearchEnd::BudgetSpent);
        }
        let view = View { search: self, picture: Picture::of(&self.log) };
        let step = view
            .opening()
            .or_else(|| view.climb())
            .or_else(|| view.far_probe())
            .or_else(|| view.peak_bracket())
            .map_or_else(|| view.race(), Ok)?;
        Ok(view.drift().unwrap_or(step))
    }
}

/// The observations and what they say, for one decision.
struct View<'a> {
    search: &'a Search,
    picture: Picture,
}

impl View<'_> {
    /// Places of a cell's runs in the log, usable or not.
    fn tries(&self, cell: Cell) -> impl Iterator<Item = usize> + '_ {
        self.search.log.iter().enumerate().filter(move |(_, (known, _))| *known == cell).map(|(at, _)| at)
    }

    /// A step to a cell that is on the grid and new.
    fn fresh(&self, cell: Cell, purpose: Purpose) -> Option<Step> {
        let is_new = self.tries(cell).next().is_none();
        (is_new && self.search.grid.contains(cell)).then_some(Step { cell, purpose })
    }

    /// Anchors, the start of the climb, and one job with as much in flight.
    fn opening(&self) -> Option<Step> {
        let at = |cell, purpose| self.fresh(self.search.grid.clamp(cell), purpose);
        at(UNLOADED, Purpose::Unloaded)
            .or_else(|| at(CAPACITY, Purpose::Capacity))
            .or_else(|| at(self.start(), Purpose::Start))
            .or_else(|| self.picture.incumbent().and_then(|_| at(self.one_job(), Purpose::OneJob)))
    }

    /// Jobs that contend for a lock show only near the highest rate, where the climb would settle among many jobs
    /// before it saw one: one job, as deep as the start.
    fn one_job(&self) -> Cell {
        let start = self.search.grid.clamp(self.start());
        Cell::new(1, u32::try_from(start.in_flight()).unwrap_or(MAX_DEPTH).min(MAX_DEPTH))
    }

    /// The incumbent again, when other cells have been measured for a while and the runs allow for it.
    fn drift(&self) -> Option<Step> {
        let (options, runs) = (&self.search.options, self.search.log.len());
        let incumbent = self.picture.incumbent()?;
        let since = runs - 1 - self.tries(incumbent.cell).last()?;
        let is_due = since >= options.drift_every && self.tries(incumbent.cell).count() < options.max_passes;
        let is_last = runs as u64 + 1 == self.search.max_runs;
        (is_due && !is_last).then_some(Step { cell: incumbent.cell, purpose: Purpose::Drift })
    }
}
