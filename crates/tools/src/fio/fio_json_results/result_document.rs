//! The results in fio's JSON as fio names them, wherever in a file they stand.
//!
//! A file holds any number of documents, with text before, between and after them; wrappers of other programs
//! hold them at any depth. A document is an object with a `fio version` and jobs.

use std::io::BufRead;

use fathom_order::InOrder;

use super::scan::{Key, Kind, Scanner, Stop, unescaped};
use super::steady_state::SteadyState;
use super::streamed_file::InputEnd;
use crate::Refusal;

/// One result of fio.
#[derive(Debug, Default)]
pub struct Document {
    /// As `fio-3.33`.
    pub version: Option<String>,
    /// When the result was printed: milliseconds since 1970, from seconds in old versions.
    pub printed_ms: Option<u64>,
    /// Options of the `[global]` section.
    pub global: Vec<(String, String)>,
    /// Jobs, or groups of them, in fio's order; of all clients where fio was a client.
    pub jobs: Vec<Job>,
    /// Whether the jobs are of several groups, which fio runs one after the other.
    pub several_groups: bool,
    /// Whether the jobs are those of clients.
    pub is_client: bool,
    /// Whether the file ends, or stops making sense, in the middle of it.
    pub cut_off: bool,
    /// The line of the file that it begins on.
    pub line: usize,
}

/// One job, or one group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    pub name: String,
    pub group: u64,
    pub error: i64,
    /// Errors that `continue_on_error` let pass.
    pub passed_errors: Option<u64>,
    pub elapsed_s: Option<u64>,
    /// Time that all its threads ran, summed.
    pub job_runtime_ms: Option<u64>,
    /// Milliseconds since 1970.
    pub job_start_ms: Option<u64>,
    pub options: Vec<(String, String)>,
    pub hostname: Option<String>,
    pub port: Option<u64>,
    pub read: Option<Flow>,
    pub write: Option<Flow>,
    pub trim: Option<Flow>,
    pub mixed: Option<Flow>,
    pub sync: Option<Sync>,
    /// Percent of the threads' time.
    pub usr_cpu: Option<f64>,
    pub sys_cpu: Option<f64>,
    /// Percent of completion latencies in each step, by its upper edge in nanoseconds; the last has none.
    pub steps: Vec<(Option<u64>, f64)>,
    pub steady_state: Option<SteadyState>,
    /// A key that occurs twice.
    pub duplicate: Option<String>,
}

/// One direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    pub io_bytes: Option<u64>,
    pub io_kbytes: Option<u64>,
    pub bw_bytes: Option<u64>,
    /// KiB/s.
    pub bw: Option<f64>,
    pub iops: Option<f64>,
    /// Whether `iops` is printed without a fraction, as by 2.1.
    pub iops_whole: bool,
    pub runtime_ms: Option<u64>,
    pub total_ios: Option<u64>,
    pub short_ios: Option<u64>,
    pub drop_ios: Option<u64>,
    pub slat: Option<Latency>,
    pub clat: Option<Latency>,
    pub lat: Option<Latency>,
}

/// Flushes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sync {
    pub total_ios: Option<u64>,
    pub lat: Option<Latency>,
}

/// A distribution, in `unit_ns`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latency {
    /// 1, or 1000 before 3.0.
    pub unit_ns: u64,
    pub min: u64,
    pub max: u64,
    pub mean: f64,
    pub deviation: Option<f64>,
    pub count: Option<u64>,
    /// Order from 0 to 1, and value.
    pub percentiles: Vec<(f64, u64)>,
    /// Percentiles of text for people: order, nanoseconds, and the nanoseconds that they were rounded to.
    pub rounded: Vec<(f64, u64, u64)>,
    /// Value in the middle, and count.
    pub bins: Vec<(u64, u64)>,
}

/// Most documents of one file; beyond them it is no result.
const MOST_DOCUMENTS: usize = 100_000;

/// All results in a file, whether there was anything but white space around them, and what else is known of it: its
/// bytes where there is no job in it.
///
/// # Errors
/// When it could not be read to its end, or is too large.
pub fn documents(
    input: &mut dyn BufRead,
    expected: &'static str,
) -> Result<(Vec<Document>, Surroundings, InputEnd), Refusal> {
    let mut found = Vec::new();
    let mut around = Surroundings::default();
    let mut scanner = Scanner::new(input);
    // What stopped in the middle is taken up where it stopped, so no byte is read twice.
    loop {
        let mut text = false;
        if scanner.next_object(&mut text).is_none() {
            around.after = text;
            break;
        }
        let before = found.len();
        let end = search(&mut scanner, &mut found);
        if text && found.len() > before {
            if before == 0 { around.before = true } else { around.between = true }
        }
        if end == Err(Stop::End) || found.len() >= MOST_DOCUMENTS {
            break;
        }
    }
    Ok((found, around, scanner.finish(expected)?))
}

/// Text beside the documents of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    pub before: bool,
    pub between: bool,
    pub after: bool,
}

/// Looks for documents in the value that comes next. One that is cut off keeps the jobs that are whole.
fn search(scanner: &mut Scanner<'_>, found: &mut Vec<Document>) -> Result<(), Stop> {
    match scanner.kind()? {
        Kind::Scalar => scanner.skip(),
        Kind::Array => scanner.array(|scanner| search(scanner, found)),
        Kind::Object => {
            let mut document = Document { line: scanner.line(), ..Document::default() };
            let mut inner = Vec::new();
            let end = scanner.object(|scanner, key| member(scanner, key, &mut document, &mut inner));
            document.cut_off = end.is_err();
            if document.version.is_some() || !document.jobs.is_empty() {
                found.push(document);
            }
            found.append(&mut inner);
            end
        }
    }
}

fn member(
    scanner: &mut Scanner<'_>,
    key: &[u8],
    document: &mut Document,
    inner: &mut Vec<Document>,
) -> Result<(), Stop> {
    match key {
        b"fio version" => document.version = scanner.text()?,
        b"timestamp" => {
            let seconds = scanner.count()?;
            document.printed_ms = document.printed_ms.or(seconds.map(|s| s.saturating_mul(1000)));
        }
        b"timestamp_ms" => document.printed_ms = scanner.count()?.or(document.printed_ms),
        b"global options" => document.global = options(scanner)?,
        b"jobs" | b"client_stats" if scanner.kind()? == Kind::Array => {
            document.is_client |= key == b"client_stats";
            let (jobs, several_groups) = (&mut document.jobs, &mut document.several_groups);
            return scanner.array(|scanner| {
                if scanner.kind()? != Kind::Object {
                    return scanner.skip();
                }
                let job = job(scanner)?;
                if job.is_job() {
                    *several_groups |= job.group > 0;
                    jobs.push(job);
                    // There is a result, for which nothing has to be read another way.
                    scanner.let_go();
                }
                Ok(())
            });
        }
        _ => return search(scanner, inner),
    }
    Ok(())
}

/// Names and values of options; a flag without a value has an empty one.
fn options(scanner: &mut Scanner<'_>) -> Result<Vec<(String, String)>, Stop> {
    let mut out = Vec::new();
    if scanner.kind()? != Kind::Object {
        return scanner.skip().map(|()| out);
    }
    scanner.object(|scanner, key| {
        let value = scanner.text()?.unwrap_or_default();
        out.push((unescaped(key), value));
        Ok(())
    })?;
    Ok(out)
}

impl Job {
    /// Whether anything says that it is a job.
    fn is_job(&self) -> bool {
        !self.name.is_empty() || self.read.is_some() || self.write.is_some() || self.mixed.is_some()
    }
}

fn job(scanner: &mut Scanner<'_>) -> Result<Job, Stop> {
    let mut job = Job::default();
    let mut seen: Vec<Key> = Vec::with_capacity(32);
    let mut twice = None;
    scanner.object(|scanner, key| {
        if seen.iter().any(|seen| **seen == *key) {
            twice = Some(unescaped(key));
        } else if seen.len() < 64 {
            seen.push(Key::of(key));
        }
        job_member(scanner, key, &mut job)
    })?;
    job.duplicate = twice;
    Ok(job)
}

fn job_member(scanner: &mut Scanner<'_>, key: &[u8], job: &mut Job) -> Result<(), Stop> {
    match key {
        b"jobname" => job.name = scanner.text()?.unwrap_or_default(),
        b"groupid" => job.group = scanner.count()?.unwrap_or(0),
        b"error" => job.error = scanner.number()?.unwrap_or(0.0) as i64,
        b"total_err" => job.passed_errors = scanner.count()?,
        b"elapsed" => job.elapsed_s = scanner.count()?,
        b"job_runtime" => job.job_runtime_ms = scanner.count()?,
        b"job_start" => job.job_start_ms = scanner.count()?,
        b"hostname" => job.hostname = scanner.text()?,
        b"port" => job.port = scanner.count()?,
        b"usr_cpu" => job.usr_cpu = scanner.number()?,
        b"sys_cpu" => job.sys_cpu = scanner.number()?,
        b"job options" => job.options = options(scanner)?,
        b"read" => job.read = flow(scanner)?,
        b"write" => job.write = flow(scanner)?,
        b"trim" => job.trim = flow(scanner)?,
        b"mixed" => job.mixed = flow(scanner)?,
        b"sync" => job.sync = sync(scanner)?,
        b"latency_ns" => steps(scanner, 1, job)?,
        b"latency_us" => steps(scanner, 1000, job)?,
        b"latency_ms" => steps(scanner, 1_000_000, job)?,
        b"steadystate" => job.steady_state = SteadyState::read(scanner)?,
        _ => scanner.skip()?,
    }
    Ok(())
}

fn flow(scanner: &mut Scanner<'_>) -> Result<Option<Flow>, Stop> {
    if scanner.kind()? != Kind::Object {
        return scanner.skip().map(|()| None);
    }
    let mut flow = Flow::default();
    scanner.object(|scanner, key| {
        match key {
            b"io_bytes" => flow.io_bytes = scanner.count()?,
            b"io_kbytes" => flow.io_kbytes = scanner.count()?,
            b"bw_bytes" => flow.bw_bytes = scanner.count()?,
            b"bw" => flow.bw = scanner.number()?,
            b"iops" => (flow.iops, flow.iops_whole) = iops(scanner)?,
            b"runtime" => flow.runtime_ms = scanner.count()?,
            b"total_ios" => flow.total_ios = scanner.count()?,
            b"short_ios" => flow.short_ios = scanner.count()?,
            b"drop_ios" => flow.drop_ios = scanner.count()?,
            b"slat_ns" => flow.slat = latency(scanner, 1)?,
            b"clat_ns" => flow.clat = latency(scanner, 1)?,
            b"lat_ns" => flow.lat = latency(scanner, 1)?,
            b"slat" => flow.slat = latency(scanner, 1000)?,
            b"clat" => flow.clat = latency(scanner, 1000)?,
            b"lat" => flow.lat = latency(scanner, 1000)?,
            _ => scanner.skip()?,
        }
        Ok(())
    })?;
    Ok(Some(flow))
}

/// The rate, and whether it was printed as a whole number.
fn iops(scanner: &mut Scanner<'_>) -> Result<(Option<f64>, bool), Stop> {
    if scanner.kind()? != Kind::Scalar {
        return scanner.skip().map(|()| (None, false));
    }
    Ok(match scanner.scalar()? {
        super::scan::Scalar::Number(value, word) => (value.filter(|v| v.is_finite()), !word.contains(&b'.')),
        _ => (None, false),
    })
}

fn latency(scanner: &mut Scanner<'_>, unit_ns: u64) -> Result<Option<Latency>, Stop> {
    if scanner.kind()? != Kind::Object {
        return scanner.skip().map(|()| None);
    }
    let mut latency = Latency { unit_ns, ..Latency::default() };
    let mut has_mean = false;
    scanner.object(|scanner, key| {
        match key {
            b"min" => latency.min = scanner.count()?.unwrap_or(0),
            b"max" => latency.max = scanner.count()?.unwrap_or(0),
            b"mean" => {
                let mean = scanner.number()?;
                has_mean = mean.is_some();
                latency.mean = mean.unwrap_or(0.0);
            }
            b"stddev" => latency.deviation = scanner.number()?,
            b"N" => latency.count = scanner.count()?,
            b"percentile" => latency.percentiles = percentiles(scanner, &mut latency.bins)?,
            b"bins" => latency.bins = bins(scanner)?,
            _ => scanner.skip()?,
        }
        Ok(())
    })?;
    Ok(has_mean.then_some(latency))
}

/// Percentiles by rising order. Early JSON+ had the bins among them.
fn percentiles(scanner: &mut Scanner<'_>, inner_bins: &mut Vec<(u64, u64)>) -> Result<Vec<(f64, u64)>, Stop> {
    let mut out: Vec<(f64, u64)> = Vec::new();
    if scanner.kind()? != Kind::Object {
        return scanner.skip().map(|()| out);
    }
    scanner.object(|scanner, key| {
        if key == b"bins" {
            *inner_bins = bins(scanner)?;
            return Ok(());
        }
        let percent: Option<f64> = std::str::from_utf8(key).ok().and_then(|key| key.trim().parse().ok());
        if let (Some(percent), Some(value)) = (percent, scanner.count()?)
            && (0.0..=100.0).contains(&percent)
        {
            // 99.9 / 100 is 0.9990000000000001; people ask for 0.999.
            out.push(((percent * 1e10).round() / 1e12, value));
        }
        Ok(())
    })?;
    // fio fills lists with zeros up to their end.
    out.retain(|(q, value)| *q > 0.0 || *value > 0);
    out.put_in_order_by(|a, b| a.0.total_cmp(&b.0));
    Ok(out)
}

fn bins(scanner: &mut Scanner<'_>) -> Result<Vec<(u64, u64)>, Stop> {
    if scanner.kind()? != Kind::Object {
        return scanner.skip().map(|()| Vec::new());
    }
    // Each list grows in the same place, and is held without spare room.
    let mut out = std::mem::take(&mut scanner.bins);
    out.clear();
    scanner.counts(|value, count| out.push((value, count)))?;
    let found = out.as_slice().to_vec();
    scanner.bins = out;
    Ok(found)
}

fn sync(scanner: &mut Scanner<'_>) -> Result<Option<Sync>, Stop> {
    if scanner.kind()? != Kind::Object {
        return scanner.skip().map(|()| None);
    }
    let mut sync = Sync::default();
    scanner.object(|scanner, key| {
        match key {
            b"total_ios" => sync.total_ios = scanner.count()?,
            b"lat_ns" => sync.lat = latency(scanner, 1)?,
            b"lat" => sync.lat = latency(scanner, 1000)?,
            _ => scanner.skip()?,
        }
        Ok(())
    })?;
    Ok(Some(sync))
}

/// Shares by step: `"250" : 12.5` is 12.5 % between the step before and 250.
fn steps(scanner: &mut Scanner<'_>, unit_ns: u64, job: &mut Job) -> Result<(), Stop> {
    if scanner.kind()? != Kind::Object {
        return scanner.skip();
    }
    scanner.object(|scanner, key| {
        let Some(percent) = scanner.number()? else { return Ok(()) };
        let text = std::str::from_utf8(key).unwrap_or_default();
        let edge: Option<u64> = text.parse().ok();
        if edge.is_some() || text.starts_with('>') {
            job.steps.push((edge.map(|edge| edge.saturating_mul(unit_ns)), percent));
        }
        Ok(())
    })
}
