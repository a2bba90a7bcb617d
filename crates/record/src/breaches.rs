//! What an engine did that its contract forbids.

use serde::{Deserialize, Serialize};

/// How often the engine broke its contract, over the whole run with warm-up and drain; all 0 where it kept it.
///
/// None of these is the target's doing: with any of them the run says nothing of the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EngineBreaches {
    /// Completions whose stamps were out of order, or outside of the time between submission and reaping. They are
    /// in no latency and no rate.
    pub stamps_out_of_order: u64,
    /// Completions of an I/O that was not in flight; nothing of them is counted.
    pub unknown_completions: u64,
    /// I/Os that were not taken though a slot was free; they never reached the target.
    pub refused_submissions: u64,
    /// Intervals of one job whose in-flight integral was more than its depth allows.
    pub above_depth: u64,
}

impl EngineBreaches {
    /// Whether the contract was kept.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Adds another one's counts.
    pub fn merge(&mut self, other: &Self) {
        self.stamps_out_of_order += other.stamps_out_of_order;
        self.unknown_completions += other.unknown_completions;
        self.refused_submissions += other.refused_submissions;
        self.above_depth += other.above_depth;
    }
}
