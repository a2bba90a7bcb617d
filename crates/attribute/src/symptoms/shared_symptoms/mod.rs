//! Symptoms that records and published tables show alike: one sentence and one scale for each, whoever has the values.

mod busy_shares;
mod curve;
mod rows;
mod storage;
mod tightest_bound;

pub use busy_shares::BusyShares;
pub use curve::is_lone;
pub use rows::{ComparedRow, Difference, RateRatio, STATED_RATIO_ERROR, growth};
pub use tightest_bound::{BoundKey, tightest};
