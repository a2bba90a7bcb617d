//! fio's JSON, and JSON+ with the bins of the latencies.

use std::collections::BTreeMap;

use fathom_measure::histogram::bucket_bounds;
use fathom_record::{Direction, RunRecord};
use serde_json::{Map, Value, json};

use super::Entry;
use super::device_use::DeviceUse;
use super::totals::{DirectionTotals, PriorityTotals, Totals, responses};
use crate::fio::bins::{bin_of, bin_value};

/// The document of a command's results. `differences` are what is not as fio does it, a sentence each, `devices` what
/// the devices did; `now_ms` is the time of the Unix epoch, `time` the same in words.
pub fn document(
    entries: &[Entry<'_>],
    (differences, devices): (&[String], &[DeviceUse]),
    version: &str,
    (now_ms, time): (u64, &str),
    bins: bool,
) -> Value {
    let jobs: Vec<Value> = entries.iter().map(|entry| job(entry, bins)).collect();
    let mut document = json!({
        "fio version": format!("fathom-{version}"),
        "timestamp": now_ms / 1000,
        "timestamp_ms": now_ms,
        "time": time,
        "jobs": jobs,
        "disk_util": devices.iter().map(DeviceUse::json).collect::<Vec<_>>(),
        "fathom": { "differences_from_fio": differences },
    });
    // Defaults grow from section to section.
    let global = entries.iter().map(|entry| &entry.reporting.global_options).max_by_key(|all| all.len());
    let object = document.as_object_mut().expect("it was made as an object above");
    if let Some(global) = global.filter(|all| !all.is_empty()) {
        object.insert("global options".to_owned(), Value::Object(by_name(global)));
    }
    document
}

fn by_name(options: &[(String, String)]) -> Map<String, Value> {
    options.iter().map(|(name, value)| (name.clone(), json!(value))).collect()
}

/// One entry of the results.
pub fn job(entry: &Entry<'_>, bins: bool) -> Value {
    let totals = Totals::of(&entry.records);
    let errors: u64 = totals.directions.iter().map(|direction| direction.errors).sum();
    let options = by_name(entry.options);
    let share = |ns: u64| if totals.run_ns > 0 { ns as f64 * 100.0 / totals.run_ns as f64 } else { 0.0 };
    let mut job = json!({
        "jobname": entry.name,
        "groupid": entry.group,
        // fio's is an errno; EIO stands for any.
        "error": if errors > 0 { 5 } else { 0 },
        "eta": if entry.is_running() { left_s(entry, totals.duration_ns) } else { 0 },
        "elapsed": totals.duration_ns.div_ceil(1_000_000_000),
        "job options": options,
        "sync": { "total_ios": totals.direction(Direction::Flush).operations,
                  "lat_ns": latency(totals.direction(Direction::Flush), entry, (true, bins)) },
        "job_runtime": ((totals.run_ns + u128::from(totals.read_back_ns)) / 1_000_000) as u64,
        "usr_cpu": share(totals.user_ns),
        "sys_cpu": share(totals.system_ns),
        "total_err": errors,
        "latency_depth": entry.depth(),
        "latency_target": 0,
        "latency_percentile": 100.0,
        "latency_window": 0,
        "fathom": ours(entry, bins),
    });
    let object = job.as_object_mut().expect("it was made as an object above");
    let process = totals.process;
    for (name, count) in
        [("ctx", process.switches), ("majf", process.major_faults), ("minf", process.minor_faults)]
    {
        if let Some(count) = count {
            object.insert(name.to_owned(), json!(count));
        }
    }
    if let Some(description) = &entry.reporting.description {
        object.insert("desc".to_owned(), json!(description));
    }
    if entry.reporting.mixed {
        object.insert("mixed".to_owned(), direction(&totals.mixed(), entry, bins));
    }
    if !entry.reporting.mixed || entry.reporting.apart_too {
        for (name, which) in
            [("read", Direction::Read), ("write", Direction::Write), ("trim", Direction::Trim)]
        {
            let mut of_direction = direction(totals.direction(which), entry, bins);
            let priorities = totals.priorities_of(which);
            if let (Some(map), false) = (of_direction.as_object_mut(), priorities.is_empty()) {
                map.insert("prios".to_owned(), prios(&priorities, entry, bins));
            }
            object.insert(name.to_owned(), of_direction);
        }
    }
    for (name, bounds) in distribution(&totals) {
        object.insert(name.to_owned(), bounds);
    }
    job
}

/// Latencies by priority, as fio has them: `clat_ns`, or `lat_ns` where percentiles are of total latency.
fn prios(priorities: &[&PriorityTotals], entry: &Entry<'_>, bins: bool) -> Value {
    let name = if entry.reporting.of_lat { "lat_ns" } else { "clat_ns" };
    let of_each = |of: &&PriorityTotals| json!({ "prioclass": of.class, "prio": of.level, name: latency(&of.counted, entry, (true, bins)) });
    priorities.iter().map(of_each).collect()
}

/// What the records say beyond fio's words.
fn ours(entry: &Entry<'_>, bins: bool) -> Value {
    let records: &[&RunRecord] = &entry.records;
    if entry.is_running() {
        return json!({ "running": true });
    }
    let failed = records.iter().flat_map(|record| record.failed_checks());
    let failed: Vec<String> = failed.map(|check| check.explanation.clone()).collect();
    let mut ours = json!({
        "runs": records.iter().map(|record| record.id.as_str()).collect::<Vec<_>>(),
        "valid": records.iter().all(|record| record.is_valid()),
        "failed_checks": failed,
        "in_flight_mean": records.iter().filter_map(|record| record.summary.in_flight_mean).sum::<f64>(),
    });
    let responses: Map<String, Value> = responses(records)
        .map(|(which, response)| (which.name().to_owned(), latency(&response, entry, (true, bins))))
        .collect();
    if let (Some(object), false) = (ours.as_object_mut(), responses.is_empty()) {
        object.insert("response_ns".to_owned(), Value::Object(responses));
    }
    ours
}

/// Seconds until a job is over that ran for so long; fio's word for not known where no time ends it.
fn left_s(entry: &Entry<'_>, ran_ns: u64) -> u64 {
    let times = entry.records.iter().map(|record| record.workload.length.time_ns);
    let longest = times.collect::<Option<Vec<u64>>>().and_then(|times| times.into_iter().max());
    longest.map_or(i32::MAX as u64, |time_ns| time_ns.saturating_sub(ran_ns).div_ceil(1_000_000_000))
}

fn direction(direction: &DirectionTotals, entry: &Entry<'_>, bins: bool) -> Value {
    let used = direction.operations + direction.errors > 0;
    let runtime_ms = if used { direction.runtime_ms() } else { 0 };
    let per_s = |count: u64| if used { count as f64 * 1000.0 / runtime_ms as f64 } else { 0.0 };
    let reporting = entry.reporting;
    let bytes = Spread::of(&direction.bytes_per_s).times(1.0 / 1024.0);
    let rates = Spread::of(&direction.operations_per_s);
    let none = DirectionTotals::default();
    let shown = |without: bool| if without { &none } else { direction };
    json!({
        "io_bytes": direction.bytes,
        "io_kbytes": direction.bytes >> 10,
        "bw_bytes": per_s(direction.bytes) as u64,
        "bw": per_s(direction.bytes) as u64 / 1024,
        "iops": per_s(direction.operations),
        "runtime": runtime_ms,
        "total_ios": direction.operations,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": latency(&none, entry, (false, bins)),
        "clat_ns": latency(shown(reporting.without_clat), entry, (reporting.of_clat, bins)),
        "lat_ns": latency(shown(reporting.without_lat), entry, (reporting.of_lat, bins)),
        "bw_min": bytes.least as u64,
        "bw_max": bytes.most as u64,
        "bw_agg": if bytes.number > 0 { 100.0 } else { 0.0 },
        "bw_mean": bytes.mean,
        "bw_dev": bytes.deviation,
        "bw_samples": bytes.number,
        "iops_min": rates.least as u64,
        "iops_max": rates.most as u64,
        "iops_mean": rates.mean,
        "iops_stddev": rates.deviation,
        "iops_samples": rates.number,
    })
}

fn latency(direction: &DirectionTotals, entry: &Entry<'_>, (percentiles, bins): (bool, bool)) -> Value {
    let histogram = &direction.service;
    let mut object = json!({
        "min": histogram.min().unwrap_or(0),
        "max": histogram.max().unwrap_or(0),
        "mean": histogram.mean().unwrap_or(0.0),
        "stddev": direction.deviation_ns,
        "N": histogram.count(),
    });
    let map = object.as_object_mut().expect("it was made as an object above");
    if percentiles && histogram.count() > 0 {
        let list = entry.reporting.percentiles.iter();
        let list: Map<String, Value> =
            list.map(|percent| (format!("{percent:.6}"), json!(direction.percentile_ns(*percent)))).collect();
        map.insert("percentile".to_owned(), Value::Object(list));
        if bins {
            let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
            for (bucket, count) in histogram.buckets() {
                *counts.entry(bin_of(bucket_bounds(bucket).0)).or_default() += count;
            }
            let counts: Map<String, Value> =
                counts.into_iter().map(|(bin, count)| (bin_value(bin).to_string(), json!(count))).collect();
            map.insert("bins".to_owned(), Value::Object(counts));
        }
    }
    object
}

/// Upper ends of fio's coarse bins, in nanoseconds, by the unit they are listed under.
const COARSE: [(&str, u64, &[u64]); 3] = [
    ("latency_ns", 1, &[2, 4, 10, 20, 50, 100, 250, 500, 750, 1000]),
    ("latency_us", 1000, &[2, 4, 10, 20, 50, 100, 250, 500, 750, 1000]),
    ("latency_ms", 1_000_000, &[2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000]),
];

/// Percent of the I/Os in each coarse bin, by unit.
pub(super) fn coarse(totals: &Totals) -> Vec<(&'static str, Vec<(String, f64)>)> {
    let all = totals.mixed().service;
    let share = |from: u64, to: u64| {
        let within = all.buckets().filter(|(bucket, _)| (from..to).contains(&bucket_bounds(*bucket).0));
        let count: u64 = within.map(|(_, count)| count).sum();
        if all.count() > 0 { count as f64 * 100.0 / all.count() as f64 } else { 0.0 }
    };
    let mut from = 0;
    let mut units = Vec::new();
    for (name, unit_ns, ends) in COARSE {
        let mut bins = Vec::new();
        for end in ends {
            bins.push((end.to_string(), share(from, end * unit_ns)));
            from = end * unit_ns;
        }
        if name == "latency_ms" {
            bins.push((">=2000".to_owned(), share(from, u64::MAX)));
        }
        units.push((name, bins));
    }
    units
}

fn distribution(totals: &Totals) -> Vec<(&'static str, Value)> {
    let object = |bins: Vec<(String, f64)>| {
        Value::Object(bins.into_iter().map(|(end, percent)| (end, json!(percent))).collect())
    };
    coarse(totals).into_iter().map(|(name, bins)| (name, object(bins))).collect()
}

/// Values over time, in fio's five numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread {
    pub least: f64,
    pub most: f64,
    pub mean: f64,
    pub deviation: f64,
    pub number: usize,
}

impl Spread {
    pub fn of(values: &[f64]) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        let number = values.len() as f64;
        let mean = values.iter().sum::<f64>() / number;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self {
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            most: values.iter().copied().fold(0.0, f64::max),
            mean,
            deviation: if values.len() > 1 { (squares / (number - 1.0)).sqrt() } else { 0.0 },
            number: values.len(),
        }
    }

    pub fn times(self, factor: f64) -> Self {
        let Self { least, most, mean, deviation, number } = self;
        Self {
            least: least * factor,
            most: most * factor,
            mean: mean * factor,
            deviation: deviation * factor,
            number,
        }
    }
}
