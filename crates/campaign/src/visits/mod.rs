//! Cells that are visited in random order, pass after pass: which are due, their open targets, and their runs.

mod adaptive;
mod grid;
mod order;
mod sessions;

pub use grid::GridRuns;
pub use order::{Rules, wanted};
pub use sessions::Sessions;

/// What a run costs beside its own length: threads, buffers, telemetry, saving.
pub const OVERHEAD_NS: u64 = 80_000_000;
