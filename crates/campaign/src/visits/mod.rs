//! Cells that are visited in random order, pass after pass: which are due, their open targets, and their runs.

mod adaptive;
mod grid;
mod order;
mod sessions;

pub use grid::GridRuns;
pub use order::{CellProgress, Rules, wanted};
pub use sessions::Sessions;
