//! What is listed of a block device: what it is, what holds it, and what it can claim.

use fathom_record::facts::DeviceFacts;
use serde::Serialize;

use super::drives::DriverPath;
use super::guard::{Identity, Reason, Verdict};

/// One device of this machine.
#[derive(Clone, Debug, Serialize)]
pub struct Device {
    /// Path of its node, as it is typed.
    pub path: String,
    /// What it is.
    pub facts: DeviceFacts,
    /// Kernel's name of the disk of a partition.
    pub disk: Option<String>,
    /// Which drivers carry its I/O, where the system tells that of each device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carried: Option<DriverPath>,
    /// Everything that stands against writing it.
    pub reasons: Vec<Reason>,
    /// How permission to destroy it names it.
    pub identity: Identity,
    /// Whether it may be written, and the exact words that would permit it.
    pub verdict: Verdict,
    /// How it is known that it holds nothing; none if that is not known.
    pub empty: Option<String>,
    /// Time that reading all of it would take, in seconds, where only that would tell whether it is empty.
    pub reading_s: Option<f64>,
    /// What a run on it can rely on.
    pub claims: Claims,
    /// Why it cannot be measured as it is; none if it can.
    pub unusable: Option<String>,
}

/// What a run on a device can rely on.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Claims {
    /// Whether the page cache can be bypassed; unknown where it may not be opened.
    pub direct_io: Option<bool>,
    /// Smallest unit of direct I/O.
    pub logical_block_bytes: Option<u32>,
    /// Unit below which the device reads, modifies and writes.
    pub physical_block_bytes: Option<u32>,
    /// Whether it takes trims.
    pub trim: bool,
    /// Counters and facts that telemetry can read of it: `diskstats`, `trim counters`,
    /// `flush counters`, `in-flight`, `nvme identify`, `nvme health`, `temperature`, `stored bytes`.
    pub counters: Vec<String>,
}
