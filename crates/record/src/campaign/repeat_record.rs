//! A published evaluation, repeated on one's own storage, as data: what is measured, what was published beside it, and
//! which statements hold.

use serde::{Deserialize, Serialize};

use super::cell::CellResult;
use super::side_states::{AcrossRestarts, BootTurn};
use crate::Direction;
use crate::environment_facts::Environment;
use crate::facts::TargetFacts;
use crate::run_record::Tool;

/// A repeated evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepeatRecord {
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
    /// The targets as they were first opened.
    pub targets: Vec<TargetFacts>,
    /// The machine as the first run found it.
    pub environment: Environment,
    /// What was asked for, with what was published.
    pub plan: RepeatPlan,
    /// What to type to measure the same again: a line for a shell, without permission to destroy data.
    pub command: Option<String>,
    /// What was measured, one entry a step and side, in the order of the plan.
    pub cells: Vec<RepeatCell>,
    /// What became of each statement, in the order of the plan.
    pub conclusions: Vec<ConclusionResult>,
    /// The boots in which the sides had their turns, where restarts lie between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boots: Vec<BootTurn>,
    /// Time spent under load, in seconds.
    pub busy_seconds: f64,
    /// Remarks for people.
    pub notes: Vec<String>,
}

/// What a repetition was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepeatPlan {
    /// The evaluation as it was named: one that fathom holds, or a file.
    pub evaluation: String,
    /// Its title.
    pub title: String,
    /// Where it was published; empty where the table does not say.
    pub source: String,
    /// What was compared.
    pub sides: Vec<RepeatSide>,
    /// What is measured: every step of every side that has it.
    pub steps: Vec<RepeatStep>,
    /// Statements that are held against what was measured.
    pub conclusions: Vec<Conclusion>,
    /// Bounds that the evaluation knew of its own machines.
    pub bounds: Vec<RepeatBound>,
    /// The same bounds as they are here, where that is known.
    pub own_bounds: Vec<RepeatBound>,
    /// Keys of plans that are the same for every step here and were given for this repetition.
    pub given: serde_json::Value,
    /// Most visits to each step and side, spaced over the whole.
    pub visits: u32,
    /// Relative half-width of the 95 % interval of a rate below which a step is not visited again; absent: every step
    /// gets all visits.
    pub until_share: Option<f64>,
    /// Whether runs are as long and as many as those that were published.
    pub as_published: bool,
    /// How the sides are told apart, where a restart of the machine lies between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub across_restarts: Option<AcrossRestarts>,
    /// The jobs and depths that one device here does best with, by which the evaluation's own are scaled; absent: its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimum: Option<RepeatOptimum>,
    /// Seed of the order and of every run.
    pub seed: u64,
}

/// Where one device gives the most for its latency.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepeatOptimum {
    /// The assessment that found it.
    pub campaign: String,
    /// What was assessed, as the user named it.
    pub target: String,
    /// Its balanced points.
    pub points: Vec<OptimumPoint>,
}

/// The balanced point of one device, here and there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OptimumPoint {
    /// Name of the step.
    pub step: String,
    /// Jobs here.
    pub jobs: u32,
    /// Depth of each here.
    pub depth: u32,
    /// Jobs that the evaluation had for each device of the same side.
    pub jobs_there: u32,
    /// Depth of each there.
    pub depth_there: u32,
}

/// One of the things compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepeatSide {
    /// Its name in the evaluation.
    pub name: String,
    /// What it was there, in words.
    pub was: String,
    /// Drives or volumes that it had there.
    pub devices: u32,
    /// Machines that loaded it there at once; absent where that is not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<u32>,
    /// What stands for it here, as the user named them.
    pub targets: Vec<String>,
}

impl RepeatSide {
    /// What stands for it here, in words: names that count on by one are cut to the first and the last number.
    pub fn here(&self) -> String {
        counted_on(&self.targets).unwrap_or_else(|| self.targets.join(" + "))
    }
}

fn counted_on(names: &[String]) -> Option<String> {
    let [first, _, _, ..] = names else { return None };
    let stem = first.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let from: u64 = first[stem.len()..].parse().ok()?;
    let follows = |(at, name): (u64, &String)| *name == format!("{stem}{}", from + at);
    let last = from.checked_add(names.len() as u64 - 1)?;
    (0..).zip(names).all(follows).then(|| format!("{first} to {last}"))
}

/// One step of one side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepeatStep {
    /// Its name, as `randread-4k`.
    pub name: String,
    /// The side.
    pub side: String,
    /// Keys of the plan, its targets among them.
    pub plan: serde_json::Value,
    /// Length of one published run, in seconds.
    pub published_seconds: Option<f64>,
    /// Published runs that the figures are the mean of.
    pub published_runs: Option<u32>,
    /// What was published; empty where the evaluation has no figures of it.
    pub published: Vec<StepFigure>,
}

/// A figure of a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepFigure {
    /// What it is.
    pub quantity: Quantity,
    /// Of which direction of a mix; absent: all together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// In the quantity's unit.
    pub value: f64,
    /// Half-width of the 95 % interval over runs, as a share of the value; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half_width_share: Option<f64>,
}

/// What a statement can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// I/Os per second.
    Iops,
    /// Bytes per second.
    Throughput,
    /// Mean service latency, in nanoseconds.
    Mean,
    /// Median service latency, in nanoseconds.
    P50,
    /// 90th percentile of service latency, in nanoseconds.
    P90,
    /// 99th percentile of service latency, in nanoseconds.
    P99,
    /// 99.9th percentile of service latency, in nanoseconds.
    P999,
    /// 99.99th percentile of service latency, in nanoseconds.
    P9999,
    /// Busy share of the machine's processors, 0 to 1.
    Cpu,
    /// Processor time of an I/O, in nanoseconds.
    CpuPerIo,
    /// I/Os in flight by rate and latency.
    InFlight,
    /// I/Os in flight by rate and latency, over those that were asked for.
    InFlightShare,
}

impl Quantity {
    /// Percentiles of service latency, with their orders, 0 to 1.
    pub const ORDERS: [(Self, f64); 5] =
        [(Self::P50, 0.5), (Self::P90, 0.9), (Self::P99, 0.99), (Self::P999, 0.999), (Self::P9999, 0.9999)];

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Iops => "IOPS",
            Self::Throughput => "throughput",
            Self::Mean => "mean latency",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P99 => "p99",
            Self::P999 => "p99.9",
            Self::P9999 => "p99.99",
            Self::Cpu => "CPU",
            Self::CpuPerIo => "CPU per I/O",
            Self::InFlight => "I/Os in flight",
            Self::InFlightShare => "I/Os in flight over those asked for",
        }
    }
}

/// A bound that an evaluation knew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepeatBound {
    /// Its name.
    pub name: String,
    /// What it bounds: `iops` or `throughput`.
    pub quantity: Quantity,
    /// I/Os or bytes per second.
    pub value: f64,
}

/// A statement of an evaluation as a test on figures: `of`, or its ratio to `times` the other, lies in a range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Conclusion {
    /// The statement.
    pub says: String,
    /// What it is about.
    pub figure: Quantity,
    /// Direction of a mix; absent: all together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// The figure.
    pub of: Operand,
    /// What it is a ratio to; absent: the figure itself is in the range, in the quantity's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Operand>,
    /// Times the other, as eight for what eight drives should give.
    #[serde(default = "one")]
    pub times: f64,
    /// The side whose devices that factor counts, where the other is a bound: with fewer devices here it is in
    /// proportion. Between two sides it always is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices_of: Option<String>,
    /// Lower end of the range; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// Upper end; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Whether the evaluation's authors say so; otherwise it is a test that its figures should pass.
    #[serde(default = "yes")]
    pub stated: bool,
}

const fn one() -> f64 {
    1.0
}

const fn yes() -> bool {
    true
}

/// Where a figure is found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Operand {
    /// A step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Its side; absent where the evaluation has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    /// A bound, in place of a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
}

impl Operand {
    /// As `randread-4k, Linux`.
    pub fn words(&self) -> String {
        let named = [&self.step, &self.side, &self.bound];
        named.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

/// What a step of a side measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepeatCell {
    /// What its runs come to; absent where none came to its end.
    pub result: Option<CellResult>,
    /// The same as figures with their intervals.
    pub figures: Vec<StepFigure>,
    /// Why it was not measured, or not to its end.
    pub missing: Option<String>,
}

/// What became of a statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConclusionResult {
    /// On the figures that were published.
    pub published: Judgement,
    /// On one's own.
    pub own: Judgement,
}

/// One reading of a statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judgement {
    /// What it comes to.
    pub standing: StatementStanding,
    /// The figure or ratio that decides; absent where it cannot be had.
    pub value: Option<f64>,
    /// Its 95 % interval; absent where there is none, as of published figures.
    pub interval: Option<[f64; 2]>,
    /// Why it is not decided, or what would decide; empty otherwise.
    pub why: String,
}

/// Whether a statement holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StatementStanding {
    /// The figures bear it out.
    Holds,
    /// They contradict it.
    DoesNotHold,
    /// They leave it open.
    NotDecided,
}

impl StatementStanding {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::NotDecided => "not decided",
        }
    }
}

impl RepeatStep {
    /// As `randread-4k, gp3`; without the side where it has no name.
    pub fn title(&self) -> String {
        if self.side.is_empty() { self.name.clone() } else { format!("{}, {}", self.name, self.side) }
    }

    /// A published figure.
    pub fn published(&self, quantity: Quantity, direction: Option<Direction>) -> Option<StepFigure> {
        find(&self.published, quantity, direction)
    }
}

impl RepeatCell {
    /// A measured figure.
    pub fn figure(&self, quantity: Quantity, direction: Option<Direction>) -> Option<StepFigure> {
        find(&self.figures, quantity, direction)
    }
}

fn find(figures: &[StepFigure], quantity: Quantity, direction: Option<Direction>) -> Option<StepFigure> {
    figures.iter().find(|figure| figure.quantity == quantity && figure.direction == direction).copied()
}

impl RepeatPlan {
    /// The place of a step, by its name and side; without a side only where the step has one side.
    pub fn place(&self, operand: &Operand) -> Option<usize> {
        let name = operand.step.as_deref()?;
        let fits = |step: &RepeatStep| {
            step.name == name && operand.side.as_ref().is_none_or(|side| *side == step.side)
        };
        let mut places = self.steps.iter().enumerate().filter(|(_, step)| fits(step)).map(|(at, _)| at);
        let first = places.next()?;
        places.next().is_none().then_some(first)
    }

    /// The targets of all sides, each once.
    pub fn targets(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for target in self.sides.iter().flat_map(|side| &side.targets) {
            if !out.contains(target) {
                out.push(target.clone());
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_that_count_on_are_named_by_their_ends() {
        let here = |names: &[&str]| {
            let targets = names.iter().map(|name| (*name).to_owned()).collect();
            RepeatSide { targets, ..RepeatSide::default() }.here()
        };
        assert_eq!(here(&["nqn:a/7", "nqn:a/8", "nqn:a/9", "nqn:a/10"]), "nqn:a/7 to 10");
        assert_eq!(
            here(&["/dev/nvme1n1", "/dev/nvme2n1", "/dev/nvme3n1"]),
            "/dev/nvme1n1 + /dev/nvme2n1 + /dev/nvme3n1"
        );
        assert_eq!(here(&["a1", "a2"]), "a1 + a2");
        assert_eq!(here(&["a1", "a3", "a2"]), "a1 + a3 + a2");
        assert_eq!(here(&["/mnt/gp3"]), "/mnt/gp3");
    }
}
