//! What is written, and whether it is checked when read.

use serde::{Deserialize, Serialize};

/// Content of writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Share of every 4 KiB that compresses away (zeros), 0 to 1. The rest does not compress.
    pub compressible_share: f64,
    /// Share of I/Os whose content repeats an earlier one's, 0 to 1.
    pub duplicate_share: f64,
    /// Whether blocks carry their address, generation and checksum.
    pub verify: Verify,
}

/// Whether content is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verify {
    /// Not checked.
    #[default]
    Off,
    /// Writes are stamped, and every read of a stamped block is checked.
    OnRead,
    /// As `on_read`, and when the measurement is over everything written is read back and checked.
    AtEnd,
}
