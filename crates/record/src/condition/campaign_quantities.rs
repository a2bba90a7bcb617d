//! What a campaign has of a quantity: at points to run at, or on the sides of a comparison.

use fathom_measure::Histogram;

use super::figures::{plural, quantile};
use super::{Condition, ConditionFigure, JudgedQuantity, LatencyKind, Statistic, UnmeasuredReason};
use crate::campaign::{AssessRecord, CellResult, CompareRecord, ComparedWorkload, OperatingPointKind};
use crate::comparison::{Decision, Side};
use crate::run_record::{DirectionSummary, IoGroup, RunRecord};

/// The figures of an assessment: of each pattern that is meant, at its point. `runs` are those it rests on.
///
/// # Errors
/// Where a pattern has no such point, or its runs did not measure the quantity.
pub fn of_assessment(
    condition: &Condition,
    record: &AssessRecord,
    runs: &[RunRecord],
) -> Result<Vec<ConditionFigure>, UnmeasuredReason> {
    let kind = condition.scope.point.unwrap_or(if condition.quantity.is_latency() {
        OperatingPointKind::Balanced
    } else {
        OperatingPointKind::Peak
    });
    let meant = |name: &str| condition.scope.pattern.as_deref().is_none_or(|wanted| wanted == name);
    let mut figures = Vec::new();
    for pattern in record.patterns.iter().filter(|pattern| meant(&pattern.name)) {
        let place = format!("{} at its {} point", pattern.name, kind.name());
        let point = pattern.operating_points.iter().find(|point| point.kind == kind);
        let cell = point.and_then(|point| pattern.cells.get(point.cell));
        let cell =
            cell.ok_or_else(|| UnmeasuredReason(format!("{} has no {} point", pattern.name, kind.name())))?;
        figures.extend(of_cell(condition, cell, runs, &place)?);
    }
    let unmeasured = record.plan.patterns.iter().find(|planned| {
        meant(&planned.name) && record.patterns.iter().all(|pattern| pattern.name != planned.name)
    });
    match unmeasured {
        Some(pattern) => Err(UnmeasuredReason(format!("{} was not reached", pattern.name))),
        None => Ok(figures),
    }
}

/// The figures of one side of a comparison, of each workload that is meant. `runs` are those it rests on.
///
/// # Errors
/// Where a workload has no such side, or its runs did not measure the quantity.
pub fn of_comparison(
    condition: &Condition,
    record: &CompareRecord,
    runs: &[RunRecord],
    side: Side,
) -> Result<Vec<ConditionFigure>, UnmeasuredReason> {
    let mut figures = Vec::new();
    for workload in record.workloads.iter().filter(|workload| is_meant(condition, workload)) {
        if condition.quantity == JudgedQuantity::Slower {
            figures.push(slower(workload)?);
            continue;
        }
        let (cell, name) = match side {
            Side::A => (&workload.a, "A"),
            Side::B => (&workload.b, "B"),
        };
        let cell = cell
            .as_ref()
            .ok_or_else(|| UnmeasuredReason(format!("{} has no run of side {name}", workload.name)))?;
        figures.extend(of_cell(condition, cell, runs, &format!("{} of side {name}", workload.name))?);
    }
    Ok(figures)
}

/// A workload is meant by its name, or by its pattern's at every depth.
fn is_meant(condition: &Condition, workload: &ComparedWorkload) -> bool {
    condition.scope.pattern.as_deref().is_none_or(|wanted| {
        let rest = workload.name.strip_prefix(wanted);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("-d"))
    })
}

fn slower(workload: &ComparedWorkload) -> Result<ConditionFigure, UnmeasuredReason> {
    let (value, word) = match workload.decision() {
        Decision::Slower => (1.0, "B is slower than A"),
        Decision::Faster => (0.0, "B is faster than A"),
        Decision::Equivalent => (0.0, "the sides are equivalent"),
        Decision::Inconclusive => (0.0, "not decided"),
        Decision::NotComparable => {
            return Err(UnmeasuredReason(format!("{}: the sides are not comparable", workload.name)));
        }
    };
    Ok(ConditionFigure { of: format!("{}: {word}", workload.name), value })
}

/// What a cell says itself, as it is shown; otherwise what its runs have together.
fn of_cell(
    condition: &Condition,
    cell: &CellResult,
    runs: &[RunRecord],
    place: &str,
) -> Result<Vec<ConditionFigure>, UnmeasuredReason> {
    if condition.direction.is_none()
        && let Some(value) = shown(condition.quantity, cell)
    {
        return Ok(vec![ConditionFigure { of: place.to_owned(), value }]);
    }
    let runs: Vec<&RunRecord> = runs
        .iter()
        .filter(|run| cell.runs.contains(&run.id) && !cell.disturbed_runs.contains(&run.id))
        .collect();
    if runs.is_empty() {
        return Err(UnmeasuredReason(format!("the runs of {place} are not at hand")));
    }
    match condition.quantity {
        JudgedQuantity::Latency { kind, statistic } => latencies(condition, &runs, kind, statistic, place),
        quantity => {
            let values = runs.iter().map(|run| super::of_run(condition, run).map(|figures| figures[0].value));
            let values = values.collect::<Result<Vec<f64>, UnmeasuredReason>>()?;
            let sum: f64 = values.iter().sum();
            let value = if quantity == JudgedQuantity::Errors { sum } else { sum / values.len() as f64 };
            let of = match condition.direction {
                Some(direction) => format!("{} of {place}", plural(direction.into())),
                None => place.to_owned(),
            };
            Ok(vec![ConditionFigure { of, value }])
        }
    }
}

/// What a cell has without its runs.
fn shown(quantity: JudgedQuantity, cell: &CellResult) -> Option<f64> {
    let service = |kind: Option<LatencyKind>| kind == Some(LatencyKind::Service);
    match quantity {
        JudgedQuantity::Iops => Some(cell.operations_per_s),
        JudgedQuantity::Throughput => Some(cell.throughput_bytes_per_s),
        // Without a word for the kind an open arrival means its response latency, which only its runs have.
        JudgedQuantity::Latency { kind, statistic } if service(kind) => match statistic {
            Statistic::Mean => Some(cell.service_mean_ns),
            Statistic::Quantile(0.5) => Some(cell.service_p50_ns as f64),
            Statistic::Quantile(0.99) => cell.service_p99_ns.map(|ns| ns as f64),
            Statistic::Quantile(0.999) => cell.service_p999_ns.map(|ns| ns as f64),
            Statistic::Quantile(_) | Statistic::Max => None,
        },
        _ => None,
    }
}

/// A latency of each direction, over the merged distributions of all runs.
fn latencies(
    condition: &Condition,
    runs: &[&RunRecord],
    kind: Option<LatencyKind>,
    statistic: Statistic,
    place: &str,
) -> Result<Vec<ConditionFigure>, UnmeasuredReason> {
    let mut groups: Vec<IoGroup> = Vec::new();
    for direction in runs.iter().flat_map(|run| &run.summary.directions) {
        let meant =
            condition.direction.map_or(direction.direction != IoGroup::Flush, |d| direction.direction == d);
        if meant && !groups.contains(&direction.direction) {
            groups.push(direction.direction);
        }
    }
    if groups.is_empty() {
        let what = condition.direction.map_or("I/O", |d| plural(d.into()));
        return Err(UnmeasuredReason(format!("{place} finished no {what}")));
    }
    let figure = |group: IoGroup| {
        let of_runs = runs.iter().flat_map(|run| &run.summary.directions).filter(|d| d.direction == group);
        let merged = merged(of_runs, kind).ok_or_else(|| {
            UnmeasuredReason(format!("the runs of {place} have no such latency of {}", plural(group)))
        })?;
        let value = match statistic {
            Statistic::Mean => merged.mean(),
            Statistic::Max => merged.max().map(|ns| ns as f64),
            Statistic::Quantile(q) => quantile(&merged, q).map(|ns| ns as f64),
        };
        let value = value.ok_or_else(|| {
            UnmeasuredReason(format!(
                "{} {} of {place} are too few for {}",
                merged.count(),
                plural(group),
                statistic.name()
            ))
        })?;
        Ok(ConditionFigure { of: format!("{} of {place}", plural(group)), value })
    };
    groups.into_iter().map(figure).collect()
}

fn merged<'a>(
    directions: impl Iterator<Item = &'a DirectionSummary>,
    kind: Option<LatencyKind>,
) -> Option<Histogram> {
    let mut merged = Histogram::new();
    for direction in directions {
        let response = match kind {
            Some(kind) => kind == LatencyKind::Response,
            None => direction.response_histogram.is_some(),
        };
        let histogram = if response { &direction.response_histogram } else { &direction.service_histogram };
        merged.merge(&Histogram::try_from(histogram.as_ref()?).ok()?);
    }
    Some(merged)
}
