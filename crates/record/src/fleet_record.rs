//! A fleet's sizing: a row for each volume, and what they add up to.

use serde::{Deserialize, Serialize};

use crate::sizing_record::LeftOutRecord;

/// What came of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FleetStatus {
    /// There is a choice.
    Sized,
    /// Its series stops at the limit of what it is today: it shows supply, and nothing cheaper rests on it.
    Throttled,
    /// No choice; the reason says why.
    NotJudged,
}

/// One volume's row. Rates are a second, money is a month's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FleetRow {
    /// Its name.
    pub volume: String,
    /// What it is added up with; absent where nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// What came of it.
    pub status: FleetStatus,
    /// Why it was not judged, or what the choice does not rest on; empty otherwise.
    pub reason: String,
    /// Length of a tick, in seconds; absent where no demand was read.
    pub tick_s: Option<u64>,
    /// Ticks of its series.
    pub ticks: Option<u64>,
    /// Ticks that were seen.
    pub ticks_seen: Option<u64>,
    /// Least I/Os a second that hold the demand, without a margin; where only mean sizes are known, the most that
    /// they can count.
    pub needs_iops: Option<u64>,
    /// The same with the least that they can count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_iops_least: Option<u64>,
    /// What the need rests on: `usual level`, `many bursts`, `some bursts` or `few bursts`. Risks are those of the
    /// volumes with the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rests_on: Option<String>,
    /// Least bytes a second that hold the demand, without a margin.
    pub needs_bytes_per_s: Option<u64>,
    /// Share of the ticks at one value with hardly any above: a sign of a limit.
    pub plateau_share: Option<f64>,
    /// What to buy, as one would order it.
    pub offer: Option<String>,
    /// Its type, e.g. `gp3`.
    pub offer_type: Option<String>,
    /// Volumes of its stripe.
    pub offer_members: Option<u64>,
    /// Size of each, in GiB.
    pub offer_size_gib: Option<u64>,
    /// I/Os a second of each.
    pub offer_iops: Option<u64>,
    /// Bytes a second of each.
    pub offer_bytes_per_s: Option<u64>,
    /// A month of it.
    pub offer_month: Option<f64>,
    /// The demand may grow by this factor until the offer no longer holds it.
    pub offer_headroom: Option<f64>,
    /// Chance that it grows more within the horizon, 0 to 1; absent without a history to tell.
    pub offer_risk: Option<f64>,
    /// What it is today; absent where the table does not say.
    pub current: Option<String>,
    /// A month of that.
    pub current_month: Option<f64>,
    /// Whether that holds what was seen, without a margin.
    pub current_holds: Option<bool>,
    /// As for the offer.
    pub current_headroom: Option<f64>,
    /// As for the offer.
    pub current_risk: Option<f64>,
    /// What the offer costs less than today; below 0 where more has to be bought. Absent where the choice
    /// rests on supply instead of demand.
    pub saves_month: Option<f64>,
    /// What was wrong with its rows and what was done about it, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What a fleet's rows add up to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FleetRecord {
    /// Always `fathom.fleet`.
    pub format: String,
    /// Version of this structure.
    pub version: u32,
    /// The command that made it, as a line for a shell, without permission to destroy data and without credentials in
    /// addresses; absent in older records, and where no command made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What it was read from.
    pub from: Vec<String>,
    /// What was asked to hold.
    pub terms: FleetTerms,
    /// Volumes that are in the input.
    pub volumes: u64,
    /// Rows of the input.
    pub rows: u64,
    /// Volumes with a choice, those that are throttled included.
    pub sized: u64,
    /// Volumes whose series shows supply.
    pub throttled: u64,
    /// Types that are sold there and were not considered for any volume, or not for those of random I/O.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutRecord>,
    /// Volumes without a choice, by reason, the most frequent first.
    pub not_judged: Vec<FleetReason>,
    /// What it costs.
    pub money: FleetMoney,
    /// How sure it is.
    pub risk: FleetRisk,
    /// The same by tag, instance or type, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<FleetGrouping>,
    /// The volumes that save most, in that order.
    pub top_savings: Vec<FleetRow>,
    /// The volumes that need more than they have, the riskiest first.
    pub too_small: Vec<FleetRow>,
    /// What limits the answer, for people.
    pub notes: Vec<String>,
}

/// What every volume was asked to hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FleetTerms {
    /// Where it is bought.
    pub region: String,
    /// An I/O that waits longer is late, in seconds; a tick of the series at least.
    pub wait_s: f64,
    /// Share of the I/Os that may be late, 0 to 1.
    pub late_share: f64,
    /// Each demand was multiplied by this before offers were judged.
    pub margin: f64,
    /// Chance that a volume needs more than the margin covers; absent where no history tells.
    pub risk: Option<f64>,
    /// Volumes whose history the margin and all risks rest on; 0 without.
    pub margin_volumes: u64,
    /// The time that risks are stated for: half of the usual history, in seconds; absent without one.
    pub horizon_s: Option<u64>,
    /// Widest stripe that was considered.
    pub stripes: u32,
}

/// Volumes without a choice for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FleetReason {
    /// The reason.
    pub reason: String,
    /// Volumes.
    pub volumes: u64,
    /// Some of them.
    pub examples: Vec<String>,
}

/// A month of a fleet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FleetMoney {
    /// Currency, as `USD`.
    pub currency: String,
    /// All choices.
    pub chosen_month: f64,
    /// Volumes whose today's offer is known and that were sized and are not throttled.
    pub compared: u64,
    /// What these cost today.
    pub current_month: f64,
    /// What their choices cost.
    pub compared_month: f64,
    /// What is wasted today: what the cheaper choices among them save.
    pub waste_month: f64,
    /// Volumes that a cheaper choice was found for.
    pub cheaper: u64,
    /// What the dearer choices among them cost more.
    pub more_month: f64,
    /// Volumes that need more than they have.
    pub dearer: u64,
}

/// How many volumes will need more than they have, by the fleet's own history.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FleetRisk {
    /// Volumes with a choice and a risk.
    pub chosen: u64,
    /// Of them so many are expected to need more than their choice within the horizon; absent without a history.
    pub chosen_expected: Option<f64>,
    /// Volumes whose today's offer was judged.
    pub current: u64,
    /// Of them so many are expected to need more than they have today.
    pub current_expected: Option<f64>,
    /// Of them so many did not hold what was seen.
    pub current_failed: u64,
}

/// Volumes added up by what they have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FleetGrouping {
    /// By what, as it was asked for: `tag:team`, `instance` or `type`.
    pub by: String,
    /// The groups, those that waste most first.
    pub groups: Vec<FleetGroup>,
}

/// A month of some volumes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FleetGroup {
    /// What they have in common, e.g. a tag's value.
    pub group: String,
    /// Volumes.
    pub volumes: u64,
    /// Those with a choice.
    pub sized: u64,
    /// What those cost today whose today's offer is known, sized or not.
    pub current_month: f64,
    /// What the cheaper choices among them save.
    pub waste_month: f64,
    /// Volumes that a cheaper choice was found for.
    pub cheaper: u64,
    /// What the dearer choices among them cost more.
    pub more_month: f64,
    /// Volumes that need more than they have.
    pub dearer: u64,
}

impl FleetRecord {
    /// The format's name.
    pub const FORMAT: &'static str = "fathom.fleet";
    /// The version that this build writes.
    pub const VERSION: u32 = 1;
}
