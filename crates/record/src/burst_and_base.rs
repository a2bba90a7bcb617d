//! A token bucket that was seen to run out.

use serde::{Deserialize, Serialize};

/// A rate that holds while tokens last, and the one that remains: what a series showed of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BurstAndBase {
    /// Rate while tokens lasted, per second.
    pub burst_per_s: f64,
    /// Half-width of its 95 % interval.
    pub burst_half_width: f64,
    /// Rate afterwards, which is also how fast tokens come back, per second.
    pub base_per_s: f64,
    /// Half-width of its 95 % interval.
    pub base_half_width: f64,
    /// Time until the drop.
    pub burst_s: f64,
    /// Length of the drop: the time is known to about this.
    pub drop_s: f64,
    /// Tokens spent beyond those that came back: the bucket's size if it was full at the start, and
    /// otherwise the least that it can be.
    pub tokens: f64,
    /// Half-width of its 95 % interval.
    pub tokens_half_width: f64,
}

impl BurstAndBase {
    /// Mean rate of a run of `seconds` that starts with as many tokens.
    pub fn mean_over(&self, seconds: f64) -> f64 {
        if seconds <= self.burst_s { self.burst_per_s } else { self.base_per_s + self.tokens / seconds }
    }

    /// Time without load until as many tokens are there again.
    pub fn refill_s(&self) -> f64 {
        self.tokens / self.base_per_s
    }
}
