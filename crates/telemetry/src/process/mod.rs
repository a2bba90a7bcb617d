//! The measuring process's own time, context switches, page faults, threads and memory.

mod metrics;
#[cfg_attr(target_os = "linux", path = "usage_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "usage_elsewhere.rs")]
mod usage;

pub use metrics::METRICS;
pub use usage::{ProcessUsage, usage};

use crate::counter::per_second;
use crate::kept_file::KeptFile;
use crate::{MetricDecl, Root, Sample, Source};

/// This process.
pub struct Process {
    status: KeptFile,
    before: Option<ProcessUsage>,
}

impl Process {
    /// This process, as the system sees it.
    pub fn new(root: &Root) -> Self {
        Self { status: KeptFile::new(root, "/proc/self/status"), before: None }
    }
}

/// One number of `/proc/self/status`: `Threads:  3` or `VmRSS:  123 kB`.
pub(crate) fn status_number(text: &str, key: &str) -> Option<u64> {
    status_text(text, key)?.split_ascii_whitespace().next()?.parse().ok()
}

/// One line's text of a status file.
pub(crate) fn status_text<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')).map(str::trim)
}

impl Source for Process {
    fn describe(&self) -> &'static [MetricDecl] {
        METRICS
    }

    fn sample(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) {
        let now = usage();
        if let (Some(before), Some(now)) = (self.before, now) {
            let cores = |before, now| per_second(before, now, elapsed_ns).map(|ns| ns / 1e9);
            sample.put(&METRICS[0], "", cores(before.user_ns, now.user_ns));
            sample.put(&METRICS[1], "", cores(before.system_ns, now.system_ns));
            sample.put(&METRICS[2], "", per_second(before.waits, now.waits, elapsed_ns));
            sample.put(&METRICS[3], "", per_second(before.preemptions, now.preemptions, elapsed_ns));
            sample.put(&METRICS[6], "", per_second(before.minor_faults, now.minor_faults, elapsed_ns));
            sample.put(&METRICS[7], "", per_second(before.major_faults, now.major_faults, elapsed_ns));
        }
        self.before = now;
        match self.status.text("threads and memory need /proc mounted") {
            Ok(text) => {
                let number = |key| status_number(&text, key).map(|n| n as f64);
                sample.put(&METRICS[4], "", number("Threads"));
                sample.put(&METRICS[5], "", number("VmRSS").map(|kib| kib * 1024.0));
            }
            Err(reason) => sample.absent("process", reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines_read_by_their_whole_key() {
        let text = "Name:\tfathom\nVmRSSx:\t1 kB\nVmRSS:\t   5120 kB\nThreads:\t7\n";
        assert_eq!(status_number(text, "VmRSS"), Some(5120));
        assert_eq!(status_number(text, "Threads"), Some(7));
        assert_eq!(status_number(text, "Vm"), None);
        assert_eq!(status_number("Threads:\n", "Threads"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn own_usage_grows_with_work() {
        let before = usage().unwrap();
        let mut sum = 0u64;
        for i in 0..20_000_000u64 {
            sum = std::hint::black_box(sum.wrapping_add(i));
        }
        let after = usage().unwrap();
        assert!(after.user_ns + after.system_ns > before.user_ns + before.system_ns, "{sum}");
    }
}
