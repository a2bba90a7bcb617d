//! A run as a document of fio's `--output-format=json+`.
//!
//! What fathom does not measure is left out, where fio would print a number; scripts that read fio's
//! results ask for a key before they use it. fathom's service latency, from the submission to the
//! completion, stands under `lat_ns` and under `clat_ns`, which scripts read most, and nothing under
//! `slat_ns`, so that the sum that fio makes of the two holds.

mod bins;

use std::io::{self, Write};

use fathom_measure::Histogram;
use fathom_record::run::{DirectionSummary, Ending};
use fathom_record::workload::{Arrival, Sizes};
use fathom_record::{Direction, LatencySummary, RunRecord, SparseHistogram};
use serde_json::{Map, Value, json};

use super::Exporter;
use crate::observed::stamp;
use bins::bins;

/// Percentiles that fio prints unless it is told others.
const PERCENTILES: [f64; 17] =
    [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];
/// What fio prints for a time that it does not know.
const UNKNOWN_ETA: u64 = 2_147_483_647;

/// Writes runs as the jobs of one document.
pub struct FioJson<W> {
    out: W,
    jobs: usize,
    last_ms: Option<i64>,
}

impl<W: Write> FioJson<W> {
    /// Begins the document.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn begin(mut out: W) -> io::Result<Self> {
        write!(out, "{{\n\"fio version\": \"fathom-{}\",\n\"jobs\": [", env!("CARGO_PKG_VERSION"))?;
        Ok(Self { out, jobs: 0, last_ms: None })
    }
}

impl<W: Write> Exporter for FioJson<W> {
    fn run(&mut self, run: &RunRecord) -> io::Result<()> {
        if self.jobs > 0 {
            self.out.write_all(b",")?;
        }
        self.out.write_all(b"\n")?;
        serde_json::to_writer_pretty(&mut self.out, &job(run, &run.id, self.jobs))?;
        self.jobs += 1;
        let start_ms =
            stamp(&run.started_at).and_then(|(at, _)| Some(at.utc_s()? * 1000 + i64::from(at.ms % 1000)));
        let end_ms = start_ms.map(|start| start + (run.summary.duration_ns / 1_000_000) as i64);
        self.last_ms = self.last_ms.max(end_ms);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.write_all(b"\n]")?;
        if let Some(ms) = self.last_ms {
            write!(self.out, ",\n\"timestamp\": {},\n\"timestamp_ms\": {ms}", ms.div_euclid(1000))?;
        }
        self.out.write_all(b"\n}\n")?;
        self.out.flush()
    }
}

/// A run as one entry of `jobs`, all its own jobs together, as with `group_reporting`.
pub fn job(run: &RunRecord, name: &str, group: usize) -> Value {
    let window_s = run.summary.duration_ns as f64 / 1e9;
    let mut job = Map::new();
    job.insert("jobname".to_owned(), json!(name));
    job.insert("groupid".to_owned(), json!(group));
    job.insert("error".to_owned(), json!(i32::from(matches!(run.ending, Ending::Failed { .. }))));
    job.insert("eta".to_owned(), json!(UNKNOWN_ETA));
    job.insert("elapsed".to_owned(), json!(window_s.ceil() as u64));
    job.insert("job options".to_owned(), options(run));
    for direction in [Direction::Read, Direction::Write, Direction::Trim] {
        let summary = run.summary.directions.iter().find(|summary| summary.direction == direction);
        job.insert(direction.name().to_owned(), section(run, direction, summary));
    }
    let flushes = run.summary.directions.iter().find(|summary| summary.direction == Direction::Flush);
    job.insert("sync".to_owned(), sync(flushes));
    let runtime_ms = run.summary.duration_ns / 1_000_000;
    job.insert("job_runtime".to_owned(), json!(runtime_ms * u64::from(run.workload.jobs.max(1))));
    let percent = |ns: Option<u64>| {
        let all = run.summary.duration_ns as f64 * f64::from(run.workload.jobs.max(1));
        ns.filter(|_| all > 0.0).map(|ns| 100.0 * ns as f64 / all)
    };
    for (key, ns) in [("usr_cpu", run.summary.cpu_user_ns), ("sys_cpu", run.summary.cpu_system_ns)] {
        if let Some(share) = percent(ns) {
            job.insert(key.to_owned(), json!(share));
        }
    }
    Value::Object(job)
}

/// The options of a fio job that would do about the same.
fn options(run: &RunRecord) -> Value {
    let workload = &run.workload;
    let mut options = Map::new();
    let mut set = |key: &str, value: String| options.insert(key.to_owned(), Value::String(value));
    set("name", run.id.clone());
    set("filename", run.target.name.clone());
    let sequential = format!("{:?}", workload.addresses).starts_with("Sequential");
    let mix = match (workload.mix.read_share, workload.mix.trim_share) {
        (share, _) if share >= 1.0 => "read",
        _ if workload.sizes.rewrites_trimmed => "trimwrite",
        (_, share) if share >= 1.0 => "trim",
        (share, _) if share <= 0.0 => "write",
        _ => "rw",
    };
    set("rw", if sequential { mix.to_owned() } else { format!("rand{mix}") });
    if mix == "rw" {
        set("rwmixread", format!("{:.0}", workload.mix.read_share * 100.0));
    }
    let size = |sizes: &Sizes| if let Sizes::Fixed { bytes } = sizes { Some(*bytes) } else { None };
    if let (Some(read), Some(write)) = (size(&workload.sizes.read), size(&workload.sizes.write)) {
        let both = if read == write { read.to_string() } else { format!("{read},{write}") };
        set("bs", both);
    }
    set("iodepth", workload.depth.to_string());
    set("numjobs", workload.jobs.to_string());
    set("ioengine", run.engine.name.clone());
    set("direct", u8::from(run.target.direct).to_string());
    if let Arrival::Constant { rate_per_s } | Arrival::Poisson { rate_per_s } = workload.arrival {
        set("rate_iops", format!("{:.0}", rate_per_s / f64::from(workload.jobs.max(1))));
    }
    if let Some(time_ns) = workload.length.time_ns {
        set("runtime", format!("{}", time_ns.div_ceil(1_000_000_000)));
    }
    Value::Object(options)
}

/// One direction; zeros where nothing of it ended, as fio prints them.
fn section(run: &RunRecord, direction: Direction, summary: Option<&DirectionSummary>) -> Value {
    let known = |field: fn(&DirectionSummary) -> Option<u64>| summary.and_then(field).unwrap_or(0);
    let bytes = known(|s| s.bytes);
    let throughput = summary.map_or(0.0, |s| s.throughput_bytes_per_s);
    let mut section = Map::new();
    let mut set = |key: &str, value: Value| section.insert(key.to_owned(), value);
    set("io_bytes", json!(bytes));
    set("io_kbytes", json!(bytes / 1024));
    set("bw_bytes", json!(throughput as u64));
    set("bw", json!((throughput / 1024.0) as u64));
    set("iops", json!(summary.map_or(0.0, |s| s.operations_per_s)));
    set("runtime", json!(summary.map_or(0, |_| run.summary.duration_ns / 1_000_000)));
    set("total_ios", json!(known(|s| s.operations)));
    set("short_ios", json!(0));
    set("drop_ios", json!(0));
    set("slat_ns", latency(None, None));
    let whole = summary.and_then(|s| histogram(s.service_histogram.as_ref()));
    let service = latency(summary.and_then(|s| s.service.as_ref()), whole.as_ref());
    set("lat_ns", service.clone());
    set("clat_ns", service);
    for (key, value) in spread(run, direction) {
        set(key, value);
    }
    Value::Object(section)
}

/// Rates of the seconds of the window: least, most, mean, deviation, as fio has them of its samples.
fn spread(run: &RunRecord, direction: Direction) -> Vec<(&'static str, Value)> {
    const SECOND_NS: u64 = 1_000_000_000;
    let whole = run.intervals.iter().filter(|second| !second.warmup && second.duration_ns >= SECOND_NS / 2);
    let seconds: Vec<(f64, f64)> = whole
        .map(|second| {
            let of = second.directions.iter().find(|d| d.direction == direction);
            let rate = |count: u64| count as f64 * 1e9 / second.duration_ns as f64;
            (rate(of.map_or(0, |d| d.operations)), rate(of.map_or(0, |d| d.bytes)) / 1024.0)
        })
        .collect();
    let moments = |values: &[f64]| {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance =
            values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        let least = values.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let most = values.iter().copied().reduce(f64::max).unwrap_or(0.0);
        (least, most, mean, variance.sqrt())
    };
    let (iops, bw): (Vec<f64>, Vec<f64>) = seconds.into_iter().unzip();
    let samples = json!(iops.len());
    let (iops, bw) = (moments(&iops), moments(&bw));
    vec![
        ("bw_min", json!(bw.0 as u64)),
        ("bw_max", json!(bw.1 as u64)),
        ("bw_agg", json!(100.0)),
        ("bw_mean", json!(bw.2)),
        ("bw_dev", json!(bw.3)),
        ("bw_samples", samples.clone()),
        ("iops_min", json!(iops.0 as u64)),
        ("iops_max", json!(iops.1 as u64)),
        ("iops_mean", json!(iops.2)),
        ("iops_stddev", json!(iops.3)),
        ("iops_samples", samples),
    ]
}

/// A latency; with the whole distribution also its percentiles and bins.
fn latency(summary: Option<&LatencySummary>, whole: Option<&Histogram>) -> Value {
    let known = |field: fn(&LatencySummary) -> Option<u64>| summary.and_then(field).unwrap_or(0);
    let mut latency = Map::new();
    let mut set = |key: &str, value: Value| latency.insert(key.to_owned(), value);
    set("min", json!(known(|s| s.min_ns)));
    set("max", json!(known(|s| s.max_ns)));
    set("mean", json!(summary.map_or(0.0, |s| s.mean_ns)));
    set("stddev", json!(whole.map_or(0.0, deviation)));
    set("N", json!(known(|s| s.count)));
    if let Some(whole) = whole.filter(|whole| !whole.is_empty()) {
        let percentiles: Map<String, Value> = PERCENTILES
            .iter()
            .filter_map(|percent| Some((format!("{percent:.6}"), json!(whole.quantile(percent / 100.0)?))))
            .collect();
        set("percentile", Value::Object(percentiles));
        let bins: Map<String, Value> =
            bins(whole).into_iter().map(|(name, count)| (name.to_string(), json!(count))).collect();
        set("bins", Value::Object(bins));
    }
    Value::Object(latency)
}

/// Flushes have a latency and a count alone.
fn sync(summary: Option<&DirectionSummary>) -> Value {
    let whole = summary.and_then(|s| histogram(s.service_histogram.as_ref()));
    let count = summary.and_then(|s| s.operations).unwrap_or(0);
    json!({ "total_ios": count, "lat_ns": latency(summary.and_then(|s| s.service.as_ref()), whole.as_ref()) })
}

fn histogram(sparse: Option<&SparseHistogram>) -> Option<Histogram> {
    Histogram::try_from(sparse?).ok()
}

/// Standard deviation, with each value at the middle of its bucket.
fn deviation(whole: &Histogram) -> f64 {
    let (Some(mean), count) = (whole.mean(), whole.count()) else { return 0.0 };
    let squares: f64 = whole
        .buckets()
        .map(|(bucket, count)| {
            let (low, high) = fathom_measure::histogram::bucket_bounds(bucket);
            let middle = low as f64 + (high - low) as f64 / 2.0;
            count as f64 * (middle - mean).powi(2)
        })
        .sum();
    (squares / (count.saturating_sub(1)).max(1) as f64).sqrt()
}
