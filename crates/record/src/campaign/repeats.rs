//! The repeats of chosen points in passes: how far each point is known, and whether its rate may be
//! taken as lasting.

use serde::{Deserialize, Serialize};

use crate::burst_and_base::BurstAndBase;
use crate::exposure_guard::ExposureGuard;
use crate::precision::Precision;
use crate::steadiness::{SniaRounds, Steadiness};

/// The passes over all chosen points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Repeats {
    /// What ends them.
    pub rule: RepeatRule,
    /// Measured window of each visit.
    pub window_ns: u64,
    /// Why it is that long.
    pub window_reason: String,
    /// Passes that were begun.
    pub passes: u32,
    /// How they ended.
    pub ended: RepeatEnd,
    /// Time that was predicted when they began; absent where nothing was repeated.
    pub predicted_s: Option<f64>,
    /// Time that they took, gaps between windows included.
    pub took_s: f64,
    /// Time that is still missing for the rule, from the scatter so far; absent where it holds, or where
    /// nothing foretells it.
    pub missing_s: Option<f64>,
}

/// What ends the passes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RepeatRule {
    /// Each point's rate is known to this share of it.
    Error {
        /// Half-width of the 95 % interval as a share of the mean.
        target_share: f64,
    },
    /// Five successive rounds of every point keep SNIA's limits, or so many rounds were made.
    Rounds {
        /// Most rounds.
        most: u32,
    },
}

/// How the passes ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RepeatEnd {
    /// The rule holds at every point.
    Met,
    /// The most visits were made and it does not hold everywhere.
    CapReached,
    /// The budget was over before.
    BudgetOver,
    /// Stopped before the end.
    Stopped,
    /// The target failed.
    Failed,
}

/// What is known of one chosen point beside its numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PointQuality {
    /// The pattern's name.
    pub pattern: String,
    /// Jobs of the cell.
    pub jobs: u32,
    /// Depth of the cell.
    pub depth: u32,
    /// How far its rate is known from spaced windows; absent where it was not repeated in passes.
    pub precision: Option<Precision>,
    /// Whether the error that was asked for is reached; absent where none was asked for.
    pub target_met: Option<bool>,
    /// Rates of the rounds, in their order, where rounds were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<f64>,
    /// SNIA's rule on the last five of them.
    pub snia: Option<SniaRounds>,
    /// Whether its seconds are steady; absent where there are too few.
    pub steadiness: Option<Steadiness>,
    /// Hidden states of the target against all that it was exposed to before and in these windows.
    pub guard: Option<ExposureGuard>,
    /// The token bucket that its seconds show.
    pub bucket: Option<BurstAndBase>,
}
