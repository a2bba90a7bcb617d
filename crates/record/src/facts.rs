//! What target, engine and clock said of themselves.

use serde::{Deserialize, Serialize};

pub use crate::fabric::{FabricFacts, FabricQueue, Outages};

/// What kind of thing was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A file in a file system.
    File,
    /// A block device, whole or a partition.
    BlockDevice,
    /// An NVMe namespace by its character device, which takes NVMe commands.
    NvmeNamespace,
    /// An NVMe namespace on the network, which takes NVMe commands.
    FabricNamespace,
    /// A device with known truth, on a virtual or a real clock.
    Simulated,
    /// The process's own memory.
    Memory,
    /// Nothing: completes at once, to measure the instrument.
    Null,
    /// Not told by the tool that measured it; only its name is known.
    Unknown,
}

impl TargetKind {
    /// The kind whose names begin with this word and a colon: those of `null:`, `memory:` and `sim:`.
    pub fn of_scheme(scheme: &str) -> Option<Self> {
        match scheme {
            "null" => Some(Self::Null),
            "memory" => Some(Self::Memory),
            "sim" => Some(Self::Simulated),
            _ => None,
        }
    }
}

/// The target as it was opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetFacts {
    /// As the user named it.
    pub name: String,
    /// What it turned out to be.
    pub kind: TargetKind,
    /// Usable size; 0, which is `null` in JSON, where it is not known.
    #[serde(with = "crate::unknown")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    pub size_bytes: u64,
    /// Smallest unit of direct I/O; 0, which is `null` in JSON, where it is not known.
    #[serde(with = "crate::unknown")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u32>"))]
    pub logical_block_bytes: u32,
    /// Unit below which the device itself reads, modifies and writes, if it says so.
    pub physical_block_bytes: Option<u32>,
    /// Whether the page cache was bypassed.
    pub direct: bool,
    /// The block devices under it, from the one that holds the data directly down to the disks.
    pub devices: Vec<DeviceFacts>,
    /// File system of a file, and its mount options.
    pub file_system: Option<FileSystemFacts>,
    /// Whether the run made the file, and removed it at its end.
    pub scratch: bool,
    /// Share of the span that held written data when the run started, 0 to 1, where it can be known.
    pub written_share: Option<f64>,
    /// Parameters of a simulated device: its truth.
    pub simulated: Option<serde_json::Value>,
    /// Where several targets were measured as one: each of them. The fields above then hold for all:
    /// sizes as they were used together, the largest blocks, the devices of all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<TargetFacts>,
    /// Bytes that lie on one member before the next one's turn, where all are one stripe; absent
    /// where each job has one member to itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stripe_bytes: Option<u64>,
    /// What was put before the target on purpose; results are then not of the target alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decorated: Option<DecoratorFacts>,
    /// Where it is on the network, for targets that are reached over a fabric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fabric: Option<Box<FabricFacts>>,
}

impl TargetFacts {
    /// A target of which its name and kind alone are known.
    pub fn named(name: impl Into<String>, kind: TargetKind) -> Self {
        Self {
            name: name.into(),
            kind,
            size_bytes: 0,
            logical_block_bytes: 0,
            physical_block_bytes: None,
            direct: false,
            devices: Vec::new(),
            file_system: None,
            scratch: false,
            written_share: None,
            simulated: None,
            members: Vec::new(),
            stripe_bytes: None,
            decorated: None,
            fabric: None,
        }
    }
}

/// Decorators that the user put around the engine, as they were given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecoratorFacts {
    /// Time added to each service latency, e.g. `exponential:100us`.
    pub delay: Option<String>,
    /// Limits on rate and throughput, e.g. `iops=3000`.
    pub throttle: Option<String>,
    /// Operations per second that the throttle sustains, if it limits them.
    pub operations_per_s: Option<f64>,
    /// Bytes per second that the throttle sustains, if it limits them.
    pub bytes_per_s: Option<f64>,
}

impl DecoratorFacts {
    /// In words: `delay exponential:100us and throttle iops=3000`.
    pub fn words(&self) -> String {
        let delay = self.delay.as_ref().map(|delay| format!("delay {delay}"));
        let throttle = self.throttle.as_ref().map(|throttle| format!("throttle {throttle}"));
        delay.into_iter().chain(throttle).collect::<Vec<_>>().join(" and ")
    }
}

/// One block device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceFacts {
    /// Kernel's name, as `nvme0n1`.
    pub name: String,
    /// Model, as the device gives it.
    pub model: Option<String>,
    /// Serial number or world-wide name: what permission to write names.
    pub serial: Option<String>,
    /// Size.
    pub size_bytes: u64,
    /// `disk`, `partition`, `device-mapper`, `raid`, `loop` or `memory`; in lists of devices also
    /// `NVMe commands`.
    pub layer: String,
    /// Whether it turns.
    pub rotational: Option<bool>,
    /// `write back` or `write through`, as the kernel sees the device's cache.
    pub write_cache: Option<String>,
    /// I/O scheduler in use.
    pub scheduler: Option<String>,
    /// Requests that one hardware queue takes.
    pub queue_requests: Option<u64>,
    /// Hardware queues, of all kinds.
    pub hardware_queues: Option<u64>,
    /// Those of the hardware queues that take polled I/O and no other; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polled_queues: Option<u64>,
    /// NUMA node, where it has one.
    pub numa_node: Option<i64>,
}

impl DeviceFacts {
    /// Hardware queues that take I/O which is polled, or which is not; all of them where none is for one kind alone. Queues
    /// of reads and of writes are counted together.
    pub fn queues_of(&self, is_polled: bool) -> Option<u64> {
        match self.polled_queues.filter(|polled| *polled > 0) {
            Some(polled) if is_polled => Some(polled),
            Some(polled) => self.hardware_queues.map(|all| all.saturating_sub(polled)),
            None => self.hardware_queues,
        }
    }
}

/// The file system under a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileSystemFacts {
    /// `ext4`, `xfs`, ...
    pub kind: String,
    /// Where it is mounted.
    pub mount_point: String,
    /// With which options.
    pub options: String,
    /// Free space when the run started.
    pub free_bytes: Option<u64>,
}

/// The engine that carried the I/O.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EngineFacts {
    /// `uring`, `sync`, `passthrough`, `null`, `memory`, `sim`, ...
    pub name: String,
    /// Raised whenever a change makes results differ from those of the version before; 0, which is `null` in
    /// JSON, for another tool's.
    #[serde(with = "crate::unknown")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u32>"))]
    pub version: u32,
    /// What was tried, and whether it was used.
    pub features: Vec<EngineFeature>,
    /// Whether I/Os finish inside the submission, so that in-flight is not a property of the target.
    pub completes_inline: bool,
    /// What the `returned` stamp means here.
    pub returned_stamp: String,
}

/// The feature of engines whose I/Os are calls that name a range and move none of its bytes.
pub const NO_DATA: &str = "no_data";

/// The feature of runs that chose processors near the device for their jobs, and why not where it is unused.
pub const BOUND_NEAR_DEVICE: &str = "bound_near_device";

/// The feature of engines that ask for completions over and over instead of waiting for them.
pub const POLLED_COMPLETIONS: &str = "polled_completions";

/// The feature of engines over a network that lost a connection, and why.
pub const CONNECTION_KEPT: &str = "connection_kept";

impl EngineFacts {
    /// Whether completions were asked for over and over instead of waited for.
    pub fn is_polled(&self) -> bool {
        self.features.iter().any(|feature| feature.used && feature.name == POLLED_COMPLETIONS)
    }

    /// Whether I/Os move the bytes that they are counted with.
    pub fn moves_data(&self) -> bool {
        !self.features.iter().any(|feature| feature.used && feature.name == NO_DATA)
    }
}

/// One feature of an engine on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EngineFeature {
    /// Its name, as `registered_buffers`.
    pub name: String,
    /// Whether it was in force.
    pub used: bool,
    /// Why not, or what it changes.
    pub note: Option<String>,
    /// Whether the system refused it, or a limit of the system's took it away; absent where it did not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
}

impl EngineFeature {
    /// A feature that is in force, or was not asked for.
    pub fn new(name: impl Into<String>, used: bool, note: Option<String>) -> Self {
        Self { name: name.into(), used, note, refused: false }
    }

    /// One that is in force unless the system refused it, and why it did.
    pub fn unless_refused(name: impl Into<String>, refusal: Option<String>) -> Self {
        let refused = refusal.is_some();
        Self { name: name.into(), used: !refused, note: refusal, refused }
    }
}

/// The clock that stamped the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClockRecord {
    /// `tsc` (the counter of x86-64), `cntvct` (Arm's), `monotonic_raw` or `virtual`.
    pub source: String,
    /// Why the processor's counter was not used, if it was not.
    pub fallback_reason: Option<String>,
    /// Cost of one read.
    pub read_cost_ns: f64,
    /// Smallest step it shows.
    pub resolution_ns: u64,
    /// Bound on its rate error, in parts per million.
    pub calibration_error_ppm: f64,
    /// Difference from the system clock over the run, in parts per million; absent for runs under 1 s.
    pub drift_ppm: Option<f64>,
    /// Widest histogram bucket as a share of the value in it.
    pub bucket_width_share: f64,
}
