//! What can be seen: symptoms of a run and answers of experiments, each with the name that the table uses.

macro_rules! features {
    ($($(#[$doc:meta])* $variant:ident $name:literal,)*) => {
        /// A symptom or the answer of an experiment, on the scale that the evidence table states.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Feature {
            $($(#[$doc])* $variant,)*
        }

        impl Feature {
            /// Every feature.
            pub const ALL: [Feature; [$($name),*].len()] = [$(Feature::$variant),*];

            /// Its name in the table, in records and on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Feature::$variant => $name,)*
                }
            }
        }
    };
}

features! {
    /// Variation of the 1-s rates.
    Unevenness "unevenness",
    /// Variation of the 1-s rates over that of independent I/Os.
    Pacing "pacing",
    /// Last sixth over first sixth.
    Drop "drop",
    /// Busiest processor.
    BusiestCore "busiest_core",
    /// All processors.
    MeanCore "mean_core",
    /// Busiest processor of the machine that serves the target, or thread that serves it.
    TargetBusiestCore "target_busiest_core",
    /// All processors of that machine.
    TargetMeanCore "target_mean_core",
    /// The generator's threads.
    GeneratorBusy "generator_busy",
    /// Their time in user mode.
    GeneratorUser "generator_user",
    /// Waiting for locks.
    LockShare "lock_share",
    /// Latency over that of the device below.
    SoftwareLatency "software_latency",
    /// Use of the link.
    LinkUse "link_use",
    /// Rate over the volume's limit on operations.
    VolumeIops "volume_iops",
    /// Throughput over the volume's limit on bytes.
    VolumeThroughput "volume_throughput",
    /// Rate over the nearest of the instance's limits.
    Instance "instance",
    /// Rate over what remains without burst credits.
    Sustained "sustained",
    /// Rate over what the device is known to do.
    DeviceRate "device_rate",
    /// Use of the memory's bandwidth.
    MemoryUse "memory_use",
    /// Use of a bus that several devices share.
    BusUse "bus_use",
    /// Latency over that of a lone I/O.
    Waiting "waiting",
    /// Growth over the last doubling of concurrency that was measured.
    Climb "climb",
    /// I/Os served at once over the device's tags.
    Served "served",
    /// I/Os in flight over the device's tags.
    AskedTags "asked_tags",
    /// 99.9th percentile over the median.
    Tail "tail",
    /// Softness of the bend.
    Corner "corner",
    /// Bytes moved over bytes asked for.
    DeviceBytes "device_bytes",
    /// Share of the span without data.
    Unwritten "unwritten",
    /// Page cache in use.
    CachedSpan "cached_span",
    /// Written block over mapping unit.
    MapUnit "map_unit",
    /// Time taken by a hypervisor.
    Steal "steal",
    /// Time held back by a control group.
    Quota "quota",
    /// Time slowed by heat.
    Heat "heat",
    /// The volume's own count.
    VolumeIopsExceeded "volume_iops_exceeded",
    /// The volume's own count.
    VolumeThroughputExceeded "volume_throughput_exceeded",
    /// The instance's own count.
    InstanceExceeded "instance_exceeded",
    /// Rate over the rate asked for.
    Asked "asked",
    /// More connections or paths.
    Paths "paths",
    /// Another software on the same hardware.
    OtherSoftware "other_software",
    /// Processor time over that of another software.
    SoftwareCost "software_cost",
    /// When credits ended over when they should have.
    CreditTime "credit_time",
    /// What was done after a rest above the usual over what was left undone in it.
    Earned "earned",
    /// Time of an I/O over its size, against a straight line.
    ServiceLine "service_line",
    /// How far blocks next to the own one are on the way from a limit's law to the line through a far one.
    FarLine "far_line",
    /// What twice the jobs cost over what they would where each of many costs as much.
    JobsLine "jobs_line",
    /// Credits that are left.
    CreditsLeft "credits_left",
    /// Rate over the limits of the connections.
    ConnectionUse "connection_use",
    /// Rate over the limits of the cores.
    CoreUse "core_use",
    /// Another version or setting of the same.
    OtherSetting "other_setting",
    /// Another machine.
    OtherHost "other_host",
    /// How far apart the compared are.
    Apart "apart",
    /// What each doubling of what is added brings.
    Growth "growth",
    /// Written copies over what takes them.
    Copied "copied",
    /// Without flushes.
    Unflushed "unflushed",
    /// Flushes for each write.
    Flushes "flushes",
    /// Random addresses in place of sequential ones.
    RandomInstead "random_instead",
    /// Share of requests that were merged.
    Merged "merged",
    /// Memory of the other node.
    OtherNode "other_node",
    /// Another measuring program.
    OtherGenerator "other_generator",
    /// I/Os in flight.
    InFlight "in_flight",
    /// Whether jobs ended before others.
    Ended "ended",
    /// The network's round trip in the latency of a lone I/O.
    RoundTrip "round_trip",
    /// Data sent again or out of order.
    Resent "resent",
    /// Data under way over the congestion window.
    WindowUse "window_use",
    /// Time in which the peer's window held sending back.
    ReceiverLimited "receiver_limited",
    /// Time in which the send buffer held sending back.
    BufferLimited "buffer_limited",
    /// Twice the depth.
    DoubleDepth "double_depth",
    /// Twice the jobs at half the depth.
    DoubleJobs "double_jobs",
    /// Many times the jobs, with as many in flight.
    ManyJobs "many_jobs",
    /// Half the block.
    HalfBlock "half_block",
    /// Twice the block.
    DoubleBlock "double_block",
    /// A block many times as large or small: the time of an I/O over what the law of the blocks near it says.
    FarBlock "far_block",
    /// Sequential instead of random.
    Sequential "sequential",
    /// Reads in place of writes.
    Reads "reads",
    /// The same again.
    Repeat "repeat",
    /// Eight times the span.
    LargerSpan "larger_span",
    /// Reads of the device below the file system.
    RawDevice "raw_device",
    /// Another volume beside it.
    SecondTarget "second_target",
    /// After a rest.
    Idle "idle",
    /// After trimming everything.
    Purge "purge",
    /// Spread over a second file on the same path.
    OtherFile "other_file",
    /// Each write made durable.
    Durable "durable",
    /// One connection more, in what each doubling of them would bring.
    OneConnection "one_connection",
}

/// Those that are answers of experiments.
pub const EXPERIMENTS: [Feature; 19] = [
    Feature::DoubleDepth,
    Feature::DoubleJobs,
    Feature::ManyJobs,
    Feature::HalfBlock,
    Feature::DoubleBlock,
    Feature::FarBlock,
    Feature::Sequential,
    Feature::Reads,
    Feature::Repeat,
    Feature::LargerSpan,
    Feature::RawDevice,
    Feature::SecondTarget,
    Feature::Idle,
    Feature::Purge,
    Feature::OtherFile,
    Feature::Unflushed,
    Feature::Durable,
    Feature::OneConnection,
    Feature::OtherNode,
];

impl Feature {
    /// Position in lists that hold one entry a feature.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether it is the share of a capacity that was used, from 0 to 1: all others are logarithms or shares of time.
    pub const fn is_use(self) -> bool {
        matches!(self, Self::LinkUse | Self::MemoryUse | Self::BusUse)
    }

    /// By its name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|feature| feature.name() == name)
    }
}
