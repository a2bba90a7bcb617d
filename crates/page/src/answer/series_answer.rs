//! `runs/ID/series`: rates, percentiles and I/Os in flight over a run's seconds.

use fathom_record::Direction;
use serde::Serialize;

use super::binary_columns::{self, Numbers};
use super::query_parameters::QueryParameters;
use super::second_columns::{Column, IntervalRange, Latencies};
use super::telemetry_charts::{self, TelemetryChart};
use super::{Answer, Refusal};
use crate::shelf::Shelf;

/// Percentiles that are drawn, with their names.
const QUANTILES: [(f64, &str); 3] = [(0.5, "p50_ns"), (0.99, "p99_ns"), (0.999, "p999_ns")];

#[derive(Serialize)]
struct Series {
    format: &'static str,
    version: u32,
    from: u64,
    per_column: u64,
    of: u64,
    width: usize,
    directions: Vec<&'static str>,
    /// Whether a count is larger than its place.
    is_cut: bool,
    /// What was sampled beside the run, chart by chart.
    beside: Vec<TelemetryChart>,
}

pub(super) fn answer(
    shelf: &mut Shelf,
    id: &str,
    mut parameters: QueryParameters,
) -> Result<Answer, Refusal> {
    let cut = IntervalRange::of(&mut parameters)?;
    let number = super::store_number(&mut parameters)?;
    parameters.end()?;
    let seconds = super::seconds(shelf, number, id, cut)?;
    let directions: Vec<Direction> = seconds.directions().collect();
    let figures = |figure: &dyn Fn(&Column) -> f64| {
        Numbers::F32(seconds.columns.iter().map(|column| figure(column) as f32).collect())
    };
    let mut columns = vec![
        ("start_s".to_owned(), figures(&|column| column.start_ns as f64 / 1e9)),
        ("duration_s".to_owned(), figures(&|column| column.duration_ns as f64 / 1e9)),
        ("in_flight".to_owned(), figures(&Column::in_flight)),
        ("warmup".to_owned(), Numbers::U32(seconds.columns.iter().map(|c| u32::from(c.warmup)).collect())),
    ];
    let mut is_cut = false;
    for direction in &directions {
        let (name, at) = (direction.name(), direction.index());
        let rate = |column: &Column| column.per_s(column.flows[at].operations);
        columns.push((format!("{name}.operations_per_s"), figures(&rate)));
        let throughput = |column: &Column| column.per_s(column.flows[at].bytes);
        columns.push((format!("{name}.bytes_per_s"), figures(&throughput)));
        let errors =
            seconds.columns.iter().map(|c| binary_columns::count(c.flows[at].errors, &mut is_cut)).collect();
        columns.push((format!("{name}.errors"), Numbers::U32(errors)));
        let flows = || seconds.columns.iter().map(|column| &column.flows[at]);
        quantiles(&mut columns, &format!("{name}.service"), flows().map(|flow| &flow.service));
        let has_response = flows().any(|flow| !flow.response.buckets.is_empty());
        if has_response {
            quantiles(&mut columns, &format!("{name}.response"), flows().map(|flow| &flow.response));
        }
    }
    let store = super::numbered(shelf, number)?;
    let beside = telemetry_charts::read(store, id, &seconds.columns, &mut columns);
    let header = Series {
        format: "fathom.page.series",
        version: 1,
        from: seconds.from,
        per_column: seconds.per_column,
        of: seconds.of,
        width: seconds.columns.len(),
        directions: directions.iter().map(|direction| direction.name()).collect(),
        is_cut,
        beside,
    };
    binary_columns::columns(&header, &columns)
}

/// A column for each percentile; not a number where too few I/Os lie beyond it.
fn quantiles<'a>(
    columns: &mut Vec<(String, Numbers)>,
    name: &str,
    latencies: impl Iterator<Item = &'a Latencies>,
) {
    let summaries: Vec<_> = latencies.map(Latencies::summary).collect();
    for (q, quantile) in QUANTILES {
        let values = summaries.iter().map(|summary| {
            let value = summary.as_ref().and_then(|summary| summary.quantile_ns(q));
            value.map_or(f32::NAN, |ns| ns as f32)
        });
        columns.push((format!("{name}_{quantile}"), Numbers::F32(values.collect())));
    }
}
