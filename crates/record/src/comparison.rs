//! Two sides put beside each other: ratios with intervals, verdicts, and the reasons where there is none.

use std::fmt;

use fathom_measure::counted;
use serde::{Deserialize, Serialize};

/// One of the two sides of a comparison. Ratios are B over A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// What is compared with.
    A,
    /// What is judged.
    B,
}

impl Side {
    /// The side that is not this one.
    pub fn other(self) -> Self {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }
}

/// Which way a metric is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MetricSense {
    /// Rates.
    Higher,
    /// Latencies, processor time.
    Lower,
}

/// What is said of side B beside side A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The interval excludes "no difference" on B's good side and reaches beyond the materiality.
    Faster,
    /// The same on B's bad side.
    Slower,
    /// The difference is smaller than the margin, shown by two one-sided tests.
    Equivalent,
    /// The data carry none of the three.
    Inconclusive,
    /// The two sides' numbers do not answer the question, whatever they are.
    NotComparable,
}

/// A ratio B / A with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ratio {
    /// Geometric mean of the ratios.
    pub ratio: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Confidence of the interval, 0 to 1.
    pub confidence: f64,
}

impl Ratio {
    /// Whether no difference is inside the interval.
    pub fn contains_one(&self) -> bool {
        self.low <= 1.0 && self.high >= 1.0
    }
}

/// One metric, both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetricComparison {
    /// Short name, as `operations_per_s`.
    pub metric: String,
    /// Unit of the values behind it.
    pub unit: String,
    /// Which way it is good.
    pub better: MetricSense,
    /// Whether it was declared beforehand to decide; the others are looked at, and say less.
    pub primary: bool,
    /// Pairs, or for sides that were not interleaved the runs of the smaller side.
    pub pairs: u32,
    /// B / A; absent where there is no number.
    pub ratio: Option<Ratio>,
    /// What follows.
    pub decision: Decision,
    /// Why there is no decision, or what weakens it.
    pub reason: Option<UndecidedReason>,
    /// Standard deviation of the logarithm of the ratio from pair to pair.
    pub deviation: Option<f64>,
    /// Two-sided p-value of "no difference" by Student's t.
    pub p_value: Option<f64>,
    /// The same by exchanging the sides within pairs; a check, from six pairs on.
    pub exchange_p_value: Option<f64>,
    /// Least relative difference that so many pairs find in 4 of 5 cases.
    pub minimum_detectable: Option<f64>,
    /// For an inconclusive metric, pairs that decide it in 4 of 5 cases if it goes on as it did.
    pub pairs_still_needed: Option<u32>,
}

/// Quantiles of both sides put beside each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShiftFunction {
    /// By rising order.
    pub points: Vec<ShiftPoint>,
    /// Pairs behind every point.
    pub pairs: u32,
    /// Confidence that the whole band holds the whole truth, 0 to 1.
    pub confidence: f64,
}

/// One quantile of a shift function.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShiftPoint {
    /// Order of the quantile, 0 to 1.
    pub q: f64,
    /// B / A.
    pub ratio: f64,
    /// Lower edge of the band.
    pub low: f64,
    /// Upper edge of the band.
    pub high: f64,
}

/// Why there is no number or no decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum UndecidedReason {
    /// Too few pairs.
    TooFewPairs {
        /// Usable ones.
        have: u32,
        /// Least number.
        need: u32,
        /// Length of a run that would hold I/Os enough beyond the quantile, in seconds; present where the
        /// runs were too short for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run_s: Option<f64>,
    },
    /// Too few runs on a side.
    TooFewRuns {
        /// The side; absent where there is only one.
        side: Option<Side>,
        /// Usable ones.
        have: u32,
        /// Least number.
        need: u32,
    },
    /// Every value is the same, so the error cannot be known.
    NoVariation,
    /// A value of zero, below zero, or not a number.
    NotPositive {
        /// The side; absent where there is only one.
        side: Option<Side>,
    },
    /// The two sides' values have different units.
    UnitsDiffer {
        /// Unit of A.
        a: String,
        /// Unit of B.
        b: String,
    },
    /// The sides ran different workloads.
    WorkloadsDiffer {
        /// What differs, as it is called in a record.
        field: String,
    },
    /// A closed loop kept different numbers of I/Os in flight on the two sides.
    InFlightDiffers {
        /// Mean in-flight of A.
        a: f64,
        /// Mean in-flight of B.
        b: f64,
    },
    /// It is not known how many I/Os a side kept in flight, so its latencies belong to no concurrency.
    InFlightUnknown {
        /// The side.
        side: Side,
    },
    /// A side's runs failed or did not measure what was asked for.
    SideFailed {
        /// The side.
        side: Side,
        /// Runs of it that failed.
        runs: u32,
    },
    /// The interval still holds both "no difference" and a difference that matters.
    Undecided,
    /// The sides were measured in different sessions; the interval allows for how sessions differ.
    NotInterleaved {
        /// Standard deviation between sessions that was allowed for, relative.
        session_deviation: f64,
        /// Least relative difference that can be told with it, however many runs there are.
        least_difference: f64,
    },
    /// Identical sides differ in the control, so the comparison sees more than the sides.
    ControlFailed,
}

impl fmt::Display for UndecidedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |side: &Side| if *side == Side::A { "A" } else { "B" };
        let of = |side: &Option<Side>| side.as_ref().map(|s| format!(" of {}", name(s))).unwrap_or_default();
        match self {
            UndecidedReason::TooFewPairs { run_s: Some(seconds), .. } => write!(
                f,
                "too few I/Os lie beyond it in runs of this length: it takes runs of {:.0} s (--time) or more",
                seconds.ceil()
            ),
            UndecidedReason::TooFewPairs { have, need, run_s: None } => {
                write!(
                    f,
                    "{}; at least {need} are needed to know the error",
                    counted(u64::from(*have), "usable pair")
                )
            }
            UndecidedReason::TooFewRuns { side, have, need } => {
                let runs = counted(u64::from(*have), "usable run");
                write!(f, "{runs}{}; at least {need} are needed to know the error", of(side))
            }
            UndecidedReason::NoVariation => {
                write!(f, "every value is the same to the last digit, so the error cannot be known")
            }
            UndecidedReason::NotPositive { side } => {
                write!(f, "a value{} is zero, below zero or not a number, which has no ratio", of(side))
            }
            UndecidedReason::UnitsDiffer { a, b } => write!(f, "A is in {a}, B in {b}"),
            UndecidedReason::WorkloadsDiffer { field } => {
                write!(f, "the sides ran different workloads: {field}")
            }
            UndecidedReason::InFlightDiffers { a, b } => write!(
                f,
                "A had {a:.1} I/Os in flight, B {b:.1}: latency grows with what is in flight, so the two latencies answer different questions"
            ),
            UndecidedReason::InFlightUnknown { side } => write!(
                f,
                "how many I/Os {} had in flight is not known, and latency grows with it",
                name(side)
            ),
            UndecidedReason::SideFailed { side, runs } => {
                let runs = counted(u64::from(*runs), "run");
                write!(f, "{runs} of side {} failed or did not measure what was asked for", name(side))
            }
            UndecidedReason::Undecided => {
                write!(f, "the interval holds both no difference and a difference that matters")
            }
            UndecidedReason::NotInterleaved { session_deviation, least_difference } => write!(
                f,
                "the sides were measured in different sessions, which were allowed to differ by {:.1} % each: differences below {:.1} % cannot be detected, whatever the number of runs",
                100.0 * session_deviation,
                100.0 * least_difference
            ),
            UndecidedReason::ControlFailed => {
                write!(f, "A against itself shows a difference, so this comparison sees more than its sides")
            }
        }
    }
}
