//! Symptoms that records and published tables show alike: one sentence and one scale for each, whoever has the values.

mod bounds;
mod curve;
mod processors;
mod rows;
mod storage;

pub use bounds::{BoundKey, tightest};
pub use curve::is_lone;
pub use processors::BusyShares;
pub use rows::{ComparedRow, Difference, RateRatio, STATED_RATIO_ERROR, growth};
