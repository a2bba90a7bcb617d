//! fio's logs from the seconds of run records: a line a window and direction.

use std::fmt::Write;

use fathom_measure::Histogram;
use fathom_record::{Direction, DirectionInterval, RunRecord};

use super::bins::bin_of;
use crate::fio::map::{Log, LogKind, LogValue, Reporting};

/// A log, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFile {
    /// Its name, with the folder that its prefix names.
    pub name: String,
    /// Its lines.
    pub text: String,
}

/// fio's number of a direction.
fn number_of(direction: Direction) -> Option<u32> {
    match direction {
        Direction::Read => Some(0),
        Direction::Write => Some(1),
        Direction::Trim => Some(2),
        Direction::Flush => None,
    }
}

/// Names of the logs that [`log_files`] gives.
pub fn log_names(reporting: &Reporting, number: usize) -> Vec<String> {
    reporting.logs.iter().flat_map(|log| names(log, reporting, number)).collect()
}

fn names(log: &Log, reporting: &Reporting, number: usize) -> Vec<String> {
    let endings: &[&str] = match log.kind {
        LogKind::Bandwidth => &["bw"],
        LogKind::Iops => &["iops"],
        // Submission is part of both, and has no log of its own.
        LogKind::Latency => &["clat", "lat"],
        LogKind::Histogram => &["clat_hist"],
    };
    let job = if reporting.log_per_job { format!(".{number}") } else { String::new() };
    endings.iter().map(|ending| format!("{}_{ending}{job}.log", log.prefix)).collect()
}

/// The logs that a job asked for, of one of its runs. `number` is what tells its files from those of the
/// command's other runs, from 1; `epoch_ms` is the run's start.
pub fn log_files(record: &RunRecord, reporting: &Reporting, number: usize, epoch_ms: u64) -> Vec<LogFile> {
    reporting.logs.iter().flat_map(|log| files(record, (log, reporting), number, epoch_ms)).collect()
}

fn files(
    record: &RunRecord,
    (log, reporting): (&Log, &Reporting),
    number: usize,
    epoch_ms: u64,
) -> Vec<LogFile> {
    let mut text = String::new();
    for window in windows(record, log.window_ms) {
        let at_ms = window.end_ns / 1_000_000 + if reporting.log_epoch { epoch_ms } else { 0 };
        for direction in window.directions {
            let Some(which) = number_of(direction.direction) else { continue };
            let bytes = direction.bytes.checked_div(direction.operations).unwrap_or(0);
            let seconds = window.length_ns as f64 / 1e9;
            let value = match log.kind {
                LogKind::Bandwidth => format!("{}", (direction.bytes as f64 / seconds / 1024.0) as u64),
                LogKind::Iops => format!("{}", (direction.operations as f64 / seconds) as u64),
                LogKind::Latency => latency(&direction.service, reporting.log_value),
                LogKind::Histogram => histogram(&direction.service, reporting.log_coarseness),
            };
            let _ = match log.kind {
                LogKind::Histogram => writeln!(text, "{at_ms}, {which}, {bytes}, {value}"),
                _ => writeln!(text, "{at_ms}, {value}, {which}, {bytes}, 0"),
            };
        }
    }
    names(log, reporting, number).into_iter().map(|name| LogFile { name, text: text.clone() }).collect()
}

fn latency(service: &Histogram, value: LogValue) -> String {
    let mean = service.mean().unwrap_or(0.0) as u64;
    let most = service.max().unwrap_or(0);
    match value {
        LogValue::Mean => format!("{mean}"),
        LogValue::Largest => format!("{most}"),
        LogValue::Both => format!("{mean}, {most}"),
    }
}

/// Counts of all of fio's bins, neighbours added up by the coarseness.
fn histogram(service: &Histogram, coarseness: u32) -> String {
    const BINS: usize = 29 * 64;
    let mut counts = vec![0u64; BINS >> coarseness];
    for (bucket, count) in service.buckets() {
        let bin = bin_of(fathom_measure::histogram::bucket_bounds(bucket).0) >> coarseness;
        let last = counts.len() - 1;
        counts[bin.min(last)] += count;
    }
    counts.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

struct Window {
    end_ns: u64,
    length_ns: u64,
    directions: Vec<Counts>,
}

struct Counts {
    direction: Direction,
    operations: u64,
    bytes: u64,
    service: Histogram,
}

/// The measured seconds, put together to windows of at least `window_ms`.
fn windows(record: &RunRecord, window_ms: u64) -> Vec<Window> {
    let measured = || record.intervals.iter().filter(|interval| !interval.warmup);
    let start_ns = measured().next().map_or(0, |interval| interval.start_ns);
    let mut windows: Vec<Window> = Vec::new();
    for interval in measured() {
        let open = windows.last_mut().filter(|window| window.length_ns < window_ms.saturating_mul(1_000_000));
        let window = match open {
            Some(window) => window,
            None => {
                windows.push(Window { end_ns: 0, length_ns: 0, directions: Vec::new() });
                windows.last_mut().expect("one was pushed")
            }
        };
        window.length_ns += interval.duration_ns;
        window.end_ns = interval.start_ns + interval.duration_ns - start_ns;
        interval.directions.iter().for_each(|direction| window.add(direction));
    }
    windows
}

impl Window {
    fn add(&mut self, second: &DirectionInterval) {
        let known = self.directions.iter().position(|counts| counts.direction == second.direction);
        let place = known.unwrap_or_else(|| {
            let service = Histogram::new();
            self.directions.push(Counts { direction: second.direction, operations: 0, bytes: 0, service });
            self.directions.len() - 1
        });
        let counts = &mut self.directions[place];
        counts.operations += second.operations;
        counts.bytes += second.bytes;
        if let Ok(histogram) = Histogram::try_from(&second.service) {
            counts.service.merge(&histogram);
        }
    }
}
