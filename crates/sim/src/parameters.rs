//! Everything that can be set on a simulated device, as data with units.
//!
//! An I/O passes, in this order: a lock of the software above, the limit of its instance, a tag, the
//! volume's limits, the link, a server, and a fixed latency. Each stage is first come, first served.

use fathom_record::Direction;
use fathom_record::options::{ByteLimit, OperationLimit, Stalls};
use serde::{Deserialize, Serialize};

/// A simulated device, whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimParameters {
    /// The preset it started from.
    pub name: String,
    /// Usable size.
    pub size_bytes: u64,
    /// Offsets and lengths are multiples of this.
    pub logical_block_bytes: u32,
    /// I/Os that are worked on at the same time.
    pub servers: u32,
    /// I/Os that the device holds at most; later ones wait outside. Absent: no limit.
    pub tags: Option<u32>,
    /// Added to every I/O, without occupying a server.
    pub base_latency_ns: u64,
    /// What a server does for a read.
    pub read: Work,
    /// What a server does for a write.
    pub write: Work,
    /// What a server does for a trim.
    pub trim: Work,
    /// What a server does for a flush. It does not wait for the write cache, which is taken to
    /// survive a power failure.
    pub flush: Work,
    /// Added to the server's work when a read or write does not continue a sequential stream.
    pub positioning: Option<ServiceTime>,
    /// Processor time that the software above the device takes for an I/O, before it is handed over. Where time is real the
    /// job's thread spends it; where it is simulated it is latency alone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cpu_ns: u64,
    /// A section of the software above the device that one I/O at a time passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<Lock>,
    /// Limit on operations of the volume.
    pub operations: Option<OperationLimit>,
    /// Limit on bytes of the volume.
    pub throughput: Option<ByteLimit>,
    /// How I/Os are counted against the limits on operations and bytes.
    pub accounting: Accounting,
    /// Limit shared with the other devices of the same instance.
    pub instance: Option<Instance>,
    /// The wire between host and device, full duplex.
    pub link: Option<Link>,
    /// Writes end in it while there is room.
    pub write_cache: Option<WriteCache>,
    /// Unit in which the device maps its medium. A write that covers one partly, and does not continue
    /// a sequential stream, makes it read, modify and write the whole unit.
    pub indirection_unit_bytes: Option<u64>,
    /// Times at which nothing is served.
    pub stalls: Option<Stalls>,
    /// How much of their schedule is over at the start: 0 on a device that no run has used.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stalls_elapsed_ns: u64,
    /// Slow variation of the speed of servers and of what a token of the volume's limits buys.
    pub noise: Option<Noise>,
    /// Seed of service times and noise.
    pub seed: u64,
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// Distribution of the time that a server needs, before any transfer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "shape", rename_all = "snake_case", deny_unknown_fields)]
pub enum ServiceTime {
    /// Always the same.
    Constant {
        /// The time.
        mean_ns: u64,
    },
    /// Exponential.
    Exponential {
        /// Mean.
        mean_ns: u64,
    },
    /// Log-normal.
    Lognormal {
        /// Mean of the time itself, not of its logarithm.
        mean_ns: u64,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// Gamma; a whole order is a chain of that many exponential steps (Erlang).
    Gamma {
        /// Mean.
        mean_ns: u64,
        /// The square of mean over standard deviation.
        order: f64,
    },
}

/// A server's work for one I/O.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// Time per I/O.
    pub time: ServiceTime,
    /// Rate at which one server moves the bytes of an I/O, after that time; absent: in no time.
    pub stream_bytes_per_s: Option<u64>,
}

/// A lock of the software above the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// For how long an I/O holds it.
    pub hold_ns: u64,
    /// Added for each other job that wants it too: the lock and what it guards move between their processors.
    pub handover_ns: u64,
}

/// How an I/O is counted against limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accounting {
    /// A larger I/O counts once for each started unit; absent: every I/O counts once.
    pub unit_bytes: Option<u64>,
    /// Whether I/Os that continue a sequential stream count by their share of a unit.
    pub merge_sequential: bool,
    /// Bytes that an I/O costs at least when it does not continue a sequential stream.
    pub least_random_bytes: u64,
}

/// Limit of a virtual machine over all its volumes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Devices with the same group on the same [`SimHost`](super::SimHost) share the limit.
    pub group: String,
    /// On operations, counted as the volume counts them.
    pub operations: Option<OperationLimit>,
    /// On bytes.
    pub throughput: Option<ByteLimit>,
}

/// The wire between host and device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Rate in each direction; reads load the one, writes the other.
    pub bytes_per_s: u64,
    /// Propagation there and back, added to every I/O.
    pub round_trip_ns: u64,
}

/// Fast room for writes in front of a slower medium.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteCache {
    /// Room.
    pub capacity_bytes: u64,
    /// Room that is free at the start; absent: all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_bytes: Option<u64>,
    /// Rate at which it empties into the medium.
    pub drain_bytes_per_s: u64,
    /// Medium bytes written for each byte of a write that does not continue a sequential stream, for
    /// example by garbage collection; 1 or more. Multiplies what the indirection unit costs.
    pub random_amplification: f64,
}

/// Variation of speed, log-normal with mean 1, correlated in time as an Ornstein-Uhlenbeck process.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Noise {
    /// Standard deviation of the speed, as a share of its mean.
    pub deviation_share: f64,
    /// Time after which the correlation has fallen to 1/e.
    pub correlation_ns: u64,
}

impl ServiceTime {
    /// Mean.
    pub fn mean_ns(&self) -> u64 {
        match *self {
            Self::Constant { mean_ns }
            | Self::Exponential { mean_ns }
            | Self::Lognormal { mean_ns, .. }
            | Self::Gamma { mean_ns, .. } => mean_ns,
        }
    }

    /// The same shape with another mean.
    pub fn with_mean_ns(self, mean_ns: u64) -> Self {
        match self {
            Self::Constant { .. } => Self::Constant { mean_ns },
            Self::Exponential { .. } => Self::Exponential { mean_ns },
            Self::Lognormal { sigma, .. } => Self::Lognormal { mean_ns, sigma },
            Self::Gamma { order, .. } => Self::Gamma { mean_ns, order },
        }
    }
}

impl Work {
    /// A constant time and no transfer time.
    pub fn constant(mean_ns: u64) -> Self {
        Self { time: ServiceTime::Constant { mean_ns }, stream_bytes_per_s: None }
    }

    /// A log-normal time and no transfer time.
    pub fn lognormal(mean_ns: u64, sigma: f64) -> Self {
        Self { time: ServiceTime::Lognormal { mean_ns, sigma }, stream_bytes_per_s: None }
    }

    /// The same with a transfer rate.
    pub fn streaming(self, bytes_per_s: u64) -> Self {
        Self { stream_bytes_per_s: Some(bytes_per_s), ..self }
    }
}

impl SimParameters {
    /// What a server does for a direction.
    pub fn work(&self, direction: Direction) -> &Work {
        match direction {
            Direction::Read => &self.read,
            Direction::Write => &self.write,
            Direction::Trim => &self.trim,
            Direction::Flush => &self.flush,
        }
    }
}
