//! `runs/ID/heat`: how many I/Os had which latency in which seconds, as exact counts.

use std::collections::BTreeMap;

use fathom_measure::histogram::{GROUPING_POWER, bucket_bounds};
use fathom_record::Direction;
use serde::Serialize;

use super::binary_columns::{self, Numbers};
use super::query_parameters::QueryParameters;
use super::second_columns::{Flow, IntervalRange, Latencies};
use super::{Answer, Refusal};
use crate::shelf::Shelf;

/// Each octave has 8 rows. A bucket of a record lies whole in one row, so that nothing is spread.
const ROWS_POWER: u32 = 3;
/// Buckets of a row.
pub(super) const BUCKETS_OF_ROW: usize = 1 << (GROUPING_POWER - ROWS_POWER);

#[derive(Serialize)]
struct Heat {
    format: &'static str,
    version: u32,
    kind: &'static str,
    direction: Option<Direction>,
    from: u64,
    per_column: u64,
    of: u64,
    /// Column by column, from the lowest row up.
    width: usize,
    height: usize,
    /// Lowest latency of each row, and at the end the highest of the last.
    bounds_ns: Vec<u64>,
    /// Whether a count is larger than its place.
    is_cut: bool,
}

/// Which latency.
#[derive(Clone, Copy, Debug)]
struct LatencyChoice {
    is_response: bool,
    /// Absent for all but flushes.
    direction: Option<Direction>,
}

impl LatencyChoice {
    fn of(parameters: &mut QueryParameters) -> Result<Self, Refusal> {
        let is_response = match parameters.text("kind")?.as_deref() {
            None | Some("service") => false,
            Some("response") => true,
            Some(other) => {
                return Err(Refusal::usage("kind", format!("`{other}` is neither service nor response")));
            }
        };
        let direction = parameters.text("direction")?.map(|name| {
            let found = Direction::ALL.into_iter().find(|direction| direction.name() == name);
            found.ok_or_else(|| Refusal::usage("direction", format!("unknown direction `{name}`")))
        });
        Ok(Self { is_response, direction: direction.transpose()? })
    }

    fn of_flow(self, flow: &Flow) -> &Latencies {
        if self.is_response { &flow.response } else { &flow.service }
    }

    fn holds(self, direction: Direction) -> bool {
        self.direction.map_or(direction != Direction::Flush, |only| only == direction)
    }
}

pub(super) fn answer(
    shelf: &mut Shelf,
    id: &str,
    mut parameters: QueryParameters,
) -> Result<Answer, Refusal> {
    let (which, cut) = (LatencyChoice::of(&mut parameters)?, IntervalRange::of(&mut parameters)?);
    let number = super::store_number(&mut parameters)?;
    parameters.end()?;
    let seconds = super::seconds(shelf, number, id, cut)?;
    let columns: Vec<BTreeMap<usize, u64>> = seconds
        .columns
        .iter()
        .map(|column| {
            let flows = Direction::ALL.into_iter().filter(|direction| which.holds(*direction));
            rows(flows.map(|direction| which.of_flow(&column.flows[direction.index()])))
        })
        .collect();
    let used = || columns.iter().flat_map(BTreeMap::keys).copied();
    let (low, high) = (used().min().unwrap_or(0), used().max().map_or(0, |row| row + 1));
    let height = high - low.min(high);
    let mut is_cut = false;
    let mut counts = Vec::with_capacity(columns.len() * height);
    for column in &columns {
        for row in low..low + height {
            counts.push(binary_columns::count(column.get(&row).copied().unwrap_or(0), &mut is_cut));
        }
    }
    let header = Heat {
        format: "fathom.page.heat",
        version: 1,
        kind: if which.is_response { "response" } else { "service" },
        direction: which.direction,
        from: seconds.from,
        per_column: seconds.per_column,
        of: seconds.of,
        width: columns.len(),
        height,
        bounds_ns: bounds(low, height),
        is_cut,
    };
    binary_columns::columns(&header, &[("counts".to_owned(), Numbers::U32(counts))])
}

/// Counts by row.
pub(super) fn rows<'a>(latencies: impl Iterator<Item = &'a Latencies>) -> BTreeMap<usize, u64> {
    let mut rows = BTreeMap::new();
    for (bucket, count) in latencies.flat_map(|latencies| latencies.buckets.iter().copied()) {
        let row: &mut u64 = rows.entry(bucket / BUCKETS_OF_ROW).or_default();
        *row = row.saturating_add(count);
    }
    rows
}

/// Lowest latency of a row, in nanoseconds.
pub(super) fn row_low_ns(row: usize) -> u64 {
    bucket_bounds(row * BUCKETS_OF_ROW).0
}

/// Highest latency of a row, in nanoseconds.
pub(super) fn row_high_ns(row: usize) -> u64 {
    bucket_bounds((row + 1) * BUCKETS_OF_ROW - 1).1
}

fn bounds(low: usize, height: usize) -> Vec<u64> {
    let mut bounds: Vec<u64> = (low..low + height).map(row_low_ns).collect();
    bounds.extend((height > 0).then(|| row_high_ns(low + height - 1)));
    bounds
}
