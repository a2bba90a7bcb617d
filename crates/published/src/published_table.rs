//! A table of published results as text states it.

use fathom_record::campaign::Conclusion;
use fathom_record::verdict::Limit;
use fathom_record::{CeilingScope, Direction, KnownCeiling};
use fathom_toml::Mistake;
use fathom_tools::Refusal;
use serde::Deserialize;

use super::PublishedRow;
use super::method::{PublishedSide, PublishedStep};
use super::table_refusal;
use super::table_validation::{self, EXPECTED};

/// A published table, as the project's `evaluations` hold them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct PublishedTable {
    /// What was evaluated.
    pub title: String,
    /// Where it was published.
    #[serde(default)]
    pub source: String,
    /// When, as year and month.
    #[serde(default)]
    pub date: String,
    /// The rows that are explained; where there are none, every row with a rate is.
    #[serde(default)]
    pub explain: Vec<ExplainedRow>,
    /// Bounds that were known.
    #[serde(default, rename = "ceiling")]
    pub ceilings: Vec<PublishedCeiling>,
    /// Results, one a line of the table.
    #[serde(default, rename = "row")]
    pub rows: Vec<PublishedRow>,
    /// Results of a search, in the same form.
    #[serde(default, rename = "workload")]
    pub workloads: Vec<PublishedRow>,
    /// What was compared, where the table says how it was measured.
    #[serde(default, rename = "side")]
    pub sides: Vec<PublishedSide>,
    /// What was measured, as plans.
    #[serde(default, rename = "step")]
    pub steps: Vec<PublishedStep>,
    /// What its authors concluded, and what its figures should pass.
    #[serde(default, rename = "conclusion")]
    pub conclusions: Vec<Conclusion>,
    /// Bounds that were given beside the table: they hold for rows that have no such bound in it.
    #[serde(skip)]
    pub given: Vec<KnownCeiling>,
}

/// A row that is explained.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplainedRow {
    /// Patterns of the rows whose sum it is: the directions of a mix are often published apart.
    pub rows: Vec<String>,
    /// Only rows of this side; of all where it is absent.
    pub side: Option<String>,
    /// Which of the rows of that pattern and side, where several have it: its phase.
    pub phase: Option<String>,
    /// What is known to limit it, for tests.
    pub label: Option<Label>,
}

/// What an author, or a careful reader, found to be the limit.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// The cause; `unknown` where none may be named.
    pub cause: Limit,
    /// Causes that are as right.
    #[serde(default)]
    pub also: Vec<Limit>,
    /// Whether the source itself leaves no doubt.
    #[serde(default)]
    pub sure: bool,
    /// Whether its author says so, or it follows from the figures.
    pub basis: Option<Basis>,
}

/// What a label rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The author says so.
    Stated,
    /// It follows from the figures.
    Inferred,
}

/// A known upper bound.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedCeiling {
    /// As `volume IOPS`.
    pub name: String,
    /// Operations per second, if it bounds them.
    pub iops: Option<f64>,
    /// Throughput in `unit`, if it bounds it.
    pub throughput: Option<f64>,
    /// `MB/s`, `MiB/s`, `Mbps`, ...
    pub unit: Option<String>,
    /// Only rows of this side; of all where it is absent.
    pub side: Option<String>,
    /// Only rows of this host or instance.
    pub host: Option<String>,
    /// Whose it is; absent: the volume's.
    #[serde(default)]
    pub scope: CeilingScope,
    /// The direction that it bounds; absent: all together.
    pub direction: Option<Direction>,
    /// Whether it holds only while there are burst credits.
    #[serde(default)]
    pub burst: bool,
    /// Operations above the sustained rate that the credits allow.
    pub credits: Option<f64>,
    /// What has one of these each; absent: all together have one.
    pub each: Option<BoundUnit>,
}

/// What a bound is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundUnit {
    /// A volume or drive.
    Device,
    /// A connection or port.
    Connection,
    /// A processor.
    Core,
    /// A machine.
    Host,
}

/// Reads a table.
///
/// # Errors
/// When the text is no such table, names what a table does not hold, or states what no run gives; says where,
/// and what to write.
pub fn parse_published(text: &str) -> Result<PublishedTable, Refusal> {
    table_validation::names(text)?;
    let found: PublishedTable = fathom_toml::read(text).map_err(|Mistake { line, fault }| {
        let written = text.lines().nth(line - 1).unwrap_or_default();
        table_refusal::refused(fault, written).at(format!("line {line}"))
    })?;
    if found.rows.is_empty() && found.workloads.is_empty() {
        return Err(Refusal::new(EXPECTED, "it has no [[row]]"));
    }
    table_validation::figures(&found, text)?;
    for asked in &found.explain {
        if asked.rows.is_empty() {
            return Err(Refusal::new(EXPECTED, "an [[explain]] names no row")
                .or("write rows = [\"the pattern of a row\"]"));
        }
        if let Some(missing) = asked.rows.iter().find(|name| found.rows_of(asked, name).is_empty()) {
            let message =
                format!("[[explain]] names \"{missing}\", and no [[row]] has that pattern and side");
            return Err(Refusal::new(EXPECTED, message));
        }
    }
    Ok(found)
}

impl PublishedTable {
    /// The rows of one pattern that a question is about.
    pub fn rows_of(&self, asked: &ExplainedRow, pattern: &str) -> Vec<usize> {
        let fits = |row: &PublishedRow| {
            row.pattern == pattern
                && asked.side.as_ref().is_none_or(|side| *side == row.side)
                && asked.phase.as_ref().is_none_or(|phase| Some(phase) == row.phase.as_ref())
        };
        (0..self.rows.len()).filter(|at| fits(&self.rows[*at])).collect()
    }
}
