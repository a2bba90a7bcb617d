//! What limits a result: claims with evidence, scope and confidence.

use serde::{Deserialize, Serialize};

/// What was concluded, and what would decide more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// Most probable first; empty never: at least one claim says "unknown".
    pub claims: Vec<Claim>,
    /// Upper bounds that were compared, whether reached or not.
    pub ceilings: Vec<Ceiling>,
    /// What to run to decide more, as a command.
    pub next_experiment: Option<Experiment>,
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    /// What binds.
    pub limit: Limit,
    /// The claim as a sentence.
    pub statement: String,
    /// How sure, in words.
    pub confidence: Confidence,
    /// Posterior probability that this is what binds, from 0 to 1, by the evidence table and its calibration;
    /// absent in records of builds that gave words only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// What speaks for it and against it, each with its figure.
    pub evidence: Vec<Evidence>,
    /// What the claim covers: target, pattern, operating point, time.
    pub scope: String,
}

/// What can bind. Each has a row in the evidence table of `fathom-attribute`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The volume's limit on operations.
    VolumeIops,
    /// The volume's limit on bytes.
    VolumeThroughput,
    /// A limit of the machine or instance that all its volumes share.
    InstanceCap,
    /// Burst credits that are running out, or gone.
    BurstCredits,
    /// A wire: network, fabric, PCIe or SATA link.
    Link,
    /// One processor is busy all the time.
    OneCore,
    /// All processors, or the processor time that a control group grants, are used up.
    AllCores,
    /// Too few I/Os in flight for the target's latency.
    Concurrency,
    /// The target's own parallelism.
    DeviceParallelism,
    /// A contended lock, or another cost of the software between the program and the device.
    Software,
    /// Something else used the target or the machine.
    Interference,
    /// A cache answered instead of the device.
    CacheArtefact,
    /// A write cache that is full, or a device that collects garbage.
    WriteCliff,
    /// Writes smaller than the unit that the device maps: it reads and rewrites the rest.
    IndirectionUnit,
    /// The tags of the device's queues are all in use.
    QueueTags,
    /// The device or a processor slowed down because it was hot.
    Thermal,
    /// The file system between the program and the device.
    FileSystem,
    /// The measuring program itself.
    Generator,
    /// Nothing: everything that was asked for was carried.
    Demand,
    /// The storage software writes each byte several times: replicas, a journal, parity.
    Copies,
    /// One core, poller or thread of the client.
    ClientCore,
    /// One core, poller or thread of the target.
    TargetCore,
    /// A bus, adapter or uplink that several drives share.
    SharedPath,
    /// The bandwidth of the memory.
    MemoryBandwidth,
    /// Memory or a device of another NUMA node.
    Numa,
    /// Requests are merged on their way: the device does fewer and larger ones.
    Merging,
    /// The latency of a flush, or of a write that waits for stable storage.
    FlushLatency,
    /// Nothing that lasts: burst credits are being spent.
    BurstNow,
    /// A limit that each connection, session, flow or client has.
    PerConnection,
    /// Nothing that binds: jobs ended early, so that the mean is not that of all together.
    EndedEarly,
    /// A version, setting or mode as such: what differs between rows that are otherwise alike.
    Setting,
    /// Nothing that is shared: the rate grows with what is added.
    Scales,
    /// Nothing: what is compared does not differ.
    NoDifference,
    /// The network's round trip, with too few I/Os in flight for it.
    RoundTrip,
    /// Data that the network loses or reorders.
    NetworkLoss,
    /// The congestion window of each connection.
    CongestionWindow,
    /// The peer takes data more slowly than it is sent.
    SlowReceiver,
    /// The send buffer of each connection on this machine.
    SendBuffer,
    /// A fixed rate that somebody enforces, of operations or of bytes; nobody knows whose it is.
    #[serde(alias = "declared_ceiling")]
    RateCap,
    /// Not decided.
    Unknown,
}

impl Limit {
    /// What it is called inside a sentence, as the end of "limited by".
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::VolumeIops => "the volume's IOPS limit",
            Self::VolumeThroughput => "the volume's throughput limit",
            Self::InstanceCap => "a limit shared by the instance's volumes",
            Self::BurstCredits => "burst credits that ran out",
            Self::Link => "a link",
            Self::OneCore => "one CPU core",
            Self::AllCores => "all CPU cores",
            Self::Concurrency => "too few I/Os in flight",
            Self::DeviceParallelism => "the device's own parallelism",
            Self::Software => "the software between program and device",
            Self::Interference => "something else on the machine",
            Self::CacheArtefact => "a cache that answered in place of the device",
            Self::WriteCliff => "a full write cache",
            Self::IndirectionUnit => "writes smaller than the device's mapping unit",
            Self::QueueTags => "the device's queue tags",
            Self::Thermal => "heat",
            Self::FileSystem => "the file system",
            Self::Generator => "the measuring program itself",
            Self::Demand => "nothing but the rate that was asked for",
            Self::Copies => "copies that the storage software writes",
            Self::ClientCore => "one core of the client",
            Self::TargetCore => "one core of the target",
            Self::SharedPath => "a path that several drives share",
            Self::MemoryBandwidth => "the bandwidth of the memory",
            Self::Numa => "another NUMA node",
            Self::Merging => "requests that are merged",
            Self::FlushLatency => "the latency of flushes",
            Self::BurstNow => "burst credits that are being spent",
            Self::PerConnection => "a limit of each connection",
            Self::EndedEarly => "jobs that ended early",
            Self::Setting => "a version or setting",
            Self::Scales => "nothing shared",
            Self::NoDifference => "nothing that differs",
            Self::RoundTrip => "the network's round trip",
            Self::NetworkLoss => "data that the network loses",
            Self::CongestionWindow => "the congestion window of each connection",
            Self::SlowReceiver => "a peer that takes data too slowly",
            Self::SendBuffer => "the send buffer of each connection",
            Self::RateCap => "a fixed rate",
            Self::Unknown => "an unknown limit",
        }
    }
}

/// Confidence in words, by the probability: from 0.95 on `strong`, from 0.8 on `likely`, from 0.2 on
/// `possible`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// No better than a guess.
    None,
    /// One of several candidates.
    Possible,
    /// The best candidate, with others left.
    Likely,
    /// Shown by direct evidence.
    Strong,
}

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// Whether it speaks for the claim.
    pub supports: bool,
    /// What was seen, with figures.
    pub text: String,
}

/// An upper bound and how close the result came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ceiling {
    /// Its name, as "declared IOPS" or "N / R1".
    pub name: String,
    /// What reaching it would mean.
    pub limit: Limit,
    /// In operations per second for this workload.
    pub operations_per_s: f64,
    /// `declared`, `catalogued`, `measured` or `derived`, and from what.
    pub source: String,
    /// Achieved rate over the bound; 1 is at the bound.
    pub reached_share: f64,
}

/// Something to run next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Experiment {
    /// What it decides.
    pub question: String,
    /// What to type.
    pub command: String,
    /// What each answer would mean.
    pub reading: String,
}
