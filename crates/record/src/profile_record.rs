//! A profile: what a volume was asked to do over time, how it came, and how much of it the metrics could show.

use serde::{Deserialize, Serialize};

use crate::sizing_record::DemandSummary;

/// What production metrics or a trace say of one volume's demand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfileRecord {
    /// Always `fathom.profile`.
    pub format: String,
    /// Version of this structure.
    pub version: u32,
    /// The command that made it, as a line for a shell, without permission to destroy data and without credentials in
    /// addresses; absent in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What it was read from, as `iostat`, `prometheus`, `blkparse`.
    pub source: String,
    /// The disk, as the source names it; absent where it names none.
    pub device: Option<String>,
    /// Start of the first tick, in seconds since 1970; absent where the source states no date.
    pub start_unix_s: Option<i64>,
    /// Rates over windows of several lengths, and mean sizes.
    pub demand: DemandSummary,
    /// Whether the source tells reads from writes; otherwise the series divides I/Os in proportion to bytes,
    /// and nothing is said of either direction's I/Os.
    pub directions_known: bool,
    /// Share of the I/Os that read, 0 to 1; absent without I/Os, or where directions are not known.
    pub read_share: Option<f64>,
    /// Share of the bytes that were read, 0 to 1; absent without bytes.
    pub read_bytes_share: Option<f64>,
    /// Sizes of reads; absent without reads, or where directions are not known.
    pub read_sizes: Option<SizeMix>,
    /// Sizes of writes; absent without writes, or where directions are not known.
    pub write_sizes: Option<SizeMix>,
    /// How unevenly I/Os came.
    pub burstiness: Burstiness,
    /// For each rate of I/Os, the burst above it that no window exceeds.
    pub operations_envelope: Vec<EnvelopePoint>,
    /// The same of bytes.
    pub bytes_envelope: Vec<EnvelopePoint>,
    /// What longer means hide of this demand, and what its own tick may hide.
    pub resolution: Resolution,
    /// Values that the demand never exceeds and often has: it may have been held there.
    pub plateaus: Vec<Plateau>,
    /// Shares of the time in which the source itself says that the volume was throttled.
    pub throttled: Vec<ThrottlingReport>,
    /// Which addresses, of a trace; absent where the source counts only.
    pub access: Option<AccessProfile>,
    /// What programs in the kernel saw of this machine's I/Os one by one, beside its counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_layer: Option<BlockLayer>,
    /// The demand itself, tick by tick.
    pub series: DemandSeries,
    /// What was done to make it one series, and what is not known, for people.
    pub notes: Vec<String>,
}

/// Sizes of one direction's I/Os.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SizeMix {
    /// Bytes over I/Os.
    pub mean_bytes: f64,
    /// Whether each I/O's size is known; otherwise only ticks' means are, and shares are ranges.
    pub exact: bool,
    /// Share of the I/Os of at least so many bytes, at ascending sizes.
    pub at_least: Vec<SizePoint>,
    /// The most frequent sizes, where each I/O's is known; the rest of the shares to 1 have other sizes.
    pub frequent: Vec<SizeCount>,
}

/// How many I/Os are at least so large.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SizePoint {
    /// Size in bytes.
    pub bytes: u64,
    /// At least this share of the I/Os is as large, 0 to 1.
    pub share_low: f64,
    /// At most this share is.
    pub share_high: f64,
}

/// One size and how often it came.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SizeCount {
    /// Size in bytes.
    pub bytes: u64,
    /// I/Os of this size.
    pub operations: u64,
}

/// How unevenly I/Os came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Burstiness {
    /// Largest tick over the mean tick, I/Os of both directions; absent without I/Os.
    pub peak_over_mean: Option<f64>,
    /// The same of bytes.
    pub bytes_peak_over_mean: Option<f64>,
    /// Share of the ticks without any I/O.
    pub idle_share: f64,
    /// Share of the ticks above twice the median of those with I/O.
    pub burst_share: f64,
    /// Mean length of a stretch of such ticks, in seconds; absent without one.
    pub burst_mean_s: Option<f64>,
    /// Variance over mean of the I/Os in windows of each length: 1 where arrivals are independent.
    pub dispersion: Vec<Dispersion>,
}

/// Variance over mean of counts in windows of one length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dispersion {
    /// Length of the windows, in seconds.
    pub window_s: f64,
    /// Variance of the I/Os in a window over their mean.
    pub index: f64,
}

/// One point of an arrival envelope: in any `t` seconds at most `burst + rate_per_s * t` units came.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EnvelopePoint {
    /// Units a second.
    pub rate_per_s: f64,
    /// Units above it: the bucket that a token bucket of this rate needs to let everything through at once.
    pub burst: f64,
}

/// What means hide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Resolution {
    /// Shortest stretch that the source resolves, in seconds.
    pub finest_s: f64,
    /// What longer windows hide of what that stretch shows.
    pub hidden: Vec<HiddenPeak>,
}

/// What windows of one length hide.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HiddenPeak {
    /// Length of the windows, in seconds.
    pub window_s: f64,
    /// Largest rate at the finest resolution over the largest of these windows.
    pub max_ratio: f64,
    /// The same of the 99.9th percentiles.
    pub p999_ratio: f64,
}

/// Which of a demand's flows a plateau is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PlateauQuantity {
    /// I/Os of both directions.
    Operations,
    /// Bytes of both directions.
    Bytes,
}

/// A value that a demand never exceeds and often has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plateau {
    /// I/Os or bytes.
    pub of: PlateauQuantity,
    /// The value, a second.
    pub per_s: f64,
    /// Share of the ticks at it, 0 to 1.
    pub share: f64,
    /// Limits that are sold at this value, e.g. `gp3, 3000 IOPS included`.
    pub matches: Vec<String>,
}

/// What the source itself says of throttling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThrottlingReport {
    /// The metric that says it, as `VolumeIOPSExceededCheck`.
    pub metric: String,
    /// Share of its readings that say so, 0 to 1.
    pub share: f64,
}

/// Which addresses a trace touches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccessProfile {
    /// I/Os that it rests on.
    pub operations: u64,
    /// Size of the blocks that addresses are counted in, in bytes.
    pub block_bytes: u64,
    /// Distinct bytes that were read or written, in blocks; estimated from a share of the blocks where there are many.
    pub touched_bytes: u64,
    /// Distinct bytes that were read.
    pub read_touched_bytes: u64,
    /// Distinct bytes that were written.
    pub write_touched_bytes: u64,
    /// Highest byte that was touched.
    pub highest_byte: u64,
    /// Share of the reads that start within 128 KiB behind the end of one of the last 32 I/Os; absent without reads.
    pub read_sequential_share: Option<f64>,
    /// The same of writes.
    pub write_sequential_share: Option<f64>,
    /// Share of the block accesses that go to the most accessed hundredth of the touched blocks.
    pub top_1_percent_share: Option<f64>,
    /// The same of the most accessed tenth.
    pub top_10_percent_share: Option<f64>,
    /// Share of the block accesses that go to a block that was accessed before.
    pub again_share: Option<f64>,
    /// Variance over squared mean of the gaps between arrivals: 1 where they are independent; absent below two gaps.
    pub gap_variation: Option<f64>,
}

/// What programs on the block layer's tracepoints saw of a device's reads and writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlockLayer {
    /// Reads and writes that they saw.
    pub operations: u64,
    /// Whether those are requests after merging; otherwise they are what was queued, of a device without requests.
    pub after_merging: bool,
    /// Share of the reads that start within 128 KiB behind the end of one of the last 32 I/Os; absent without reads.
    pub read_sequential_share: Option<f64>,
    /// The same of writes.
    pub write_sequential_share: Option<f64>,
    /// Mean gap between two arrivals, in nanoseconds; absent below two I/Os.
    pub gap_mean_ns: Option<f64>,
    /// Variance over squared mean of the gaps, to the width of the buckets that they were counted in, a quarter:
    /// 1 where arrivals are independent.
    pub gap_variation: Option<f64>,
    /// Gaps at some quantiles.
    pub gap_quantiles: Vec<GapQuantile>,
    /// Who asked, by the names of processes, the most I/Os first; counted before merging.
    pub processes: Vec<ProcessShare>,
    /// Processor time of the programs a second of the watch, as a share of one processor; absent where the kernel
    /// does not time programs.
    pub cost_share: Option<f64>,
    /// Mean time of one run of a program, the reading of the clock for its timing included, in nanoseconds.
    pub run_ns: Option<f64>,
}

/// A gap that a share of all gaps does not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GapQuantile {
    /// The share, 0 to 1.
    pub q: f64,
    /// Upper end of the bucket that it lies in, in nanoseconds.
    pub at_most_ns: u64,
}

/// What processes of one name asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessShare {
    /// The name, up to 15 letters.
    pub name: String,
    /// Processes of this name.
    pub processes: u64,
    /// Their share of the reads and writes, 0 to 1.
    pub operations_share: f64,
    /// Their share of the bytes.
    pub bytes_share: f64,
    /// Share of reads among their I/Os.
    pub read_share: f64,
}

/// A demand tick by tick; ticks in gaps hold zeros and are not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DemandSeries {
    /// Length of a tick, in seconds.
    pub tick_s: u32,
    /// Reads in each tick.
    pub reads: Vec<u64>,
    /// Bytes read in each tick.
    pub read_bytes: Vec<u64>,
    /// Writes in each tick.
    pub writes: Vec<u64>,
    /// Bytes written in each tick.
    pub write_bytes: Vec<u64>,
    /// First tick and the one behind the last of each stretch that was not seen.
    pub gaps: Vec<(u64, u64)>,
    /// I/Os as providers count them, of a trace; absent where only ticks' sums are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<CountedSeries>,
}

/// I/Os as providers count them in each tick, reads and writes together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CountedSeries {
    /// In units of 256 KiB, each I/O by itself: solid-state volumes of EBS.
    pub units_256k: Vec<u64>,
    /// In units of 1 MiB, I/Os that continue another joined to it: disk volumes of EBS.
    pub units_1m: Vec<u64>,
    /// I/Os below 1 MiB that continue no other, in all ticks together.
    pub seeks: u64,
}

impl ProfileRecord {
    /// The format's name.
    pub const FORMAT: &'static str = "fathom.profile";
    /// The version that this build writes.
    pub const VERSION: u32 = 1;
}
