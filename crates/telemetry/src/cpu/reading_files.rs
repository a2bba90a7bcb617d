//! The processors' time from `/proc/stat`.

use super::{Ticks, parse};
use crate::kept_file::KeptFile;
use crate::{Root, TelemetryError};

/// Metrics that the system does not tell.
pub const UNKNOWN: &[&str] = &[];

/// One tick: the kernel tells processor time in hundredths of a second, whatever it counts by.
pub const TICK_NS: f64 = 1e7;

/// Where it is read.
#[derive(Debug)]
pub struct CpuReader(KeptFile);

impl CpuReader {
    /// The machine's.
    pub fn new(root: &Root) -> Self {
        Self(KeptFile::new(root, "/proc/stat"))
    }

    /// Ticks of the machine and of each processor, by label.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn now(&mut self) -> Result<Vec<(String, Ticks)>, TelemetryError> {
        let text = self.0.text("CPU shares need /proc mounted")?;
        Ok(parse(&text).map(|(label, ticks)| (label.to_owned(), ticks)).collect())
    }
}
