//! What limits a result: claims with evidence, scope and confidence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was concluded, and what would decide more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Most probable first; empty never: at least one claim says "unknown".
    pub claims: Vec<Claim>,
    /// Upper bounds that were compared, whether reached or not.
    pub ceilings: Vec<Ceiling>,
    /// What to run to decide more, as a command.
    pub next_experiment: Option<Experiment>,
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// What binds.
    pub limit: Limit,
    /// The claim as a sentence.
    pub statement: String,
    /// How sure.
    pub confidence: Confidence,
    /// What speaks for it and against it, each with its figure.
    pub evidence: Vec<Evidence>,
    /// What the claim covers: target, pattern, operating point, time.
    pub scope: String,
}

/// What can bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Too few I/Os in flight for the target's latency.
    Concurrency,
    /// A limit that the user or a catalogue declares.
    DeclaredCeiling,
    /// A rate that does not move with concurrency, as a cap enforces.
    RateCap,
    /// One processor is busy all the time.
    OneCore,
    /// All processors are busy all the time.
    AllCores,
    /// The measuring program itself.
    Generator,
    /// The target's own parallelism.
    DeviceParallelism,
    /// A cache answered instead of the device.
    CacheArtefact,
    /// Something else used the target or the machine.
    Interference,
    /// Not decided.
    Unknown,
}

/// Confidence in words: `likely` claims are meant to be right in about 4 of 5 cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// No better than a guess.
    None,
    /// One of several candidates.
    Possible,
    /// The best candidate, with others left.
    Likely,
    /// Shown by direct evidence.
    Strong,
}

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Whether it speaks for the claim.
    pub supports: bool,
    /// What was seen, with figures.
    pub text: String,
}

/// An upper bound and how close the result came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ceiling {
    /// Its name, as "declared IOPS" or "N / R1".
    pub name: String,
    /// What reaching it would mean.
    pub limit: Limit,
    /// In operations per second for this workload.
    pub operations_per_s: f64,
    /// `declared`, `catalogued`, `measured` or `derived`, and from what.
    pub source: String,
    /// Achieved rate over the bound; 1 is at the bound.
    pub reached_share: f64,
}

/// Something to run next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Experiment {
    /// What it decides.
    pub question: String,
    /// What to type.
    pub command: String,
    /// What each answer would mean.
    pub reading: String,
}
