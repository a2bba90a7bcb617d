//! What the devices and the process did during runs, added up from the records' telemetry.
//!
//! Telemetry has rates; times the length of their intervals they are counts again, to the accuracy of one interval's
//! edge. What was not sampled is absent, never 0.

use std::collections::BTreeMap;

use fathom_order::InOrder;
use fathom_record::RunRecord;
use fathom_record::telemetry::Telemetry;
use serde_json::{Value, json};

use crate::foreign_series::stamp;

/// One device's share of the I/O, as the kernel counted it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceUse {
    /// The kernel's name of it.
    pub name: String,
    /// Reads that ended.
    pub reads: u64,
    /// Writes that ended.
    pub writes: u64,
    /// 512-byte sectors read.
    pub read_sectors: u64,
    /// 512-byte sectors written.
    pub write_sectors: u64,
    /// Reads that were merged into others.
    pub read_merges: u64,
    /// Writes that were merged into others.
    pub write_merges: u64,
    /// Time of all reads, summed, in milliseconds.
    pub read_ms: u64,
    /// Time of all writes, summed, in milliseconds.
    pub write_ms: u64,
    /// Time of all I/Os, summed, in milliseconds.
    pub queue_ms: u64,
    /// Time with an I/O in the device, in milliseconds.
    pub busy_ms: f64,
    /// Time that was sampled, in milliseconds.
    pub sampled_ms: f64,
}

impl DeviceUse {
    /// Percent of the time with an I/O in the device.
    pub fn busy_percent(&self) -> f64 {
        if self.sampled_ms > 0.0 { (self.busy_ms * 100.0 / self.sampled_ms).min(100.0) } else { 0.0 }
    }

    /// fio's member of `disk_util`.
    pub fn json(&self) -> Value {
        json!({
            "name": self.name,
            "read_ios": self.reads,
            "write_ios": self.writes,
            "read_sectors": self.read_sectors,
            "write_sectors": self.write_sectors,
            "read_merges": self.read_merges,
            "write_merges": self.write_merges,
            "read_ticks": self.read_ms,
            "write_ticks": self.write_ms,
            "in_queue": self.queue_ms,
            "util": self.busy_percent(),
        })
    }

    fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.read_sectors += other.read_sectors;
        self.write_sectors += other.write_sectors;
        self.read_merges += other.read_merges;
        self.write_merges += other.write_merges;
        self.read_ms += other.read_ms;
        self.write_ms += other.write_ms;
        self.queue_ms += other.queue_ms;
        self.busy_ms += other.busy_ms;
        self.sampled_ms += other.sampled_ms;
    }
}

/// The devices of several runs. Runs at the same time saw the same I/O: of those the longest counts.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    spans: Vec<Span>,
}

/// Devices during a stretch of time, in milliseconds of the Unix epoch.
#[derive(Clone, Debug)]
struct Span {
    from_ms: i64,
    until_ms: i64,
    used: Vec<DeviceUse>,
}

impl Devices {
    /// Takes in a run; one without telemetry of a device adds nothing.
    pub fn add(&mut self, record: &RunRecord) {
        let used = used(&record.telemetry);
        let Some(from_ms) =
            stamp(&record.started_at).and_then(|(at, _)| Some(at.utc_s()? * 1000 + i64::from(at.ms % 1000)))
        else {
            return;
        };
        let last_ns = record.telemetry.at_ns.last().copied().unwrap_or(0).max(0);
        if !used.is_empty() {
            self.spans.push(Span { from_ms, until_ms: from_ms.saturating_add(last_ns / 1_000_000), used });
        }
    }

    /// Each device once, by name.
    pub fn total(mut self) -> Vec<DeviceUse> {
        self.spans.put_in_order_by_key(|span| (span.from_ms, span.until_ms));
        let mut all: BTreeMap<String, DeviceUse> = BTreeMap::new();
        // Of a device that runs at the same time share, the longest of them.
        let mut open: BTreeMap<String, (i64, DeviceUse)> = BTreeMap::new();
        for span in &self.spans {
            for device in &span.used {
                let held = open.get_mut(&device.name);
                match held {
                    Some((until_ms, longest)) if span.from_ms < *until_ms => {
                        *until_ms = span.until_ms.max(*until_ms);
                        if device.sampled_ms > longest.sampled_ms {
                            *longest = device.clone();
                        }
                    }
                    _ => {
                        let past = open.insert(device.name.clone(), (span.until_ms, device.clone()));
                        if let Some((_, past)) = past {
                            take(&mut all, &past);
                        }
                    }
                }
            }
        }
        open.values().for_each(|(_, last)| take(&mut all, last));
        all.into_values().collect()
    }
}

fn take(all: &mut BTreeMap<String, DeviceUse>, device: &DeviceUse) {
    let name = || DeviceUse { name: device.name.clone(), ..DeviceUse::default() };
    all.entry(device.name.clone()).or_insert_with(name).add(device);
}

/// Of this process, during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessUse {
    /// Context switches, for whatever reason.
    pub switches: Option<u64>,
    /// Page faults that waited for I/O.
    pub major_faults: Option<u64>,
    /// Those that did not.
    pub minor_faults: Option<u64>,
}

impl ProcessUse {
    /// What the telemetry of a run has.
    pub fn of(telemetry: &Telemetry) -> Self {
        let count = |metric: &str| Some(total(telemetry, metric, "", |_, rate| rate)?.round() as u64);
        let switches = || Some(count("process.waits")? + count("process.preemptions")?);
        Self {
            switches: switches(),
            major_faults: count("process.major_faults"),
            minor_faults: count("process.minor_faults"),
        }
    }

    /// The larger of each: every run of a command is of the same process.
    pub fn or_more(self, other: Self) -> Self {
        Self {
            switches: self.switches.max(other.switches),
            major_faults: self.major_faults.max(other.major_faults),
            minor_faults: self.minor_faults.max(other.minor_faults),
        }
    }
}

/// Devices that a run's telemetry has.
fn used(telemetry: &Telemetry) -> Vec<DeviceUse> {
    let of_device = |name: &str| {
        let sum = |metric: &str| total(telemetry, metric, name, |_, rate| rate).unwrap_or(0.0);
        // Waits are means of the I/Os of an interval.
        let waited_ms = |of: &str, wait: &str| {
            let rates = telemetry.find(of, name).map_or(&[][..], |series| series.values.as_slice());
            let rate = |row: usize| rates.get(row).copied().flatten().unwrap_or(0.0);
            total(telemetry, wait, name, |row, wait_ns| wait_ns * rate(row)).unwrap_or(0.0) / 1e6
        };
        DeviceUse {
            name: name.to_owned(),
            reads: sum("disk.reads").round() as u64,
            writes: sum("disk.writes").round() as u64,
            read_sectors: (sum("disk.read_bytes") / 512.0).round() as u64,
            write_sectors: (sum("disk.write_bytes") / 512.0).round() as u64,
            read_merges: sum("disk.reads_merged").round() as u64,
            write_merges: sum("disk.writes_merged").round() as u64,
            read_ms: waited_ms("disk.reads", "disk.read_wait").round() as u64,
            write_ms: waited_ms("disk.writes", "disk.write_wait").round() as u64,
            queue_ms: (sum("disk.queue") * 1e3).round() as u64,
            busy_ms: sum("disk.utilisation") * 1e3,
            sampled_ms: total(telemetry, "disk.utilisation", name, |_, _| 1.0).unwrap_or(0.0) * 1e3,
        }
    };
    telemetry.all("disk.utilisation").map(|series| of_device(&series.label)).collect()
}

/// Sum of `each` of a metric's values, by row, times the seconds of its interval that lie behind the first I/O.
fn total(telemetry: &Telemetry, metric: &str, label: &str, each: impl Fn(usize, f64) -> f64) -> Option<f64> {
    let series = telemetry.find(metric, label)?;
    let mut from_ns = 0;
    let mut sum = 0.0;
    for (row, (at_ns, value)) in telemetry.at_ns.iter().zip(&series.values).enumerate() {
        let length_ns = at_ns.saturating_sub(from_ns).max(0);
        from_ns = (*at_ns).max(from_ns);
        if let Some(value) = value {
            sum += each(row, *value) * length_ns as f64 / 1e9;
        }
    }
    series.values.iter().any(Option::is_some).then_some(sum)
}

#[cfg(test)]
mod tests {
    use fathom_record::telemetry::MetricSeries;

    use super::*;

    fn record(started_at: &str, at_ns: &[i64], series: &[(&str, &str, &[f64])]) -> RunRecord {
        let json = include_bytes!("../../../../store/tests/golden/run-1.json");
        let mut record = fathom_record::parse_run(json).expect("the golden record is one");
        record.started_at = started_at.to_owned();
        record.telemetry.at_ns = at_ns.to_vec();
        let of = |(metric, label, values): &(&str, &str, &[f64])| MetricSeries {
            metric: (*metric).to_owned(),
            label: (*label).to_owned(),
            unit: String::new(),
            source: String::new(),
            values: values.iter().copied().map(Some).collect(),
        };
        record.telemetry.series = series.iter().map(of).collect();
        record
    }

    #[test]
    fn rates_times_their_intervals_are_counts_again() {
        let run = record(
            "2026-11-22T10:00:00.000Z",
            // A row that ended before the first I/O counts for nothing.
            &[-100_000_000, 1_000_000_000, 1_500_000_000],
            &[
                ("disk.reads", "vda", &[9.0, 100.0, 200.0]),
                ("disk.read_wait", "vda", &[9.0, 1e6, 2e6]),
                ("disk.read_bytes", "vda", &[9.0, 409_600.0, 819_200.0]),
                ("disk.utilisation", "vda", &[1.0, 0.5, 1.0]),
                ("process.waits", "", &[9.0, 10.0, 20.0]),
                ("process.preemptions", "", &[9.0, 1.0, 2.0]),
            ],
        );
        let mut devices = Devices::default();
        devices.add(&run);
        let [vda] = <[DeviceUse; 1]>::try_from(devices.total()).expect("one device");
        assert_eq!((vda.reads, vda.read_sectors, vda.read_ms), (200, 1600, 300));
        assert!((vda.busy_percent() - 100.0 / 1.5).abs() < 1e-9);
        let process = ProcessUse::of(&run.telemetry);
        assert_eq!(
            (process.switches, process.minor_faults),
            (Some(22), None),
            "what was not sampled is absent"
        );
    }

    #[test]
    fn runs_at_the_same_time_saw_the_same_io_once() {
        let series: &[(&str, &str, &[f64])] =
            &[("disk.reads", "vda", &[100.0]), ("disk.utilisation", "vda", &[0.5])];
        let mut devices = Devices::default();
        devices.add(&record("2026-11-22T10:00:00.000Z", &[1_000_000_000], series));
        devices.add(&record("2026-11-22T10:00:00.001Z", &[2_000_000_000], series));
        devices.add(&record("2026-11-22T10:00:05.000Z", &[1_000_000_000], series));
        let total = devices.total();
        assert_eq!((total.len(), total[0].reads), (1, 300));
    }
}
