//! Block devices by number, as the kernel's tracepoints name them.

use std::fs;

use crate::blocktrace::text::device_number;

/// Device numbers as the kernel holds them: twelve bits of major number above twenty of minor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// Where I/Os arrive: a partition or a whole device.
    pub arrivals: Vec<u32>,
    /// What requests are for: always a whole device.
    pub disks: Vec<u32>,
}

impl Watched {
    /// The devices of these kernel names.
    ///
    /// # Errors
    /// When there is none, or one has no number.
    pub fn of(names: &[String]) -> Result<Self, String> {
        if names.is_empty() {
            return Err("the target lies on no block device".to_owned());
        }
        let mut watched = Self::default();
        for name in names {
            let folder = format!("/sys/class/block/{name}");
            watched.arrivals.push(number(&format!("{folder}/dev"))?);
            // A partition's folder lies in its disk's.
            let whole = if fs::exists(format!("{folder}/partition")).unwrap_or(false) { "/.." } else { "" };
            let real = fs::canonicalize(&folder).map_err(|error| format!("{folder}: {error}"))?;
            watched.disks.push(number(&format!("{}{whole}/dev", real.display()))?);
        }
        Ok(watched)
    }
}

fn number(path: &str) -> Result<u32, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    device_number(text.trim(), ':').ok_or_else(|| format!("{path}: `{}` is no device number", text.trim()))
}
