//! What the control groups of this process did to it: processor time held back, and the group's I/O.

pub(crate) mod cgroup_paths;
mod metrics;

pub use metrics::METRICS;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::counter_growth::{growth, per_second};
use crate::{MetricDecl, Root, Sample, Source};
use cgroup_paths::Place;

/// Growing counts of a group's processor time.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ThrottleCounts {
    periods: u64,
    throttled: u64,
    time_ns: u64,
}

/// Reads, writes, bytes read, bytes written.
type Io = [u64; 4];

/// The groups of this process.
pub struct Cgroup {
    root: Root,
    devices: Vec<String>,
    groups: Option<Groups>,
    cpu_before: HashMap<PathBuf, ThrottleCounts>,
    io_before: HashMap<String, Io>,
}

/// What is followed, chosen at the first sample.
struct Groups {
    /// Folders with a `cpu.stat`.
    cpu: Vec<PathBuf>,
    /// The group's own folder, of either version.
    io_v2: Option<PathBuf>,
    io_v1: Option<PathBuf>,
    /// Number of each device, e.g. `254:0`, and its name.
    numbers: Vec<(String, String)>,
}

impl Cgroup {
    /// The groups that this process is in, and their I/O on some devices.
    pub fn new(root: &Root, devices: &[String]) -> Self {
        Self {
            root: root.clone(),
            devices: devices.to_vec(),
            groups: None,
            cpu_before: HashMap::new(),
            io_before: HashMap::new(),
        }
    }

    fn sample_cpu(&mut self, groups: &Groups, elapsed_ns: u64, sample: &mut Sample<'_>) {
        for folder in &groups.cpu {
            let now = self.root.text(folder.join("cpu.stat")).as_deref().and_then(parse_cpu);
            let before = match now {
                Some(now) => self.cpu_before.insert(folder.clone(), now),
                None => {
                    self.cpu_before.remove(folder);
                    None
                }
            };
            let (Some(before), Some(now)) = (before, now) else { continue };
            let label = folder.display().to_string();
            let periods = growth(before.periods, now.periods);
            let throttled = growth(before.throttled, now.throttled);
            // Without a quota, and while nothing runs, there are no periods to be held back in.
            let share = periods.zip(throttled).map(|(periods, throttled)| match periods {
                0 => 0.0,
                periods => (throttled as f64 / periods as f64).min(1.0),
            });
            sample.put(&METRICS[0], &label, share);
            let time = per_second(before.time_ns, now.time_ns, elapsed_ns).map(|ns_per_s| ns_per_s / 1e9);
            sample.put(&METRICS[1], &label, time);
        }
    }

    fn sample_io(&mut self, groups: &Groups, elapsed_ns: u64, sample: &mut Sample<'_>) {
        let now = read_io(&self.root, groups);
        for (number, device) in &groups.numbers {
            let Some(now) = now.get(number) else { continue };
            let Some(before) = self.io_before.insert(device.clone(), *now) else { continue };
            for (metric, (before, now)) in METRICS[2..].iter().zip(before.iter().zip(now)) {
                sample.put(metric, device, per_second(*before, *now, elapsed_ns));
            }
        }
    }
}

/// All folders whose limits bind and that tell of them: the group's own, and those above with a quota.
fn find(root: &Root, devices: &[String]) -> Groups {
    let place = Place::read(root);
    let (unified, blkio) = (place.unified(), place.of_controller("blkio"));
    let mut cpu: Vec<PathBuf> = Vec::new();
    for folders in [&unified, &place.of_controller("cpu")] {
        let tells =
            |folder: &Path| root.text(folder.join("cpu.stat")).as_deref().and_then(parse_cpu).is_some();
        let own = folders.first().into_iter().filter(|folder| tells(folder));
        let above = folders.iter().skip(1).filter(|folder| has_quota(root, folder) && tells(folder));
        cpu.extend(own.chain(above).cloned());
    }
    let number =
        |device: &String| Some((root.text(format!("/sys/class/block/{device}/dev"))?, device.clone()));
    Groups {
        cpu,
        io_v2: unified.first().cloned(),
        io_v1: blkio.first().cloned(),
        numbers: devices.iter().filter_map(number).collect(),
    }
}

fn has_quota(root: &Root, folder: &Path) -> bool {
    let unified = root.text(folder.join("cpu.max")).is_some_and(|text| !text.starts_with("max"));
    let version_1 = root.text(folder.join("cpu.cfs_quota_us")).is_some_and(|text| !text.starts_with('-'));
    unified || version_1
}

/// `nr_periods 10`, `nr_throttled 2` and `throttled_usec` (version 2) or `throttled_time` in ns (version 1).
fn parse_cpu(text: &str) -> Option<ThrottleCounts> {
    let number = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '))?;
        line.trim().parse::<u64>().ok()
    };
    let time_ns = number("throttled_time").or_else(|| number("throttled_usec")?.checked_mul(1000))?;
    Some(ThrottleCounts { periods: number("nr_periods")?, throttled: number("nr_throttled")?, time_ns })
}

/// By number of the device.
fn read_io(root: &Root, groups: &Groups) -> HashMap<String, Io> {
    if let Some(text) = groups.io_v2.as_ref().and_then(|folder| root.text(folder.join("io.stat"))) {
        return parse_io_v2(&text);
    }
    let Some(folder) = &groups.io_v1 else { return HashMap::new() };
    let text = |name: &str| root.text(folder.join(name)).unwrap_or_default();
    parse_io_v1(&text("blkio.throttle.io_serviced"), &text("blkio.throttle.io_service_bytes"))
}

/// `254:0 rbytes=4096 wbytes=0 rios=1 wios=0 dbytes=0 dios=0` a line.
fn parse_io_v2(text: &str) -> HashMap<String, Io> {
    let lines = text.lines().filter_map(|line| {
        let (number, rest) = line.split_once(' ')?;
        let value = |key: &str| {
            rest.split_ascii_whitespace()
                .find_map(|word| word.strip_prefix(key)?.strip_prefix('=')?.parse().ok())
        };
        let io = [value("rios")?, value("wios")?, value("rbytes")?, value("wbytes")?];
        Some((number.to_owned(), io))
    });
    lines.collect()
}

/// `254:0 Read 5` a line, in a file of operations and one of bytes.
fn parse_io_v1(operations: &str, bytes: &str) -> HashMap<String, Io> {
    let mut out: HashMap<String, Io> = HashMap::new();
    for (text, first) in [(operations, 0), (bytes, 2)] {
        for line in text.lines() {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            let [number, kind, count] = words[..] else { continue };
            let at = match kind {
                "Read" => first,
                "Write" => first + 1,
                _ => continue,
            };
            if let Ok(count) = count.parse() {
                out.entry(number.to_owned()).or_default()[at] = count;
            }
        }
    }
    out
}

impl Source for Cgroup {
    fn describe(&self) -> &'static [MetricDecl] {
        METRICS
    }

    fn sample(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) {
        let groups = self.groups.take().unwrap_or_else(|| find(&self.root, &self.devices));
        if groups.cpu.is_empty() {
            sample.absent(
                "cgroup",
                "no control group of this process reports CPU time: its own is the root, or the `cpu` \
                 controller is not mounted",
            );
        }
        self.sample_cpu(&groups, elapsed_ns, sample);
        self.sample_io(&groups, elapsed_ns, sample);
        self.groups = Some(groups);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_tell_of_time_held_back() {
        let version_2 = "usage_usec 5\nnr_periods 10\nnr_throttled 4\nthrottled_usec 7\nnr_bursts 0\n";
        assert_eq!(parse_cpu(version_2), Some(ThrottleCounts { periods: 10, throttled: 4, time_ns: 7000 }));
        let version_1 = "nr_periods 10\nnr_throttled 4\nthrottled_time 7\n";
        assert_eq!(parse_cpu(version_1), Some(ThrottleCounts { periods: 10, throttled: 4, time_ns: 7 }));
        assert_eq!(parse_cpu("usage_usec 5\nuser_usec 3\n"), None, "the root group has no quota");
        assert_eq!(parse_cpu("nr_periods 1\nnr_throttled x\nthrottled_usec 18446744073709551615\n"), None);
    }

    #[test]
    fn io_reads_in_both_forms() {
        let version_2 =
            parse_io_v2("254:0 rbytes=8192 wbytes=1 rios=2 wios=3 dbytes=0 dios=0\n8:0 rbytes=5\nx\n");
        assert_eq!(version_2, HashMap::from([("254:0".to_owned(), [2, 3, 8192, 1])]));
        let serviced = "254:0 Read 2\n254:0 Write 3\n254:0 Sync 5\n254:0 Total 5\nTotal 5\n";
        let bytes = "254:0 Read 8192\n254:0 Write 1\n254:0 Total x\n";
        assert_eq!(parse_io_v1(serviced, bytes), version_2);
    }
}
