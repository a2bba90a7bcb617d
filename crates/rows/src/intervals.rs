//! A demand from counts and bytes of intervals, held against what disks do.

use fathom_record::profile_record::ThrottlingReport;
use fathom_sizing::{Demand, Trace};
use fathom_tools::Refusal;

use crate::named_columns::Values;
use crate::{counter_series, interval_table, ticks};

/// A demand, and what was done to make it one.
#[derive(Clone, Debug, PartialEq)]
pub struct DemandReport {
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
    pub throttled: Vec<ThrottlingReport>,
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
pub fn of_intervals(mut intervals: Vec<Interval>, values: Values) -> Result<DemandReport, Refusal> {
    let notes = match values {
        Values::PerSecond => interval_table::as_counts(None, &mut intervals)?,
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
fn moved_by_none(intervals: &mut Vec<Interval>, seen: &mut Sums) -> Result<Vec<String>, Refusal> {
    let rows = intervals.len();
    let rounded = seen.rounded;
    if seen.too_large > 0 {
        intervals.retain(|row| bytes_of_none(row) <= LARGEST);
        *seen = Sums::of(intervals);
    }
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

/// The most bytes of a row's directions that have no I/O.
fn bytes_of_none(row: &Interval) -> f64 {
    let none = |operations: f64, bytes: f64| if operations == 0.0 { bytes } else { 0.0 };
    none(row.reads, row.read_bytes).max(none(row.writes, row.write_bytes))
}

/// What is asked of all rows together, in one pass over them. Whole numbers add up to the same in any order of the rows:
/// of I/Os a thousandth counts, of bytes one.
#[derive(Default)]
struct Sums {
    /// Thousandths of reads, bytes read, thousandths of writes, and bytes written.
    counts: [u128; 4],
    /// Rows with bytes that one I/O can carry, and none.
    rounded: usize,
    /// Rows with more bytes than that, and no I/Os.
    too_large: usize,
}

impl Sums {
    fn of(intervals: &[Interval]) -> Self {
        let mut sums = Self::default();
        for row in intervals {
            let counts = [row.reads * 1e3, row.read_bytes, row.writes * 1e3, row.write_bytes];
            sums.counts.iter_mut().zip(counts).for_each(|(sum, count)| *sum += u128::from(count as u64));
            let bytes = bytes_of_none(row);
            sums.rounded += usize::from((f64::MIN_POSITIVE..=LARGEST).contains(&bytes));
            sums.too_large += usize::from(bytes.is_nan() || bytes > LARGEST);
        }
        sums
    }
}

/// The demand of a table's counts, whose units are what somebody says that they are.
///
/// # Errors
/// When there are too few rows, or numbers that no disk has.
pub fn of_counts(mut intervals: Vec<Interval>) -> Result<DemandReport, Refusal> {
    let mut sums = Sums::of(&intervals);
    let notes = moved_by_none(&mut intervals, &mut sums)?;
    let [reads, read_bytes, writes, write_bytes] = sums.counts.map(|sum| sum as f64);
    let flows = [("reads", reads / 1e3, read_bytes), ("writes", writes / 1e3, write_bytes)];
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

/// The demand of a device's own counters, read now and then: reads, writes, bytes read, bytes written, each
/// with its time in nanoseconds from the first.
///
/// # Errors
/// When there are too few readings.
pub fn of_readings(readings: &[(i64, [u64; 4])]) -> Result<DemandReport, Refusal> {
    let mut rows = counter_series::Rows::new();
    for flow in 0..counter_series::FLOWS.len() {
        counter_series::put(&mut rows, flow, readings.iter().map(|(at, counts)| (*at, counts[flow] as f64)));
    }
    let mut seen = counter_series::of_counters(&rows)?;
    // Each reading is of its own moment: a repeat is a second without I/O.
    seen.notes.retain(|note| !note.contains(counter_series::REPEAT));
    Ok(DemandReport { source: "diskstats", ..seen })
}
