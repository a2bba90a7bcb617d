//! The target's devices and everything under them, as the block layer counts.

mod diskstats;
mod metrics;
#[cfg(any(windows, test))]
mod performance;
#[cfg_attr(not(windows), path = "reading_files.rs")]
#[cfg_attr(windows, path = "reading_windows.rs")]
mod reading;

pub use diskstats::{Counters, Kind, parse};
pub use metrics::METRICS;

use std::collections::HashMap;

use crate::counter_growth::{growth, per_second};
use crate::{MetricDecl, Root, Sample, Source};

/// Bytes of a sector in the kernel's counts, whatever the device's block.
pub(crate) const SECTOR_BYTES: u64 = 512;
/// Nanoseconds of a millisecond.
const MS_NS: f64 = 1e6;

/// Some block devices.
pub struct Disk {
    reading: reading::DiskReader,
    devices: Vec<String>,
    before: HashMap<String, Counters>,
    started: bool,
}

impl Disk {
    /// The devices of these names, as `nvme0n1` or `vda1`.
    pub fn new(root: &Root, devices: &[String]) -> Self {
        let reading = reading::DiskReader::new(root);
        Self { reading, devices: devices.to_vec(), before: HashMap::new(), started: false }
    }

    /// What stands in the way from the start, said once.
    fn check(&self, sample: &mut Sample<'_>) {
        for device in &self.devices {
            if let Some(why) = self.reading.uncounted(device) {
                sample.absent("disk", why);
            }
            if !self.before.contains_key(device) {
                sample.absent("disk", self.reading.unlisted(device));
            }
        }
    }
}

/// The counters of some devices now; those that the kernel does not list are left out.
pub(crate) fn read(root: &Root, devices: &[&str]) -> HashMap<String, Counters> {
    let names: Vec<String> = devices.iter().map(|name| (*name).to_owned()).collect();
    reading::DiskReader::new(root).now(&names).unwrap_or_default().into_iter().collect()
}

fn put(sample: &mut Sample<'_>, device: &str, before: &Counters, now: &Counters, elapsed_ns: u64) {
    let rate = |before: u64, now: u64| per_second(before, now, elapsed_ns);
    let mut kind = |before: Kind, now: Kind, [operations, bytes, wait]: [usize; 3], merged: Option<usize>| {
        sample.put(&METRICS[operations], device, rate(before.operations, now.operations));
        sample.put(
            &METRICS[bytes],
            device,
            rate(before.sectors, now.sectors).map(|s| s * SECTOR_BYTES as f64),
        );
        sample.put(&METRICS[wait], device, mean_wait_ns(&before, &now));
        if let Some(merged) = merged.filter(|merged| !reading::UNKNOWN.contains(&METRICS[*merged].name)) {
            sample.put(&METRICS[merged], device, rate(before.merged, now.merged));
        }
    };
    kind(before.read, now.read, [0, 4, 9], Some(7));
    kind(before.write, now.write, [1, 5, 10], Some(8));
    if let (Some(before), Some(now)) = (before.discard, now.discard) {
        kind(before, now, [2, 6, 11], None);
    }
    if let (Some((operations, wait_ms)), Some((operations_now, wait_ms_now))) = (before.flush, now.flush) {
        let before = Kind { operations, wait_ms, ..Kind::default() };
        let now = Kind { operations: operations_now, wait_ms: wait_ms_now, ..Kind::default() };
        sample.put(&METRICS[3], device, rate(operations, operations_now));
        sample.put(&METRICS[12], device, mean_wait_ns(&before, &now));
    }
    sample.put(&METRICS[13], device, now.in_flight as f64);
    sample.put(&METRICS[14], device, rate(before.queue_ms, now.queue_ms).map(|ms_per_s| ms_per_s / 1e3));
    if !reading::UNKNOWN.contains(&METRICS[15].name) {
        // The kernel counts in its own ticks, which may give a hair more than the time that passed.
        let busy = rate(before.busy_ms, now.busy_ms).map(|ms_per_s| (ms_per_s / 1e3).min(1.0));
        sample.put(&METRICS[15], device, busy);
    }
}

/// Mean time of the I/Os that ended in between; absent if none did.
fn mean_wait_ns(before: &Kind, now: &Kind) -> Option<f64> {
    let operations = growth(before.operations, now.operations)?;
    let wait_ms = growth(before.wait_ms, now.wait_ms)?;
    (operations > 0).then(|| wait_ms as f64 * MS_NS / operations as f64)
}

impl Source for Disk {
    fn describe(&self) -> &'static [MetricDecl] {
        METRICS
    }

    fn sample(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) {
        if self.devices.is_empty() {
            return sample.absent("disk", "the target has no block device under it");
        }
        let listed = match self.reading.now(&self.devices) {
            Ok(listed) => listed,
            Err(error) => {
                self.before.clear();
                return sample.absent("disk", error.cause);
            }
        };
        let mut after = HashMap::with_capacity(self.devices.len());
        for (name, now) in listed {
            if let Some(before) = self.before.get(&name) {
                put(sample, &name, before, &now, elapsed_ns);
            }
            after.insert(name, now);
        }
        if self.started {
            for gone in self.before.keys().filter(|name| !after.contains_key(*name)) {
                sample.absent("disk", format!("{gone}: vanished during the run"));
            }
        }
        self.before = after;
        if !std::mem::replace(&mut self.started, true) {
            self.check(sample);
        }
    }
}
