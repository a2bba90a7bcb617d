//! Upper bounds that are known before anything is measured, each with whose it is and who says so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Direction;

/// One bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KnownCeiling {
    /// What it bounds, and the figure.
    #[serde(flatten)]
    pub rate: CeilingRate,
    /// Whose it is.
    #[serde(default)]
    pub scope: CeilingScope,
    /// The direction that it bounds; absent: all together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Whether it holds only while there are burst credits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub burst: bool,
    /// Who says so: `declared by the user`, or a catalogue with its date and source.
    #[serde(default = "declared")]
    pub source: String,
}

fn declared() -> String {
    "declared by the user".to_owned()
}

/// What a bound counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CeilingRate {
    /// Operations.
    Iops {
        /// Operations per second.
        operations_per_s: f64,
    },
    /// Data.
    Throughput {
        /// Bytes per second.
        bytes_per_s: f64,
    },
}

/// Whose bound it is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CeilingScope {
    /// The volume or disk, or a control group that throttles it.
    #[default]
    Volume,
    /// The machine or instance, shared by all its volumes.
    Instance,
    /// A network, fabric, PCIe or SATA link.
    Link,
    /// The device by its data sheet, or as it was measured by itself.
    Device,
}

impl KnownCeiling {
    /// A bound of the volume that the user declared.
    pub fn declared(rate: CeilingRate) -> Self {
        Self { rate, scope: CeilingScope::Volume, direction: None, burst: false, source: declared() }
    }
}
