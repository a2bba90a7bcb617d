//! An account's sizing: its fleets by region, what its instances let through, and the changes as commands to review.

use serde::{Deserialize, Serialize};

use crate::fleet_record::FleetRecord;

/// Every network volume of some accounts and regions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccountRecord {
    /// Always `fathom.account`.
    pub format: String,
    /// Version of this structure.
    pub version: u32,
    /// The command that made it, as a line for a shell, without permission to destroy data and without credentials in
    /// addresses; absent in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What was read, place by place.
    pub places: Vec<AccountPlace>,
    /// Places that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedPlace>,
    /// What limits the answer, for people.
    pub notes: Vec<String>,
}

/// A place that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailedPlace {
    /// Profile of the credentials, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Region, e.g. `eu-central-1`.
    pub region: String,
    /// What happened.
    pub cause: String,
    /// What to do about it.
    pub remedy: String,
}

/// One account in one region. Money is a month's, in the fleet's currency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccountPlace {
    /// Number of the account; absent for files that somebody else made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Profile of the credentials, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Region, e.g. `eu-central-1`.
    pub region: String,
    /// How it was read; absent for files that somebody else made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<AccountReading>,
    /// Volumes.
    pub volumes: u64,
    /// Instances.
    pub instances: u64,
    /// Every volume judged by itself, and what they add up to, by type, by instance and by what was asked for.
    pub fleet: FleetRecord,
    /// Volumes that are attached to no instance, the dearest first.
    pub unattached: HeldVolumes,
    /// Volumes that are attached and did no I/O, the dearest first.
    pub idle: HeldVolumes,
    /// gp2 volumes and the gp3 that lets at least as much through.
    pub gp2: Gp2Volumes,
    /// Instances whose volumes have bought more than they let through, or need more; the furthest first.
    pub at_instances: Vec<AtInstance>,
    /// Volumes at several instances, which are counted at none of them.
    pub shared: u64,
    /// Changes as commands to review, those that save most first. Nobody executes them.
    pub changes: Vec<VolumeChange>,
    /// What limits the answer, for people.
    pub notes: Vec<String>,
}

/// How an account was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccountReading {
    /// Where it is kept.
    pub kept: String,
    /// From when, in seconds since 1970.
    pub from_unix_s: i64,
    /// Until when.
    pub to_unix_s: i64,
    /// Seconds of a period of the metrics.
    pub period_s: i64,
    /// Calls that were answered this time; the first says whose account it is.
    pub calls: u64,
    /// Times that a call had to be repeated because the service had no time for it.
    pub throttled: u64,
}

/// Some volumes and what they cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeldVolumes {
    /// How many.
    pub volumes: u64,
    /// What they store, in GiB.
    pub size_gib: u64,
    /// What they cost a month, in the fleet's currency.
    pub month: f64,
    /// The dearest of them.
    pub listed: Vec<HeldVolume>,
}

/// A volume and what it costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeldVolume {
    /// Its id.
    pub volume: String,
    /// What it is, as one would order it.
    pub current: String,
    /// What it costs a month, in the fleet's currency; absent where that is not known.
    pub month: Option<f64>,
    /// The instance that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
}

/// gp2 volumes, and the gp3 that lets at least as much through as each does for good.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gp2Volumes {
    /// How many.
    pub volumes: u64,
    /// What they cost a month, in the fleet's currency.
    pub month: f64,
    /// What the gp3 volumes that equal them cost a month, in the fleet's currency, whatever they need.
    pub as_gp3_month: f64,
    /// Of them so many would be cheaper.
    pub cheaper: u64,
}

/// An instance beside the volumes that it alone has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AtInstance {
    /// Its id.
    pub instance: String,
    /// Its name, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its type.
    pub instance_type: String,
    /// Volumes that it alone has.
    pub volumes: u64,
    /// I/Os a second that these have bought, in all.
    pub bought_iops: u64,
    /// Bytes a second that these have bought, in all.
    pub bought_bytes_per_s: u64,
    /// I/Os a second that the instance lets through at most.
    pub most_iops: u64,
    /// Bytes a second that it lets through at most.
    pub most_bytes_per_s: u64,
    /// Least I/Os a second that hold what all of them did together; absent where nothing was seen.
    pub needs_iops: Option<u64>,
    /// The same of bytes a second.
    pub needs_bytes_per_s: Option<u64>,
    /// What they did together may grow by this factor until the instance no longer holds it.
    pub headroom: Option<f64>,
    /// What that means, in words.
    pub finding: String,
}

/// A change of a volume as a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VolumeChange {
    /// The volume.
    pub volume: String,
    /// What it is.
    pub from: String,
    /// What it would be.
    pub to: String,
    /// What that saves a month, in the fleet's currency; below 0 where it costs more.
    pub saves_month: f64,
    /// Why, in words.
    pub why: String,
    /// What to type, once somebody has looked at it.
    pub command: String,
}

impl AccountRecord {
    /// The format's name.
    pub const FORMAT: &'static str = "fathom.account";
    /// The version that this build writes.
    pub const VERSION: u32 = 1;
}
