//! How an evaluation was made, as its table states it: sides, steps and statements, as a plan that anybody can carry
//! out, with what was published beside each step.

use fathom_record::Direction;
use fathom_record::campaign::{
    Conclusion, Operand, Quantity, RepeatBound, RepeatSide, RepeatStep, StepFigure,
};
use fathom_record::spelling::nearest;
use fathom_tools::Refusal;
use fathom_tools::result_audit::throughput_units;
use serde::Deserialize;

use super::table_validation::EXPECTED;
use super::{PublishedRow, PublishedTable};

/// One of the things compared.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSide {
    /// As rows name it; empty where the evaluation has one side.
    #[serde(default)]
    pub name: String,
    /// What it was, in words.
    pub was: String,
    /// Drives or volumes that it had.
    #[serde(default = "one")]
    pub devices: u32,
    /// Machines that loaded it at once.
    pub clients: Option<u32>,
}

const fn one() -> u32 {
    1
}

/// One step of the method.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedStep {
    /// Its name.
    pub name: String,
    /// Sides that have it; absent: all.
    pub sides: Option<Vec<String>>,
    /// Patterns of the rows that it gave; the sum of a mix's directions.
    #[serde(default)]
    pub rows: Vec<String>,
    /// Patterns of the rows with its percentiles, where they stand apart.
    #[serde(default)]
    pub percentiles: Vec<String>,
    /// Keys of a plan.
    pub plan: toml::Table,
    /// Of a side's targets the first so many; absent: all, and jobs in proportion.
    pub targets: Option<u32>,
    /// Length of one run, in seconds.
    pub seconds: Option<f64>,
    /// Runs that the figures are the mean of.
    pub runs: Option<u32>,
}

/// The method of an evaluation, with its figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Method {
    /// What was compared, without targets.
    pub sides: Vec<RepeatSide>,
    /// Every step of every side, with the number of a side's targets that it takes; absent: all.
    pub steps: Vec<(RepeatStep, Option<u32>)>,
    /// Statements.
    pub conclusions: Vec<Conclusion>,
    /// Bounds that it knew.
    pub bounds: Vec<RepeatBound>,
}

impl PublishedTable {
    /// How it was made.
    ///
    /// # Errors
    /// When the table has no steps, or a step or statement names what the table does not have.
    pub fn method(&self) -> Result<Method, Refusal> {
        if self.steps.is_empty() {
            let cause = "it has no [[step]]: it holds results, and not how they were measured";
            return Err(Refusal::new(EXPECTED, cause)
                .or("write a [[side]] and a [[step]] with its plan: docs/evaluations.md says how"));
        }
        let sides = self.sides()?;
        self.check_rows(&sides)?;
        self.check_steps()?;
        let mut steps = Vec::new();
        for step in &self.steps {
            for side in sides_of(step, &sides)? {
                steps.push((self.step(step, side)?, step.targets));
            }
        }
        let bounds = self.bounds();
        let method = Method { sides, steps, conclusions: self.conclusions.clone(), bounds };
        method.conclusions.iter().try_for_each(|conclusion| method.check(conclusion))?;
        Ok(method)
    }

    fn sides(&self) -> Result<Vec<RepeatSide>, Refusal> {
        let side = |side: &PublishedSide| RepeatSide {
            name: side.name.clone(),
            was: side.was.clone(),
            devices: side.devices.max(1),
            clients: side.clients,
            targets: Vec::new(),
        };
        for (at, side) in self.sides.iter().enumerate() {
            if self.sides[..at].iter().any(|earlier| earlier.name == side.name) {
                return Err(Refusal::new(EXPECTED, format!("two [[side]] are named \"{}\"", side.name))
                    .or("give each its own name, the one that rows have as side"));
            }
        }
        match self.sides.as_slice() {
            [] => Ok(vec![RepeatSide { devices: 1, ..RepeatSide::default() }]),
            sides => Ok(sides.iter().map(side).collect()),
        }
    }

    /// A row of a side that is not there would be left out, as if it had not been published.
    fn check_rows(&self, sides: &[RepeatSide]) -> Result<(), Refusal> {
        let names = || sides.iter().map(|side| side.name.as_str());
        let is_known = |row: &&PublishedRow| row.side.is_empty() || names().any(|side| side == row.side);
        let Some(row) = self.rows.iter().chain(&self.workloads).find(|row| !is_known(row)) else {
            return Ok(());
        };
        let cause = format!(
            "the row \"{}\" is of the side \"{}\", and no [[side]] is named so",
            row.pattern, row.side
        );
        let near = nearest(&row.side, names()).first().map(|near| format!("did you mean \"{near}\"?"));
        Err(Refusal::new(EXPECTED, cause).or(near.unwrap_or("add a [[side]] of that name".to_owned())))
    }

    fn check_steps(&self) -> Result<(), Refusal> {
        for (at, step) in self.steps.iter().enumerate() {
            let shares = |other: &&PublishedStep| {
                let both = |own: &Vec<String>| {
                    other.sides.as_ref().is_none_or(|others| own.iter().any(|side| others.contains(side)))
                };
                other.name == step.name && step.sides.as_ref().is_none_or(both)
            };
            if self.steps[..at].iter().any(|earlier| shares(&earlier)) {
                return Err(Refusal::new(
                    EXPECTED,
                    format!("two [[step]] of one side are named \"{}\"", step.name),
                )
                .or("give each its own name"));
            }
        }
        Ok(())
    }

    fn step(&self, step: &PublishedStep, side: &RepeatSide) -> Result<RepeatStep, Refusal> {
        let rows = self.rows_named(&step.rows, step, side)?;
        let percentiles = self.rows_named(&step.percentiles, step, side)?;
        let plan = serde_json::to_value(&step.plan).map_err(|error| {
            Refusal::new(EXPECTED, format!("the plan of step \"{}\": {error}", step.name)).with_source(error)
        })?;
        Ok(RepeatStep {
            name: step.name.clone(),
            side: side.name.clone(),
            plan,
            published_seconds: step.seconds,
            published_runs: step.runs,
            published: figures(&rows, &percentiles),
        })
    }

    /// The rows of a step on a side; none where that side published none of them.
    fn rows_named(
        &self,
        patterns: &[String],
        step: &PublishedStep,
        side: &RepeatSide,
    ) -> Result<Vec<&PublishedRow>, Refusal> {
        let mut found = Vec::new();
        for pattern in patterns {
            let named = |row: &&PublishedRow| row.pattern == *pattern;
            let all = || self.rows.iter().chain(&self.workloads).filter(named);
            if all().next().is_none() {
                let cause = format!("step \"{}\" names the row \"{pattern}\", and there is none", step.name);
                let all = self.rows.iter().chain(&self.workloads).map(|row| row.pattern.as_str());
                let near = nearest(pattern, all).first().map(|near| format!("did you mean \"{near}\"?"));
                let form = || "write the pattern of a [[row]] or [[workload]]".to_owned();
                return Err(Refusal::new(EXPECTED, cause).or(near.unwrap_or_else(form)));
            }
            let own = all().find(|row| row.side == side.name);
            found.extend(own.or_else(|| all().find(|row| row.side.is_empty())));
        }
        Ok(found)
    }

    /// Bounds with a name and a rate, each name once.
    fn bounds(&self) -> Vec<RepeatBound> {
        let mut out: Vec<RepeatBound> = Vec::new();
        for ceiling in &self.ceilings {
            let bytes =
                || Some(ceiling.throughput? * throughput_units::bytes_per_s(ceiling.unit.as_deref()?)?);
            let known = match ceiling.iops {
                Some(iops) => Some((Quantity::Iops, iops)),
                None => bytes().map(|value| (Quantity::Throughput, value)),
            };
            let is_known = out.iter().any(|bound| bound.name == ceiling.name);
            if let Some((quantity, value)) = known.filter(|_| !is_known) {
                out.push(RepeatBound { name: ceiling.name.clone(), quantity, value });
            }
        }
        out
    }
}

fn sides_of<'a>(step: &PublishedStep, sides: &'a [RepeatSide]) -> Result<Vec<&'a RepeatSide>, Refusal> {
    let Some(names) = &step.sides else { return Ok(sides.iter().collect()) };
    let side = |name: &String| {
        let found = sides.iter().find(|side| side.name == *name);
        found.ok_or_else(|| {
            let known: Vec<&str> = sides.iter().map(|side| side.name.as_str()).collect();
            Refusal::new(EXPECTED, format!("step \"{}\" names the side \"{name}\"", step.name))
                .or(format!("sides are {}", known.join(", ")))
        })
    };
    names.iter().map(side).collect()
}

impl Method {
    fn has_side(&self, name: &str) -> bool {
        self.sides.iter().any(|side| side.name == name)
    }

    fn check(&self, conclusion: &Conclusion) -> Result<(), Refusal> {
        let refuse = |cause: String, remedy: &str| {
            Err(Refusal::new(EXPECTED, format!("the conclusion \"{}\" {cause}", conclusion.says))
                .or(remedy.to_owned()))
        };
        for operand in std::iter::once(&conclusion.of).chain(&conclusion.over) {
            let is_step = |step: &RepeatStep| {
                operand.step.as_ref() == Some(&step.name)
                    && operand.side.as_ref().is_none_or(|side| *side == step.side)
            };
            let steps = self.steps.iter().filter(|(step, _)| is_step(step)).count();
            let bounds =
                self.bounds.iter().filter(|bound| operand.bound.as_ref() == Some(&bound.name)).count();
            let of_others =
                || self.steps.iter().filter(|(step, _)| operand.step.as_ref() == Some(&step.name));
            if steps + bounds == 0 && of_others().next().is_some() {
                let sides: Vec<String> = of_others().map(|(step, _)| format!("\"{}\"", step.side)).collect();
                return refuse(
                    format!("names \"{}\", which that side does not have", operand.words()),
                    &format!("write side = {}", sides.join(" or ")),
                );
            }
            if steps + bounds == 0 {
                let steps = self.steps.iter().map(|(step, _)| step.name.as_str());
                let bounds = self.bounds.iter().map(|bound| bound.name.as_str());
                let typed = operand.step.as_deref().or(operand.bound.as_deref()).unwrap_or_default();
                let near = nearest(typed, steps.chain(bounds))
                    .first()
                    .map(|near| format!("did you mean \"{near}\"?"));
                let form = "write { step = \"NAME\", side = \"NAME\" } or { bound = \"NAME\" }".to_owned();
                return refuse(
                    format!("names \"{}\", which is neither a step nor a bound", operand.words()),
                    &near.unwrap_or(form),
                );
            }
            if steps > 1 {
                return refuse(
                    format!("names \"{}\", which several sides have", operand.words()),
                    "add side = \"NAME\"",
                );
            }
        }
        if let Some(side) = conclusion.devices_of.as_ref().filter(|side| !self.has_side(side)) {
            return refuse(
                format!("counts devices of \"{side}\", which is not a side"),
                "write the name of a [[side]]",
            );
        }
        let is_range = match (conclusion.at_least, conclusion.at_most) {
            (None, None) => false,
            (Some(low), Some(high)) => low <= high,
            _ => true,
        };
        let ends = [conclusion.at_least, conclusion.at_most, Some(conclusion.times)];
        if let (Some(low), Some(high)) = (conclusion.at_least, conclusion.at_most)
            && low > high
        {
            return refuse(
                format!("has an empty range, from {low} to {high}"),
                "write the lower end as at_least",
            );
        }
        if !is_range || !ends.into_iter().flatten().all(|end| end.is_finite() && end >= 0.0) {
            return refuse("has no range".to_owned(), "write at_least, at_most or both, the lower one first");
        }
        if Operand::default() == conclusion.of {
            return refuse("is of nothing".to_owned(), "write of = { step = \"NAME\" }");
        }
        Ok(())
    }
}

/// What rows come to as figures: of all together, and of each direction of a mix.
fn figures(rows: &[&PublishedRow], percentiles: &[&PublishedRow]) -> Vec<StepFigure> {
    let mut out = Vec::new();
    if let Some(sum) = PublishedRow::sum(rows) {
        of_row(&sum, None, &mut out);
    }
    for row in rows.iter().filter(|_| rows.len() > 1).chain(percentiles) {
        of_row(row, direction(row), &mut out);
    }
    out
}

fn direction(row: &PublishedRow) -> Option<Direction> {
    match row.read_percent {
        Some(100.0) => Some(Direction::Read),
        Some(0.0) => Some(Direction::Write),
        _ => None,
    }
}

fn of_row(row: &PublishedRow, direction: Option<Direction>, out: &mut Vec<StepFigure>) {
    let mut put = |quantity, value: Option<f64>| {
        let known = |figure: &StepFigure| figure.quantity == quantity && figure.direction == direction;
        if let Some(value) = value.filter(|value| value.is_finite() && !out.iter().any(known)) {
            out.push(StepFigure { quantity, direction, value, half_width_share: None });
        }
    };
    put(Quantity::Iops, row.operations_per_s());
    put(Quantity::Throughput, row.bytes_per_s());
    put(Quantity::Mean, row.latency_us.map(|us| us * 1000.0));
    for [order, us] in &row.percentiles_us {
        if let Some((quantity, _)) = Quantity::ORDERS.iter().find(|(_, known)| known * 100.0 == *order) {
            put(*quantity, Some(us * 1000.0));
        }
    }
    put(Quantity::Cpu, row.cpu_percent.map(|percent| percent / 100.0));
    let busy_cores = row.cpu_percent.zip(row.cores).map(|(percent, cores)| percent / 100.0 * cores);
    put(Quantity::CpuPerIo, busy_cores.zip(row.iops).map(|(cores, rate)| cores / rate * 1e9));
    put(Quantity::InFlight, row.in_flight());
    put(
        Quantity::InFlightShare,
        row.in_flight().zip(row.most_in_flight()).map(|(found, asked)| found / asked),
    );
}
