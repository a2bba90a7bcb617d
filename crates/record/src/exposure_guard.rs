//! Hidden states of a target, and whether what it was exposed to has used them up.
//!
//! A bucket of credits that has not run out, a cache that is not full: no statistic sees them. Only what
//! is known of the target, held against what it was exposed to, can tell.

use serde::{Deserialize, Serialize};

/// A state of a target that changes its rate when it is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HiddenState {
    /// Credits of a volume that allow more than its base rate for a while.
    VolumeCredits,
    /// Credits of the instance that the volume is attached to.
    InstanceCredits,
    /// Fast flash, memory or spare area that takes writes until it is full.
    WriteCache,
    /// Memory of host, controller or array that answers reads.
    ReadCache,
    /// Blocks of a volume made from a snapshot, fetched at their first read.
    LazyLoad,
    /// A device that becomes warmer until it slows down.
    Thermal,
}

/// Whether one hidden state can still change the rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum HiddenStateStanding {
    /// The target has no such state, or this workload does not meet it.
    Absent,
    /// Used up: what was measured after that is the lasting state.
    Exhausted {
        /// Time under load at which it was used up, from the start of the exposure.
        after_s: f64,
    },
    /// Not used up yet.
    NotYet {
        /// Time under load at which it will be used up at the rates so far; absent where these never
        /// use it up.
        after_s: Option<f64>,
    },
    /// Not known whether the target has it or how much of it.
    Unknown,
}

/// One hidden state, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardRow {
    /// Which.
    pub state: HiddenState,
    /// How it stands.
    pub standing: HiddenStateStanding,
    /// Why, with figures.
    pub text: String,
    /// Where the limit is known from, with its date; empty where nothing is known.
    pub source: String,
}

/// All hidden states against the exposure: the ledger's guard.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExposureGuard {
    /// Time under load so far.
    pub exposed_s: f64,
    /// One entry for each hidden state.
    pub rows: Vec<GuardRow>,
}

impl ExposureGuard {
    /// Whether no known state is left to be used up. States that are not known do not count: they are
    /// named by [`unknown`](Self::unknown).
    pub fn met(&self) -> bool {
        !self.rows.iter().any(|row| matches!(row.standing, HiddenStateStanding::NotYet { .. }))
    }

    /// Time under load after which the last known state is used up; 0 without any, and absent where one
    /// never is.
    pub fn guard_s(&self) -> Option<f64> {
        self.rows.iter().try_fold(0.0, |latest: f64, row| match row.standing {
            HiddenStateStanding::Absent | HiddenStateStanding::Unknown => Some(latest),
            HiddenStateStanding::Exhausted { after_s } => Some(latest.max(after_s)),
            HiddenStateStanding::NotYet { after_s } => after_s.map(|after_s| latest.max(after_s)),
        })
    }

    /// States that nothing is known of, and that a result therefore does not exclude.
    pub fn unknown(&self) -> impl Iterator<Item = HiddenState> {
        self.rows.iter().filter(|row| row.standing == HiddenStateStanding::Unknown).map(|row| row.state)
    }
}

impl HiddenState {
    /// All hidden states, in the order in which they are judged.
    pub const ALL: [HiddenState; 6] = [
        HiddenState::VolumeCredits,
        HiddenState::InstanceCredits,
        HiddenState::WriteCache,
        HiddenState::ReadCache,
        HiddenState::LazyLoad,
        HiddenState::Thermal,
    ];

    /// The words for it.
    pub const fn name(self) -> &'static str {
        match self {
            HiddenState::VolumeCredits => "burst credits of the volume",
            HiddenState::InstanceCredits => "burst credits of the instance",
            HiddenState::WriteCache => "write cache or spare area",
            HiddenState::ReadCache => "read cache",
            HiddenState::LazyLoad => "blocks still to be fetched from a snapshot",
            HiddenState::Thermal => "warming up to a thermal limit",
        }
    }
}
