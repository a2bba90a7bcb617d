//! The runs of each cell, and what they come to.

use fathom_record::RunRecord;
use fathom_record::run_record::RunEnding;

use super::visit_order::CellProgress;
use crate::cells::interval_share;

/// Runs by cell.
pub struct GridRuns {
    cells: Vec<CellRuns>,
}

#[derive(Default)]
struct CellRuns {
    runs: Vec<RunRecord>,
    missing: Option<String>,
}

impl CellRuns {
    /// I/Os per second of the runs that came to their end.
    fn rates(&self) -> Vec<f64> {
        let complete = self.runs.iter().filter(|run| run.ending == RunEnding::Complete);
        complete.map(|run| run.summary.operations_per_s()).collect()
    }
}

impl GridRuns {
    /// No runs yet, of so many cells.
    pub fn new(cells: usize) -> Self {
        Self { cells: (0..cells).map(|_| CellRuns::default()).collect() }
    }

    /// Takes in a run, without its seconds, which are in the store; one that failed ends its cell.
    pub fn take(&mut self, cell: usize, mut run: RunRecord) {
        run.intervals = Vec::new();
        let cell = &mut self.cells[cell];
        if let RunEnding::Failed { error } = &run.ending {
            cell.missing = Some(format!("the target failed: {error}"));
        }
        cell.runs.push(run);
    }

    /// Ends a cell that could not be run.
    pub fn give_up(&mut self, cell: usize, cause: String) {
        self.cells[cell].missing = Some(cause);
    }

    /// What decides which cell is next.
    pub fn known(&self) -> Vec<CellProgress> {
        self.cells
            .iter()
            .map(|cell| CellProgress {
                visits: cell.runs.len() as u32,
                first_rate: cell.runs.first().map(|run| run.summary.operations_per_s()),
                interval_share: interval_share(&cell.rates()),
                failed: cell.missing.is_some(),
            })
            .collect()
    }

    /// Cells that a later pass will visit, as far as can be told.
    pub fn expected(&self, adaptive: bool) -> usize {
        self.cells.iter().filter(|cell| cell.missing.is_none() && !(adaptive && cell.runs.is_empty())).count()
    }

    /// Time under load.
    pub fn busy_seconds(&self) -> f64 {
        self.cells.iter().flat_map(|cell| &cell.runs).map(|run| run.ledger.seconds).sum()
    }

    /// The runs of each cell, and why it is not measured, or not to its end.
    pub fn cells(&self) -> impl Iterator<Item = (&[RunRecord], Option<&str>)> {
        self.cells.iter().map(|cell| (cell.runs.as_slice(), cell.missing.as_deref()))
    }

    /// All runs, cell by cell.
    pub fn into_runs(self) -> Vec<RunRecord> {
        self.cells.into_iter().flat_map(|cell| cell.runs).collect()
    }
}
