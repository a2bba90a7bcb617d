//! How far the mean of spaced runs is known, and whether that is far enough.

use serde::{Deserialize, Serialize};

/// What is known of a mean from runs in separate passes, against the error that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Precision {
    /// Runs that count.
    pub runs: u32,
    /// Mean over runs, in the unit of their values; absent without usable runs.
    pub mean: Option<f64>,
    /// Standard deviation between runs, in the same unit; absent for fewer than two.
    pub deviation: Option<f64>,
    /// Half-width of the 95 % interval of the mean, in the same unit: Student's t over runs, together with what
    /// `stalls` adds, or the target where the runs went on until it was reached.
    pub half_width: Option<f64>,
    /// The half-width as a share of the mean.
    pub half_width_share: Option<f64>,
    /// The half-width that was asked for, as a share of the mean.
    pub target_share: f64,
    /// Measured time of all runs together.
    pub measured_s: f64,
    /// Least measured time for this target: an event of a second that was not seen in `n` seconds may
    /// still come in 3/n of them.
    pub floor_s: f64,
    /// What to do.
    pub decision: StopDecision,
    /// How many more runs the target takes, from the deviation so far; absent once decided.
    pub forecast: Option<RunForecast>,
    /// Whether the runs look normally distributed; absent for fewer than three or equal runs.
    pub normality: Option<Normality>,
    /// Interval of the median that assumes no distribution; given where the runs are clearly not normal.
    pub median: Option<MedianInterval>,
    /// Whether the runs lay far enough apart to count as separate.
    pub spacing: Spacing,
    /// Stalls of the target, where any were seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalls: Option<StallSummary>,
}

/// Times in which the target completed nothing, as far as runs saw them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StallSummary {
    /// Stalls that the measured windows of these runs met.
    pub met: u32,
    /// Share of these windows that they took, from 0 to 1.
    pub share: f64,
    /// Stalls in all runs on the target, warm-ups included.
    pub in_all: u32,
    /// Share of all that time that they took, from 0 to 1.
    pub share_in_all: f64,
    /// What stalls add to the half-width, as a share of the mean: how many of them the windows met is chance.
    pub half_width_share: f64,
}

/// What to do after the runs so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StopDecision {
    /// The target is reached.
    Reached,
    /// More runs are needed.
    Continue,
    /// The most runs were made and the target is not reached: the error reached is the answer.
    CapReached,
    /// The runs cannot be put together.
    Unusable {
        /// Why not.
        reason: String,
    },
}

/// Runs still to make until the target is reached.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunForecast {
    /// Most probable number of further runs.
    pub likely: u32,
    /// Fewest, if the deviation so far is by chance too large (one in ten).
    pub fewest: u32,
    /// Most, if the deviation so far is by chance too small (one in ten).
    pub most: u32,
    /// Measured time of the most probable number; gaps between passes come on top.
    pub likely_s: f64,
    /// Half-width as a share of the mean that the largest allowed number of runs would reach.
    pub share_at_cap: f64,
}

/// Shapiro and Wilk's test of the normal distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Normality {
    /// W: 1 is perfectly normal.
    pub w: f64,
    /// Probability of such a W or a lower one from a normal distribution.
    pub p: f64,
}

/// The median and two values that it lies between.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MedianInterval {
    /// Median of the runs.
    pub median: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Confidence that the true median lies between them: at least 0.95.
    pub confidence: f64,
}

/// How far apart the runs started.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spacing {
    /// Shortest pause between the end of one run and the start of the next; absent for one run.
    pub least_gap_s: Option<f64>,
    /// Pause that makes runs count as separate.
    pub required_gap_s: f64,
}

impl Spacing {
    /// Whether every pause was long enough; runs closer together share what happened to them, and their
    /// interval is then too narrow.
    pub fn kept(&self) -> bool {
        self.least_gap_s.is_none_or(|gap| gap >= self.required_gap_s)
    }
}
