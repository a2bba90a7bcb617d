//! A workload as data: address pattern, mix, sizes, data, arrival and length.
//!
//! These are the values a plan is read into, an engine is driven by, and a record keeps, so that a
//! record alone suffices to run the same thing again.

mod address;
mod arrival_process;
mod io_sizes;
mod special_features;
mod validate;
mod write_content;

pub use address::{Addresses, HotSpot, TraceFit, TraceSource, Zone};
pub use arrival_process::Arrival;
pub use io_sizes::{SizeShare, Sizes, SizesByDirection};
pub use special_features::{AccessHint, CacheAdvice, ConstantContent, FileOrder, FileTurns, SpecialFeatures};
pub use validate::{WorkloadError, WorkloadErrorKind};
pub use write_content::{Data, Verify};

use serde::{Deserialize, Serialize};

/// One workload, whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// Which directions, in what shares.
    pub mix: Mix,
    /// Where on the target.
    pub addresses: Addresses,
    /// How large each I/O is.
    pub sizes: SizesByDirection,
    /// First byte used of the target.
    pub offset_bytes: u64,
    /// Bytes used from there on; absent: to the end of the target.
    pub span_bytes: Option<u64>,
    /// Offsets are multiples of this; absent: of the smallest I/O size.
    pub alignment_bytes: Option<u64>,
    /// What is written, and whether it is checked.
    pub data: Data,
    /// When I/Os start.
    pub arrival: Arrival,
    /// Independent submitters, one thread each.
    pub jobs: u32,
    /// I/Os that each job keeps in flight (closed), or may have in flight at most (open).
    pub depth: u32,
    /// When the measurement ends; the first limit reached ends it.
    pub length: Length,
    /// Seed of every random choice; the same seed replays the same I/Os.
    pub seed: u64,
    /// What few workloads ask for; absent: none of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub special: Option<Box<SpecialFeatures>>,
}

/// Shares of the directions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Mix {
    /// Share of reads among all I/Os but flushes, 0 to 1.
    pub read_share: f64,
    /// Share of trims among all I/Os but flushes, 0 to 1; the rest are writes.
    pub trim_share: f64,
    /// A flush after every so many writes of a job; 0: never.
    pub flush_every_writes: u64,
}

impl Mix {
    /// Share of writes, 0 to 1.
    pub fn write_share(&self) -> f64 {
        (1.0 - self.read_share - self.trim_share).max(0.0)
    }

    /// Whether anything changes what the target holds.
    pub fn changes_data(&self) -> bool {
        self.read_share < 1.0
    }
}

/// Limits of a run. At least one of time, operations and bytes is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Length {
    /// Measured time, after the warm-up.
    pub time_ns: Option<u64>,
    /// Operations over all jobs, warm-up included.
    pub operations: Option<u64>,
    /// Bytes over all jobs, warm-up included.
    pub bytes: Option<u64>,
    /// Time before the measurement starts, whose I/Os are counted apart.
    pub warmup_ns: u64,
}
