//! Demand for sizing, from what any tool saw: intervals with I/Os and bytes, as ticks of one length.

mod cloudwatch;
mod columns;
mod counters;
mod prometheus;
mod source;
mod table;
mod ticks;
mod trace;

use fathom_record::profile::Throttled;
use fathom_record::telemetry::Telemetry;
use fathom_sizing::{Demand, Trace};

use crate::Refusal;
pub use cloudwatch::{
    Asked as AskedCloudWatch, OPERATION as CLOUDWATCH_OPERATION, fetch as fetch_cloudwatch,
};
pub use columns::{Columns, Values};
pub(crate) use columns::{column, divided_otherwise};
pub(crate) use prometheus::recognise as is_prometheus;
pub use prometheus::{Asked, Disks, Selection, fetch as fetch_prometheus};
pub use source::{Hints, Text, read};
pub use table::read as read_table;
pub(crate) use table::time_ns;
pub use trace::iolog::{IoLogFacts, survey as survey_iolog};
pub use trace::{TraceStream, Which as WhichTrace};

/// A demand, and what was done to make it one.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The demand.
    pub demand: Demand,
    /// Gaps, resets and doubts, a sentence each.
    pub notes: Vec<String>,
    /// Start of the first tick, in seconds since 1970, where the source states it.
    pub start_unix_s: Option<i64>,
    /// Kind of the source, as `iostat`.
    pub source: &'static str,
    /// The disk, where the source names one.
    pub device: Option<String>,
    /// Whether reads were told from writes; otherwise I/Os were divided in proportion to their bytes.
    pub directions_known: bool,
    /// What the source itself says of throttling.
    pub throttled: Vec<Throttled>,
    /// The I/Os one by one, of a trace.
    pub trace: Option<Trace>,
}

/// What one interval held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// Its end, in nanoseconds from anywhere.
    pub end_ns: i64,
    /// Reads.
    pub reads: f64,
    /// Writes.
    pub writes: f64,
    /// Bytes read.
    pub read_bytes: f64,
    /// Bytes written.
    pub write_bytes: f64,
}

/// The demand of a table's rows.
///
/// # Errors
/// When there are too few rows, or numbers that no disk has.
pub fn of_intervals(mut intervals: Vec<Interval>, values: Values) -> Result<Seen, Refusal> {
    let notes = match values {
        Values::PerSecond => table::as_counts(&mut intervals)?,
        Values::PerRow => Vec::new(),
    };
    let mut seen = of_counts(intervals)?;
    seen.notes.splice(0..0, notes);
    Ok(seen)
}

/// Bytes of an I/O: no block device has smaller ones, and no kernel hands over larger ones.
const SIZES: std::ops::RangeInclusive<f64> = 512.0..=(64u64 << 20) as f64;
/// Of fewer I/Os the mean tells nothing: rates that were rounded may lack most of them.
const TELLING: f64 = 100.0;

/// The demand of a table's counts, whose units are what somebody says that they are.
fn of_counts(intervals: Vec<Interval>) -> Result<Seen, Refusal> {
    let sum = |of: fn(&Interval) -> f64| intervals.iter().map(of).sum::<f64>();
    let flows = [
        ("reads", sum(|row| row.reads), sum(|row| row.read_bytes)),
        ("writes", sum(|row| row.writes), sum(|row| row.write_bytes)),
    ];
    for (name, operations, bytes) in flows {
        let mean = bytes / operations;
        if operations >= TELLING && bytes > 0.0 && !SIZES.contains(&mean) {
            let cause =
                format!("no disk has I/Os of such sizes: its {name} carry {mean:.0} bytes on average");
            return Err(Refusal::new("a demand", cause).or(
                "see that I/Os and bytes are of the same time, and that bytes are not in KiB, MB or sectors",
            ));
        }
    }
    ticks::regular(None, intervals)
}

/// The metrics that make a demand, as rates.
const METRICS: [&str; 4] = ["disk.reads", "disk.writes", "disk.read_bytes", "disk.write_bytes"];

/// The demand on one disk of a telemetry; the only disk, where none is named.
///
/// # Errors
/// When the disk is not there, or several are and none is named, or rates of one of its flows are missing.
pub fn of_telemetry(telemetry: &Telemetry, device: Option<&str>) -> Result<Seen, Refusal> {
    let disk = Disk::of(telemetry, device)?;
    let seen = ticks::regular(telemetry.at_ns.first().copied(), disk.intervals)?;
    Ok(Seen { device: Some(disk.name), directions_known: disk.directions_known, ..seen })
}

/// Both directions' I/Os, where a tool does not tell them apart.
const TRANSFERS: &str = "disk.transfers";

/// One disk of a telemetry.
struct Disk {
    name: String,
    /// The first sample only says when the second begins.
    intervals: Vec<Interval>,
    directions_known: bool,
}

impl Disk {
    fn of(telemetry: &Telemetry, device: Option<&str>) -> Result<Self, Refusal> {
        let labels = |metric| telemetry.all(metric).map(|series| series.label.as_str()).collect::<Vec<_>>();
        let directions_known = !labels(METRICS[1]).is_empty();
        let known = labels(if directions_known { METRICS[1] } else { TRANSFERS });
        let name = named(&known, device)?;
        let rates_of = |metric: &str| {
            let missing = || Refusal::new("a demand", format!("{metric} of {name} is missing"));
            telemetry.find(metric, name).map(|series| &series.values).ok_or_else(missing)
        };
        let counts = if directions_known {
            [rates_of(METRICS[0])?, rates_of(METRICS[1])?]
        } else {
            [rates_of(TRANSFERS)?; 2]
        };
        let bytes = [rates_of(METRICS[2])?, rates_of(METRICS[3])?];
        let at = &telemetry.at_ns;
        let interval = |i: usize| {
            let seconds = (at[i] - *at.get(i.checked_sub(1)?)?) as f64 / 1e9;
            let count = |rates: &[Option<f64>]| rates.get(i).copied().flatten().map(|rate| rate * seconds);
            let (read_bytes, write_bytes) = (count(bytes[0])?, count(bytes[1])?);
            let (mut reads, mut writes) = (count(counts[0])?, count(counts[1])?);
            if !directions_known {
                let moved = read_bytes + write_bytes;
                reads *= if moved > 0.0 { read_bytes / moved } else { 0.0 };
                writes -= reads;
            }
            Some(Interval { end_ns: at[i], reads, writes, read_bytes, write_bytes })
        };
        let intervals = (0..at.len()).filter_map(interval).collect();
        Ok(Self { name: name.to_owned(), intervals, directions_known })
    }
}

/// The disk that is meant, of those that are known.
fn named<'a>(known: &[&'a str], asked: Option<&str>) -> Result<&'a str, Refusal> {
    let expected = "a demand";
    match (asked, known) {
        (_, []) => {
            Err(Refusal::new(expected, "no disk's I/Os and bytes are in it").or("run iostat -x 1, or sar -d"))
        }
        (None, [only]) => Ok(only),
        (asked, known) => known.iter().copied().find(|name| asked == Some(name)).ok_or_else(|| {
            let cause = asked.map_or_else(
                || "several disks are in it".to_owned(),
                |asked| format!("no disk {asked} is in it"),
            );
            Refusal::new(expected, cause).or(format!("name one with --device: {}", known.join(", ")))
        }),
    }
}

/// The demand of a device's own counters, read now and then: reads, writes, bytes read, bytes written, each
/// with its time in nanoseconds from the first.
///
/// # Errors
/// When there are too few readings.
pub fn of_readings(readings: &[(i64, [u64; 4])]) -> Result<Seen, Refusal> {
    let mut rows = counters::Rows::new();
    for flow in 0..counters::FLOWS.len() {
        counters::put(&mut rows, flow, readings.iter().map(|(at, counts)| (*at, counts[flow] as f64)));
    }
    let mut seen = counters::of_counters(&rows)?;
    // Each reading is of its own moment: a repeat is a second without I/O.
    seen.notes.retain(|note| !note.contains(counters::REPEAT));
    Ok(Seen { source: "diskstats", ..seen })
}
