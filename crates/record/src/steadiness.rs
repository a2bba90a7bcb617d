//! Whether a series of 1-s rates is steady, from what second on, and for how long that may be said.

use serde::{Deserialize, Serialize};

use crate::exposure_guard::HiddenState;

/// The judgement of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Steadiness {
    /// The verdict.
    pub verdict: SteadyVerdict,
    /// Why, in a sentence with figures.
    pub reason: String,
    /// Length of the series that was judged.
    pub seconds: f64,
    /// Seconds at its start that do not count.
    pub discarded_s: f64,
    /// Seconds that count.
    pub window_s: f64,
    /// Mean rate of the seconds that count, in the series' unit; absent without any.
    pub mean: Option<f64>,
    /// The four gates; a gate that could not be tried is absent.
    pub gates: Gates,
    /// Longest time for which the drift, with its uncertainty, stays within the tolerance: how far ahead
    /// the mean may be taken as valid. Absent where no time passes.
    pub horizon_s: Option<f64>,
    /// A period that the rate repeats with, if it has one.
    pub period: Option<Period>,
    /// SNIA's rule, for comparison; absent for fewer than five rounds.
    pub snia: Option<SniaRounds>,
    /// Seconds still to measure before the verdict can become steady, if nothing changes; 0 once it is, and
    /// absent where that cannot be foreseen.
    pub remaining_s: Option<f64>,
    /// Length of the series at which it is worth judging again.
    pub next_check_s: f64,
    /// Hidden states of the target that nothing is known of, and that this does not exclude.
    pub not_excluded: Vec<HiddenState>,
}

/// What a series is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SteadyVerdict {
    /// All four gates hold.
    Steady,
    /// All four gates hold over whole periods of a rate that goes up and down.
    Periodic,
    /// Still settling: the start, or the level, is not that of the end.
    Transient,
    /// Goes steadily up or down by more than is tolerated.
    Drifting,
    /// Even, but a known hidden state is not used up: the value is that of the burst regime.
    RegimeConditional,
    /// Too short or too noisy to say; nothing is claimed.
    NotEnoughData,
    /// No rate to judge: no I/O, or values that are no numbers.
    Unusable,
}

impl SteadyVerdict {
    /// Whether the mean may be published as the lasting one.
    pub const fn is_settled(self) -> bool {
        matches!(self, SteadyVerdict::Steady | SteadyVerdict::Periodic)
    }

    /// The word for it in text and screens.
    pub const fn name(self) -> &'static str {
        match self {
            SteadyVerdict::Steady => "steady",
            SteadyVerdict::Periodic => "periodic",
            SteadyVerdict::Transient => "transient",
            SteadyVerdict::Drifting => "drifting",
            SteadyVerdict::RegimeConditional => "regime-conditional",
            SteadyVerdict::NotEnoughData => "not enough data",
            SteadyVerdict::Unusable => "unusable",
        }
    }
}

/// The four gates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gates {
    /// Known hidden states are used up.
    pub guard: GuardGate,
    /// The initial transient ends before the middle.
    pub transient: Option<TransientGate>,
    /// The drift is shown to be small.
    pub drift: Option<DriftGate>,
    /// Thirds are on one level, and there is data enough to say so.
    pub level: Option<LevelGate>,
}

/// Gate 0: the ledger's guard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardGate {
    /// Whether it holds.
    pub passed: bool,
    /// Second of the series from which it holds; absent where the rates so far never get there.
    pub from_s: Option<f64>,
}

/// Gate 1: the end of the initial transient (MSER-5).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TransientGate {
    /// Whether it holds: the transient ends before the middle of the series.
    pub passed: bool,
    /// Seconds that belong to it.
    pub transient_s: f64,
}

/// Gate 2: equivalence of the drift with none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriftGate {
    /// Whether it holds: drift and uncertainty together are within the tolerance.
    pub passed: bool,
    /// Batches that the window was cut into.
    pub batches: u32,
    /// Length of a batch.
    pub batch_s: f64,
    /// Time that the claim is for: the window or the horizon, whichever is longer.
    pub claim_s: f64,
    /// Drift over that time as a share of the mean, by the fitted line.
    pub drift_share: f64,
    /// What uncertainty adds to it (one-sided 95 %).
    pub uncertainty_share: f64,
    /// What is tolerated.
    pub tolerance_share: f64,
}

/// Gate 3: one level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LevelGate {
    /// Whether it holds.
    pub passed: bool,
    /// Largest difference between the means of the window's thirds, as a share of the mean.
    pub range_share: f64,
    /// Two standard errors of the mean as a share of it; at most half the tolerance.
    pub error_share: f64,
    /// What is tolerated.
    pub tolerance_share: f64,
}

/// A rate that goes up and down.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Period {
    /// Its length.
    pub seconds: f64,
    /// Autocorrelation at that distance, 0 to 1.
    pub correlation: f64,
    /// Half the distance between the tenth and the ninetieth percentile of the rate, as a share of the mean.
    pub swing_share: f64,
}

/// SNIA's steady-state rule on the last five rounds: SSS-PTS 2.0.1, as quoted in public test scripts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SniaRounds {
    /// Whether both limits are kept.
    pub met: bool,
    /// Length of a round here; the standard's rounds are defined by its test.
    pub round_s: f64,
    /// Largest minus smallest round, as a share of their mean; at most 0.2.
    pub excursion_share: f64,
    /// Rise or fall of the fitted line over the five rounds, as a share of their mean; at most 0.1.
    pub slope_share: f64,
}
