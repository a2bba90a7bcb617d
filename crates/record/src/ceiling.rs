//! Upper bounds that are known before anything is measured, each with whose it is and who says so.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Direction;

/// One bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

impl CeilingRate {
    /// The figure, in operations or bytes per second.
    pub const fn per_s(self) -> f64 {
        match self {
            Self::Iops { operations_per_s } => operations_per_s,
            Self::Throughput { bytes_per_s } => bytes_per_s,
        }
    }
}

/// Whose bound it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The memory of the machine.
    Memory,
    /// A bus, adapter or uplink that several devices share.
    Bus,
}

impl CeilingScope {
    /// Each scope with its name, the way `--ceiling` takes it and records hold it.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("volume", Self::Volume),
        ("instance", Self::Instance),
        ("link", Self::Link),
        ("device", Self::Device),
        ("memory", Self::Memory),
        ("bus", Self::Bus),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, scope)| *scope == self).map_or("volume", |(name, _)| name)
    }
}

/// As `--ceiling` takes it: `iops=3000`, `instance:throughput-read-burst=1250000000B/s`.
impl fmt::Display for KnownCeiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.scope != CeilingScope::default() {
            write!(f, "{}:", self.scope.name())?;
        }
        let kind = match self.rate {
            CeilingRate::Iops { .. } => "iops",
            CeilingRate::Throughput { .. } => "throughput",
        };
        let direction = self.direction.map_or(String::new(), |direction| format!("-{}", direction.name()));
        let burst = if self.burst { "-burst" } else { "" };
        write!(f, "{kind}{direction}{burst}=")?;
        match self.rate {
            CeilingRate::Iops { operations_per_s } => write!(f, "{operations_per_s}"),
            CeilingRate::Throughput { bytes_per_s } => write!(f, "{bytes_per_s}B/s"),
        }
    }
}

impl KnownCeiling {
    /// A bound of the volume that the user declared.
    pub fn declared(rate: CeilingRate) -> Self {
        Self { rate, scope: CeilingScope::Volume, direction: None, burst: false, source: declared() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Limit;

    #[test]
    fn what_version_2_of_campaigns_wrote_is_still_read() {
        let old = r#"{"kind":"throughput","bytes_per_s":125000000.0}"#;
        let rate = CeilingRate::Throughput { bytes_per_s: 125e6 };
        assert_eq!(serde_json::from_str::<KnownCeiling>(old).unwrap(), KnownCeiling::declared(rate));
        // A declared ceiling did not say whether of operations or of bytes.
        assert_eq!(serde_json::from_str::<Limit>(r#""declared_ceiling""#).unwrap(), Limit::RateCap);
    }
}
