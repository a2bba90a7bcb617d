//! What was written to a target before it was measured, by bytes and not by time.

use serde::{Deserialize, Serialize};

use crate::steadiness::Steadiness;

/// What an assessment does to its target before it measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PreconditionPlan {
    /// Nothing.
    #[default]
    None,
    /// Twice its size in sequence, then random overwrite until the rate is steady.
    Auto,
    /// All its blocks are declared unused first.
    Full,
}

impl PreconditionPlan {
    /// Whether nothing is done.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }

    /// As it is typed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Auto => "auto",
            Self::Full => "full",
        }
    }
}

/// The ledger of a preconditioning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Preconditioning {
    /// Bytes of the target that were written over: all of it, or as many as were asked for.
    pub span_bytes: u64,
    /// Bytes of the device that holds them; absent where that is not known.
    pub capacity_bytes: Option<u64>,
    /// The parts, in the order in which they were done.
    pub stages: Vec<PreconditionStage>,
    /// Why the blocks were not declared unused first, where they were not.
    pub not_purged: Option<String>,
    /// The random overwrite's rate at its end; absent before it began.
    pub steadiness: Option<Steadiness>,
    /// How it ended.
    pub ended: PreconditionEnd,
}

/// One part of a preconditioning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PreconditionStage {
    /// Which.
    pub kind: PreconditionKind,
    /// Bytes written, or declared unused.
    pub bytes: u64,
    /// The same in sizes of the span.
    pub over_span: f64,
    /// Time under load.
    pub seconds: f64,
    /// Its runs, in the order in which they were made.
    pub runs: Vec<String>,
}

/// Kinds of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PreconditionKind {
    /// All blocks declared unused.
    Purge,
    /// Written in sequence.
    Fill,
    /// Written over at random.
    Overwrite,
}

impl PreconditionKind {
    /// The words for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Purge => "purge",
            Self::Fill => "sequential fill",
            Self::Overwrite => "random overwrite",
        }
    }
}

/// How a preconditioning ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PreconditionEnd {
    /// The rate of the random overwrite was steady.
    Steady,
    /// As many bytes were written as it may take, and the rate was not shown to be steady.
    BytesSpent,
    /// It was stopped before its end.
    Stopped,
    /// The target failed.
    Failed,
}

impl Preconditioning {
    /// Bytes written, all parts together.
    pub fn written_bytes(&self) -> u64 {
        self.stages.iter().filter(|stage| stage.kind != PreconditionKind::Purge).map(|s| s.bytes).sum()
    }

    /// Time under load, all parts together.
    pub fn seconds(&self) -> f64 {
        self.stages.iter().map(|stage| stage.seconds).sum()
    }
}
