//! What SPDK's generators found, as a run record.

use fathom_order::InOrder;
use fathom_record::facts::TargetKind;
use fathom_record::latency::{QUANTILES, Quantile};
use fathom_record::provenance::{Quirk, StatedTotal};
use fathom_record::run_record::{DirectionSummary, IoGroup, JobSummary, Ledger, RunEnding, Tool};
use fathom_record::{LatencySummary, RecordOrigin, RunRecord};

use super::spdk_tables::{Distribution, JOB_FAILED, Outcome, Row};
use crate::result_import::{Context, blank};

const MIB: f64 = 1_048_576.0;

/// The record of one table. `tool` is the name of the generator.
pub fn record_of(outcome: &Outcome, tool: &str, mut origin: RecordOrigin, context: &Context) -> RunRecord {
    let quirks = outcome.quirks.iter();
    origin.quirks.extend(quirks.map(|(name, what)| Quirk { name: (*name).to_owned(), what: what.clone() }));
    lacking(&mut origin, tool);
    let total = total(outcome, &mut origin);
    let version = outcome.version.clone().unwrap_or_else(|| "unknown".to_owned());
    let mut record = blank(Tool { name: tool.to_owned(), version }, origin, context);
    record.engine.name = tool.to_owned();
    fill_workload(&mut record, outcome);
    let names: Vec<&str> = outcome.rows.iter().map(|row| row.name.as_str()).collect();
    record.target.name = names.join(" + ");
    record.target.kind = TargetKind::Unknown;
    // Neither has a page cache: both keep to the device themselves, or to a file opened past it.
    record.target.direct = true;
    let seconds =
        outcome.rows.iter().filter_map(|row| row.seconds).reduce(f64::max).or(outcome.asked.seconds);
    let seconds = seconds.filter(|seconds| *seconds > 0.0 && *seconds < 1e9);
    fill_times(&mut record, seconds);
    fill_summary(&mut record, outcome, &total);
    let io_bytes = outcome.asked.io_bytes;
    record.jobs = outcome.rows.iter().zip(0..).map(|(row, job)| job_of(job, row)).collect();
    if let Some(origin) = &mut record.origin {
        check_size(origin, &total, io_bytes);
    }
    if let Some((_, what)) = outcome.quirks.iter().find(|(name, _)| *name == JOB_FAILED) {
        record.ending = RunEnding::Failed { error: what.clone() };
    }
    if !outcome.asked.line.is_empty() {
        record.notes.push(format!("Measured as: {}", outcome.asked.line));
    }
    record
}

fn lacking(origin: &mut RecordOrigin, tool: &str) {
    for field in [
        "clock",
        "engine.version",
        "target.kind",
        "target.size_bytes",
        "summary.in_flight_mean",
        "summary.reap_lag",
        "summary.generator_busy_share",
        "summary.cpu_user_ns",
        "summary.cpu_system_ns",
        "summary.directions.errors",
        "ledger.span_bytes",
        "ledger.bytes_read",
        "ledger.bytes_written",
        "ledger.span_touched_share",
        "environment",
        "started_at",
    ] {
        origin.lacks(field, format!("{tool} does not report it"));
    }
}

/// The row of all together, as it is told, or added up.
fn total(outcome: &Outcome, origin: &mut RecordOrigin) -> Row {
    let mut state = |name: &str, value: f64, unit: &str| {
        origin.stated.push(StatedTotal { name: format!("Total {name}"), value, unit: unit.to_owned() });
    };
    if let Some(total) = &outcome.total {
        state("IOPS", total.per_s, "operations/s");
        state("MiB/s", total.mib_per_s, "MiB/s");
        if let Some(mean_us) = total.mean_us {
            state("Average", mean_us, "us");
        }
        return total.clone();
    }
    origin.quirk("no_total", "the text has no total; rates were added up, and means weighed by them");
    let rows = &outcome.rows;
    let per_s: f64 = rows.iter().map(|row| row.per_s).sum();
    let all_means = rows.iter().all(|row| row.mean_us.is_some() || row.per_s == 0.0);
    let weighed: f64 = rows.iter().map(|row| row.mean_us.unwrap_or(0.0) * row.per_s).sum();
    Row {
        name: "Total".to_owned(),
        seconds: None,
        per_s,
        mib_per_s: rows.iter().map(|row| row.mib_per_s).sum(),
        failed_per_s: rows.iter().map(|row| row.failed_per_s).sum(),
        mean_us: (all_means && weighed > 0.0).then(|| weighed / per_s),
        min_us: rows.iter().filter_map(|row| row.min_us).reduce(f64::min),
        max_us: rows.iter().filter_map(|row| row.max_us).reduce(f64::max),
    }
}

fn fill_workload(record: &mut RunRecord, outcome: &Outcome) {
    let asked = &outcome.asked;
    let Some(origin) = &mut record.origin else { return };
    if asked.workload.is_none() && asked.depths.is_empty() {
        origin.lacks("workload", "the text does not state what was asked for");
        return;
    }
    let (workload, guesses) = asked.workload(outcome.rows.len());
    for field in guesses {
        origin.lacks(field, "the text does not state it");
    }
    if asked.depth().is_some() {
        record.summary.in_flight_requested = Some(f64::from(workload.jobs) * f64::from(workload.depth));
    }
    record.workload = workload;
}

fn fill_times(record: &mut RunRecord, seconds: Option<f64>) {
    match seconds {
        Some(seconds) => {
            record.summary.duration_ns = (seconds * 1e9).round() as u64;
            record.ledger = Ledger { seconds, resolves_events_per_s: 3.0 / seconds, ..Ledger::default() };
        }
        None => {
            if let Some(origin) = &mut record.origin {
                for field in ["summary.duration_ns", "ledger.seconds", "ledger.resolves_events_per_s"] {
                    origin.lacks(field, "the text does not state how long it was measured");
                }
            }
        }
    }
}

fn fill_summary(record: &mut RunRecord, outcome: &Outcome, total: &Row) {
    let group = match outcome.asked.read_share() {
        Some(1.0) => IoGroup::Read,
        Some(0.0) => IoGroup::Write,
        _ => IoGroup::Mixed,
    };
    let merged = merged(outcome);
    let operations = merged.as_ref().map(|buckets| buckets.iter().map(|bucket| bucket.2).sum::<u64>());
    let quantiles = match (&merged, outcome.distributions.as_slice()) {
        (Some(buckets), _) => of_buckets(buckets),
        (None, [one]) if outcome.rows.len() == 1 => of_percentiles(one),
        _ => Vec::new(),
    };
    if quantiles.is_empty()
        && let Some(origin) = &mut record.origin
    {
        let reason = if outcome.distributions.is_empty() {
            "percentiles were not asked for, with -l or -L"
        } else {
            "percentiles of several jobs do not add up to those of all"
        };
        origin.lacks("summary.directions.service.quantiles", reason);
    }
    if total.mean_us.is_none()
        && let Some(origin) = &mut record.origin
    {
        origin.lacks("summary.directions.service", "this version reports no latency, or nothing completed");
    }
    let ns = |us: f64| (us * 1e3).round() as u64;
    let service = total.mean_us.filter(|_| total.per_s > 0.0).map(|mean_us| LatencySummary {
        count: operations,
        min_ns: total.min_us.map(ns),
        mean_ns: mean_us * 1e3,
        max_ns: total.max_us.map(ns),
        deviation_ns: None,
        quantiles,
        stated: true,
    });
    record.summary.directions = vec![DirectionSummary {
        direction: group,
        operations,
        bytes: operations.zip(outcome.asked.io_bytes).and_then(|(count, bytes)| count.checked_mul(bytes)),
        errors: None,
        operations_per_s: total.per_s,
        throughput_bytes_per_s: total.mib_per_s * MIB,
        service,
        response: None,
        submit: None,
        service_histogram: None,
        response_histogram: None,
        completion: None,
        completion_histogram: None,
    }];
}

/// The histograms of all rows as one, ascending; `None` where one row has none.
fn merged(outcome: &Outcome) -> Option<Vec<(f64, f64, u64)>> {
    let with: Vec<&Distribution> =
        outcome.distributions.iter().filter(|found| !found.buckets.is_empty()).collect();
    if with.is_empty() || with.len() != outcome.rows.len() {
        return None;
    }
    let mut buckets: Vec<_> = with.iter().flat_map(|found| found.buckets.iter().copied()).collect();
    buckets.put_in_order_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let sum = buckets.iter().try_fold(0u64, |sum, bucket| sum.checked_add(bucket.2));
    sum.filter(|sum| *sum > 0).map(|_| buckets)
}

fn of_buckets(buckets: &[(f64, f64, u64)]) -> Vec<Quantile> {
    let all: u64 = buckets.iter().map(|bucket| bucket.2).sum();
    let at = |q: f64| {
        let rank = ((q * all as f64).ceil() as u64).max(1);
        let mut seen = 0u64;
        let (low, high, _) = buckets.iter().find(|bucket| {
            seen += bucket.2;
            seen >= rank
        })?;
        let ns = |us: f64| (us * 1e3).round() as u64;
        Some(Quantile { q, value_ns: ns((low + high) / 2.0), low_ns: ns(*low), high_ns: ns(*high) })
    };
    QUANTILES.into_iter().filter_map(at).collect()
}

/// Percentiles as they are told: ends of buckets that are 1/128 of an octave wide.
fn of_percentiles(found: &Distribution) -> Vec<Quantile> {
    let of = |&(q, us): &(f64, f64)| {
        let high_ns = (us * 1e3).round() as u64;
        Quantile { q, value_ns: high_ns, low_ns: high_ns - high_ns / 128, high_ns }
    };
    let inner = found.percentiles.iter().filter(|(q, _)| *q > 0.0 && *q < 1.0);
    let mut quantiles: Vec<Quantile> = inner.map(of).collect();
    quantiles.put_in_order_by(|a, b| a.q.total_cmp(&b.q));
    quantiles
}

/// Whether rate times size is the throughput, where the size is told.
fn check_size(origin: &mut RecordOrigin, total: &Row, io_bytes: Option<u64>) {
    let Some(bytes) = io_bytes else { return };
    let expected = total.per_s * bytes as f64 / MIB;
    if (expected - total.mib_per_s).abs() > 0.02 + expected * 0.01 {
        let what = format!(
            "IOPS times {bytes} bytes are {expected:.2} MiB/s, and the text says {:.2}",
            total.mib_per_s
        );
        origin.quirk("size_and_rate_disagree", what);
    }
}

fn job_of(job: u32, row: &Row) -> JobSummary {
    JobSummary {
        job,
        target: None,
        cpu: None,
        placement: Some(row.name.clone()),
        start: None,
        operations: None,
        bytes: None,
        errors: None,
        operations_per_s: Some(row.per_s),
        in_flight_mean: None,
        busy_share: None,
        directions: Vec::new(),
    }
}
