//! What the seconds of finished runs say when they are read again: no new measurement, and no summary taken
//! on trust.

use serde::{Deserialize, Serialize};

use crate::distribution::{Cliff, Mode, ModeExplanation, QuantileInterval, QuantileOverRuns};
use crate::steadiness::Steadiness;

/// A run, or all runs of a campaign, analysed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Analysis {
    /// Always `fathom.analysis`.
    pub format: String,
    /// Version of this form.
    pub version: u32,
    /// The command that made it, as a line for a shell, without permission to destroy data and without credentials in
    /// addresses; absent in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Id of the run or campaign.
    pub of: String,
    /// One entry a workload and target, in the order in which they were first run.
    pub workloads: Vec<AnalysedWorkload>,
    /// One entry a run, oldest first.
    pub runs: Vec<AnalysedRun>,
    /// Runs that could not be read, with the reason.
    pub unreadable: Vec<String>,
}

impl Analysis {
    /// What an analysis calls itself.
    pub const FORMAT: &'static str = "fathom.analysis";
    /// The version that this build writes.
    pub const VERSION: u32 = 1;
}

/// What the runs of one workload come to: each run counts once, however long it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnalysedWorkload {
    /// In words, with the target.
    pub title: String,
    /// Runs.
    pub runs: u32,
    /// Runs whose seconds are steady or periodic.
    pub settled: u32,
    /// Mean rate over runs, in I/Os per second; absent without a run that has one.
    pub rate_per_s: Option<f64>,
    /// Relative half-width of its 95 % interval over runs; absent under three runs.
    pub rate_half_width_share: Option<f64>,
    /// Quantiles over runs, where eight runs or more resolve them.
    pub quantiles: Vec<QuantileOverRuns>,
}

/// One run, from its seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnalysedRun {
    /// Its id.
    pub run: String,
    /// Its step in the campaign.
    pub step: Option<String>,
    /// Place of its workload among the analysis' workloads.
    pub workload: u32,
    /// Whole seconds that were measured, warm-up excluded.
    pub seconds: u32,
    /// Mean rate of those seconds, in I/Os per second; absent without any.
    pub rate_per_s: Option<f64>,
    /// Relative half-width of the 95 % interval that the run alone gives: a diagnostic, which knows nothing
    /// of how runs differ. Absent under 30 s.
    pub within_half_width_share: Option<f64>,
    /// Whether the seconds are steady, by all that the target was exposed to up to the end of this run.
    pub steadiness: Steadiness,
    /// Stretches between changes of the level; one where there was none.
    pub levels: Vec<Level>,
    /// Whether the latencies are response latencies (open arrivals) or service latencies.
    pub response: bool,
    /// Quantiles with their intervals, as far as the run resolves them.
    pub quantiles: Vec<QuantileInterval>,
    /// Cliffs of the distribution.
    pub cliffs: Vec<Cliff>,
    /// Modes of the distribution.
    pub modes: Vec<Mode>,
    /// What the slowest mode goes with; empty for a single mode.
    pub explanations: Vec<ModeExplanation>,
}

/// A stretch of seconds on one level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Level {
    /// First second.
    pub from_s: u32,
    /// Second after the last.
    pub to_s: u32,
    /// Mean rate, in I/Os per second.
    pub rate_per_s: f64,
}
