//! Cells that are visited in random order, pass after pass: which are due, their open targets, and their runs.

mod grid_refinement;
mod grid_runs;
mod sessions;
mod visit_order;

pub use grid_runs::GridRuns;
pub use sessions::Sessions;
pub use visit_order::{CellProgress, Rules, wanted};
