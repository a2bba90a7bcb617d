//! What a latency distribution shows beyond its quantiles: their intervals, cliffs, and modes.

use serde::{Deserialize, Serialize};

/// A quantile of one run with its interval, as far as the run resolves it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuantileInterval {
    /// Order, 0 to 1.
    pub q: f64,
    /// The quantile; absent where the run holds too few independent values beyond it, and only
    /// `low_ns` is known ("at least").
    pub value_ns: Option<u64>,
    /// Lower end of the interval.
    pub low_ns: u64,
    /// Upper end of the interval; absent where only the lower end is known.
    pub high_ns: Option<u64>,
    /// Confidence of the interval, 0 to 1.
    pub confidence: f64,
    /// Values beyond the quantile: above it, or below it for orders under one half.
    pub beyond: u64,
    /// How many times more the share beyond varies than it would with independent I/Os.
    pub design_effect: f64,
    /// Independent values beyond the quantile that are worth as much as those seen.
    pub effective_beyond: f64,
    /// The interval holds for events that recur at least this often, in seconds.
    pub resolves_every_s: f64,
    /// The stretch without values that the interval spans, if it does: the quantile lies on a cliff.
    pub cliff: Option<Gap>,
}

/// A quantile over runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuantileOverRuns {
    /// Order, 0 to 1.
    pub q: f64,
    /// Runs.
    pub runs: u32,
    /// Geometric mean of the runs' quantiles, in nanoseconds.
    pub value_ns: f64,
    /// Lower end of the interval, in nanoseconds.
    pub low_ns: f64,
    /// Upper end of the interval, in nanoseconds.
    pub high_ns: f64,
    /// Confidence of the interval, 0 to 1.
    pub confidence: f64,
}

/// A stretch of latencies that hardly occur.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gap {
    /// Where it begins.
    pub from_ns: u64,
    /// Where it ends.
    pub to_ns: u64,
}

/// A jump in the tail: nearly nothing for at least half a doubling, then a group of slow I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cliff {
    /// The stretch without values.
    pub gap: Gap,
    /// Share of all values below the slow group: the quantile at which latency jumps.
    pub at_q: f64,
    /// Slow I/Os.
    pub beyond: u64,
    /// Independent slow I/Os that are worth as much as those seen.
    pub effective_beyond: f64,
    /// Seconds a minute in which at least one slow I/O ended.
    pub seconds_per_minute: f64,
}

/// One hump of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mode {
    /// Latency at its top.
    pub at_ns: u64,
    /// Lower end of its range: the lowest point of the valley below.
    pub low_ns: u64,
    /// Upper end of its range.
    pub high_ns: u64,
    /// Share of all values in its range, 0 to 1.
    pub share: f64,
}

/// What the slowest mode was held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ModeAttribute {
    /// Reads, writes and what else there was.
    Direction,
    /// The seconds in which I/Os ended.
    Time,
}

/// Whether the slowest mode goes with something that is known of each I/O.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModeExplanation {
    /// What was looked at.
    pub by: ModeAttribute,
    /// How far the slow I/Os are from being spread as the others are, 0 to 1.
    pub association: f64,
    /// Chance of so much or more if the mode did not follow it; allows for slow I/Os that come in bursts.
    pub p_value: f64,
    /// Whether it explains the mode: beyond chance, and large.
    pub explains: bool,
    /// Where the slow I/Os are.
    pub shares: Vec<LabelShare>,
}

/// One value of what was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabelShare {
    /// Which, as `write`.
    pub label: String,
    /// Its share of the slow I/Os. For the time: share of the seconds that hold a slow I/O.
    pub of_slow: f64,
    /// Its share of all I/Os. For the time: share that would hold one if they were spread evenly.
    pub of_all: f64,
}
