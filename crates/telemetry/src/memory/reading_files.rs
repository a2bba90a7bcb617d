//! The machine's memory from `/proc/meminfo`.

use super::{Amounts, bytes};
use crate::kept_file::KeptFile;
use crate::{Root, TelemetryError};

/// Where it is read.
#[derive(Debug)]
pub struct MemoryReader(KeptFile);

impl MemoryReader {
    /// The machine's.
    pub fn new(root: &Root) -> Self {
        Self(KeptFile::new(root, "/proc/meminfo"))
    }

    /// What is free, cached, dirty and swapped out.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn now(&mut self) -> Result<Amounts, TelemetryError> {
        let text = self.0.text("memory needs /proc mounted")?;
        let [free, available, cached, dirty, written] =
            ["MemFree", "MemAvailable", "Cached", "Dirty", "Writeback"].map(|key| bytes(&text, key));
        let swap = bytes(&text, "SwapTotal").zip(bytes(&text, "SwapFree"));
        let swapped = swap.map(|(total, free)| total.saturating_sub(free));
        Ok([free, available, cached, dirty, written, swapped])
    }
}
