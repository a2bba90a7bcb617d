//! fio's figures of one direction as those of a record, whichever version printed them.

use fathom_record::RecordOrigin;
use fathom_record::latency::{LatencySummary, SparseHistogram};
use fathom_record::provenance::StatedTotal;
use fathom_record::run_record::{DirectionSummary, IoGroup};

use super::result_document::{Flow, Job, Latency};
use crate::fio::bins;

/// A direction of a job, if it finished anything; `at` is where it stands, as `jobs[0].read`.
pub fn direction(
    group: IoGroup,
    flow: &Flow,
    job: &Job,
    at: &str,
    origin: &mut RecordOrigin,
) -> Option<DirectionSummary> {
    let operations = flow.total_ios;
    let bytes = bytes_moved(flow, origin);
    if operations.unwrap_or(0) == 0 && bytes.unwrap_or(0) == 0 {
        return None;
    }
    state(flow, bytes, at, origin);
    let seconds = flow.runtime_ms.filter(|ms| *ms > 0).map(|ms| ms as f64 / 1000.0);
    let operations_per_s = rate(flow, seconds, origin)?;
    let throughput_bytes_per_s = throughput(flow, bytes, seconds)?;
    let service = measured(flow.lat.as_ref(), group, "service", origin);
    let completion = measured(flow.clat.as_ref(), group, "completion", origin);
    // An engine that submits and completes in one call has no submission latency.
    let submit = flow.slat.as_ref().filter(|latency| is_measured(latency));
    Some(DirectionSummary {
        direction: group,
        operations: if job.error == 0 { operations } else { ended_well(at, origin) },
        bytes,
        errors: errors(job, at, origin),
        operations_per_s,
        throughput_bytes_per_s,
        service: service.map(|latency| summary(latency, operations)),
        response: None,
        submit: submit.map(|latency| summary(latency, operations)),
        service_histogram: service.and_then(|latency| histogram(latency, origin)),
        response_histogram: None,
        completion: completion.map(|latency| summary(latency, operations)),
        completion_histogram: completion.and_then(|latency| histogram(latency, origin)),
    })
}

/// The distribution, if its times were taken.
fn measured<'a>(
    latency: Option<&'a Latency>,
    group: IoGroup,
    name: &str,
    origin: &mut RecordOrigin,
) -> Option<&'a Latency> {
    let found = latency.filter(|latency| is_measured(latency));
    let reason = match latency {
        Some(_) if found.is_none() => Some("fio counted I/Os and took no times (gtod_reduce or disable_*)"),
        None if name == "service" => Some("the result has no latency under a name that fio gives it"),
        _ => None,
    };
    let field = format!("summary.directions.{}.{name}", group.name());
    if let Some(reason) = reason.filter(|_| origin.why_absent(&field).is_none()) {
        origin.lacks(field, reason);
    }
    found
}

/// After an error fio counts the I/O that failed among those it finished.
fn ended_well(at: &str, origin: &mut RecordOrigin) -> Option<u64> {
    origin.lacks(format!("{at}.total_ios"), "fio counts I/Os that failed among those that it finished");
    None
}

fn errors(job: &Job, at: &str, origin: &mut RecordOrigin) -> Option<u64> {
    match (job.error, job.passed_errors) {
        // Without continue_on_error the first error ends a job.
        (0, None | Some(0)) => Some(0),
        _ => {
            origin.lacks(format!("{at}.errors"), "fio does not report errors by direction");
            None
        }
    }
}

/// Whether times were taken: without, all of a distribution is zero.
fn is_measured(latency: &Latency) -> bool {
    latency.max > 0 && latency.count != Some(0)
}

/// Bytes that were moved. Before 3.0 `io_bytes` was in KiB, and nothing said so; rate and time tell.
fn bytes_moved(flow: &Flow, origin: &mut RecordOrigin) -> Option<u64> {
    let io_bytes = flow.io_bytes?;
    if flow.io_kbytes.is_some() || io_bytes == 0 {
        return Some(io_bytes);
    }
    let by_rate = flow.bw.zip(flow.runtime_ms).map(|(bw, ms)| bw * 1024.0 * ms as f64 / 1000.0);
    let is_kib = match by_rate.filter(|bytes| *bytes > 0.0) {
        Some(bytes) => (bytes / io_bytes as f64) > 32.0,
        // No time passed: the versions without `io_kbytes` are those that count KiB.
        None => true,
    };
    if !is_kib {
        return Some(io_bytes);
    }
    origin.quirk("io_bytes_in_kib", "this version prints io_bytes in KiB; they were taken times 1024");
    origin.lacks("bytes_below_1_kib", "this version of fio counts whole KiB");
    Some(io_bytes.saturating_mul(1024))
}

/// Operations per second as fio states them, or from count and time where it prints whole numbers.
fn rate(flow: &Flow, seconds: Option<f64>, origin: &mut RecordOrigin) -> Option<f64> {
    let counted = flow.total_ios.zip(seconds).map(|(ios, seconds)| ios as f64 / seconds);
    if flow.iops_whole && counted.is_some() {
        origin.quirk("whole_iops", "this version prints IOPS without a fraction; count and time give it");
        return counted;
    }
    flow.iops.or(counted)
}

fn throughput(flow: &Flow, bytes: Option<u64>, seconds: Option<f64>) -> Option<f64> {
    let stated = flow.bw_bytes.map(|bytes| bytes as f64);
    let counted = || bytes.zip(seconds).map(|(bytes, seconds)| bytes as f64 / seconds);
    stated.or_else(counted).or_else(|| flow.bw.map(|kib| kib * 1024.0))
}

/// Totals of the file's own, for whoever checks what was read.
fn state(flow: &Flow, bytes: Option<u64>, at: &str, origin: &mut RecordOrigin) {
    let figures = [
        ("total_ios", flow.total_ios.map(|n| n as f64), "operations"),
        ("io_bytes", bytes.map(|n| n as f64), "bytes"),
        ("bw", flow.bw, "KiB/s"),
        ("iops", flow.iops, "operations/s"),
        ("runtime", flow.runtime_ms.map(|n| n as f64), "ms"),
    ];
    for (name, value, unit) in figures {
        if let Some(value) = value {
            origin.stated.push(StatedTotal { name: format!("{at}.{name}"), value, unit: unit.to_owned() });
        }
    }
}

/// A distribution as it is stated.
pub fn summary(latency: &Latency, operations: Option<u64>) -> LatencySummary {
    let unit = latency.unit_ns;
    LatencySummary {
        count: latency.count.or(operations),
        min_ns: Some(latency.min.saturating_mul(unit)),
        mean_ns: latency.mean * unit as f64,
        max_ns: Some(latency.max.saturating_mul(unit)),
        deviation_ns: latency.deviation.map(|deviation| deviation * unit as f64),
        quantiles: latency
            .percentiles
            .iter()
            .map(|(q, value)| bins::quantile(*q, *value, unit))
            .chain(latency.rounded.iter().map(|(q, ns, unit)| bins::rounded_quantile(*q, *ns, *unit)))
            .collect(),
        stated: true,
    }
}

fn histogram(latency: &Latency, origin: &mut RecordOrigin) -> Option<SparseHistogram> {
    if latency.bins.is_empty() {
        return None;
    }
    let ends = (latency.min, latency.max);
    let found = if latency.unit_ns == 1 {
        bins::histogram(&latency.bins, ends, latency.mean)
    } else {
        origin.quirk("bins_in_us", "bins of microseconds were put in the middle of theirs in nanoseconds");
        bins::histogram_of_us(&latency.bins, ends, latency.mean)
    };
    if found.is_none() {
        origin.quirk("bins_contradict", "bins that contradict the smallest or largest value were left out");
    }
    found
}
