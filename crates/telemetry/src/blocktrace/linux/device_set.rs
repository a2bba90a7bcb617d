//! Block devices by number, as the kernel's tracepoints name them.

use std::fs;

use crate::blocktrace::WATCHING;
use crate::blocktrace::trace_text::device_number;
use crate::error::of_system;
use crate::{TelemetryError, TelemetryErrorKind};

/// Device numbers as the kernel holds them: twelve bits of major number above twenty of minor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceSet {
    /// Where I/Os arrive: a partition or a whole device.
    pub arrivals: Vec<u32>,
    /// What requests are for: always a whole device.
    pub disks: Vec<u32>,
    /// Names, and where each begins on its disk in sectors of 512 bytes.
    places: Vec<(String, u64)>,
}

impl DeviceSet {
    /// The devices of these kernel names.
    ///
    /// # Errors
    /// When there is none, or one has no number.
    pub fn of(names: &[String]) -> Result<Self, TelemetryError> {
        if names.is_empty() {
            let cause = "the target lies on no block device";
            return Err(TelemetryError::new(TelemetryErrorKind::Absent, WATCHING, cause));
        }
        let mut watched = Self::default();
        for name in names {
            let folder = format!("/sys/class/block/{name}");
            watched.arrivals.push(number(&format!("{folder}/dev"))?);
            // Whole devices have no such file.
            let start = fs::read_to_string(format!("{folder}/start")).unwrap_or_default();
            watched.places.push((name.clone(), start.trim().parse().unwrap_or(0)));
            // A partition's folder lies in its disk's.
            let whole = if fs::exists(format!("{folder}/partition")).unwrap_or(false) { "/.." } else { "" };
            let real = fs::canonicalize(&folder)
                .map_err(|error| of_system(WATCHING, format!("{folder}: {error}"), error))?;
            watched.disks.push(number(&format!("{}{whole}/dev", real.display()))?);
        }
        Ok(watched)
    }

    /// The disk's number and the first sector there, of a device that is watched.
    pub fn ground_of(&self, name: &str) -> Option<(u32, u64)> {
        let at = self.places.iter().position(|(known, _)| known == name)?;
        Some((self.disks[at], self.places[at].1))
    }

    /// The disk's number, of a device that is watched by its own.
    pub fn disk_of(&self, arrival: u32) -> Option<u32> {
        let at = self.arrivals.iter().position(|&known| known == arrival)?;
        Some(self.disks[at])
    }
}

fn number(path: &str) -> Result<u32, TelemetryError> {
    let text =
        fs::read_to_string(path).map_err(|error| of_system(WATCHING, format!("{path}: {error}"), error))?;
    device_number(text.trim(), ':').ok_or_else(|| {
        let cause = format!("{path}: `{}` is not a device number", text.trim());
        TelemetryError::new(TelemetryErrorKind::Malformed, WATCHING, cause)
    })
}
