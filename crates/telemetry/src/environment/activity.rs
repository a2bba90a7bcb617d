//! What others do to the machine and the devices while nothing of ours runs.

use std::collections::HashMap;
use std::time::Duration;

use super::Facts;
use crate::counter_growth::growth;
use crate::{Root, cpu, disk};

/// How long to watch. Kernel ticks are 10 ms, so a processor's share is known to a fifth here.
const WATCH: Duration = Duration::from_millis(50);

const DISKSTATS: &str = "/proc/diskstats";
const STAT: &str = "/proc/stat";

/// A first look, taken before everything else is read.
pub(super) struct Watch<'a> {
    root: &'a Root,
    devices: &'a [&'a str],
    before: HashMap<String, disk::Counters>,
    ticks: Option<[u64; 7]>,
}

fn machine_ticks(root: &Root) -> Option<[u64; 7]> {
    let text = root.text(STAT)?;
    cpu::parse(&text).find(|(label, _)| label.is_empty()).map(|(_, ticks)| ticks)
}

impl<'a> Watch<'a> {
    pub fn start(root: &'a Root, devices: &'a [&'a str]) -> Self {
        Self { root, devices, before: disk::read(root, devices), ticks: machine_ticks(root) }
    }

    /// Waits, looks again and adds what moved.
    pub fn finish(self, facts: &mut Facts<'_>) {
        std::thread::sleep(WATCH);
        let after = disk::read(self.root, self.devices);
        for (device, before) in &self.before {
            let Some(now) = after.get(device) else { continue };
            let moved = |of: fn(&disk::Counters) -> u64| growth(of(before), of(now)).unwrap_or(0);
            let operations = moved(|c| c.read.operations) + moved(|c| c.write.operations);
            let subject = ("activity", device.as_str());
            facts.add(subject, "operations_in_50_ms", operations, DISKSTATS);
            facts.add(subject, "in_flight", now.in_flight, DISKSTATS);
        }
        let Some((before, now)) = self.ticks.zip(machine_ticks(self.root)) else { return };
        let total: u64 = now.iter().fold(0, |sum, ticks| sum.saturating_add(*ticks));
        let grown = |kind: usize| now[kind].saturating_sub(before[kind]);
        let passed: u64 = (0..7).map(grown).fold(0, u64::saturating_add);
        let busy: u64 = (0..4).map(grown).fold(0, u64::saturating_add);
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        facts.add(("activity", ""), "cpu_busy_share", format!("{:.2}", share(busy, passed)), STAT);
        facts.add(
            ("activity", ""),
            "cpu_steal_share_since_boot",
            format!("{:.4}", share(now[4], total)),
            STAT,
        );
    }
}
