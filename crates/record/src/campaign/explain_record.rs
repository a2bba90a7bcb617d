//! An explanation as data: what was asked, what each pattern's runs showed, which experiments were made, and how
//! probable each cause was before and after.

use serde::{Deserialize, Serialize};

use super::cell::CellResult;
use crate::ceiling::KnownCeiling;
use crate::environment_facts::Environment;
use crate::facts::TargetFacts;
use crate::run_record::Tool;
use crate::verdict::{Limit, Verdict};

/// What limits one or more patterns, and how that was found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainRecord {
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
    /// The machine as the first run found it; absent where it explains results of others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// What was asked for.
    pub plan: ExplainPlan,
    /// What to type to measure the same again: a line for a shell, without permission to destroy data; absent in older
    /// records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// One entry a pattern.
    pub patterns: Vec<ExplainedPattern>,
    /// Time spent under load by this explanation's own runs, in seconds.
    pub busy_seconds: f64,
    /// Remarks for people.
    pub notes: Vec<String>,
}

/// What an explanation was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainPlan {
    /// The workload that experiments start from, as keys and values of a plan file; null where finished results are
    /// explained without experiments.
    pub base: serde_json::Value,
    /// What is explained, where it was finished before: a name in the store, or a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Most experiments; 0 for none.
    pub max_experiments: u32,
    /// Time that all runs may take, waiting included.
    pub budget_ns: u64,
    /// Another target that may be loaded beside the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_target: Option<String>,
    /// How long a rest is, in nanoseconds, where credits should come back; 0: no rest.
    #[serde(default)]
    pub rest_ns: u64,
    /// Whether the target may be trimmed as a whole.
    #[serde(default)]
    pub may_purge: bool,
    /// Limits that were known before.
    #[serde(default)]
    pub ceilings: Vec<KnownCeiling>,
    /// Seed of every run.
    pub seed: u64,
}

/// One pattern and what limits it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedPattern {
    /// In words, e.g. "4 KiB random read".
    pub title: String,
    /// The target as it was opened.
    pub target: TargetFacts,
    /// The cells that were measured without changing anything but jobs and depth.
    pub cells: Vec<CellResult>,
    /// The cell that is explained, as an index into `cells`.
    pub focus: usize,
    /// The verdict before any experiment; absent where none was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passive: Option<Verdict>,
    /// The experiments, in the order they were made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub experiments: Vec<ExperimentResult>,
    /// What limits it.
    pub verdict: Verdict,
    /// Every figure that the probabilities rest on.
    pub symptoms: Vec<Symptom>,
}

/// One figure on the scale that the evidence table states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Symptom {
    /// Name in the evidence table.
    pub name: String,
    /// The figure.
    pub value: f64,
    /// Its standard error, on the same scale.
    pub error: f64,
    /// In words.
    pub text: String,
}

/// An experiment and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExperimentResult {
    /// Name in the evidence table, as `double_depth`.
    pub name: String,
    /// What it decides.
    pub question: String,
    /// What it ran, as a command.
    pub command: String,
    /// Its run; absent where it could not be made.
    pub run: Option<String>,
    /// Rate, in operations per second.
    pub operations_per_s: Option<f64>,
    /// I/Os in flight on average; absent where it could not be made, and in records of builds that kept none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_flight_mean: Option<f64>,
    /// Rate of the run that it is compared with.
    pub before_per_s: f64,
    /// Fall of entropy that was expected of it, in nats.
    pub expected_information_nats: f64,
    /// Why it gave no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// How probable each cause was after it, most probable first.
    pub after: Vec<CauseProbability>,
}

/// A cause and how probable it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CauseProbability {
    /// Which.
    pub limit: Limit,
    /// From 0 to 1.
    pub probability: f64,
}
