//! One I/O of a run by itself, for those who keep each.

use crate::Direction;

/// An I/O that ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndedIo {
    /// When it ended, in nanoseconds of the run's clock; once the run is over, from the start of its window.
    pub at_ns: u64,
    /// Its service latency, in nanoseconds.
    pub service_ns: u64,
    /// First byte on the target.
    pub offset: u64,
    /// Its length in bytes.
    pub bytes: u32,
    /// What it did.
    pub direction: Direction,
}
