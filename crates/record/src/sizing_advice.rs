//! What a sizing says beside the cheapest volume: disks inside the machine, residency, and the proof.

use serde::{Deserialize, Serialize};

/// Disks inside a machine as the alternative: the cheapest instance with the same processors and memory
/// or more whose disks hold the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LocalRecord {
    /// The instance type.
    pub instance: String,
    /// Its disks.
    pub disks: u64,
    /// Size of all of them, in GiB.
    pub size_gib: u64,
    /// Whether its published 4 KiB rates hold the demand, counted in units of 4 KiB: absent where that is
    /// not known, because rates of larger I/Os are not published.
    pub holds: Option<bool>,
    /// A month of the instance on demand.
    pub instance_month: f64,
    /// What that is above the instance that was given; absent where the latter has no price.
    pub extra_month: Option<f64>,
    /// What the choice and the instance that was given cost above it, a month over all nodes; negative where it is dearer.
    pub saves_month: Option<f64>,
    /// Currency of the amounts.
    pub currency: String,
}

/// Whether network storage suits, by where reads are served from and what dominates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResidencyRecord {
    /// Memory that may hold the data, in GiB.
    pub memory_gib: f64,
    /// The data over that memory.
    pub data_over_memory: f64,
    /// Whether all data fit into memory.
    pub resident: bool,
    /// Whether writes dominate: more than half of the I/Os.
    pub writes_dominate: bool,
    /// The advice.
    pub advice: Suitability,
    /// Why, for people.
    pub because: String,
}

/// How network storage suits beside local disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Suitability {
    /// It suits.
    Suits,
    /// It probably suits.
    ProbablySuits,
    /// Measure first, at real block sizes, and compare the p99.
    MeasureFirst,
    /// Local disks may be needed, and may be cheaper.
    LocalMayBeNeeded,
}

/// A benchmark that proves or disproves the choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProofRecord {
    /// How long it runs, in seconds: credits run out within.
    pub time_s: u64,
    /// Why so long, for people.
    pub because: String,
    /// What to type, in order.
    pub commands: Vec<String>,
    /// What a run that proves the choice shows, for people.
    pub passes: String,
    /// A proof that takes less time, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shorter: Option<ShorterProof>,
}

/// A proof that spends credits first, at full speed, and then runs like the demand's busiest half hour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShorterProof {
    /// How long both take together, in seconds.
    pub time_s: u64,
    /// What to type, in order.
    pub commands: Vec<String>,
    /// Why that suffices, for people.
    pub because: String,
    /// What it does not show and the longer one does, for people.
    pub not_shown: String,
}

/// A demand over time with the choice's limits, for a picture: some hundred points, whatever its length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timeline {
    /// Length of the stretch that each point stands for, in seconds.
    pub step_s: f64,
    /// Ascending in time.
    pub points: Vec<TimelinePoint>,
    /// I/Os a second that the choice sustains; absent without a choice.
    pub operations_base_per_s: Option<f64>,
    /// Bytes a second that it sustains.
    pub bytes_base_per_s: Option<f64>,
    /// I/Os a second that the instance sustains; absent where that is not known.
    pub instance_operations_base_per_s: Option<f64>,
    /// Bytes a second that it sustains.
    pub instance_bytes_base_per_s: Option<f64>,
}

/// One stretch of a demand.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimelinePoint {
    /// Its start, in seconds from the first tick.
    pub at_s: f64,
    /// Largest tick, I/Os a second; absent where nothing was seen.
    pub operations_per_s: Option<f64>,
    /// Largest tick, bytes a second.
    pub bytes_per_s: Option<f64>,
    /// Least share of its credits that any limit in the way had left, from full at the start, margin included; absent
    /// where none has credits.
    pub credits_share: Option<f64>,
}
