//! Bandwidth, IOPS and latency logs: series over time, and a whole run where every line is one I/O.

use std::io::BufRead;

use fathom_measure::Histogram;
use fathom_record::run_record::{DirectionSummary, IoGroup, Ledger, RunRecord, Tool};
use fathom_record::telemetry::{MetricSeries, Telemetry};
use fathom_record::{Direction, LatencySummary, RecordOrigin, SparseHistogram};

use super::buckets::{Bucket, Buckets};
use super::line::{Lines, Sample, sample};
use super::{Era, Kind, started_at, tool};
use crate::Refusal;
use crate::result_import::{Context, ForeignTelemetry, ImportedItem, blank};

const EXPECTED: &str = "fio log";

/// An I/O of a warm-up may be in flight when a log's time begins, and so be older than the log by its latency. One that
/// has taken as long as this is none that ends.
const BEFORE_THE_START_US: u64 = 10_000_000;

const DIRECTIONS: [Direction; 3] = [Direction::Read, Direction::Write, Direction::Trim];

/// What all lines come to.
struct SampleTotals {
    buckets: Buckets,
    histograms: [Histogram; 3],
    operations: [u64; 3],
    largest: u64,
    bytes: [u128; 3],
    lines: u64,
    /// Lines whose size is not 0, which are one I/O each.
    single: u64,
    first_ms: u64,
    last_ms: u64,
    fewest_columns: usize,
    has_hex: bool,
    /// Whether a line's value is longer than the log had run, if it is in microseconds.
    outlasts_the_run: bool,
    cut: bool,
}

/// Reads a log of this kind.
///
/// # Errors
/// When a line is none of a log, or a latency's unit cannot be told.
pub fn read(
    input: &mut dyn BufRead,
    kind: Kind,
    (era, forced): (Option<Era>, bool),
    context: &Context,
) -> Result<Vec<ImportedItem>, Refusal> {
    let counted = count(input, kind)?;
    let mut origin = RecordOrigin { parser: format!("fio {} log", kind.word()), ..RecordOrigin::default() };
    if counted.cut {
        origin.quirk("cut_off", "the last line is cut off and was left out");
    }
    let unit = match kind {
        Kind::Bandwidth | Kind::Iops => 1,
        _ => unit_ns(&counted, era, &mut origin)?,
    };
    let offset_ms = started_at(counted.first_ms).map_or(0, |_| counted.first_ms);
    let mut telemetry = series(&counted, kind, unit, offset_ms);
    if counted.buckets.width_ms() > 1 {
        let what = format!("samples were put together over {} ms each", counted.buckets.width_ms());
        origin.quirk("long_log", what);
    }
    let start = started_at(counted.first_ms);
    if is_of_single_ios(&counted, kind, forced)? {
        if !kind.is_latency() {
            telemetry = Telemetry::default();
            origin.quirk(
                "single_ios",
                "each line is one I/O, whose value is not a rate; counts and sizes give it",
            );
        }
        return Ok(vec![ImportedItem::Run(Box::new(run(
            &counted, kind, unit, telemetry, start, origin, context,
        )))]);
    }
    Ok(vec![ImportedItem::Telemetry(Box::new(ForeignTelemetry {
        tool: tool(),
        started_at: start,
        telemetry,
        environment: Default::default(),
        origin,
    }))])
}

/// Whether each line is one I/O, as fio logs without `log_avg_msec`. Old versions print the size of the I/Os
/// beside their means of half a second too, so for rates the cadence has to tell.
fn is_of_single_ios(counted: &SampleTotals, kind: Kind, forced: bool) -> Result<bool, Refusal> {
    /// Samples a second that fio's means never reach: it takes at most ten.
    const MOST_MEANS_PER_S: f64 = 20.0;
    if counted.single < counted.lines || forced && !kind.is_latency() {
        return Ok(false);
    }
    let seconds = (counted.last_ms.saturating_sub(counted.first_ms)) as f64 / 1000.0;
    let often = counted.lines as f64 > MOST_MEANS_PER_S * (seconds + 1.0);
    match kind {
        Kind::Iops => Ok(counted.largest <= 1),
        Kind::Bandwidth if often => Ok(true),
        Kind::Bandwidth => {
            let cause = "each line is a mean, or the speed of one I/O, and the lines do not say which";
            Err(Refusal::new(EXPECTED, cause).or("for means: --as fio-bw-log"))
        }
        _ => Ok(true),
    }
}

fn count(input: &mut dyn BufRead, kind: Kind) -> Result<SampleTotals, Refusal> {
    let mut out = SampleTotals {
        buckets: Buckets::new(),
        histograms: [Histogram::new(), Histogram::new(), Histogram::new()],
        bytes: [0; 3],
        operations: [0; 3],
        largest: 0,
        lines: 0,
        single: 0,
        first_ms: u64::MAX,
        last_ms: 0,
        fewest_columns: usize::MAX,
        has_hex: false,
        outlasts_the_run: false,
        cut: false,
    };
    let mut lines = Lines::new(input, EXPECTED);
    while let Some((line, is_cut)) = lines.next()? {
        if line.is_empty() {
            continue;
        }
        let found = sample(line);
        // fio ends every line: without an end it may be cut off in the middle of a number.
        if is_cut && !found.is_some_and(|sample| sample.is_whole_without_end()) {
            out.cut = true;
            break;
        }
        let Some(sample) = found else {
            return Err(Refusal::new(EXPECTED, "not a time, a value, a direction and a size")
                .at(format!("line {}", lines.number())));
        };
        take(&mut out, &sample, kind);
    }
    out.buckets = out.buckets.settled();
    match (out.lines, out.cut) {
        (0, true) => {
            let cause = "its only line has no end, and may be cut off in the middle of a number";
            Err(Refusal::new(EXPECTED, cause).or("where it is whole, end it with a line break"))
        }
        (0, false) => Err(Refusal::new(EXPECTED, "it has no line")),
        _ => Ok(out),
    }
}

fn take(out: &mut SampleTotals, sample: &Sample, kind: Kind) {
    out.lines += 1;
    out.single += u64::from(sample.bytes > 0);
    out.first_ms = out.first_ms.min(sample.at_ms);
    out.last_ms = out.last_ms.max(sample.at_ms);
    out.fewest_columns = out.fewest_columns.min(sample.columns);
    out.has_hex |= sample.has_hex;
    out.buckets.add(sample.at_ms, sample.direction, sample.value);
    out.largest = out.largest.max(sample.value);
    let ran_us = sample.at_ms.saturating_mul(1000);
    out.outlasts_the_run |= sample.value > ran_us.saturating_add(BEFORE_THE_START_US);
    if sample.bytes > 0 {
        out.operations[sample.direction] += 1;
        out.bytes[sample.direction] += u128::from(sample.bytes);
        if kind.is_latency() {
            out.histograms[sample.direction].record(sample.value);
        }
    }
}

/// Nanoseconds of a latency's unit. fio writes no version into its logs; since 3.13 a column for the priority
/// tells that the version is one of nanoseconds, and so does a value that is longer than the log had run.
fn unit_ns(counted: &SampleTotals, era: Option<Era>, origin: &mut RecordOrigin) -> Result<u64, Refusal> {
    let by_columns = counted.fewest_columns >= 5 || counted.has_hex;
    let era = match (era, by_columns) {
        (Some(era), _) => era,
        (None, true) => Era::Nanoseconds,
        // Times that count from 1970 say nothing of how long it ran.
        (None, false) if counted.outlasts_the_run && started_at(counted.first_ms).is_none() => {
            let what = "in microseconds a latency would be longer than the log had run, so that they are taken as nanoseconds";
            origin.quirk("unit_by_time", what);
            Era::Nanoseconds
        }
        (None, false) => {
            let cause = "latencies are in microseconds from fio before 3.0 and in nanoseconds since, and four columns do not say which";
            return Err(Refusal::new(EXPECTED, cause).or("say which: --as fio-log-us or --as fio-log-ns"));
        }
    };
    origin.era = era.word().to_owned();
    Ok(era.unit_ns())
}

fn series(counted: &SampleTotals, kind: Kind, unit: u64, offset_ms: u64) -> Telemetry {
    let at =
        |ms: u64| i64::try_from(ms.saturating_sub(offset_ms).saturating_mul(1_000_000)).unwrap_or(i64::MAX);
    let at_ns = counted.buckets.ends_ms().into_iter().map(at).collect();
    let (unit_name, factor) = match kind {
        Kind::Bandwidth => ("bytes/s", 1024.0),
        Kind::Iops => ("operations/s", 1.0),
        _ => ("ns", unit as f64),
    };
    let mut all = Vec::new();
    for (at, direction) in DIRECTIONS.into_iter().enumerate().filter(|(at, _)| counted.buckets.has(*at)) {
        let one = |suffix: &str, figure: &dyn Fn(&Bucket) -> f64| MetricSeries {
            metric: format!("fio.{}{suffix}", kind.metric()),
            label: direction.name().to_owned(),
            unit: unit_name.to_owned(),
            source: "fio log".to_owned(),
            values: counted.buckets.of(at, |bucket| figure(bucket) * factor),
        };
        all.push(one("", &Bucket::mean));
        // The largest of means is no largest latency.
        if kind.is_latency() && counted.single == counted.lines {
            all.push(one(".max", &|bucket| bucket.max as f64));
        }
    }
    Telemetry { at_ns, series: all, ..Telemetry::default() }
}

/// The run that a log of single I/Os is of.
fn run(
    counted: &SampleTotals,
    kind: Kind,
    unit: u64,
    telemetry: Telemetry,
    start: Option<String>,
    mut origin: RecordOrigin,
    context: &Context,
) -> RunRecord {
    let first_ms = if start.is_some() { counted.first_ms } else { 0 };
    let duration_ms = (counted.last_ms - first_ms).max(1);
    let seconds = duration_ms as f64 / 1000.0;
    origin.lacks("workload", "a log names no workload");
    origin.lacks("target", "a log names no target");
    for field in ["clock", "summary.in_flight_mean", "environment", "summary.directions.errors"] {
        origin.lacks(field, "a log does not hold it");
    }
    if start.is_none() {
        origin.lacks("started_at", "a log counts from its start; this is when the file was last changed");
    }
    let mut record = blank(Tool { ..tool() }, origin, context);
    record.started_at = start.unwrap_or(record.started_at);
    record.summary.duration_ns = duration_ms.saturating_mul(1_000_000);
    for (at, direction) in DIRECTIONS.into_iter().enumerate() {
        if counted.operations[at] > 0 {
            record.summary.directions.push(one_direction(direction, counted, seconds, kind, unit));
        }
    }
    let moved = |direction| record.summary.direction(direction).map_or(Some(0), |d| d.bytes);
    record.ledger = Ledger {
        seconds,
        bytes_read: moved(Direction::Read),
        bytes_written: moved(Direction::Write),
        resolves_events_per_s: 3.0 / seconds,
        ..Ledger::default()
    };
    record.telemetry = telemetry;
    record
}

fn one_direction(
    direction: Direction,
    counted: &SampleTotals,
    seconds: f64,
    kind: Kind,
    unit: u64,
) -> DirectionSummary {
    let at = direction.index();
    let (operations, values) = (counted.operations[at], &counted.histograms[at]);
    let bytes = u64::try_from(counted.bytes[at]).unwrap_or(u64::MAX);
    let values = if unit == 1 { values.clone() } else { scaled(values, unit) };
    let summary = LatencySummary::of(&values);
    let sparse = Some(SparseHistogram::from(&values));
    let mut out = DirectionSummary {
        direction: IoGroup::from(direction),
        operations: Some(operations),
        bytes: Some(bytes),
        errors: None,
        operations_per_s: operations as f64 / seconds,
        throughput_bytes_per_s: bytes as f64 / seconds,
        service: None,
        response: None,
        submit: None,
        service_histogram: None,
        response_histogram: None,
        completion: None,
        completion_histogram: None,
    };
    match kind {
        // What such a log says of each I/O is no rate, and not its latency.
        Kind::Bandwidth | Kind::Iops => {}
        Kind::Latency => (out.service, out.service_histogram) = (summary, sparse),
        Kind::Submission => out.submit = summary,
        _ => (out.completion, out.completion_histogram) = (summary, sparse),
    }
    out
}

/// The same values in another unit: those of a bucket go to the middle of it, and both ends stay exact.
fn scaled(values: &Histogram, unit: u64) -> Histogram {
    use fathom_measure::histogram::{bucket_bounds, bucket_of};
    let (Some(min), Some(max)) = (values.min(), values.max()) else { return Histogram::new() };
    let (min, max) = (min.saturating_mul(unit), max.saturating_mul(unit));
    let mut parts: Vec<(usize, u64)> = Vec::new();
    let mut found: Vec<(usize, u64)> = values.buckets().collect();
    let last = found.len() - 1;
    for (end, at) in [(min, 0), (max, last)] {
        if found[at].1 > 0 {
            found[at].1 -= 1;
            parts.push((bucket_of(end), 1));
        }
    }
    for (bucket, count) in found.into_iter().filter(|(_, count)| *count > 0) {
        let (low, high) = bucket_bounds(bucket);
        let middle = (low + (high - low) / 2).saturating_mul(unit).clamp(min, max);
        parts.push((bucket_of(middle), count));
    }
    let sum = values.sum().saturating_mul(u128::from(unit));
    Histogram::from_parts(parts, sum, min, max).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str, kind: Kind, era: Option<Era>) -> Result<Vec<ImportedItem>, Refusal> {
        read(&mut text.as_bytes(), kind, (era, false), &Context::default())
    }

    #[test]
    fn means_become_series() {
        let text = "500, 2008, 0, 0, 0, 0x0000\n500, 1000, 1, 0, 0, 0x0000\n1000, 2004, 0, 0, 0, 0x0000\n10";
        let found = read_all(text, Kind::Bandwidth, None).unwrap();
        let [ImportedItem::Telemetry(found)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(found.telemetry.at_ns, [500_000_000, 1_000_000_000]);
        let read = found.telemetry.find("fio.bandwidth", "read").unwrap();
        assert_eq!(read.values, [Some(2008.0 * 1024.0), Some(2004.0 * 1024.0)]);
        let write = found.telemetry.find("fio.bandwidth", "write").unwrap();
        assert_eq!(write.values, [Some(1000.0 * 1024.0), None]);
        assert_eq!(found.origin.quirks[0].name, "cut_off");
    }

    #[test]
    fn means_have_no_maximum() {
        let text = "500, 90000, 0, 0, 0, 0x0000\n1000, 80000, 0, 0, 0, 0x0000\n";
        let found = read_all(text, Kind::Completion, None).unwrap();
        let [ImportedItem::Telemetry(found)] = found.as_slice() else { panic!("{found:?}") };
        let names: Vec<&str> = found.telemetry.series.iter().map(|series| series.metric.as_str()).collect();
        assert_eq!(names, ["fio.clat"]);
        let text = "500, 90000, 0, 4096, 0, 0x0000\n500, 80000, 0, 4096, 0, 0x0000\n";
        let found = read_all(text, Kind::Completion, None).unwrap();
        let [ImportedItem::Run(run)] = found.as_slice() else { panic!("{found:?}") };
        let values = |metric| run.telemetry.find(metric, "read").map(|series| series.values.clone());
        assert_eq!(values("fio.clat"), Some(vec![Some(85_000.0)]));
        assert_eq!(values("fio.clat.max"), Some(vec![Some(90_000.0)]), "of single I/Os it is known");
    }

    #[test]
    fn a_latency_longer_than_the_log_is_in_nanoseconds() {
        let means = "1016, 438142423, 0, 0\n2016, 401000000, 0, 0\n";
        let found = read_all(means, Kind::Latency, None).unwrap();
        let [ImportedItem::Telemetry(found)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(found.telemetry.series[0].values[0], Some(438_142_423.0));
        assert_eq!(
            (found.origin.era.as_str(), found.origin.quirks[0].name.as_str()),
            ("nanoseconds", "unit_by_time")
        );
        // Of I/Os that a warm-up may have left, 9 s are no proof; of calendar time nothing is.
        assert!(read_all("16, 9000000, 0, 0\n", Kind::Latency, None).is_err());
        assert!(read_all("1795184497678, 4381424230000000, 0, 0\n", Kind::Latency, None).is_err());
        let said = read_all(means, Kind::Latency, Some(Era::Microseconds)).unwrap();
        let [ImportedItem::Telemetry(said)] = said.as_slice() else { panic!("{said:?}") };
        assert_eq!(
            said.telemetry.series[0].values[0],
            Some(438_142_423_000.0),
            "whoever says it is believed"
        );
    }

    #[test]
    fn one_line_without_an_end_is_read_where_nothing_can_be_cut_off() {
        let of = |text: &str| read_all(text, Kind::Iops, None);
        let found = of("1000, 5230, 0, 0").unwrap();
        let [ImportedItem::Telemetry(found)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(found.telemetry.series[0].values, [Some(5230.0)]);
        assert_eq!(of("1000, 5230, 0, 0, 0").unwrap().len(), 1);
        let cut = of("1000, 1, 0, 40").unwrap_err();
        assert!(cut.remedy.contains("line break"), "{cut}");
        assert!(of("").unwrap_err().cause.contains("no line"));
    }

    #[test]
    fn single_ios_become_a_run() {
        let text = "100, 50, 0, 4096\n200, 70, 0, 4096\n400, 90, 1, 8192\n";
        let refusal = read_all(text, Kind::Latency, None).unwrap_err();
        assert!(refusal.remedy.contains("fio-log-us"), "{refusal}");
        let found = read_all(text, Kind::Latency, Some(Era::Microseconds)).unwrap();
        let [ImportedItem::Run(run)] = found.as_slice() else { panic!("{found:?}") };
        let read = run.summary.direction(Direction::Read).unwrap();
        assert_eq!((read.operations, read.bytes, read.operations_per_s), (Some(2), Some(8192), 5.0));
        let service = read.service.as_ref().unwrap();
        assert_eq!((service.min_ns, service.max_ns, service.mean_ns), (Some(50_000), Some(70_000), 60_000.0));
    }

    #[test]
    fn what_is_no_log_is_refused_with_its_line() {
        let refusal = read_all("1, 2, 0, 0\nfio version 3 iolog\n", Kind::Iops, None).unwrap_err();
        assert_eq!(refusal.place, "line 2");
        assert!(read_all("\n\n", Kind::Iops, None).is_err());
    }
}
