//! What the storage did with the bytes and writes that it was given.

use crate::evidence::Feature;
use crate::printed;
use crate::symptoms::Symptom;

use super::{ComparedRow, STATED_RATIO_ERROR};

/// Least and most that a logarithm of a ratio of sizes says.
const SIZE_RANGE: std::ops::RangeInclusive<f64> = -3.0..=2.0;
/// Least share of bytes moved that differs from none.
const LEAST_SHARE: f64 = 1e-3;

impl Symptom {
    /// Bytes that the disks moved over those asked for.
    pub fn device_bytes(moved: f64) -> Option<Self> {
        let text = if moved < 1.0 {
            format!("The disks transferred {} of the bytes asked for.", printed::percent(moved))
        } else {
            format!("The disks transferred {} the bytes asked for.", printed::times(moved))
        };
        Self::new(Feature::DeviceBytes, moved.max(LEAST_SHARE).ln(), 0.01, text)
    }

    /// Written blocks over the unit below which the device reads, modifies and writes, both in bytes.
    pub fn map_unit(block: f64, unit: f64) -> Option<Self> {
        let value = (block / unit).ln().clamp(*SIZE_RANGE.start(), *SIZE_RANGE.end());
        let text = format!(
            "Blocks of {} are written to a device that maps {} at a time.",
            printed::bytes(block as u64),
            printed::bytes(unit as u64)
        );
        Self::new(Feature::MapUnit, value, 0.05, text)
    }

    /// Flushes for each write, above 0.
    pub fn flushes(flushes: f64, error: f64) -> Option<Self> {
        let text = match flushes {
            f if f >= 1.0 => "Each write waits until it is on stable storage.".to_owned(),
            f => format!("Every {:.0} writes are flushed to stable storage.", f.recip()),
        };
        Self::new(Feature::Flushes, flushes, error, text)
    }

    /// Share of the requests that were merged.
    pub fn merged(share: f64) -> Option<Self> {
        Self::of_share(Feature::Merged, share, |p| format!("{p} of the requests were merged with others."))
    }

    /// Latency of a lone I/O through software over that of the device below it, both in nanoseconds.
    pub fn software_latency(through_ns: f64, below_ns: f64) -> Option<Self> {
        let text = format!(
            "A lone I/O takes {} through the software and {} on the device below it.",
            printed::time(through_ns),
            printed::time(below_ns)
        );
        Self::new(Feature::SoftwareLatency, (through_ns / below_ns).ln(), 0.05, text)
    }

    /// Copies of each byte that are written; `ln` is the logarithm of what they need over what another row gives.
    pub fn copied_against(copies: f64, ln: f64, own_rate: &str, against: &ComparedRow<'_>) -> Option<Self> {
        let text = format!(
            "Each byte is written {}: {own_rate} against {} in the row \"{}\".",
            printed::times(copies),
            against.rate,
            against.name
        );
        Self::new(Feature::Copied, ln, STATED_RATIO_ERROR, text)
    }

    /// The same as a share of what the device does, by its name.
    pub fn copied_of(copies: f64, share: f64, device: &str) -> Option<Self> {
        let text = format!(
            "Each byte is written {}, and that is {} of {device}.",
            printed::times(copies),
            printed::percent(share)
        );
        Self::new(Feature::Copied, share.ln(), STATED_RATIO_ERROR, text)
    }
}
