//! What a row shows over concurrency and over its phases: waiting, the bend, a fall of the rate.

use fathom_attribute::symptoms::{ComparedRow, Symptom, is_lone};

use super::PublishedRow;
use super::difference::{ComparableRow, Property};
use super::inferred_answers::{rate, stated};

/// Standard error of a ratio of two published latencies.
const LATENCY_ERROR: f64 = 0.05;

/// Everything that the rows beside a row show of it. `at` is its place in the table, for the order of phases.
pub fn seen(explained: &PublishedRow, at: usize, others: &[ComparableRow<'_>]) -> Vec<Symptom> {
    let curve = of_curve(others);
    [waiting(explained, &curve), corner(explained, &curve), drop(explained, at, others), tail(explained)]
        .into_iter()
        .flatten()
        .collect()
}

/// Rows that differ in concurrency alone.
fn of_curve<'a>(others: &[ComparableRow<'a>]) -> Vec<&'a PublishedRow> {
    let is_deeper = |other: &&ComparableRow<'_>| other.only() == Some(Property::Concurrency);
    others.iter().filter(is_deeper).map(|other| other.row).collect()
}

fn waiting(explained: &PublishedRow, curve: &[&PublishedRow]) -> Option<Symptom> {
    let in_flight = explained.in_flight().or_else(|| explained.concurrency())?;
    let stated = explained.unloaded_us.map(|us| us * 1000.0);
    let lone = || curve.iter().find(|row| row.concurrency().is_some_and(is_lone))?.latency_ns();
    let (alone_ns, loaded_ns) = (stated.or_else(lone)?, explained.latency_ns()?);
    Symptom::waiting((loaded_ns, in_flight), alone_ns, f64::INFINITY, LATENCY_ERROR)
}

/// How far the rate stays below its asymptotes near where they cross.
fn corner(explained: &PublishedRow, curve: &[&PublishedRow]) -> Option<Symptom> {
    let point = |row: &PublishedRow| {
        let (in_flight, latency_ns) = (row.concurrency()?, row.latency_ns()?);
        let rate = row.operations_per_s().unwrap_or(in_flight / latency_ns * 1e9);
        Some(((in_flight, rate), latency_ns))
    };
    let points: Vec<((f64, f64), f64)> = curve.iter().copied().chain([explained]).filter_map(point).collect();
    let (_, alone_ns) = *points.iter().find(|((in_flight, _), _)| is_lone(*in_flight))?;
    let curve: Vec<(f64, f64)> = points.iter().map(|(point, _)| *point).collect();
    Symptom::corner_of_points(&curve, alone_ns)
}

/// The rate of this phase against the first one, or a later one that is faster.
fn drop(explained: &PublishedRow, at: usize, others: &[ComparableRow<'_>]) -> Option<Symptom> {
    let is_phase = |other: &&ComparableRow<'_>| other.only() == Some(Property::Phase);
    let phases: Vec<(usize, &PublishedRow)> =
        others.iter().filter(is_phase).map(|other| (other.place, other.row)).collect();
    let before = phases.iter().filter(|(place, _)| *place < at).min_by_key(|(place, _)| *place);
    let (mine, first) = (rate(explained)?, before.and_then(|(_, row)| Some((rate(row)?, row))));
    if let Some((earlier, row)) = first {
        let (first_rate, own_rate) = (stated(row), stated(explained));
        let first = ComparedRow { rate: &first_rate, name: row.phase.as_deref().unwrap_or_default() };
        let own = ComparedRow { rate: &own_rate, name: explained.phase.as_deref().unwrap_or_default() };
        return Symptom::drop_since((mine / earlier).ln(), &first, &own);
    }
    let later = phases.iter().filter_map(|(_, row)| Some((rate(row)?, *row)));
    let (faster, row) = later.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(rate, _)| *rate > mine)?;
    Symptom::rise((faster / mine).ln(), &stated(row), &stated(explained))
}

fn tail(explained: &PublishedRow) -> Option<Symptom> {
    let at = |wanted: f64| {
        let pair = explained.percentiles_us.iter().find(|pair| (pair[0] - wanted).abs() < 1e-6)?;
        (pair[1] > 0.0).then_some(pair[1])
    };
    Symptom::tail(at(99.9)? / at(50.0)?)
}
