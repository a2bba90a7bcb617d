//! What to do next, as values with one method each, made from a workload.
//!
//! | value | from | method | gives |
//! |---|---|---|---|
//! | [`Generator`] | mix, addresses, sizes | [`next`](Generator::next) | direction, offset and length of the next I/O |
//! | [`ArrivalPattern`] | arrival | [`next_ns`](ArrivalPattern::next_ns) | its intended start |
//! | [`DataPattern`] | data | [`fill`](DataPattern::fill) | its content |
//!
//! Each job owns its own set; every random choice derives from the workload's seed and the job's
//! number, so the same workload replays the same I/Os. Nothing here reads a clock or allocates after
//! it was made.

mod address_pattern;
mod arrival;
mod caps;
mod data;
mod file_turns;
mod generator;
mod geometry;
mod mix;
mod script;
mod seed;
mod size_pattern;
mod span_coverage;
#[cfg(test)]
pub(crate) mod test_workload;

pub use address_pattern::AddressPattern;
pub use arrival::ArrivalPattern;
pub use caps::Caps;
pub use data::DataPattern;
pub use generator::{Draft, Generator};
pub use geometry::{Geometry, largest_transfer_bytes};
pub use mix::MixPattern;
pub use script::{Drafts, Script, ScriptWriter, Scripts, StartTimes};
pub use seed::{Purpose, random_of, seed_of};
pub use size_pattern::SizePattern;
pub use span_coverage::expected_touched_share;
