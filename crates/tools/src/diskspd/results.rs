//! A result of diskspd, in its own words: what both its text and its XML say.

use super::span_profile::Profile;

/// One execution, with its time spans.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// What was asked for, as far as it is told.
    pub profile: Option<Profile>,
    /// The command line as it is told.
    pub command_line: String,
    /// Version of diskspd.
    pub version: Option<String>,
    /// Date of that version.
    pub version_date: Option<String>,
    /// Name of the machine.
    pub computer: Option<String>,
    /// Start, as it is told: `2019/07/25 21:46:27 UTC`.
    pub started: Option<String>,
    /// Processors.
    pub processors: Option<u64>,
    /// One after the other.
    pub spans: Vec<SpanResult>,
    /// What was seen to be odd, as name and sentence.
    pub quirks: Vec<(&'static str, String)>,
}

/// What one time span came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpanResult {
    /// Measured time in seconds.
    pub seconds: Option<f64>,
    /// Threads.
    pub threads: Option<u64>,
    /// Processors, where a span tells them.
    pub processors: Option<u64>,
    /// Use of each processor.
    pub cpus: Vec<CpuUse>,
    /// Their mean.
    pub cpu_mean: Option<CpuUse>,
    /// Each thread on each target.
    pub rows: Vec<ThreadRow>,
    /// All threads, as it is told: all I/O, reads, writes.
    pub totals: SectionValues<Option<Counts>>,
    /// Of all targets, ascending; order 0 is the smallest latency and 1 the largest.
    pub percentiles: Vec<Percentile>,
    /// Of each target, where there are several and they are told.
    pub of_targets: Vec<TargetPercentiles>,
    /// IOPS of each interval.
    pub iops: Vec<IopsBucket>,
    /// Whether it ends in the middle.
    pub cut: bool,
}

/// All I/O, reads and writes, as diskspd has a table of each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SectionValues<T> {
    /// Reads and writes.
    pub total: T,
    /// Reads.
    pub read: T,
    /// Writes.
    pub write: T,
}

/// Use of a processor, in percent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CpuUse {
    /// Which, with what stands before it where there are several groups, nodes or sockets, e.g. `1/0`.
    pub name: String,
    /// Not idle.
    pub usage: f64,
    /// In programs.
    pub user: f64,
    /// In the kernel.
    pub kernel: f64,
    /// Idle.
    pub idle: f64,
}

/// One thread on one target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThreadRow {
    /// Number of the thread.
    pub thread: u64,
    /// The target.
    pub path: String,
    /// Its size.
    pub file_bytes: Option<u64>,
    /// What it did.
    pub counts: SectionValues<Option<Counts>>,
}

/// A row of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Bytes moved.
    pub bytes: u64,
    /// I/Os.
    pub operations: u64,
    /// Throughput in MiB/s, as it is told.
    pub mib_per_s: Option<f64>,
    /// I/Os per second, as it is told.
    pub per_s: Option<f64>,
    /// Mean latency in milliseconds.
    pub mean_ms: Option<f64>,
    /// Standard deviation of the IOPS of intervals.
    pub iops_deviation: Option<f64>,
    /// Standard deviation of the latencies in milliseconds.
    pub deviation_ms: Option<f64>,
}

/// The latencies of one target of several.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TargetPercentiles {
    /// The target.
    pub path: String,
    /// As those of all targets.
    pub percentiles: Vec<Percentile>,
}

/// A row of the table of latencies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Percentile {
    /// Order, 0 to 1.
    pub order: f64,
    /// In milliseconds; absent where nothing was done in that direction.
    pub ms: SectionValues<Option<f64>>,
}

/// An interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IopsBucket {
    /// Its end, in milliseconds from the start of the measurement.
    pub end_ms: f64,
    /// I/Os in it.
    pub operations: SectionValues<f64>,
}

/// The rows of the table of latencies, with their names in text; 0 and 1 are its first and last.
pub const PERCENTILES: [(f64, &str); 15] = [
    (0.0, "min"),
    (0.25, "25th"),
    (0.5, "50th"),
    (0.75, "75th"),
    (0.9, "90th"),
    (0.95, "95th"),
    (0.99, "99th"),
    (0.999, "3-nines"),
    (0.9999, "4-nines"),
    (0.99999, "5-nines"),
    (0.999_999, "6-nines"),
    (0.999_999_9, "7-nines"),
    (0.999_999_99, "8-nines"),
    (0.999_999_999, "9-nines"),
    (1.0, "max"),
];

impl<T> SectionValues<T> {
    /// All three, in the order in which diskspd prints them.
    pub fn each(&self) -> [(&'static str, &T); 3] {
        [("Total IO", &self.total), ("Read IO", &self.read), ("Write IO", &self.write)]
    }

    /// The same with everything changed.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> SectionValues<U> {
        SectionValues { total: change(self.total), read: change(self.read), write: change(self.write) }
    }
}
