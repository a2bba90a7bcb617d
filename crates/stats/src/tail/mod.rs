//! Latency quantiles with honest intervals, from the second-by-second histograms of a run.
//!
//! Slow I/Os come in bursts, so a run holds far fewer independent ones than it counts. The share of
//! values beyond a quantile is therefore judged by how it varies over 30 stretches of the run (a ratio
//! estimate over batches, corrected for the correlation of neighbours), not by the number of I/Os: the
//! textbook binomial interval of a p99.99 covers 5 to 37 % where bursts make the tail, this one 90 % and
//! more once the run holds twelve recurrences.
//!
//! The length of a run is set before it and never ends by what the tail shows: runs that stop once the tail looks
//! precise are those that have met no burst yet (they covered 0 % of a p99.99).

mod interval;
mod latency_batches;
mod run_quantiles;

pub use interval::{MIN_BEYOND, MIN_EFFECTIVE, UnresolvedReason, quantile_interval};
pub use latency_batches::{BATCHES, LatencySeries};
pub use run_quantiles::{MIN_RUNS, quantile_over_runs};
