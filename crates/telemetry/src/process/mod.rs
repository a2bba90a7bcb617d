//! The measuring process's own time, context switches, page faults, threads and memory.

mod metrics;
#[cfg_attr(target_os = "linux", path = "usage_linux.rs")]
#[cfg_attr(windows, path = "usage_windows.rs")]
mod usage;

pub use metrics::METRICS;
pub use usage::usage;

use crate::counter_growth::per_second;
use crate::{MetricDecl, Root, Sample, Source};

/// What this process used since it started; what the system does not count is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessUsage {
    /// Time in the program, in nanoseconds.
    pub user_ns: u64,
    /// Time in the kernel for it, in nanoseconds.
    pub system_ns: u64,
    /// Context switches because a thread waited.
    pub waits: Option<u64>,
    /// Context switches because another thread was due.
    pub preemptions: Option<u64>,
    /// Page faults that were served without I/O.
    pub minor_faults: Option<u64>,
    /// Page faults that waited for I/O.
    pub major_faults: Option<u64>,
}

/// What this process has now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Its threads.
    pub threads: Option<u64>,
    /// Memory that is resident.
    pub resident_bytes: Option<u64>,
}

/// This process.
pub struct Process {
    rooms: usage::Rooms,
    before: Option<ProcessUsage>,
}

impl Process {
    /// This process, as the system sees it.
    pub fn new(root: &Root) -> Self {
        Self { rooms: usage::Rooms::new(root), before: None }
    }
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
            let events = |before: Option<u64>, now: Option<u64>| {
                before.zip(now).and_then(|(before, now)| per_second(before, now, elapsed_ns))
            };
            sample.put(&METRICS[2], "", events(before.waits, now.waits));
            sample.put(&METRICS[3], "", events(before.preemptions, now.preemptions));
            sample.put(&METRICS[6], "", events(before.minor_faults, now.minor_faults));
            sample.put(&METRICS[7], "", events(before.major_faults, now.major_faults));
        }
        self.before = now;
        match self.rooms.now() {
            Ok(room) => {
                sample.put(&METRICS[4], "", room.threads.map(|threads| threads as f64));
                sample.put(&METRICS[5], "", room.resident_bytes.map(|bytes| bytes as f64));
            }
            Err(error) => sample.absent("process", error.cause),
        }
    }
}
