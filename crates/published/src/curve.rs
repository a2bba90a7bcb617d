//! What a row shows over concurrency and over its phases: waiting, the bend, a fall of the rate.

use fathom_attribute::symptoms::{ComparedRow, Symptom, is_lone};

use super::PublishedRow;
use super::answers::stated;
use super::difference::{Other, Property};

/// Standard error of a ratio of two published latencies.
const LATENCY_ERROR: f64 = 0.05;
/// Fewest points of a curve that show a bend.
const MIN_POINTS: usize = 4;

/// Everything that the rows beside a row show of it. `at` is its place in the table, for the order of phases.
pub fn seen(explained: &PublishedRow, at: usize, others: &[Other<'_>]) -> Vec<Symptom> {
    let curve = of_curve(others);
    [waiting(explained, &curve), corner(explained, &curve), drop(explained, at, others), tail(explained)]
        .into_iter()
        .flatten()
        .collect()
}

/// Rows that differ in concurrency alone.
fn of_curve<'a>(others: &[Other<'a>]) -> Vec<&'a PublishedRow> {
    let is_deeper = |other: &&Other<'_>| other.only() == Some(Property::Concurrency);
    others.iter().filter(is_deeper).map(|other| other.row).collect()
}

fn waiting(explained: &PublishedRow, curve: &[&PublishedRow]) -> Option<Symptom> {
    let in_flight = explained.in_flight().or_else(|| explained.concurrency())?;
    let stated = explained.unloaded_us.map(|us| us * 1000.0);
    let lone = || curve.iter().find(|row| row.concurrency().is_some_and(is_lone))?.latency_ns();
    let (alone_ns, loaded_ns) = (stated.or_else(lone)?, explained.latency_ns()?);
    Symptom::waiting((loaded_ns, in_flight), alone_ns, f64::INFINITY, LATENCY_ERROR)
}

/// Largest shortfall from `min(N / R1, highest rate)` near where the two cross.
fn corner(explained: &PublishedRow, curve: &[&PublishedRow]) -> Option<Symptom> {
    let point = |row: &PublishedRow| {
        let in_flight = row.concurrency()?;
        let latency_s = row.latency_ns()? / 1e9;
        Some((in_flight, row.operations_per_s().unwrap_or(in_flight / latency_s), latency_s))
    };
    let points: Vec<(f64, f64, f64)> = curve.iter().copied().chain([explained]).filter_map(point).collect();
    let alone_s = points.iter().find(|(count, ..)| is_lone(*count))?.2;
    let highest = points.iter().map(|(_, rate, _)| *rate).max_by(f64::total_cmp)?;
    let crossing = highest * alone_s;
    let near = points.iter().filter(|(count, ..)| (0.25..=4.0).contains(&(count / crossing)));
    let shortfalls: Vec<f64> =
        near.map(|(count, rate, _)| 1.0 - rate / (count / alone_s).min(highest)).collect();
    if points.len() < MIN_POINTS || shortfalls.len() < 2 {
        return None;
    }
    Symptom::corner(shortfalls.into_iter().max_by(f64::total_cmp)?)
}

/// The rate of this phase against the first one, or a later one that is faster.
fn drop(explained: &PublishedRow, at: usize, others: &[Other<'_>]) -> Option<Symptom> {
    let is_phase = |other: &&Other<'_>| other.only() == Some(Property::Phase);
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

fn rate(row: &PublishedRow) -> Option<f64> {
    row.operations_per_s().or_else(|| row.bytes_per_s())
}

fn tail(explained: &PublishedRow) -> Option<Symptom> {
    let at = |wanted: f64| {
        let pair = explained.percentiles_us.iter().find(|pair| (pair[0] - wanted).abs() < 1e-6)?;
        (pair[1] > 0.0).then_some(pair[1])
    };
    Symptom::tail(at(99.9)? / at(50.0)?)
}
