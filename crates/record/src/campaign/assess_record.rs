//! An assessment as data: its plan, the runs it made, and what was concluded.

use serde::{Deserialize, Serialize};

use super::cell::CellResult;
use super::preconditioning::{PreconditionPlan, Preconditioning};
use super::repeats::{PointQuality, Repeats};
use crate::ceiling::KnownCeiling;
use crate::environment_facts::Environment;
use crate::facts::TargetFacts;
use crate::run_record::Tool;
use crate::{Verdict, Workload};

/// What a target can do at which concurrency, and what limits it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AssessRecord {
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
    /// The target as the first run opened it.
    pub target: TargetFacts,
    /// The machine as the first run found it.
    pub environment: Environment,
    /// What was asked for.
    pub plan: AssessPlan,
    /// What to type to measure the same again: a line for a shell, without permission to destroy data; absent in older
    /// records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// One entry a pattern, in the order they were measured.
    pub patterns: Vec<PatternResult>,
    /// Time spent under load, in seconds.
    pub busy_seconds: f64,
    /// Remarks for people.
    pub notes: Vec<String>,
    /// What was written before anything was measured; absent where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preconditioning: Option<Preconditioning>,
    /// The passes over the chosen points; absent where none were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeats>,
    /// What is known of chosen points beside their numbers, in the patterns' order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<PointQuality>,
}

impl AssessRecord {
    /// The measured patterns of which no test point is known to hold the objective; empty where none was set.
    pub fn misses_slo(&self) -> impl Iterator<Item = &PatternResult> {
        let is_set = self.plan.slo.is_some();
        self.patterns.iter().filter(move |pattern| is_set && pattern.misses_slo())
    }

    /// What is known of a pattern's cell beside its numbers.
    pub fn point(&self, pattern: &str, jobs: u32, depth: u32) -> Option<&PointQuality> {
        self.points.iter().find(|p| p.pattern == pattern && (p.jobs, p.depth) == (jobs, depth))
    }
}

/// What an assessment was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AssessPlan {
    /// Target as the user named it.
    pub target: String,
    /// Engine asked for; absent: chosen by the target.
    pub engine: Option<String>,
    /// Time that it may take.
    pub budget_ns: u64,
    /// Bytes of the target to use; absent: all of it.
    pub size_bytes: Option<u64>,
    /// Patterns, each as a name and the workload at depth 1.
    pub patterns: Vec<PatternPlan>,
    /// Limits that the user declared.
    pub ceilings: Vec<KnownCeiling>,
    /// Instance type whose catalogued limits hold, as `r6id.4xlarge`; absent: what the firmware says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// Volume whose catalogued limits hold, e.g. `gp3:iops=16000`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    /// Response-time objective for an extra operating point.
    pub slo: Option<Slo>,
    /// Seed of every run.
    pub seed: u64,
    /// Delay that is added to each service latency, e.g. `exponential:100us`; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<String>,
    /// Limits that are put before the target, e.g. `iops=3000`; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<String>,
    /// Error to reach at each chosen point, as the half-width of its 95 % interval over the mean; absent:
    /// whatever the budget gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_share: Option<f64>,
    /// What is done to the target before.
    #[serde(default, skip_serializing_if = "PreconditionPlan::is_none")]
    pub precondition: PreconditionPlan,
    /// Whether the points are measured in rounds after SNIA's test specification.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub thorough: bool,
    /// Who measured, all at once, as they are named on a command line; none: one machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<String>,
    /// Whether each client had a part of the addresses to itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partition: bool,
}

/// One pattern to assess.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternPlan {
    /// Short name, e.g. `randread-4k`.
    pub name: String,
    /// In words, e.g. "4 KiB random read".
    pub title: String,
    /// The workload; jobs, depth and length vary over the cells.
    pub workload: Workload,
}

/// An objective on a latency quantile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Slo {
    /// Order of the quantile, 0 to 1.
    pub quantile: f64,
    /// What it must not exceed.
    pub limit_ns: u64,
}

/// What was found for one pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternResult {
    /// The plan's name for it.
    pub name: String,
    /// In words.
    pub title: String,
    /// Every cell that was measured, by jobs and depth.
    pub cells: Vec<CellResult>,
    /// Points worth running at.
    pub operating_points: Vec<OperatingPoint>,
    /// What limits the peak.
    pub verdict: Option<Verdict>,
    /// What is missing, if the pattern was cut short.
    pub incomplete: Option<String>,
}

impl PatternResult {
    /// Whether what is published of it holds: there is a point to run at, and no self-check failed at any of
    /// those. Concurrencies that were only tried on the way do not count.
    pub fn holds(&self) -> bool {
        let mut chosen =
            self.operating_points.iter().filter_map(|point| self.cells.get(point.cell)).peekable();
        chosen.peek().is_some() && chosen.all(|cell| cell.failed_checks.is_empty())
    }

    /// Whether it was measured, and no test point is known to hold the objective that was set.
    fn misses_slo(&self) -> bool {
        !self.cells.is_empty()
            && self.operating_points.iter().all(|point| point.kind != OperatingPointKind::Slo)
    }

    /// Whether a cell is one of the points to run at.
    pub fn is_chosen(&self, cell: usize) -> bool {
        self.operating_points.iter().any(|point| point.cell == cell)
    }
}

/// A cell that was chosen, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperatingPoint {
    /// Which definition chose it.
    pub kind: OperatingPointKind,
    /// Index into the pattern's cells.
    pub cell: usize,
    /// The reason, with figures.
    pub reason: String,
}

/// Definitions of operating points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OperatingPointKind {
    /// Highest normalised power X^r / R with r = 9: most rate before latency takes over.
    Balanced,
    /// Least concurrency within 2 % of the highest rate seen.
    Peak,
    /// Highest rate that holds the objective.
    Slo,
}

impl OperatingPointKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Balanced, Self::Peak, Self::Slo];

    /// The word for it in the middle of a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Balanced => "balanced",
            Self::Peak => "peak",
            Self::Slo => "SLO",
        }
    }

    /// The one with that name, in whatever case it is typed.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(word))
    }
}
