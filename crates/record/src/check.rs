//! Self-checks: what a run found out about its own trustworthiness.

use serde::{Deserialize, Serialize};

/// Share of all processors' time from which on what other programs used is worth saying: what runs beside anything on
/// an idle machine is a few percent.
pub const OTHERS_CPU_SHARE: f64 = 0.10;

/// Which property of the measurement was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CheckName {
    /// I/Os in flight achieved against those asked for.
    InFlight,
    /// In-flight integral against rate times mean service latency.
    LittlesLaw,
    /// Share of the time that the generator's own thread worked.
    GeneratorBusy,
    /// Age of completions when they were seen.
    ReapLag,
    /// Submission after the intended start, for open arrivals.
    GeneratorLag,
    /// Arrivals that found the in-flight cap reached.
    Overload,
    /// Rate achieved against rate offered, for open arrivals.
    OfferedRate,
    /// Source and drift of the clock.
    Clock,
    /// Whether the blocks read had ever been written.
    UnwrittenData,
    /// I/Os that transferred fewer bytes than asked.
    ShortTransfers,
    /// I/Os that failed.
    Errors,
    /// Whether the operating system's page cache could answer.
    PageCache,
    /// Whether a write cache could swallow the writes.
    WriteCache,
    /// Content that was read back and differed.
    Verification,
    /// Intervals that the control plane could not take in time.
    LostIntervals,
    /// Whether the process, or the machine under it, stood still during the run.
    Standstill,
    /// Whether the target's device did I/O that was not this run's.
    OtherLoad,
    /// Whether the engine kept its contract: each I/O ended once, with its stamps in order.
    EngineContract,
    /// How much of the processors' time other programs used.
    OtherPrograms,
    /// How far the seconds of several clients are from being the same seconds.
    ClientSkew,
    /// How much of what each of several clients measured lies where all of them measured.
    ClientOverlap,
    /// Whether the network on the way to the target was full.
    NetworkFull,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CheckOutcome {
    /// Does not apply to this run; the explanation says why.
    NotApplicable,
    /// Holds.
    Pass,
    /// The numbers stand, but mean less than they seem to; the explanation says what.
    Caution,
    /// The numbers do not measure what was asked for.
    Fail,
}

/// One check, its figure and its limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    /// What was checked.
    pub name: CheckName,
    /// How it ended.
    pub outcome: CheckOutcome,
    /// The figure, if there is one, in `unit`.
    pub value: Option<f64>,
    /// What it was held against, in `unit`.
    pub limit: Option<f64>,
    /// Unit of value and limit: "ns", "share", "operations"...
    pub unit: String,
    /// One sentence for people: what was found and what it means.
    pub explanation: String,
}

impl Check {
    /// A check without a figure.
    pub fn plain(name: CheckName, outcome: CheckOutcome, explanation: impl Into<String>) -> Self {
        Self { name, outcome, value: None, limit: None, unit: String::new(), explanation: explanation.into() }
    }

    /// A check of a figure against a limit.
    pub fn figure(
        name: CheckName,
        outcome: CheckOutcome,
        (value, limit): (f64, f64),
        unit: &str,
        explanation: impl Into<String>,
    ) -> Self {
        Self {
            name,
            outcome,
            value: Some(value),
            limit: Some(limit),
            unit: unit.to_owned(),
            explanation: explanation.into(),
        }
    }
}
