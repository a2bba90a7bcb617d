//! Demand for sizing, from what any tool saw: intervals with I/Os and bytes, as ticks of one length.

mod columns;
mod table;
mod ticks;

use fathom_record::telemetry::Telemetry;
use fathom_sizing::Demand;

use crate::Refusal;
pub use columns::{Columns, Values};
pub use table::read as read_table;

/// A demand, and what was done to make it one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The demand.
    pub demand: Demand,
    /// Gaps, resets and doubts, a sentence each.
    pub notes: Vec<String>,
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

/// The metrics that make a demand, as rates.
const METRICS: [&str; 4] = ["disk.reads", "disk.writes", "disk.read_bytes", "disk.write_bytes"];

/// The demand on one disk of a telemetry; the only disk, where none is named.
///
/// # Errors
/// When the disk is not there, or several are and none is named, or rates of one of its flows are missing.
pub fn of_telemetry(telemetry: &Telemetry, device: Option<&str>) -> Result<Seen, Refusal> {
    let expected = "a demand";
    let devices: Vec<&str> = telemetry.all(METRICS[1]).map(|series| series.label.as_str()).collect();
    let device = match (device, devices.as_slice()) {
        (Some(device), known) if known.contains(&device) => device,
        (None, [only]) => only,
        (_, []) => {
            return Err(Refusal::new(expected, "no disk's reads and writes are in it")
                .or("run iostat with -x, or sar with -d"));
        }
        (asked, known) => {
            let cause = asked.map_or_else(
                || "several disks are in it".to_owned(),
                |asked| format!("no disk {asked} is in it"),
            );
            return Err(
                Refusal::new(expected, cause).or(format!("name one with --device: {}", known.join(", ")))
            );
        }
    };
    let mut rates = Vec::new();
    for metric in METRICS {
        let series = telemetry.find(metric, device);
        let missing = || Refusal::new(expected, format!("{metric} of {device} is missing"));
        rates.push(&series.ok_or_else(missing)?.values);
    }
    let at = &telemetry.at_ns;
    let rate = |of: usize, i: usize| rates[of].get(i).copied().flatten();
    let interval = |i: usize| {
        let seconds = (at[i] - *at.get(i.checked_sub(1)?)?) as f64 / 1e9;
        let count = |of: usize| rate(of, i).map(|rate| rate * seconds);
        let (reads, writes, read_bytes, write_bytes) = (count(0)?, count(1)?, count(2)?, count(3)?);
        Some(Interval { end_ns: at[i], reads, writes, read_bytes, write_bytes })
    };
    ticks::regular(at.first().copied(), (0..at.len()).filter_map(interval).collect())
}
