//! Free, cached and dirty memory of the machine, from `/proc/meminfo` or what Windows tells.

mod metrics;
#[cfg_attr(not(windows), path = "reading_files.rs")]
#[cfg_attr(windows, path = "reading_windows.rs")]
mod reading;

pub use metrics::METRICS;
#[cfg(windows)]
pub(crate) use reading::installed_bytes;

use crate::{MetricDecl, Root, Sample, Source};

/// The machine's memory.
pub struct Memory {
    reading: reading::MemoryReader,
}

impl Memory {
    /// The whole machine's.
    pub fn new(root: &Root) -> Self {
        Self { reading: reading::MemoryReader::new(root) }
    }
}

/// Bytes of each metric, in their order; what the system does not tell is absent.
type Amounts = [Option<u64>; 6];

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
        match self.reading.now() {
            Ok(amounts) => {
                for (metric, bytes) in METRICS.iter().zip(amounts) {
                    sample.put(metric, "", bytes.map(|bytes| bytes as f64));
                }
            }
            Err(error) => sample.absent("memory", error.cause),
        }
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
