//! A comparison as data: two sides, the pairs of runs, and what follows for each workload.

use serde::{Deserialize, Serialize};

use super::cell::CellResult;
use super::side_states::{AcrossRestarts, BootTurn};
use crate::Workload;
use crate::comparison::{Decision, MetricComparison, Ratio, ShiftFunction, Side, UndecidedReason};
use crate::environment_facts::Environment;
use crate::facts::TargetFacts;
use crate::run_record::Tool;

/// Two sides under the same workloads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompareRecord {
    /// Always `fathom.campaign`.
    pub format: String,
    /// Version of this structure.
    pub version: u32,
    /// Unique, and sorts by time.
    pub id: String,
    /// Start, RFC 3339, UTC.
    pub started_at: String,
    /// End, RFC 3339, UTC; absent while it runs.
    pub finished_at: Option<String>,
    /// What made it.
    pub tool: Tool,
    /// What was asked for.
    pub plan: ComparePlan,
    /// What to type to measure the same again: a line for a shell, without permission to destroy data; absent in older
    /// records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What is compared with, as it was found.
    pub a: SideFacts,
    /// What is judged, as it was found.
    pub b: SideFacts,
    /// The machine as the first run found it; absent where nothing was measured.
    pub environment: Option<Environment>,
    /// One entry a workload, in the order of the plan.
    pub workloads: Vec<ComparedWorkload>,
    /// What the commands before the sides' turns said.
    pub commands: Vec<CommandOutcome>,
    /// The boots in which the sides had their turns, where restarts lie between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boots: Vec<BootTurn>,
    /// Time spent under load, in seconds.
    pub busy_seconds: f64,
    /// Remarks for people.
    pub notes: Vec<String>,
}

/// What a comparison was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparePlan {
    /// What both sides share, as keys and values of a plan file; an empty object for finished runs.
    pub base: serde_json::Value,
    /// What is compared with.
    pub a: SidePlan,
    /// What is judged.
    pub b: SidePlan,
    /// Names of the patterns, as they are typed; empty where the base says what the I/Os do.
    pub patterns: Vec<String>,
    /// Depths that each pattern is measured at.
    pub depths: Vec<u32>,
    /// Least relative difference that matters, e.g. 0.01.
    pub materiality: f64,
    /// Pairs of each workload at most.
    pub max_pairs: u32,
    /// Whether all pairs are made, and looked at once.
    pub fixed_pairs: bool,
    /// How the sides are told apart, where a restart of the machine lies between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub across_restarts: Option<AcrossRestarts>,
    /// Seed of the order and of every run.
    pub seed: u64,
}

/// What one side is asked to be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SidePlan {
    /// Keys of the plan in which it differs, with their values as they are typed.
    pub settings: Vec<Setting>,
    /// Command that makes it ready, for the shell.
    pub before: Option<String>,
    /// The finished run or campaign that it is, in place of a target.
    pub stored: Option<String>,
}

/// A key of the plan and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Setting {
    /// The key, as `engine`.
    pub key: String,
    /// Its value, as it is typed.
    pub value: String,
}

/// One side as it was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SideFacts {
    /// What it is called: what sets it apart from the other.
    pub name: String,
    /// Its target; absent where it was never opened.
    pub target: Option<TargetFacts>,
    /// Engine that carried its I/O.
    pub engine: Option<String>,
}

/// One workload on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedWorkload {
    /// Short name, e.g. `randread-4k-d32`.
    pub name: String,
    /// In words.
    pub title: String,
    /// What side A ran.
    pub workload: Workload,
    /// Side A's runs put together; absent where none came to its end.
    pub a: Option<CellResult>,
    /// The same of side B.
    pub b: Option<CellResult>,
    /// One entry a metric, the one that decides first.
    pub metrics: Vec<ComparedMetric>,
    /// The pairs in the order in which they were made; empty for finished runs.
    pub pairs: Vec<ComparedPair>,
    /// Service latency at many quantiles; absent where it cannot be compared.
    pub shift: Option<ShiftFunction>,
    /// Why latencies are not compared, where they are not.
    pub latencies: Option<UndecidedReason>,
    /// Each side against itself: what the comparison would see without any difference.
    pub control: Option<ControlResult>,
    /// The second run of a pair against the first, whichever side it was.
    pub order: Option<ControlResult>,
    /// How it ended; absent while it goes on.
    pub ended: Option<ComparisonEnding>,
}

/// One metric of a workload, with the values that were compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedMetric {
    /// What follows.
    #[serde(flatten)]
    pub comparison: MetricComparison,
    /// Geometric mean over the runs of A; absent where no run has a value above zero.
    pub a: Option<f64>,
    /// The same of B.
    pub b: Option<f64>,
}

/// A pair of runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedPair {
    /// The side that ran first.
    pub first: Side,
    /// Run of A.
    pub a_run: String,
    /// Run of B.
    pub b_run: String,
    /// B / A of the metric that decides; absent where a value is missing or zero.
    pub ratio: Option<f64>,
}

/// What runs that should not differ show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ControlResult {
    /// Pairs.
    pub pairs: u32,
    /// Their ratio with its 95 % interval. One in twenty sound controls excludes 1 by chance.
    pub ratio: Ratio,
    /// Relative half-width of the interval: differences below it are noise.
    pub noise_floor: f64,
}

/// How the comparison of a workload ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ComparisonEnding {
    /// It was decided.
    Decided,
    /// The pairs were used up.
    PairsSpent,
    /// Runs of a side kept failing.
    SideFailed,
    /// The runs were finished before, in sessions of their own.
    NotInterleaved,
}

/// What a command before a side's turn said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandOutcome {
    /// Whose turn it was.
    pub side: Side,
    /// Number of the round, from 0.
    pub round: u32,
    /// When, RFC 3339, UTC.
    pub at: String,
    /// The end of what it printed.
    pub output: String,
}

impl ComparedWorkload {
    /// The metric that decides.
    pub fn primary(&self) -> Option<&ComparedMetric> {
        self.metrics.iter().find(|metric| metric.comparison.primary)
    }

    /// What is said of side B by the metric that decides.
    pub fn decision(&self) -> Decision {
        self.primary().map_or(Decision::NotComparable, |metric| metric.comparison.decision)
    }
}
