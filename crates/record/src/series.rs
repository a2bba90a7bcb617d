//! What happened in each second of a run.

use serde::{Deserialize, Serialize};

use crate::{Direction, SparseHistogram};

/// One interval, all jobs together. An I/O belongs to the interval in which it was reaped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interval {
    /// Start, from the start of the first I/O of the run.
    pub start_ns: u64,
    /// Length; a second, but for the last.
    pub duration_ns: u64,
    /// Whether it lies before the measurement proper.
    pub warmup: bool,
    /// Sum over jobs of in-flight I/Os integrated over time: divided by the duration, the mean in-flight.
    pub in_flight_integral_ns: u64,
    /// One entry for each direction that finished any I/O.
    pub directions: Vec<DirectionInterval>,
}

/// One direction in one interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DirectionInterval {
    /// Which.
    pub direction: Direction,
    /// I/Os that ended well.
    pub operations: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// I/Os that ended in an error.
    pub errors: u64,
    /// Service latencies.
    pub service: SparseHistogram,
    /// Response latencies; absent in a closed loop, where the intended start is the submission.
    pub response: Option<SparseHistogram>,
}

impl Interval {
    /// I/Os that ended well, over all directions.
    pub fn operations(&self) -> u64 {
        self.directions.iter().map(|d| d.operations).sum()
    }

    /// Bytes moved, over all directions.
    pub fn bytes(&self) -> u64 {
        self.directions.iter().map(|d| d.bytes).sum()
    }

    /// Mean I/Os in flight.
    pub fn in_flight(&self) -> f64 {
        if self.duration_ns == 0 { 0.0 } else { self.in_flight_integral_ns as f64 / self.duration_ns as f64 }
    }
}
