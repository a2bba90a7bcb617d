//! Counters of block devices from `/proc/diskstats`.

use super::{Counters, parse};
use crate::kept_file::KeptFile;
use crate::{Root, TelemetryError};

/// Metrics that the system does not tell.
pub const UNKNOWN: &[&str] = &[];

/// Where it is read.
#[derive(Debug)]
pub struct DiskReader {
    file: KeptFile,
    root: Root,
}

impl DiskReader {
    /// The machine's.
    pub fn new(root: &Root) -> Self {
        Self { file: KeptFile::new(root, "/proc/diskstats"), root: root.clone() }
    }

    /// Counters of those of the devices that the kernel lists.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn now(&mut self, devices: &[String]) -> Result<Vec<(String, Counters)>, TelemetryError> {
        let text = self.file.text("device counts need /proc mounted")?;
        let asked = parse(&text).filter(|(name, _)| devices.iter().any(|device| device == name));
        Ok(asked.map(|(name, counters)| (name.to_owned(), counters)).collect())
    }

    /// Why the kernel does not count a device's I/O, if it does not.
    pub fn uncounted(&self, device: &str) -> Option<String> {
        let counts = self.root.text(format!("/sys/class/block/{device}/queue/iostats"));
        (counts.as_deref() == Some("0")).then(|| {
            format!(
                "{device}: the kernel does not count its I/O; type \
                 `echo 1 > /sys/block/{device}/queue/iostats` as root"
            )
        })
    }

    /// What to say of a device that is not listed.
    pub fn unlisted(&self, device: &str) -> String {
        format!("{device}: not in /proc/diskstats; `lsblk` lists what is")
    }
}
