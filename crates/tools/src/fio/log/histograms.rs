//! Histogram logs (`write_hist_log`): a line holds the I/Os of one interval and direction, bin by bin.

use std::io::BufRead;

use fathom_measure::Histogram;
use fathom_record::latency::bounds_at;
use fathom_record::run_record::{DirectionSummary, IoGroup, Ledger};
use fathom_record::telemetry::{MetricSeries, Telemetry};
use fathom_record::{Direction, LatencySummary, RecordOrigin, SparseHistogram};

use super::line::{Lines, numbers};
use super::{Era, started_at, tool};
use crate::Refusal;
use crate::fio::bins;
use crate::result_import::{Context, ImportedItem, blank};

const EXPECTED: &str = "fio histogram log";
const DIRECTIONS: [Direction; 3] = [Direction::Read, Direction::Write, Direction::Trim];

/// Intervals kept for the series; an hour of them, more than 40 bytes each, is far below what their lines take.
#[derive(Default)]
struct HistogramTotals {
    /// By direction: counts of bins, and bytes.
    bins: [Vec<u64>; 3],
    bytes: [u128; 3],
    intervals: Vec<Interval>,
    layout: Option<Layout>,
    cut: bool,
}

/// Time, direction, I/Os and their 99th percentile.
type Interval = (u64, usize, u64, u64);

/// How the bins of a line are laid out, told by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    era: Era,
    /// Bins of fio's own that one of the log's holds, as a power of two (`log_hist_coarseness`).
    coarseness: u32,
}

/// Groups of 64 bins: 19 while fio counted microseconds, 29 since it counts nanoseconds.
const BINS: [(Era, usize); 2] = [(Era::Microseconds, 19 << bins::BITS), (Era::Nanoseconds, 29 << bins::BITS)];

impl Layout {
    fn of(count: usize) -> Option<Self> {
        BINS.into_iter().find_map(|(era, whole)| {
            (0..=bins::BITS)
                .find(|coarseness| whole >> coarseness == count)
                .map(|coarseness| Layout { era, coarseness })
        })
    }

    /// Bounds of a bin, in nanoseconds.
    fn bounds_ns(self, bin: usize) -> Option<(u64, u64)> {
        let first = bounds_at(bins::BITS, bin << self.coarseness)?;
        let last = bounds_at(bins::BITS, ((bin + 1) << self.coarseness) - 1)?;
        let unit = self.era.unit_ns();
        Some((first.0.saturating_mul(unit), last.1.saturating_mul(unit).saturating_add(unit - 1)))
    }
}

/// Whether a line has as many numbers as a histogram.
pub fn is_histogram(line: &[u8]) -> bool {
    let count = line.iter().filter(|b| **b == b',').count() + 1;
    count > 16 && Layout::of(count - 3).is_some()
}

/// Reads a histogram log as one run.
///
/// # Errors
/// When a line is none of such a log, or lines differ in their number of bins.
pub fn read(input: &mut dyn BufRead, context: &Context) -> Result<Vec<ImportedItem>, Refusal> {
    let counted = count(input)?;
    let layout = counted.layout.ok_or_else(|| Refusal::new(EXPECTED, "it has no line"))?;
    let mut origin = RecordOrigin {
        parser: EXPECTED.to_owned(),
        era: layout.era.word().to_owned(),
        ..RecordOrigin::default()
    };
    if counted.cut {
        origin.quirk("cut_off", "the last line is cut off and was left out");
    }
    if layout.coarseness > 0 {
        let what = format!("each bin of the log holds {} of fio's own", 1 << layout.coarseness);
        origin.quirk("coarse_bins", what);
    }
    origin.quirk("ends_from_bins", "the smallest and the largest value are the middles of their bins");
    let first_ms = counted.intervals.iter().map(|(at, ..)| *at).min().unwrap_or(0);
    let last_ms = counted.intervals.iter().map(|(at, ..)| *at).max().unwrap_or(0);
    let start = started_at(first_ms);
    // A line is written at the end of its interval; with calendar time the first interval's start is not told.
    let begin_ms = if start.is_some() { first_ms } else { 0 };
    let seconds = (last_ms - begin_ms).max(1) as f64 / 1000.0;
    origin.lacks("workload", "a log names no workload");
    origin.lacks("target", "a log names no target");
    for field in ["clock", "summary.in_flight_mean", "environment", "summary.directions.errors"] {
        origin.lacks(field, "a log does not hold it");
    }
    origin.lacks("summary.directions.tail", "fio leaves out the I/Os after the last whole interval");
    if start.is_none() {
        origin.lacks("started_at", "a log counts from its start; this is when the file was last changed");
    }
    let mut record = blank(tool(), origin, context);
    record.started_at = start.unwrap_or(record.started_at);
    record.summary.duration_ns = (last_ms - begin_ms).max(1).saturating_mul(1_000_000);
    for at in 0..DIRECTIONS.len() {
        record.summary.directions.extend(direction(&counted, layout, at, seconds));
    }
    let moved = |direction| record.summary.direction(direction).map_or(Some(0), |d| d.bytes);
    record.ledger = Ledger {
        seconds,
        bytes_read: moved(Direction::Read),
        bytes_written: moved(Direction::Write),
        resolves_events_per_s: 3.0 / seconds,
        ..Ledger::default()
    };
    record.telemetry = series(&counted, begin_ms);
    Ok(vec![ImportedItem::Run(Box::new(record))])
}

fn count(input: &mut dyn BufRead) -> Result<HistogramTotals, Refusal> {
    let mut out = HistogramTotals::default();
    let mut lines = Lines::new(input, EXPECTED);
    let mut fields: Vec<u64> = Vec::new();
    while let Some((line, is_cut)) = lines.next()? {
        if is_cut {
            out.cut = true;
            break;
        }
        if line.is_empty() {
            continue;
        }
        fields.clear();
        let whole = numbers(line).all(|field| field.map(|n| fields.push(n)).is_some());
        let layout = Layout::of(fields.len().saturating_sub(3)).filter(|_| whole);
        let at = fields.get(1).and_then(|direction| usize::try_from(*direction).ok()).filter(|d| *d < 3);
        let number = lines.number();
        let refuse = |cause: &str| Err(Refusal::new(EXPECTED, cause).at(format!("line {number}")));
        let (Some(layout), Some(at)) = (layout, at) else {
            return refuse("not a time, a direction, a size and as many bins as a version of fio has");
        };
        if out.layout.is_some_and(|first| first != layout) {
            return refuse("another number of bins than in the lines before");
        }
        out.layout = Some(layout);
        take(&mut out, layout, at, &fields);
    }
    Ok(out)
}

fn take(out: &mut HistogramTotals, layout: Layout, direction: usize, fields: &[u64]) {
    let counts = &fields[3..];
    let total: u64 = counts.iter().fold(0, |sum, n| sum.saturating_add(*n));
    let all = &mut out.bins[direction];
    all.resize(counts.len(), 0);
    for (sum, count) in all.iter_mut().zip(counts) {
        *sum = sum.saturating_add(*count);
    }
    out.bytes[direction] += u128::from(total) * u128::from(fields[2]);
    let wanted = total - total / 100;
    let mut below = 0u64;
    let p99 = counts.iter().position(|count| {
        below = below.saturating_add(*count);
        below >= wanted
    });
    let p99_ns = p99.and_then(|bin| layout.bounds_ns(bin)).map_or(0, |(low, high)| low + (high - low) / 2);
    out.intervals.push((fields[0], direction, total, p99_ns));
}

fn direction(counted: &HistogramTotals, layout: Layout, at: usize, seconds: f64) -> Option<DirectionSummary> {
    let mut values = Histogram::new();
    let mut parts = Vec::new();
    for (bin, count) in counted.bins[at].iter().enumerate().filter(|(_, count)| **count > 0) {
        let (low, high) = layout.bounds_ns(bin)?;
        parts.push((low + (high - low) / 2, *count));
    }
    let (first, last) = (parts.first()?.0, parts.last()?.0);
    let bucket = fathom_measure::histogram::bucket_of;
    let sum: u128 = parts.iter().map(|(value, count)| u128::from(*value) * u128::from(*count)).sum();
    let buckets = parts.iter().map(|(value, count)| (bucket(*value), *count));
    if let Ok(found) = Histogram::from_parts(buckets, sum, first, last) {
        values = found;
    }
    let bytes = u64::try_from(counted.bytes[at]).ok().filter(|bytes| *bytes > 0);
    let summary = LatencySummary::of(&values)?;
    Some(DirectionSummary {
        direction: IoGroup::from(DIRECTIONS[at]),
        operations: Some(values.count()),
        bytes,
        errors: None,
        operations_per_s: values.count() as f64 / seconds,
        throughput_bytes_per_s: bytes.unwrap_or(0) as f64 / seconds,
        service: None,
        response: None,
        submit: None,
        service_histogram: None,
        response_histogram: None,
        completion: Some(LatencySummary { min_ns: None, max_ns: None, ..summary }),
        completion_histogram: Some(SparseHistogram::from(&values)),
    })
}

fn series(counted: &HistogramTotals, begin_ms: u64) -> Telemetry {
    let mut times: Vec<u64> = counted.intervals.iter().map(|(at, ..)| *at).collect();
    times.sort_unstable();
    times.dedup();
    let mut all = Vec::new();
    for (at, direction) in DIRECTIONS.into_iter().enumerate() {
        let own: Vec<_> = counted.intervals.iter().filter(|(_, of, ..)| *of == at).collect();
        if own.is_empty() {
            continue;
        }
        let mut one = |metric: &str, unit: &str, figure: &dyn Fn(&Interval) -> f64| {
            let mut values = vec![None; times.len()];
            for interval in &own {
                if let Ok(place) = times.binary_search(&interval.0) {
                    values[place] = Some(figure(interval));
                }
            }
            all.push(MetricSeries {
                metric: metric.to_owned(),
                label: direction.name().to_owned(),
                unit: unit.to_owned(),
                source: "fio log".to_owned(),
                values,
            });
        };
        one("fio.clat.count", "operations", &|interval| interval.2 as f64);
        one("fio.clat.p99", "ns", &|interval| interval.3 as f64);
    }
    let at = |ms: &u64| i64::try_from((ms - begin_ms).saturating_mul(1_000_000)).unwrap_or(i64::MAX);
    Telemetry { at_ns: times.iter().map(at).collect(), series: all, ..Telemetry::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_bins_tells_the_version_and_the_coarseness() {
        let found = |count| Layout::of(count).map(|layout| (layout.era, layout.coarseness));
        assert_eq!(found(1856), Some((Era::Nanoseconds, 0)));
        assert_eq!(found(1216), Some((Era::Microseconds, 0)));
        assert_eq!(found(464), Some((Era::Nanoseconds, 2)));
        assert_eq!((found(1000), found(0)), (None, None));
    }

    #[test]
    fn intervals_add_up_to_a_run() {
        let line = |at: u64, direction: u64, filled: &[(usize, u64)]| {
            let mut bins = vec![0; 1856];
            filled.iter().for_each(|(bin, count)| bins[*bin] = *count);
            let bins: Vec<String> = bins.iter().map(u64::to_string).collect();
            format!("{at}, {direction}, 4096, {}\n", bins.join(", "))
        };
        let text =
            line(1000, 0, &[(10, 3), (200, 1)]) + &line(2000, 0, &[(10, 4)]) + &line(2000, 1, &[(5, 2)]);
        let found = read(&mut text.as_bytes(), &Context::default()).unwrap();
        let [ImportedItem::Run(run)] = found.as_slice() else { panic!("{found:?}") };
        let read = run.summary.direction(Direction::Read).unwrap();
        assert_eq!((read.operations, read.bytes, read.operations_per_s), (Some(8), Some(8 * 4096), 4.0));
        assert_eq!(run.telemetry.find("fio.clat.count", "read").unwrap().values, [Some(4.0), Some(4.0)]);
        let cut = format!("{text}3000, 0, 40");
        let again = super::read(&mut cut.as_bytes(), &Context::default()).unwrap();
        let [ImportedItem::Run(again)] = again.as_slice() else { panic!("{again:?}") };
        assert_eq!(again.summary, run.summary, "what is cut off adds nothing");
    }
}
