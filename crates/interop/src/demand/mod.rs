//! Demand for sizing, from what any tool saw: intervals with I/Os and bytes, as ticks of one length.

mod choice;
mod cloudwatch;
mod columns;
mod counters;
mod prometheus;
mod source;
mod stranger;
mod stretches;
mod table;
mod ticks;
mod trace;

use std::collections::HashMap;

use fathom_record::profile::Throttled;
use fathom_record::telemetry::MetricSeries;
use fathom_sizing::{Demand, Trace};

use crate::Refusal;
use crate::observed::{Observed, Times};
pub use cloudwatch::{
    Asked as AskedCloudWatch, OPERATION as CLOUDWATCH_OPERATION, fetch as fetch_cloudwatch,
};
pub use columns::{Columns, Values};
pub(crate) use columns::{column, divided_otherwise};
pub(crate) use prometheus::recognise as is_prometheus;
pub use prometheus::{Asked, Disks, Selection, fetch as fetch_prometheus};
pub use source::{Hints, Text, read, what};
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
        Values::PerSecond => table::as_counts(None, &mut intervals)?,
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

/// The largest I/O that any kernel hands over: bytes up to here need no more than one.
const LARGEST: f64 = *SIZES.end();
/// Of a table's rows, one in so many may have bytes and no I/Os.
const MOVED_BY_NONE_ONE_IN: usize = 20;

/// Rows with bytes and no I/Os: rates that were rounded lose a few I/Os, and one is counted for bytes that one can
/// carry. Rows with more than that are left out. Gives what was done.
fn moved_by_none(intervals: &mut Vec<Interval>) -> Result<Vec<String>, Refusal> {
    let none = |operations: f64, bytes: f64| if operations == 0.0 { bytes } else { 0.0 };
    let bytes = |row: &Interval| none(row.reads, row.read_bytes).max(none(row.writes, row.write_bytes));
    let rounded = intervals.iter().filter(|row| (f64::MIN_POSITIVE..=LARGEST).contains(&bytes(row))).count();
    let rows = intervals.len();
    intervals.retain(|row| bytes(row) <= LARGEST);
    let left_out = rows - intervals.len();
    if left_out * MOVED_BY_NONE_ONE_IN > rows {
        let cause = format!("{left_out} of {rows} rows have bytes and no I/Os");
        return Err(Refusal::new("a demand", cause)
            .or("see that columns of I/Os and of bytes are of the same disk and time"));
    }
    let mut notes = Vec::new();
    if rounded > 0 {
        notes.push(format!("{rounded} rows carry bytes and no I/Os: one I/O was counted in each."));
    }
    if left_out > 0 {
        notes.push(format!(
            "{left_out} rows carry more bytes than one I/O can, and no I/Os: they were left out."
        ));
    }
    Ok(notes)
}

/// The demand of a table's counts, whose units are what somebody says that they are.
fn of_counts(mut intervals: Vec<Interval>) -> Result<Seen, Refusal> {
    let notes = moved_by_none(&mut intervals)?;
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
    let mut seen = ticks::regular(None, intervals)?;
    seen.notes.splice(0..0, notes);
    Ok(seen)
}

/// The metrics that make a demand, as rates.
const METRICS: [&str; 4] = ["disk.reads", "disk.writes", "disk.read_bytes", "disk.write_bytes"];

/// Both directions' I/Os, where a tool does not tell them apart.
const TRANSFERS: &str = "disk.transfers";

/// One disk of what a tool saw.
struct Disk {
    name: String,
    /// As counts.
    intervals: Vec<Interval>,
    /// Where the first of them begins, where the text says it.
    start_ns: Option<i64>,
    directions_known: bool,
    /// What was left out, a sentence each.
    notes: Vec<String>,
}

impl Disk {
    fn of(observed: &Observed, device: Option<&str>) -> Result<Self, Refusal> {
        let telemetry = &observed.telemetry;
        let directions_known = telemetry.all(METRICS[1]).next().is_some();
        let name = named(observed, if directions_known { &METRICS[..2] } else { &[TRANSFERS] }, device)?;
        let rates_of = |metric: &str| {
            let missing = || Refusal::new("a demand", format!("{metric} of {name} is missing"));
            telemetry.find(metric, &name).map(|series| &series.values).ok_or_else(missing)
        };
        let operations = if directions_known {
            [rates_of(METRICS[0])?, rates_of(METRICS[1])?]
        } else {
            [rates_of(TRANSFERS)?; 2]
        };
        let bytes = [rates_of(METRICS[2])?, rates_of(METRICS[3])?];
        let at = &telemetry.at_ns;
        let rate = |i: usize| {
            let of = |rates: &[Option<f64>]| rates.get(i).copied().flatten();
            let (read_bytes, write_bytes) = (of(bytes[0])?, of(bytes[1])?);
            let (mut reads, mut writes) = (of(operations[0])?, of(operations[1])?);
            if !directions_known {
                let moved = read_bytes + write_bytes;
                reads *= if moved > 0.0 { read_bytes / moved } else { 0.0 };
                writes -= reads;
            }
            Some(Interval { end_ns: at[i], reads, writes, read_bytes, write_bytes })
        };
        let mut intervals: Vec<Interval> = (0..at.len()).filter_map(rate).collect();
        let mut notes = Vec::new();
        if intervals.len() < at.len() {
            let (lacking, all) = (at.len() - intervals.len(), at.len());
            notes.push(format!("{lacking} of {all} reports have no figures of {name} and were left out."));
        }
        let first_ns = intervals.first().map(|interval| interval.end_ns);
        let start_ns = start_of(observed).filter(|_| first_ns == at.first().copied());
        notes.extend(table::as_counts(start_ns, &mut intervals)?);
        Ok(Self { name, intervals, start_ns, directions_known, notes })
    }
}

/// Where the first interval begins: at the zero of its times, which is the stamp of sar's header or of iostat's
/// report since the machine started. Where the first stamp is the first interval's own end, nothing says it.
fn start_of(observed: &Observed) -> Option<i64> {
    let first_ns = *observed.telemetry.at_ns.first()?;
    let states_zero = observed.times == Times::Counted || observed.first_stamp.is_some();
    (states_zero && first_ns > 0).then_some(0)
}

/// The disk that is meant, of those that have a metric.
fn named(observed: &Observed, metrics: &[&str], asked: Option<&str>) -> Result<String, Refusal> {
    let expected = "a demand";
    let busy = |series: &MetricSeries| series.values.iter().flatten().sum::<f64>();
    let mut known: Vec<(String, f64)> = Vec::new();
    let mut place: HashMap<&str, usize> = HashMap::new();
    for series in metrics.iter().flat_map(|metric| observed.telemetry.all(metric)) {
        let at = *place.entry(&series.label).or_insert_with(|| {
            known.push((series.label.clone(), 0.0));
            known.len() - 1
        });
        known[at].1 += busy(series);
    }
    let is_since_boot = || observed.since_boot.iter().any(|series| series.metric.starts_with("disk."));
    match (asked, known.as_slice()) {
        (_, []) if is_since_boot() => {
            let cause = "its only report is the mean since the machine started, which is not an interval";
            Err(Refusal::new(expected, cause).or("give an interval, as iostat -x 1 does"))
        }
        (_, []) => {
            Err(Refusal::new(expected, "no disk's I/Os and bytes are in it").or("run iostat -x 1, or sar -d"))
        }
        (None, [(only, _)]) => Ok(only.clone()),
        (Some(asked), known) if known.iter().any(|(name, _)| name == asked) => Ok(asked.to_owned()),
        (asked, _) => {
            let cause = match asked {
                Some(asked) => format!("no disk {asked} is in it"),
                None => format!("{} disks are in it", known.len()),
            };
            Err(Refusal::new(expected, cause)
                .or(format!("name one with --device: {}", choice::listed(known))))
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A text of iostat with a report since the machine started, and one a second of these reads.
    fn iostat(stamped: bool, reads: &[u32]) -> String {
        let mut text = "Linux 6.1 (h) \t11/20/26 \t_x86_64_\t(2 CPU)\n".to_owned();
        for (second, reads) in std::iter::once(&5).chain(reads).enumerate() {
            let stamp = if stamped { format!("2026-11-20T10:00:{second:02}+0000\n") } else { String::new() };
            text +=
                &format!("\n{stamp}Device r/s rkB/s w/s wkB/s\nsda {reads}.00 {}.00 0.00 0.00\n", reads * 4);
        }
        text
    }

    fn seen(text: &str, device: Option<&str>) -> Result<Seen, Refusal> {
        read(&[Text { name: "a", bytes: text.as_bytes() }], &Hints { device, ..Hints::default() })
    }

    #[test]
    fn the_first_interval_is_one_of_them() {
        for stamped in [true, false] {
            let found = seen(&iostat(stamped, &[1000, 100, 100, 100]), None).unwrap();
            assert_eq!((found.demand.tick_s, &found.demand.read.operations), (1, &vec![1000, 100, 100, 100]));
            assert_eq!(found.demand.read.bytes[0], 1000 * 4096);
            let start = stamped.then_some(1_795_168_800);
            assert_eq!((found.start_unix_s, found.demand.gaps.len()), (start, 0));
            let only = seen(&iostat(stamped, &[700]), None).unwrap();
            assert_eq!(only.demand.read.operations, [700], "the report since the start says when it began");
        }
        let cut = iostat(true, &[1000, 100]).split_once("10:00:00+0000").unwrap().1.to_owned();
        let cut = cut.split_once("\n2026").map(|(_, rest)| format!("2026{rest}")).unwrap();
        let found = seen(&cut, None).unwrap();
        assert_eq!(found.demand.read.operations, [1000, 100], "without it, as long as the next");
    }

    #[test]
    fn sars_header_says_when_its_first_interval_begins() {
        let rows: String = [(10, 600), (20, 100), (30, 100)]
            .map(|(second, tps)| format!("10:00:{second}          sda {tps}.00 {}.00 0.00\n", tps * 4))
            .concat();
        let text = format!(
            "Linux 6.1 (h) \t11/20/26 \t_x86_64_\t(2 CPU)\n\n10:00:00          DEV       tps     rkB/s     wkB/s\n{rows}"
        );
        let found = seen(&text, None).unwrap();
        assert_eq!((found.demand.tick_s, found.demand.read.operations), (10, vec![6000, 1000, 1000]));
        // Twice as long as the others it is not known to have kept its rate for all of them.
        let late = text.replace("10:00:00 ", "09:59:50 ");
        assert_eq!(seen(&late, None).unwrap().demand.read.operations, [6000, 1000, 1000]);
    }

    #[test]
    fn what_is_left_out_or_missing_is_said() {
        let cut =
            iostat(true, &[10, 20, 30]) + "\n2026-11-20T10:00:04+0000\navg-cpu: %user %idle\n 1.00 99.00\n";
        let found = seen(&cut, None).unwrap();
        assert!(
            found.notes.iter().any(|note| note.starts_with("1 of 4 reports have no figures")),
            "{:?}",
            found.notes
        );
        assert_eq!(found.demand.read.operations, [10, 20, 30]);
        let boot = seen(&iostat(false, &[]), None).unwrap_err();
        assert!(
            boot.cause.contains("since the machine started") && boot.remedy.contains("iostat -x 1"),
            "{boot}"
        );
        let hosts = Hints { instance: Some("other"), ..Hints::default() };
        let text = iostat(true, &[1, 2]);
        let other = read(&[Text { name: "a", bytes: text.as_bytes() }], &hosts).unwrap_err();
        assert!(other.cause.contains("host h, and not of other"), "{other}");
        let many: String = (0..12).map(|disk| format!("sd{disk} {disk}.00 1.00 0.00 0.00\n")).collect();
        let many = format!("Device r/s rkB/s w/s wkB/s\n{many}\nDevice r/s rkB/s w/s wkB/s\n{many}");
        let several = seen(&many, None).unwrap_err();
        assert!(several.cause.contains("12 disks"), "{several}");
        assert!(
            several.remedy.contains("--device: sd11, sd10, ")
                && several.remedy.ends_with("and 2 less busy ones"),
            "{several}"
        );
        assert!(seen(&many, Some("sd3")).is_ok());
    }

    #[test]
    fn bytes_that_no_io_moved_are_noted_or_refused() {
        let row = |minute: i64, reads: f64, read_bytes: f64| Interval {
            end_ns: minute * 60_000_000_000,
            reads,
            read_bytes,
            ..Interval::default()
        };
        let with = |odd: &[Interval]| {
            let mut rows: Vec<Interval> = (0..40).map(|minute| row(minute, 600.0, 600.0 * 4096.0)).collect();
            odd.iter().for_each(|odd| rows[(odd.end_ns / 60_000_000_000) as usize] = *odd);
            of_intervals(rows, Values::PerRow)
        };
        assert_eq!(with(&[]).unwrap().notes, Vec::<String>::new());
        let rounded = with(&[row(7, 0.0, 8192.0)]).unwrap();
        assert!(rounded.notes[0].starts_with("1 rows carry bytes and no I/Os"), "{:?}", rounded.notes);
        assert_eq!(rounded.demand.read.operations[7], 1);
        let odd = with(&[row(7, 0.0, 1e9)]).unwrap();
        assert!(odd.notes[0].contains("left out"), "{:?}", odd.notes);
        assert_eq!(odd.demand.gaps, std::slice::from_ref(&(7..8)));
        assert_eq!(odd.demand.read.operations[7], 0);
        let many: Vec<Interval> = (5..8).map(|minute| row(minute, 0.0, 1e9)).collect();
        assert!(with(&many).unwrap_err().cause.contains("3 of 40 rows"));
    }
}
