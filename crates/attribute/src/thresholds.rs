//! Every figure that a decision turns on. Sources: the residual and plateau limits are those of
//! operational analysis as the method states them; the rest are engineering priors of the evidence table.

/// A bound is a candidate from this share of it on.
pub const REACHED: f64 = 0.93;
/// At a bound, within what counters and rounding blur.
pub const AT_BOUND: std::ops::RangeInclusive<f64> = 0.97..=1.03;
/// Above a bound by more than rounding.
pub const EXCEEDED: f64 = 1.05;
/// So far above a declared bound that it cannot be a burst of the same storage.
pub const FAR_EXCEEDED: f64 = 1.5;
/// `dlnX / dlnN` of a rate that grows with concurrency.
pub const GROWS: f64 = 0.8;
/// `dlnX / dlnN` of a rate that creeps: a doubling adds less than 11 %.
pub const CREEPS: f64 = 0.15;
/// `dlnX / dlnN` of a rate that is flat: a doubling adds less than 2 %.
pub const FLAT: f64 = 0.03;
/// Shortfall from the asymptotes at their crossing that no cap has: that of a p-norm with p below about 8.
pub const SOFT_CORNER: f64 = 0.08;
/// Variation of the 1-s rates over that of independent I/Os (one over the root of their number) below
/// which something paces them: a queue of random services stays near 1.
pub const PACED: f64 = 0.3;
/// Latency over the unloaded latency of a device that queues.
pub const QUEUES: f64 = 2.0;
/// Busy share of a processor or thread with time to spare.
pub const HAS_TIME: f64 = 0.8;
/// Share of a saturated thread's time in user mode that makes the measuring program the limit.
pub const USER_BOUND: f64 = 0.6;
/// Gain from more jobs at the same concurrency that shows a processor at work.
pub const JOBS_HELP: f64 = 1.25;
/// Gain from more jobs at the same concurrency that shows nothing.
pub const JOBS_INDIFFERENT: f64 = 1.05;
/// Variation of the 1-s rates of something that is disturbed.
pub const UNEVEN: f64 = 0.10;
/// Ratio of the 99.9th percentile to the median of something that is disturbed.
pub const LONG_TAIL: f64 = 10.0;
/// Bytes that the device moved over the bytes asked for: below, a cache answered.
pub const DEVICE_SPARED: f64 = 0.5;
/// Bytes that the device moved over the bytes asked for: above, somebody else used it.
pub const DEVICE_SHARED: f64 = 1.25;
/// The same, beyond doubt.
pub const DEVICE_MUCH_SHARED: f64 = 1.5;
/// Share of the processors' time that a hypervisor took.
pub const STOLEN: f64 = 0.10;
/// Written share of the span below which reads are not reads of data.
pub const MOSTLY_WRITTEN: f64 = 0.9;
/// Seconds from which the variation of 1-s rates means something.
pub const MIN_SECONDS: f64 = 4.0;
