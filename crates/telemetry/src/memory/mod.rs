//! Free, cached and dirty memory of the machine, from `/proc/meminfo`.

mod metrics;

pub use metrics::METRICS;

use crate::kept_file::KeptFile;
use crate::{MetricDecl, Root, Sample, Source};

/// The machine's memory.
pub struct Memory {
    file: KeptFile,
}

impl Memory {
    /// The whole machine's.
    pub fn new(root: &Root) -> Self {
        Self { file: KeptFile::new(root, "/proc/meminfo") }
    }
}

/// One line in bytes: `Dirty:   136 kB` is 139,264.
pub(crate) fn bytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    line.split_ascii_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

impl Source for Memory {
    fn describe(&self) -> &'static [MetricDecl] {
        METRICS
    }

    fn sample(&mut self, _elapsed_ns: u64, sample: &mut Sample<'_>) {
        let text = match self.file.text("memory needs /proc mounted") {
            Ok(text) => text,
            Err(reason) => return sample.absent("memory", reason),
        };
        for (metric, key) in METRICS.iter().zip(["MemFree", "MemAvailable", "Cached", "Dirty", "Writeback"]) {
            sample.put(metric, "", bytes(&text, key).map(|bytes| bytes as f64));
        }
        let swap = bytes(&text, "SwapTotal").zip(bytes(&text, "SwapFree"));
        sample.put(&METRICS[5], "", swap.map(|(total, free)| total.saturating_sub(free) as f64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_read_by_their_whole_key() {
        let text = "MemTotal:  100 kB\nSwapCached: 3 kB\nCached:   7 kB\nWritebackTmp: 9 kB\nHuge: 18446744073709551615 kB\n";
        assert_eq!(bytes(text, "Cached"), Some(7168));
        assert_eq!(bytes(text, "Writeback"), None);
        assert_eq!(bytes(text, "Huge"), None);
    }
}
