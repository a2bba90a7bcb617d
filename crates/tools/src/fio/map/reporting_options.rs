//! What a job's results look like: percentiles, measurements that are turned off, logs, groups.

use crate::Refusal;
use crate::fio::fio_job::{Job, JobOption};
use crate::fio::value;

/// What a log holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogKind {
    /// KiB per second.
    Bandwidth,
    /// I/Os per second.
    Iops,
    /// Total, submission and completion latency, in files of their own.
    Latency,
    /// Bins of completion latency.
    Histogram,
}

/// Which value of a log's window a line holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogValue {
    /// The mean.
    #[default]
    Mean,
    /// The largest.
    Largest,
    /// Both.
    Both,
}

/// A log that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// What it holds.
    pub kind: LogKind,
    /// Start of its file's name.
    pub prefix: String,
    /// Each line's time, in milliseconds; absent where each I/O has a line, and where a log of histograms has none.
    pub window_ms: Option<u64>,
}

impl Log {
    /// Whether its lines follow from whole seconds; otherwise from single I/Os.
    pub fn is_of_seconds(&self) -> bool {
        match self.window_ms {
            Some(window_ms) => window_ms.is_multiple_of(1000),
            None => self.kind == LogKind::Histogram,
        }
    }
}

/// What a job's results look like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportSettings {
    /// Whether it is reported together with the jobs before it.
    pub group: bool,
    /// Whether it begins a group of its own.
    pub new_group: bool,
    /// Percentiles, ascending, 0 to 100.
    pub percentiles: Vec<f64>,
    /// Percentiles of submission, completion and total latency.
    pub of_slat: bool,
    /// Of completion latency.
    pub of_clat: bool,
    /// Of total latency.
    pub of_lat: bool,
    /// Submission latency is left out.
    pub without_slat: bool,
    /// Completion latency is left out.
    pub without_clat: bool,
    /// Total latency is left out.
    pub without_lat: bool,
    /// Bandwidth and rates over time are left out.
    pub without_rates: bool,
    /// Reads and writes are reported together.
    pub mixed: bool,
    /// They are reported apart beside that.
    pub apart_too: bool,
    /// Logs to write.
    pub logs: Vec<Log>,
    /// Which value of a window log lines hold.
    pub log_value: LogValue,
    /// Whether log times count from the Unix epoch.
    pub log_epoch: bool,
    /// Whether lines of single I/Os hold their offsets.
    pub log_offset: bool,
    /// Whether the number of the job is part of a log's name.
    pub log_per_job: bool,
    /// Neighbouring bins of a histogram log that are one, as a power of two.
    pub log_coarseness: u32,
    /// Whether the job is part of the results.
    pub shown: bool,
    /// Its own options that have a value, as they were given.
    pub options: Vec<(String, String)>,
    /// Those of all jobs.
    pub global_options: Vec<(String, String)>,
    /// What the job says of itself.
    pub description: Option<String>,
}

/// Percentiles where none are asked for.
pub const PERCENTILES: [f64; 17] =
    [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];
/// As many as fio takes.
const MOST_PERCENTILES: usize = 20;

/// The results' looks.
///
/// # Errors
/// With the option whose value makes no sense.
pub(super) fn reporting(job: &Job, warnings: &mut Vec<String>) -> Result<ReportSettings, Refusal> {
    let reduced = job.flag("gtod_reduce", false)?;
    let without = |name: &str| Ok::<bool, Refusal>(job.flag(name, false)? || reduced);
    let (mixed, apart_too) = match job.text("unified_rw_reporting") {
        None | Some("none" | "0") => (false, false),
        Some("mixed" | "1" | "") => (true, false),
        Some("both" | "2") => (true, true),
        Some(other) => {
            warnings.push(format!("unified_rw_reporting={other}: directions are reported apart"));
            (false, false)
        }
    };
    let (of_clat, of_lat) = (job.flag("clat_percentiles", true)?, job.flag("lat_percentiles", false)?);
    if job.last("write_lat_log").is_some() {
        warnings.push(
            "write_lat_log: no log of submission latencies (_slat): fathom's latencies begin before the submission"
                .to_owned(),
        );
    }
    Ok(ReportSettings {
        group: job.flag("group_reporting", false)?,
        new_group: job.flag("new_group", false)?,
        percentiles: percentiles(job)?,
        of_slat: job.flag("slat_percentiles", false)?,
        of_clat: of_clat && !without("disable_clat")?,
        of_lat: of_lat && !without("disable_lat")?,
        without_slat: without("disable_slat")?,
        without_clat: without("disable_clat")?,
        without_lat: without("disable_lat")?,
        without_rates: without("disable_bw_measurement")?,
        mixed,
        apart_too,
        logs: logs(job)?,
        shown: job.flag("stats", true)?,
        log_value: match job.text("log_window_value") {
            Some("max" | "1") => LogValue::Largest,
            Some("both") => LogValue::Both,
            _ => LogValue::Mean,
        },
        log_epoch: job.flag("log_alternate_epoch", false)?,
        log_offset: job.flag("log_offset", false)?,
        log_per_job: job.flag("per_job_logs", true)?,
        log_coarseness: job.int("log_hist_coarseness")?.unwrap_or(0).min(6) as u32,
        options: listed(job.options.get(job.defaults..).unwrap_or_default()),
        global_options: listed(job.options.get(..job.defaults).unwrap_or_default()),
        description: job.text("description").map(str::to_owned),
    })
}

/// As fio lists options: those that have a value.
fn listed(given: &[JobOption]) -> Vec<(String, String)> {
    let with_value = given.iter().filter(|given| !given.text().is_empty());
    with_value.map(|given| (given.row.name.to_owned(), given.text().to_owned())).collect()
}

fn percentiles(job: &Job) -> Result<Vec<f64>, Refusal> {
    let list = job.read("percentile_list", |text| {
        let list = value::floats(text)?;
        if list.len() > MOST_PERCENTILES || list.iter().any(|p| !(0.0..=100.0).contains(p)) {
            return Err(format!("percentiles are at most {MOST_PERCENTILES} numbers from 0 to 100").into());
        }
        Ok(list)
    })?;
    let mut list = list.unwrap_or_else(|| PERCENTILES.to_vec());
    list.sort_by(f64::total_cmp);
    Ok(list)
}

fn logs(job: &Job) -> Result<Vec<Log>, Refusal> {
    let kinds = [
        ("write_bw_log", LogKind::Bandwidth, "log_avg_msec"),
        ("write_iops_log", LogKind::Iops, "log_avg_msec"),
        ("write_lat_log", LogKind::Latency, "log_avg_msec"),
        ("write_hist_log", LogKind::Histogram, "log_hist_msec"),
    ];
    let mut logs = Vec::new();
    for (name, kind, window) in kinds {
        let Some(given) = job.last(name) else { continue };
        let prefix = match given.text() {
            "" => job.name.clone(),
            prefix => prefix.to_owned(),
        };
        let window_ms = job.int(window)?.filter(|ms| *ms > 0);
        logs.push(Log { kind, prefix, window_ms });
    }
    Ok(logs)
}
