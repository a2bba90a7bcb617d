//! Figures that the verdict goes by beside the evidence table's: from which probability on a claim is called what, and
//! when a rate is at a bound. What one rule alone needs stands with it: in `verdict.rs` when it is said that a rate is
//! enforced and not whose it is, in `restraint.rs` what takes confidence away.

/// At a bound, within what counters and rounding blur.
pub const AT_BOUND: std::ops::RangeInclusive<f64> = 0.97..=1.03;
/// From this share of a bound on, a rate is next to it: a rate that is held loses that much to overheads and to the
/// start of a run.
pub const NEXT_TO_BOUND: f64 = 0.93;
/// From this share of a bound on, the bound did not hold the rate.
pub const ABOVE_BOUND: f64 = 1.1;
/// Below this number in flight an I/O is alone.
pub const LONE: f64 = 1.5;
/// `dlnX / dlnN` of a rate that creeps: a doubling adds less than 11 %.
pub const CREEPS: f64 = 0.15;
/// Written share of the span below which reads are not reads of data.
pub const MOSTLY_WRITTEN: f64 = 0.9;
/// Seconds from which the variation of 1-s rates means something.
pub const MIN_SECONDS: f64 = 4.0;
/// From this probability on a claim is called strong.
pub const STRONG: f64 = 0.95;
/// From this probability on a claim is called likely.
pub const LIKELY: f64 = 0.8;
/// From this probability on a claim is called possible.
pub const POSSIBLE: f64 = 0.2;
/// A best cause below this probability is not named first: the limit is not decided.
pub const NAMED: f64 = 0.35;
