//! Time, context switches and page faults of this process, from `getrusage`: all threads, ended ones included,
//! where `/proc/self/status` counts the switches of the first thread alone.
#![allow(unsafe_code)] // `getrusage` is a plain system call that no safe crate of ours offers.

use super::{ProcessUsage, Room, status_text};
use crate::kept_file::KeptFile;
use crate::{Root, TelemetryError};

/// This process's usage now.
pub fn usage() -> Option<ProcessUsage> {
    // SAFETY: `rusage` holds integers only, for which all bits zero is a value.
    let mut raw: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a whole `rusage` that lives through the call.
    if unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut raw) } != 0 {
        return None;
    }
    let ns = |time: libc::timeval| {
        u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000
            + u64::try_from(time.tv_usec).unwrap_or(0) * 1000
    };
    Some(ProcessUsage {
        user_ns: ns(raw.ru_utime),
        system_ns: ns(raw.ru_stime),
        waits: u64::try_from(raw.ru_nvcsw).ok(),
        preemptions: u64::try_from(raw.ru_nivcsw).ok(),
        minor_faults: u64::try_from(raw.ru_minflt).ok(),
        major_faults: u64::try_from(raw.ru_majflt).ok(),
    })
}

/// What tells of this process's threads and memory.
#[derive(Debug)]
pub struct Rooms(KeptFile);

impl Rooms {
    /// Its status file.
    pub fn new(root: &Root) -> Self {
        Self(KeptFile::new(root, "/proc/self/status"))
    }

    /// Threads and memory now.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn now(&mut self) -> Result<Room, TelemetryError> {
        let text = self.0.text("threads and memory need /proc mounted")?;
        let resident_bytes = status_number(&text, "VmRSS").and_then(|kib| kib.checked_mul(1024));
        Ok(Room { threads: status_number(&text, "Threads"), resident_bytes })
    }
}

/// One number of `/proc/self/status`: `Threads:  3` or `VmRSS:  123 kB`.
fn status_number(text: &str, key: &str) -> Option<u64> {
    status_text(text, key)?.split_ascii_whitespace().next()?.parse().ok()
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
