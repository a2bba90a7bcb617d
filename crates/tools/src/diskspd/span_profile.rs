//! What diskspd is asked to do, in its own words: a profile of time spans, each with targets.
//!
//! A command line makes one span whose targets are alike but for their paths; an XML profile can hold
//! several spans, and targets that differ.

use super::caching::Caching;
use super::random_distribution::Distribution;

/// A command line or an XML profile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Results as XML and not as text.
    pub xml_results: bool,
    /// Nothing is run, the profile alone is printed.
    pub profile_only: bool,
    /// More is said while it runs.
    pub verbose: bool,
    /// One after the other.
    pub spans: Vec<TimeSpan>,
    /// What the whole command line looked like; empty for an XML profile that nobody ran.
    pub command_line: String,
}

/// One stretch of load.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeSpan {
    /// Measured time, in seconds.
    pub duration_s: u64,
    /// Load before the measurement, in seconds.
    pub warmup_s: u64,
    /// Load after the measurement, in seconds.
    pub cooldown_s: u64,
    /// Seed of random choices.
    pub seed: u64,
    /// Threads for all targets together; 0: each target has its own.
    pub threads: u64,
    /// I/Os outstanding of a thread over all its targets; only with `threads`; 0: each target has its own.
    pub outstanding: u64,
    /// Whether latencies are reported.
    pub latency: bool,
    /// Length of the intervals of which the standard deviation of IOPS is reported, in milliseconds.
    pub iops_interval_ms: Option<u64>,
    /// Whether threads go wherever the scheduler puts them.
    pub no_affinity: bool,
    /// Processors that threads are bound to in turn: group and number.
    pub affinity: Vec<(u64, u64)>,
    /// Fresh random data for each write.
    pub random_write_data: bool,
    /// Completion routines instead of completion ports.
    pub completion_routines: bool,
    /// What the load goes to.
    pub targets: Vec<Target>,
}

impl Default for TimeSpan {
    fn default() -> Self {
        Self {
            duration_s: 10,
            warmup_s: 5,
            cooldown_s: 0,
            seed: 0,
            threads: 0,
            outstanding: 0,
            latency: false,
            iops_interval_ms: None,
            no_affinity: false,
            affinity: Vec::new(),
            random_write_data: false,
            completion_routines: false,
            targets: Vec::new(),
        }
    }
}

/// A file or disk, and what is done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// A file's path, `#N` for a physical disk, `D:` for a partition, `*N` for a template to be filled in.
    pub path: String,
    /// Size of an I/O.
    pub block_bytes: u64,
    /// Alignment of random I/Os and stride of sequential ones; absent: the block.
    pub step_bytes: Option<u64>,
    /// Share of random I/Os in percent: 100 for random, 0 for sequential.
    pub random_percent: u64,
    /// All threads take their sequential offsets from one position.
    pub interlocked: bool,
    /// Where random I/Os go.
    pub distribution: Option<Distribution>,
    /// First byte that is used.
    pub base_bytes: u64,
    /// End of the bytes that are used; absent: the target's.
    pub end_bytes: Option<u64>,
    /// Distance of the threads' first sequential offsets.
    pub thread_stride_bytes: u64,
    /// I/Os outstanding of each thread.
    pub outstanding: u64,
    /// Threads of its own.
    pub threads: u64,
    /// Share of writes in percent.
    pub write_percent: u64,
    /// Caches and write-through.
    pub caching: Caching,
    /// What is written.
    pub content: Content,
    /// Limit of a thread's rate.
    pub limit: Option<Limit>,
    /// I/Os of a burst; 0: no bursts.
    pub burst: u64,
    /// Pause between bursts, in milliseconds.
    pub think_ms: u64,
    /// Size of the file that is made.
    pub create_bytes: Option<u64>,
    /// All outstanding I/Os of a thread have one offset.
    pub parallel: bool,
    /// 1 very low, 2 low, 3 normal.
    pub priority: u64,
    /// Large pages for buffers.
    pub large_pages: bool,
    /// Hints to the file system: `sequential`, `random`, `temporary`.
    pub hints: Vec<Hint>,
    /// Share of a thread's I/Os that go here, in relation to other targets; with a common number outstanding.
    pub weight: u64,
    /// Whether only some of the threads use it.
    pub some_threads: bool,
}

/// A hint to Windows on how a file will be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// `FILE_FLAG_RANDOM_ACCESS`.
    Random,
    /// `FILE_FLAG_SEQUENTIAL_SCAN`.
    Sequential,
    /// `FILE_ATTRIBUTE_TEMPORARY`.
    Temporary,
}

/// Content of writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// The bytes 0 to 255 over and over, the same in every write.
    #[default]
    Counting,
    /// Zeros.
    Zeros,
    /// Taken from a buffer of so many bytes, filled at random or from a file.
    Buffer {
        /// Its size.
        bytes: u64,
        /// The file it is filled from.
        file: Option<String>,
    },
}

/// Limit of the rate of one thread on one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Bytes per millisecond.
    BytesPerMs(u64),
    /// I/Os per second.
    PerS(u64),
}

/// Size of an I/O where none is given.
pub const DEFAULT_BLOCK_BYTES: u64 = 64 << 10;

impl Target {
    /// A target with diskspd's defaults.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            block_bytes: DEFAULT_BLOCK_BYTES,
            step_bytes: None,
            random_percent: 0,
            interlocked: false,
            distribution: None,
            base_bytes: 0,
            end_bytes: None,
            thread_stride_bytes: 0,
            outstanding: 2,
            threads: 1,
            write_percent: 0,
            caching: Caching::default(),
            content: Content::default(),
            limit: None,
            burst: 0,
            think_ms: 0,
            create_bytes: None,
            parallel: false,
            priority: 3,
            large_pages: false,
            hints: Vec::new(),
            weight: 1,
            some_threads: false,
        }
    }

    /// Alignment or stride.
    pub fn step(&self) -> u64 {
        self.step_bytes.unwrap_or(self.block_bytes)
    }
}

impl TimeSpan {
    /// Threads on each target.
    pub fn threads_of(&self, target: &Target) -> u64 {
        if self.threads > 0 { self.threads } else { target.threads }
    }
}
