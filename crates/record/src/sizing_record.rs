//! A sizing: what a demand needs, what to buy for it, what that costs, and what is not known.

use serde::{Deserialize, Serialize};

use crate::sizing_advice::{LocalRecord, ProofRecord, ResidencyRecord, Timeline};

/// The answer to what storage a demand needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SizingRecord {
    /// Always `fathom.sizing`.
    pub format: String,
    /// Version of this structure.
    pub version: u32,
    /// The command that made it, as a line for a shell, without permission to destroy data and without credentials in
    /// addresses; absent in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The demand in numbers.
    pub demand: DemandSummary,
    /// What was asked to hold.
    pub terms: OfferTerms,
    /// The least that holds it, before the margin.
    pub requirement: Requirement,
    /// The cheapest offer; absent where nothing sold there holds the demand, or the data carry none.
    pub choice: Option<OfferRecord>,
    /// The cheapest of each type of volume that is sold there; dearer than the choice or equal to it.
    pub by_type: Vec<TypeRecord>,
    /// Types that are sold there and were not considered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutRecord>,
    /// Cheapest cost against margin, ascending.
    pub frontier: Vec<FrontierPoint>,
    /// What is in use today, where it was given.
    pub current: Option<CurrentRecord>,
    /// Disks inside the machine instead; absent where no instance was given or none has such disks.
    pub local: Option<LocalRecord>,
    /// Whether network storage suits at all; absent where the memory is not known.
    pub residency: Option<ResidencyRecord>,
    /// The benchmark that proves the choice, where it was asked for and there is one.
    pub proof: Option<ProofRecord>,
    /// The demand over time beside the choice's limits; empty in records of version 1.
    #[serde(default)]
    pub timeline: Timeline,
    /// What the answer rests on and what limits it, for people.
    pub notes: Vec<String>,
    /// Where limits and prices are from: key, date, source.
    pub sources: Vec<SourceRecord>,
}

/// A demand in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DemandSummary {
    /// What it was read from.
    pub from: String,
    /// Length of a tick, in seconds.
    pub tick_s: u32,
    /// Ticks in the series.
    pub ticks: u64,
    /// Ticks that were seen.
    pub ticks_seen: u64,
    /// Both directions together.
    pub total: FlowSummary,
    /// Reads.
    pub read: FlowSummary,
    /// Writes.
    pub write: FlowSummary,
}

/// One flow in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowSummary {
    /// I/Os in all.
    pub operations: u64,
    /// Bytes in all.
    pub bytes: u64,
    /// Bytes over I/Os; absent without I/Os.
    pub mean_bytes: Option<f64>,
    /// Rates over windows of several lengths.
    pub windows: Vec<WindowSummary>,
}

/// Rates over all windows of one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WindowSummary {
    /// Length of the window, in seconds.
    pub seconds: u64,
    /// I/Os a second.
    pub operations_per_s: Percentiles,
    /// Bytes a second.
    pub bytes_per_s: Percentiles,
}

/// Order statistics over windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Percentiles {
    /// Half of the windows are below.
    pub p50: f64,
    /// 95 % are below.
    pub p95: f64,
    /// 99 % are below.
    pub p99: f64,
    /// 99.9 % are below.
    pub p999: f64,
    /// The largest window.
    pub max: f64,
}

/// What an offer had to hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferTerms {
    /// Where it is bought.
    pub region: String,
    /// Bytes to store, in GiB.
    pub size_gib: u64,
    /// An I/O that waits longer is late, in seconds.
    pub wait_s: u64,
    /// Share of the I/Os that may be late, 0 to 1.
    pub late_share: f64,
    /// The demand was multiplied by this before offers were judged.
    pub margin: f64,
    /// Chance that the next stretch needs more than the margin covers; absent where there is no history to tell.
    pub risk: Option<f64>,
    /// Volumes whose history the margin rests on.
    pub margin_volumes: Option<u32>,
    /// Instance that the volumes are attached to.
    pub instance: Option<String>,
    /// Widest stripe that was considered.
    pub stripes: u32,
    /// Equal volumes of the demand, as nodes of a cluster.
    pub nodes: u32,
}

/// Least plain caps that keep the demand's late share, without a margin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Requirement {
    /// I/Os a second, as solid-state volumes count them; where only means of sizes are known, the most that they
    /// can count, on which purchases rest.
    pub operations_per_s: u64,
    /// The least that they can count; the same where each I/O's size is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations_least_per_s: Option<u64>,
    /// Bytes a second.
    pub bytes_per_s: u64,
}

/// An offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferRecord {
    /// Provider, as `AWS`.
    pub provider: String,
    /// Type of volume, e.g. `gp3`.
    pub volume: String,
    /// Volumes in the stripe.
    pub members: u32,
    /// Size of each, in GiB.
    pub size_gib: u64,
    /// I/Os a second of each, sustained.
    pub iops: u64,
    /// Bytes a second of each, sustained.
    pub bytes_per_s: u64,
    /// A month of all members, for one node.
    pub month: f64,
    /// The same for all nodes.
    pub month_all_nodes: f64,
    /// Currency of the cost.
    pub currency: String,
    /// Share of the demand, margin included, that would be late; the most that was allowed where it is more than that.
    pub late_share: Option<f64>,
    /// As a person would order it.
    pub words: String,
}

/// The cheapest of one type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TypeRecord {
    /// Type of volume.
    pub volume: String,
    /// Its cheapest offer that holds; absent where none does.
    pub offer: Option<OfferRecord>,
}

/// A type that was not considered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOutRecord {
    /// Type of volume.
    pub volume: String,
    /// Why.
    pub reason: String,
}

/// One point of cost against margin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrontierPoint {
    /// The demand times this is held.
    pub margin: f64,
    /// Chance that it does not suffice, where a history tells.
    pub risk: Option<f64>,
    /// The cheapest offer; absent where none holds.
    pub offer: Option<OfferRecord>,
}

/// What is in use today.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurrentRecord {
    /// What it is, priced by the same list.
    pub offer: OfferRecord,
    /// Whether it holds the demand with its margin.
    pub holds: bool,
    /// What the choice saves per month over all nodes; negative where it costs more; absent without a choice.
    pub saves_month: Option<f64>,
}

/// Where a fact is from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceRecord {
    /// What was taken from it.
    pub what: String,
    /// Of when.
    pub date: String,
    /// The source.
    pub source: String,
}

impl SizingRecord {
    /// The format's name.
    pub const FORMAT: &'static str = "fathom.sizing";
    /// The version that this build writes.
    pub const VERSION: u32 = 2;
}
