//! A sweep as data: a grid over properties of a plan, visited in random order, pass after pass.

use serde::{Deserialize, Serialize};

use super::cell::CellResult;
use crate::environment_facts::Environment;
use crate::facts::TargetFacts;
use crate::run_record::Tool;

/// A grid of runs over chosen properties of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SweepRecord {
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
    /// The targets as they were first opened; several where targets are an axis.
    pub targets: Vec<TargetFacts>,
    /// The machine as the first run found it.
    pub environment: Environment,
    /// What was asked for.
    pub plan: SweepPlan,
    /// What to type to measure the same again: a line for a shell, without permission to destroy data; absent in older
    /// records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// One entry a place of the grid; the last axis varies fastest.
    pub cells: Vec<SweepCell>,
    /// Time spent under load, in seconds.
    pub busy_seconds: f64,
    /// Remarks for people.
    pub notes: Vec<String>,
}

/// What a sweep was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SweepPlan {
    /// What all cells share, as keys and values of a plan file.
    pub base: serde_json::Value,
    /// What varies, in the order it was named.
    pub axes: Vec<SweepAxis>,
    /// Visits to each cell, spaced over the sweep.
    pub passes: u32,
    /// Relative half-width of a cell's 95 % interval below which it is not visited again; absent: every
    /// cell gets all passes.
    pub until_share: Option<f64>,
    /// Whether cells between neighbours that measured the same are left out.
    pub adaptive: bool,
    /// Seed of the order and of every run.
    pub seed: u64,
}

/// One property and its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SweepAxis {
    /// Key of the plan, as `depth`.
    pub key: String,
    /// Its values, as they are typed.
    pub values: Vec<String>,
}

/// One place of the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SweepCell {
    /// Index of its value on each axis.
    pub place: Vec<usize>,
    /// What its runs measured; absent where none came to its end.
    pub result: Option<CellResult>,
    /// Why it was not measured, or not to its end.
    pub missing: Option<String>,
}

impl SweepCell {
    /// Why a cell is missing that no step had to measure; part of the record's format.
    pub const LEFT_OUT: &str = "left out: its neighbours measured the same";

    /// Whether no step had to measure it, which is no failure.
    pub fn was_left_out(&self) -> bool {
        self.missing.as_deref() == Some(Self::LEFT_OUT)
    }
}

impl SweepPlan {
    /// A cell's values in words, as `bs 4k, depth 32`; places beyond an axis are left out.
    pub fn title(&self, cell: &SweepCell) -> String {
        let value =
            |(axis, at): (&SweepAxis, &usize)| Some(format!("{} {}", axis.key, axis.values.get(*at)?));
        self.axes.iter().zip(&cell.place).filter_map(value).collect::<Vec<_>>().join(", ")
    }
}
