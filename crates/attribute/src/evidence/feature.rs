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
    /// Twice the depth.
    DoubleDepth "double_depth",
    /// Twice the jobs at half the depth.
    DoubleJobs "double_jobs",
    /// Half the block.
    HalfBlock "half_block",
    /// Twice the block.
    DoubleBlock "double_block",
    /// Sequential instead of random.
    Sequential "sequential",
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
}

/// Those that are answers of experiments.
pub const EXPERIMENTS: [Feature; 11] = [
    Feature::DoubleDepth,
    Feature::DoubleJobs,
    Feature::HalfBlock,
    Feature::DoubleBlock,
    Feature::Sequential,
    Feature::Repeat,
    Feature::LargerSpan,
    Feature::RawDevice,
    Feature::SecondTarget,
    Feature::Idle,
    Feature::Purge,
];

impl Feature {
    /// Position in lists that hold one entry a feature.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// By its name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|feature| feature.name() == name)
    }
}
