//! The lines of a ring.

use fathom_measure::Histogram;
use fathom_measure::histogram::{GROUPING_POWER, bucket_bounds};
use fathom_record::shell::is_obeyed;
use fathom_telemetry::Latest;
use serde::{Deserialize, Serialize};

use crate::progress::{Second, StepNotice};

/// Format of a head.
pub(super) const FORMAT: &str = "fathom.live";
/// Its version.
pub(super) const VERSION: u32 = 1;
/// Names of targets are cut to this length, in characters, so that a line has an end.
const TARGET_MAX: usize = 200;
/// Words of a step, and names of devices.
const WORDS_MAX: usize = 100;
/// Devices of a line; a target can have hundreds under it.
const DEVICES_MAX: usize = 4;
/// Most rows of a heat line.
const ROWS_MAX: usize = 90;

/// Who measures what: the first line of a ring, written anew when it changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RingHead {
    /// `fathom.live`.
    pub format: String,
    /// 1.
    pub version: u32,
    /// Version of the program that measures.
    pub fathom: String,
    /// Its process.
    pub pid: u32,
    /// When that process was started, in ticks of the kernel's clock since boot: numbers of processes come again.
    pub started_ticks: u64,
    /// Its command, e.g. `assess`.
    pub command: String,
    /// When it began, RFC 3339, UTC.
    pub started_at: String,
    /// The target as it was named.
    #[serde(default)]
    pub target: String,
    /// Kernel names of the block devices under it.
    #[serde(default)]
    pub devices: Vec<String>,
    /// Whether its times are those of a simulated clock.
    #[serde(default)]
    pub simulated: bool,
    /// The campaign that is under way.
    #[serde(default)]
    pub campaign: Option<String>,
    /// The run that began last.
    #[serde(default)]
    pub run: Option<String>,
    /// The step that began last.
    #[serde(default)]
    pub step: Option<StepLine>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum LiveEvent {
    /// A step of a campaign began.
    Step(StepLine),
    /// A second of a run is complete.
    Second(SecondLine),
    /// Latencies of some seconds.
    Heat(HeatLine),
    /// A run was saved.
    Saved {
        /// Its id.
        run: String,
    },
    /// The measurement is over.
    Ended,
    /// Something that this version does not know.
    #[serde(other)]
    Unknown,
}

/// A step of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepLine {
    /// Pattern in words.
    pub title: String,
    /// Number of the pattern, from 1.
    pub number: usize,
    /// How many patterns there are.
    pub of: usize,
    /// Jobs.
    pub jobs: u32,
    /// Queue depth.
    pub depth: u32,
    /// What the step is for.
    pub purpose: String,
    /// Length of its run.
    pub run_ns: u64,
    /// Time until the campaign should be over when it began, where that is known.
    pub left_ns: Option<u64>,
}

/// A second of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SecondLine {
    /// When it ended, in seconds since 1970.
    pub at_s: u64,
    /// Whether it belongs to the warm-up.
    pub warmup: bool,
    /// Its end, from the run's first I/O.
    pub until_ns: u64,
    /// I/Os that ended well, per second.
    pub iops: f64,
    /// Bytes moved, per second.
    pub throughput_bytes_per_s: f64,
    /// Median of service latency over all directions.
    pub service_p50_ns: Option<u64>,
    /// Its 99th percentile.
    pub service_p99_ns: Option<u64>,
    /// Its 99.9th percentile.
    pub service_p999_ns: Option<u64>,
    /// I/Os in flight on average.
    pub in_flight: f64,
    /// CPUs that the measuring process used on average.
    pub cpus: Option<f64>,
    /// Share of the time of all CPUs of the machine that was not idle.
    pub cpu_busy: Option<f64>,
    /// I/Os that failed.
    pub errors: u64,
    /// What the kernel counts of the target's devices.
    #[serde(default)]
    pub devices: Vec<DeviceLine>,
}

/// What the kernel counted of a device; absent where it was not read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceLine {
    /// Its kernel name.
    pub name: String,
    /// Reads that it finished, per second.
    pub reads: Option<f64>,
    /// Writes that it finished, per second.
    pub writes: Option<f64>,
    /// Bytes read, per second.
    pub read_bytes: Option<f64>,
    /// Bytes written, per second.
    pub write_bytes: Option<f64>,
    /// Share of the time with an I/O in it.
    pub utilisation: Option<f64>,
}

/// Latencies of some seconds as counts, exactly.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeatLine {
    /// Its end, from the run's first I/O.
    pub until_ns: u64,
    /// How many rows an octave has: 8, or as few as give a line that is not too long.
    pub rows_per_octave: u32,
    /// Number of the lowest row, from 0 ns on.
    pub low: usize,
    /// I/Os by row, from the lowest up.
    pub counts: Vec<u64>,
}

/// A text that fits a line and holds nothing that a terminal would obey.
fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).map(|c| if is_obeyed(c) { '\u{fffd}' } else { c }).collect()
}

/// The name of a target.
pub(super) fn target_name(name: &str) -> String {
    cut(name, TARGET_MAX)
}

/// The name of a device.
pub(super) fn device_name(name: &str) -> String {
    cut(name, WORDS_MAX)
}

impl StepLine {
    /// What such a line is called where programs read it, and the version of its fields.
    pub const FORMAT: (&'static str, u32) = ("fathom.step", 1);
}

impl From<&StepNotice> for StepLine {
    fn from(notice: &StepNotice) -> Self {
        Self {
            title: cut(&notice.title, WORDS_MAX),
            number: notice.pattern.0,
            of: notice.pattern.1,
            jobs: notice.cell.0,
            depth: notice.cell.1,
            purpose: cut(&notice.purpose, WORDS_MAX),
            run_ns: notice.run_ns,
            left_ns: notice.left_ns,
        }
    }
}

impl From<&StepLine> for StepNotice {
    fn from(line: &StepLine) -> Self {
        Self {
            title: line.title.clone(),
            pattern: (line.number, line.of),
            cell: (line.jobs, line.depth),
            purpose: line.purpose.clone(),
            run_ns: line.run_ns,
            left_ns: line.left_ns,
        }
    }
}

impl From<&SecondLine> for Second {
    fn from(line: &SecondLine) -> Self {
        Self {
            warmup: line.warmup,
            until_ns: line.until_ns,
            operations_per_s: line.iops,
            throughput_bytes_per_s: line.throughput_bytes_per_s,
            service_p50_ns: line.service_p50_ns,
            service_p99_ns: line.service_p99_ns,
            service_p999_ns: line.service_p999_ns,
            in_flight: line.in_flight,
            cpus: line.cpus,
            errors: line.errors,
        }
    }
}

/// A figure with as many digits as anyone reads: a line has an end.
fn short(value: f64) -> f64 {
    if !value.is_finite() {
        return 0.0;
    }
    if value >= 1000.0 { value.round() } else { (value * 1000.0).round() / 1000.0 }
}

impl SecondLine {
    /// What such a line is called where programs read it, and the version of its fields.
    pub const FORMAT: (&'static str, u32) = ("fathom.second", 1);

    /// Of a second, and what the machine did meanwhile as far as that is known.
    pub(super) fn of(second: &Second, at_s: u64, machine: Option<&Latest>, devices: &[String]) -> Self {
        let found = |metric: &str, label: &str| machine?.find(metric, label).map(short);
        let device = |name: &String| DeviceLine {
            name: device_name(name),
            reads: found("disk.reads", name),
            writes: found("disk.writes", name),
            read_bytes: found("disk.read_bytes", name),
            write_bytes: found("disk.write_bytes", name),
            utilisation: found("disk.utilisation", name),
        };
        let devices = devices.iter().take(DEVICES_MAX).map(device);
        Self {
            at_s,
            warmup: second.warmup,
            until_ns: second.until_ns,
            iops: short(second.operations_per_s),
            throughput_bytes_per_s: short(second.throughput_bytes_per_s),
            service_p50_ns: second.service_p50_ns,
            service_p99_ns: second.service_p99_ns,
            service_p999_ns: second.service_p999_ns,
            in_flight: short(second.in_flight),
            cpus: second.cpus.map(short),
            cpu_busy: found("cpu.busy", ""),
            errors: second.errors,
            devices: devices.filter(|device| device.reads.or(device.writes).is_some()).collect(),
        }
    }
}

impl HeatLine {
    /// Of latencies up to `until_ns`; `None` where there are none.
    pub(super) fn of(latencies: &Histogram, until_ns: u64) -> Option<Self> {
        let shift = |rows_per_octave: u32| GROUPING_POWER - rows_per_octave.ilog2();
        let ends = |rows: u32| {
            let mut buckets = latencies.buckets().map(|(bucket, _)| bucket >> shift(rows));
            let low = buckets.next()?;
            Some((low, buckets.last().unwrap_or(low)))
        };
        // With one row an octave, 64 are all that there are.
        let rows_per_octave = [8, 4, 2, 1]
            .into_iter()
            .find(|rows| ends(*rows).is_some_and(|(low, high)| high - low < ROWS_MAX))?;
        let (low, high) = ends(rows_per_octave)?;
        let mut counts = vec![0; high - low + 1];
        for (bucket, count) in latencies.buckets() {
            counts[(bucket >> shift(rows_per_octave)) - low] += count;
        }
        Some(Self { until_ns, rows_per_octave, low, counts })
    }

    /// Lowest latency of each row in nanoseconds, and at the end the highest of the last; `None` where the rows are no
    /// rows of a histogram.
    pub fn bounds_ns(&self) -> Option<Vec<u64>> {
        let is_known = matches!(self.rows_per_octave, 1 | 2 | 4 | 8) && !self.counts.is_empty();
        let buckets_of_row = is_known.then(|| 1usize << (GROUPING_POWER - self.rows_per_octave.ilog2()))?;
        let end = self.low.checked_add(self.counts.len())?.checked_mul(buckets_of_row)?;
        if end > fathom_measure::histogram::BUCKETS {
            return None;
        }
        let lows = (0..self.counts.len()).map(|row| bucket_bounds((self.low + row) * buckets_of_row).0);
        Some(lows.chain([bucket_bounds(end - 1).1]).collect())
    }
}
