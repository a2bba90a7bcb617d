//! diskspd's results as run records.

use std::io::BufRead;

use fathom_order::InOrder;
use fathom_record::facts::TargetKind;
use fathom_record::latency::Quantile;
use fathom_record::provenance::{Quirk, StatedTotal};
use fathom_record::run_record::{
    DirectionSummary, IoGroup, JobDirection, JobSummary, Ledger, TargetSummary, Tool,
};
use fathom_record::telemetry::MetricSeries;
use fathom_record::{Direction, LatencySummary, RecordOrigin, RunRecord};

use super::caching::CacheMode;
use super::results::{Counts, Percentile, Results, SectionValues, SpanResult};
use super::span_mapping::workload_of;
use super::span_profile::TimeSpan;
use super::{read_text, read_xml};
use crate::Refusal;
use crate::result_import::{Confidence, Context, Head, ImportedItem, Importer, blank, text, whole};

/// Reads what diskspd prints, and `-Rtext`.
pub const TEXT_IMPORTER: Importer =
    Importer { name: "diskspd-text", title: "diskspd text output", sniff: sniff_text, read: read_text_file };

/// Reads what diskspd prints with `-Rxml`.
pub const XML_IMPORTER: Importer =
    Importer { name: "diskspd-xml", title: "diskspd XML output", sniff: sniff_xml, read: read_xml_file };

fn sniff_text(head: &Head<'_>) -> Confidence {
    let has = |needle: &str| head.contains(needle);
    let table = has("|    MiB/s   |") || has("|     MB/s   |") || has("%-ile |  Read (ms)");
    if has("Results for timespan") && has("Input parameters:") {
        Confidence::Certain
    } else if table || has("Results for timespan") || (has("Input parameters:") && has("warm up time:")) {
        Confidence::Likely
    } else if has("diskspd") && has("AvgLat") || (has("path: '") && has("think time:")) {
        Confidence::Possible
    } else {
        Confidence::No
    }
}

fn sniff_xml(head: &Head<'_>) -> Confidence {
    let has = |needle: &str| head.contains(needle);
    match (has("<Results>"), has("<TimeSpan>"), has("<Profile>")) {
        (true, true, _) => Confidence::Certain,
        (true, _, true) | (_, true, true) => Confidence::Likely,
        _ => Confidence::No,
    }
}

fn read_text_file(input: &mut dyn BufRead, context: &Context) -> Result<Vec<ImportedItem>, Refusal> {
    let bytes = whole(input, read_text::WHAT)?;
    let mut origin = RecordOrigin { parser: "diskspd text".to_owned(), ..RecordOrigin::default() };
    let text = text(&bytes, &mut origin);
    records(&read_text::read(&text)?, &origin, context)
}

fn read_xml_file(input: &mut dyn BufRead, context: &Context) -> Result<Vec<ImportedItem>, Refusal> {
    let bytes = whole(input, read_xml::WHAT)?;
    let mut origin = RecordOrigin { parser: "diskspd XML".to_owned(), ..RecordOrigin::default() };
    let text = text(&bytes, &mut origin);
    records(&[read_xml::read(&text)?], &origin, context)
}

fn records(all: &[Results], origin: &RecordOrigin, context: &Context) -> Result<Vec<ImportedItem>, Refusal> {
    let mut records = Vec::new();
    let several = all.iter().map(|results| results.spans.len()).sum::<usize>() > 1;
    for (at, results) in all.iter().enumerate() {
        for (place, span) in results.spans.iter().enumerate() {
            if span.totals == SectionValues::default() {
                continue;
            }
            let part =
                if several { format!("result {}, time span {}", at + 1, place + 1) } else { String::new() };
            let origin = RecordOrigin { part, ..origin.clone() };
            let record = record_of(results, place, span, origin, context)?;
            records.push(ImportedItem::Run(Box::new(record)));
        }
    }
    Ok(records)
}

/// The record of one time span.
fn record_of(
    results: &Results,
    place: usize,
    span: &SpanResult,
    mut origin: RecordOrigin,
    context: &Context,
) -> Result<RunRecord, Refusal> {
    origin.quirks.extend(
        results.quirks.iter().map(|(name, what)| Quirk { name: (*name).to_owned(), what: what.clone() }),
    );
    stated(&mut origin, span);
    let seconds = seconds(span, &mut origin)?;
    lacking(&mut origin, span);
    let tool = Tool {
        name: "diskspd".to_owned(),
        version: results.version.clone().unwrap_or_else(|| "unknown".to_owned()),
    };
    let mut record = blank(tool, origin, context);
    record.engine.name = "diskspd".to_owned();
    if let Some(started) = results.started.as_deref().and_then(started) {
        record.started_at = started;
    } else {
        lacks(
            &mut record,
            "started_at",
            "the result states no start; this is when the file was last changed",
        );
    }
    record.environment.cpus =
        results.processors.or(span.processors).and_then(|cpus| u32::try_from(cpus).ok()).unwrap_or(0);
    let asked = results.profile.as_ref().and_then(|profile| profile.spans.get(place));
    fill_workload(&mut record, asked, span);
    fill_target(&mut record, asked, span);
    fill_summary(&mut record, span, seconds);
    let paths = paths(span);
    fill_jobs(&mut record, span, (&paths, seconds));
    if paths.len() > 1 {
        record.targets = (0..).zip(&paths).map(|(at, path)| target(at, path, span, seconds)).collect();
    }
    fill_telemetry(&mut record, span, seconds);
    if !results.command_line.is_empty() {
        record.notes.push(format!("Measured as: {}", results.command_line));
    }
    if span.cut {
        quirk(&mut record, "cut", "the text ends in the middle; what is whole was read");
    }
    Ok(record)
}

fn lacks(record: &mut RunRecord, field: &str, reason: impl Into<String>) {
    if let Some(origin) = &mut record.origin {
        origin.lacks(field, reason);
    }
}

fn quirk(record: &mut RunRecord, name: &str, what: &str) {
    if let Some(origin) = &mut record.origin {
        origin.quirk(name, what);
    }
}

fn lacking(origin: &mut RecordOrigin, span: &SpanResult) {
    const SAYS_NOT: &str = "diskspd does not report it";
    for field in [
        "clock",
        "engine.version",
        "summary.in_flight_mean",
        "summary.reap_lag",
        "summary.generator_busy_share",
        "summary.cpu_user_ns",
        "summary.cpu_system_ns",
        "summary.directions.errors",
        "ledger.span_bytes",
        "ledger.written_over_capacity",
        "ledger.span_touched_share",
        "environment",
    ] {
        origin.lacks(field, SAYS_NOT);
    }
    let latency = span.totals.total.is_some_and(|total| total.mean_ms.is_some());
    if !latency {
        origin.lacks("summary.directions.service", "latencies were not measured: -L was not given");
    } else {
        origin.lacks("summary.directions.service_histogram", "diskspd prints percentiles and no histogram");
    }
}

/// Totals as they are told, for whoever checks what was read.
fn stated(origin: &mut RecordOrigin, span: &SpanResult) {
    for (title, counts) in span.totals.each() {
        let Some(counts) = counts else { continue };
        let mut state = |name: &str, value: Option<f64>, unit: &str| {
            if let Some(value) = value {
                let name = format!("{title} {name}");
                origin.stated.push(StatedTotal { name, value, unit: unit.to_owned() });
            }
        };
        state("bytes", Some(counts.bytes as f64), "bytes");
        state("I/Os", Some(counts.operations as f64), "operations");
        state("MiB/s", counts.mib_per_s, "MiB/s");
        state("I/O per s", counts.per_s, "operations/s");
        state("AvgLat", counts.mean_ms, "ms");
    }
}

/// Length of the measurement: as told, or from a count and its rate.
fn seconds(span: &SpanResult, origin: &mut RecordOrigin) -> Result<f64, Refusal> {
    if let Some(seconds) = span.seconds.filter(|seconds| *seconds > 0.0) {
        return Ok(seconds);
    }
    let derived = span.totals.each().into_iter().find_map(|(_, counts)| {
        let counts = (*counts)?;
        Some(counts.operations as f64 / counts.per_s.filter(|rate| *rate > 0.0)?)
    });
    let derived = derived.filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    let seconds = derived.ok_or_else(|| {
        Refusal::new("diskspd result", "it states neither how long it was measured nor a rate")
            .or("import the whole output of the run")
    })?;
    let what =
        "the length of the measurement is not stated; it follows from the number of I/Os and their rate";
    origin.quirk("length_from_rate", what);
    Ok(seconds)
}

/// `2019/07/25 21:46:27 UTC` as RFC 3339.
fn started(text: &str) -> Option<String> {
    let (date, time) = text.strip_suffix("UTC")?.trim().split_once(' ')?;
    let text = format!("{}T{}Z", date.replace('/', "-"), time.trim());
    text.parse::<jiff::Timestamp>().ok().map(|_| text)
}

fn fill_workload(record: &mut RunRecord, asked: Option<&TimeSpan>, span: &SpanResult) {
    let size = || span.rows.iter().filter_map(|row| row.file_bytes).min();
    match asked.map(|asked| workload_of(asked, &size, &mut Vec::new())) {
        Some(Ok(workload)) => {
            record.summary.in_flight_requested =
                (!workload.arrival.is_open()).then(|| f64::from(workload.jobs) * f64::from(workload.depth));
            record.workload = workload;
        }
        Some(Err(refusal)) => {
            lacks(record, "workload", format!("no workload here is like it: {}", refusal.cause));
        }
        None => lacks(record, "workload", "the text does not state what was asked for"),
    }
}

/// The targets of a span's threads, each once.
fn paths(span: &SpanResult) -> Vec<&str> {
    let mut paths: Vec<&str> = Vec::new();
    for row in span.rows.iter().filter(|row| !row.path.is_empty()) {
        if !paths.contains(&row.path.as_str()) {
            paths.push(&row.path);
        }
    }
    paths
}

/// One target of several: what its threads did, with the percentiles that are told of it.
fn target(target: u32, path: &str, span: &SpanResult, seconds: f64) -> TargetSummary {
    let rows: Vec<_> = span.rows.iter().filter(|row| row.path == path).collect();
    let told = span.of_targets.iter().find(|told| told.path == path);
    let percentiles = told.map_or(&[][..], |told| told.percentiles.as_slice());
    let sum = |pick: fn(&SectionValues<Option<Counts>>) -> Option<Counts>| {
        let each: Vec<Counts> = rows.iter().filter_map(|row| pick(&row.counts)).collect();
        let operations = each.iter().map(|counts| counts.operations).fold(0, u64::saturating_add);
        let bytes = each.iter().map(|counts| counts.bytes).fold(0, u64::saturating_add);
        // The mean over all I/Os, from those of the threads.
        let busy = each.iter().filter(|counts| counts.operations > 0);
        let total_ms: Option<f64> = busy.map(|counts| Some(counts.mean_ms? * counts.operations as f64)).sum();
        let mean_ms = total_ms.filter(|_| operations > 0).map(|total| total / operations as f64);
        Counts { operations, bytes, mean_ms, ..Counts::default() }
    };
    let of = |group, counts: Counts, pick| {
        (counts.operations > 0).then(|| direction(group, &counts, percentiles, pick, seconds))
    };
    let mut directions: Vec<DirectionSummary> = [
        of(IoGroup::Read, sum(|counts| counts.read), (|ms| ms.read) as PickMs),
        of(IoGroup::Write, sum(|counts| counts.write), |ms| ms.write),
    ]
    .into_iter()
    .flatten()
    .collect();
    if directions.is_empty() {
        directions.extend(of(IoGroup::Mixed, sum(|counts| counts.total), |ms| ms.total));
    }
    let jobs = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    TargetSummary { target, name: path.to_owned(), jobs, directions, in_flight_mean: None }
}

fn fill_target(record: &mut RunRecord, asked: Option<&TimeSpan>, span: &SpanResult) {
    let paths = paths(span);
    if !paths.is_empty() {
        record.target.name = paths.join(" + ");
    }
    record.target.kind = TargetKind::Unknown;
    let size_of =
        |path: &&str| span.rows.iter().find(|row| row.path == **path).and_then(|row| row.file_bytes);
    let sizes: Option<Vec<u64>> = paths.iter().map(size_of).collect();
    record.target.size_bytes =
        sizes.and_then(|sizes| sizes.into_iter().try_fold(0u64, u64::checked_add)).unwrap_or(0);
    match asked.and_then(|asked| asked.targets.first()) {
        Some(target) => record.target.direct = target.caching.mode == CacheMode::Unbuffered,
        None => lacks(record, "target.direct", "the text does not state how the target was opened"),
    }
    lacks(record, "target.kind", "diskspd prints the target's name alone");
}

fn fill_summary(record: &mut RunRecord, span: &SpanResult, seconds: f64) {
    record.summary.duration_ns = (seconds * 1e9).round() as u64;
    let each = [
        (IoGroup::Read, span.totals.read, (|ms| ms.read) as PickMs),
        (IoGroup::Write, span.totals.write, |ms| ms.write),
    ];
    let known: Vec<_> =
        each.into_iter().filter_map(|(group, counts, pick)| Some((group, counts?, pick))).collect();
    let summaries = if let (2, _) = (known.len(), ()) {
        let there = known.into_iter().filter(|(_, counts, _)| counts.operations > 0);
        there
            .map(|(group, counts, pick)| direction(group, &counts, &span.percentiles, pick, seconds))
            .collect()
    } else {
        let group = only_direction(record);
        if group == IoGroup::Mixed {
            lacks(record, "summary.directions", "the text has the table of all I/O alone");
        }
        let total = span.totals.total.or(span.totals.read).or(span.totals.write).unwrap_or_default();
        vec![direction(group, &total, &span.percentiles, |ms| ms.total, seconds)]
    };
    let bytes = |wanted: IoGroup| {
        let told = |summary: &&DirectionSummary| summary.direction == wanted;
        let mixed = |summary: &DirectionSummary| summary.direction == IoGroup::Mixed;
        let found = summaries.iter().find(told).and_then(|summary| summary.bytes);
        found.or_else(|| (!summaries.iter().any(mixed)).then_some(0))
    };
    record.ledger = Ledger {
        seconds,
        bytes_read: bytes(IoGroup::Read),
        bytes_written: bytes(IoGroup::Write),
        resolves_events_per_s: 3.0 / seconds,
        ..Ledger::default()
    };
    record.summary.directions = summaries;
}

/// The one direction that a workload has, where it is known and there is one.
fn only_direction(record: &RunRecord) -> IoGroup {
    let guessed = record.origin.as_ref().is_some_and(|origin| origin.why_absent("workload").is_some());
    match record.workload.mix.read_share {
        _ if guessed => IoGroup::Mixed,
        1.0 => IoGroup::Read,
        0.0 => IoGroup::Write,
        _ => IoGroup::Mixed,
    }
}

fn direction(
    group: IoGroup,
    counts: &Counts,
    percentiles: &[Percentile],
    pick: PickMs,
    seconds: f64,
) -> DirectionSummary {
    DirectionSummary {
        direction: group,
        operations: Some(counts.operations),
        bytes: Some(counts.bytes),
        errors: None,
        operations_per_s: counts.operations as f64 / seconds,
        throughput_bytes_per_s: counts.bytes as f64 / seconds,
        service: latency(counts, percentiles, pick),
        response: None,
        submit: None,
        service_histogram: None,
        response_histogram: None,
        completion: None,
        completion_histogram: None,
    }
}

/// Which latency of a row is meant: of reads, of writes or of both.
type PickMs = fn(&SectionValues<Option<f64>>) -> Option<f64>;

/// Half of the last digit that diskspd prints, in nanoseconds.
const HALF_DIGIT_NS: u64 = 500;

fn latency(counts: &Counts, percentiles: &[Percentile], pick: PickMs) -> Option<LatencySummary> {
    let ns = |ms: f64| (ms * 1e6).round() as u64;
    let at =
        |order: f64| percentiles.iter().find(|row| row.order == order).and_then(|row| pick(&row.ms)).map(ns);
    let mut quantiles: Vec<Quantile> = percentiles
        .iter()
        .filter(|row| row.order > 0.0 && row.order < 1.0)
        .filter_map(|row| {
            let value_ns = ns(pick(&row.ms)?);
            let (low_ns, high_ns) =
                (value_ns.saturating_sub(HALF_DIGIT_NS), value_ns.saturating_add(HALF_DIGIT_NS));
            Some(Quantile { q: row.order, value_ns, low_ns, high_ns })
        })
        .collect();
    quantiles.put_in_order_by(|a, b| a.q.total_cmp(&b.q));
    Some(LatencySummary {
        count: Some(counts.operations),
        min_ns: at(0.0),
        mean_ns: counts.mean_ms? * 1e6,
        max_ns: at(1.0),
        deviation_ns: counts.deviation_ms.map(|ms| ms * 1e6),
        quantiles,
        stated: true,
    })
}

fn fill_jobs(record: &mut RunRecord, span: &SpanResult, (paths, seconds): (&[&str], f64)) {
    let jobs = span.rows.iter().zip(0..).map(|(row, job)| {
        let total = row.counts.total;
        let directions = [(Direction::Read, row.counts.read), (Direction::Write, row.counts.write)];
        let of = |(direction, counts): (Direction, Option<Counts>)| {
            let counts = counts.filter(|counts| counts.operations > 0)?;
            Some(JobDirection {
                direction,
                operations: counts.operations,
                bytes: counts.bytes,
                errors: None,
                service_min_ns: None,
                service_mean_ns: counts.mean_ms.map(|ms| ms * 1e6),
                service_max_ns: None,
            })
        };
        JobSummary {
            job,
            target: (0..)
                .zip(paths)
                .find(|(_, path)| paths.len() > 1 && **path == row.path)
                .map(|(at, _)| at),
            cpu: None,
            placement: None,
            start: None,
            operations: total.map(|counts| counts.operations),
            bytes: total.map(|counts| counts.bytes),
            errors: None,
            operations_per_s: total.map(|counts| counts.operations as f64 / seconds),
            in_flight_mean: None,
            busy_share: None,
            directions: directions.into_iter().filter_map(of).collect(),
        }
    });
    record.jobs = jobs.collect();
}

/// Use of the processors over the measurement as one sample, and IOPS of its intervals.
fn fill_telemetry(record: &mut RunRecord, span: &SpanResult, seconds: f64) {
    let mean = span.cpu_mean.iter().map(|cpu| (String::new(), cpu));
    let rows: Vec<_> = span.cpus.iter().map(|cpu| (cpu.name.clone(), cpu)).chain(mean).collect();
    let ends = span.iops.iter().map(|bucket| (bucket.end_ms * 1e6) as i64);
    let whole_ns = (seconds * 1e9) as i64;
    let mut at_ns: Vec<i64> = ends.clone().chain((!rows.is_empty()).then_some(whole_ns)).collect();
    at_ns.sort_unstable();
    at_ns.dedup();
    let placed = |samples: &[(i64, f64)]| {
        let mut values = vec![None; at_ns.len()];
        for (at, value) in samples {
            if let Ok(place) = at_ns.binary_search(at) {
                values[place] = Some(*value);
            }
        }
        values
    };
    let series = |metric: &str, label: &str, unit: &str, values| MetricSeries {
        metric: metric.to_owned(),
        label: label.to_owned(),
        unit: unit.to_owned(),
        source: "diskspd".to_owned(),
        values,
    };
    let mut all = Vec::new();
    for (label, cpu) in &rows {
        for (metric, percent) in [("cpu.user", cpu.user), ("cpu.system", cpu.kernel), ("cpu.idle", cpu.idle)]
        {
            all.push(series(metric, label, "share", placed(&[(whole_ns, percent / 100.0)])));
        }
    }
    if !span.iops.is_empty() {
        let of = |pick: fn(&SectionValues<f64>) -> f64| {
            let values = ends.clone().zip(span.iops.iter().map(|bucket| pick(&bucket.operations)));
            placed(&values.collect::<Vec<_>>())
        };
        all.push(series("diskspd.reads", "", "operations", of(|bucket| bucket.read)));
        all.push(series("diskspd.writes", "", "operations", of(|bucket| bucket.write)));
    }
    record.telemetry.at_ns = at_ns;
    record.telemetry.series = all;
}
