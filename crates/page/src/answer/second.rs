//! `runs/ID/second/N`: one second of a run, and the whole run in the same rows beside it.

use std::collections::BTreeMap;

use fathom_record::run_record::DirectionSummary;
use fathom_record::{Direction, Interval, LatencySummary, SparseHistogram};
use fathom_store::Store;
use serde::Serialize;

use super::heat::{row_high_ns, row_low_ns, rows};
use super::query_parameters::QueryParameters;
use super::second_columns::Latencies;
use super::{Answer, Refusal, json};

#[derive(Serialize)]
struct Second {
    format: &'static str,
    version: u32,
    number: u64,
    start_ns: u64,
    duration_ns: u64,
    warmup: bool,
    in_flight: f64,
    directions: Vec<Flow>,
}

#[derive(Serialize)]
struct Flow {
    direction: Direction,
    operations: u64,
    bytes: u64,
    errors: u64,
    service: Option<LatencySummary>,
    response: Option<LatencySummary>,
    /// Service latencies in 8 rows an octave.
    rows: Vec<Row>,
}

/// I/Os whose latency lies from `low_ns` to `high_ns`: of this second, and of the whole measured window.
#[derive(Serialize)]
struct Row {
    low_ns: u64,
    high_ns: u64,
    count: u64,
    run_count: Option<u64>,
}

pub(super) fn answer(
    store: &Store,
    id: &str,
    number: &str,
    parameters: QueryParameters,
) -> Result<Answer, Refusal> {
    parameters.end()?;
    let number: u64 =
        number.parse().map_err(|_| Refusal::usage("second", format!("`{number}` is not a whole number")))?;
    let (mut at, mut found) = (0, None);
    store.visit_intervals(id, |interval| {
        if at == number {
            found = Some(interval);
        }
        at += 1;
    })?;
    let interval = found.ok_or_else(|| {
        Refusal::no_such(format!("run {id} has {at} intervals, and none numbered {number}"))
    })?;
    let record = store.run_without_series(id)?;
    let directions = flows(&interval, &record.summary.directions);
    let damaged = |cause: &str| Refusal::new(500, "store", format!("run {id}: {cause}"));
    json(&Second {
        format: "fathom.page.second",
        version: 1,
        number,
        start_ns: interval.start_ns,
        duration_ns: interval.duration_ns,
        warmup: interval.warmup,
        in_flight: interval.in_flight(),
        directions: directions.map_err(damaged)?,
    })
}

fn flows(interval: &Interval, of_run: &[DirectionSummary]) -> Result<Vec<Flow>, &'static str> {
    let flow = |part: &fathom_record::DirectionInterval| {
        let service = Latencies::of(&part.service)?;
        let response = part.response.as_ref().map(Latencies::of).transpose()?;
        let whole = of_run.iter().find(|summary| summary.direction == part.direction);
        Ok(Flow {
            direction: part.direction,
            operations: part.operations,
            bytes: part.bytes,
            errors: part.errors,
            rows: both(&service, whole.and_then(|summary| summary.service_histogram.as_ref()))?,
            service: service.summary(),
            response: response.and_then(|response| response.summary()),
        })
    };
    interval.directions.iter().map(flow).collect()
}

/// Rows from the lowest to the highest in use.
fn both(second: &Latencies, run: Option<&SparseHistogram>) -> Result<Vec<Row>, &'static str> {
    let run = run.map(Latencies::of).transpose()?;
    let (mine, whole) = (rows([second].into_iter()), run.map(|run| rows([&run].into_iter())));
    let none = BTreeMap::new();
    let used = || mine.keys().chain(whole.as_ref().unwrap_or(&none).keys());
    let (Some(low), Some(high)) = (used().min(), used().max()) else { return Ok(Vec::new()) };
    let count = |of: &BTreeMap<usize, u64>, row| of.get(&row).copied().unwrap_or(0);
    let row = |row| Row {
        low_ns: row_low_ns(row),
        high_ns: row_high_ns(row),
        count: count(&mine, row),
        run_count: whole.as_ref().map(|whole| count(whole, row)),
    };
    Ok((*low..=*high).map(row).collect())
}
