//! Limits that the process's control group puts on its I/O and processors, in both versions.

use std::path::Path;

use super::Facts;
use crate::cgroup::cgroup_paths::Place;

/// Version 1 files of I/O limits, and what they limit.
const V1_LIMITS: &[(&str, &str)] = &[
    ("blkio.throttle.read_bps_device", "read_bytes_per_s"),
    ("blkio.throttle.write_bps_device", "write_bytes_per_s"),
    ("blkio.throttle.read_iops_device", "read_operations_per_s"),
    ("blkio.throttle.write_iops_device", "write_operations_per_s"),
];

/// Version 2 keys of `io.max`, and what they limit.
const V2_LIMITS: &[(&str, &str)] = &[
    ("rbps", "read_bytes_per_s"),
    ("wbps", "write_bytes_per_s"),
    ("riops", "read_operations_per_s"),
    ("wiops", "write_operations_per_s"),
];

/// Adds the limits, and gives the least of the quotas of processor time, in cores.
pub(super) fn describe(facts: &mut Facts<'_>, devices: &[&str]) -> Option<f64> {
    let root = facts.root();
    let place = Place::read(root);
    let numbers: Vec<(String, &str)> = devices
        .iter()
        .filter_map(|device| Some((root.text(format!("/sys/class/block/{device}/dev"))?, *device)))
        .collect();
    let mut quotas = Vec::new();
    for folder in place.unified() {
        io_limits_v2(facts, &folder, &numbers);
        quotas.extend(cpu_limit_v2(facts, &folder));
    }
    for folder in place.of_controller("blkio") {
        io_limits_v1(facts, &folder, &numbers);
    }
    for folder in place.of_controller("cpu") {
        quotas.extend(cpu_limit_v1(facts, &folder));
    }
    quotas.into_iter().reduce(f64::min)
}

/// `254:0 rbps=1048576 wbps=max riops=120 wiops=max`.
fn io_limits_v2(facts: &mut Facts<'_>, folder: &Path, numbers: &[(String, &str)]) {
    let path = folder.join("io.max").display().to_string();
    for line in facts.root().text(&path).unwrap_or_default().lines() {
        let Some((number, limits)) = line.split_once(' ') else { continue };
        let Some((_, device)) = numbers.iter().find(|(known, _)| known == number) else { continue };
        for word in limits.split_ascii_whitespace() {
            let Some((key, value)) = word.split_once('=') else { continue };
            let name = V2_LIMITS.iter().find(|(known, _)| *known == key).map(|(_, name)| *name);
            if let (Some(name), Ok(value)) = (name, value.parse::<u64>()) {
                facts.add(("cgroup", device), name, value, &path);
            }
        }
    }
}

/// `254:0 1048576` a line.
fn io_limits_v1(facts: &mut Facts<'_>, folder: &Path, numbers: &[(String, &str)]) {
    for (file, name) in V1_LIMITS {
        let path = folder.join(file).display().to_string();
        for line in facts.root().text(&path).unwrap_or_default().lines() {
            let Some((number, value)) = line.split_once(' ') else { continue };
            let device = numbers.iter().find(|(known, _)| known == number).map(|(_, device)| *device);
            if let (Some(device), Ok(value)) = (device, value.trim().parse::<u64>()) {
                facts.add(("cgroup", device), name, value, &path);
            }
        }
    }
}

/// `max 100000`, or quota and period in microseconds.
fn cpu_limit_v2(facts: &mut Facts<'_>, folder: &Path) -> Option<f64> {
    let path = folder.join("cpu.max").display().to_string();
    let text = facts.root().text(&path)?;
    let mut words = text.split_ascii_whitespace().map(str::parse::<f64>);
    let (Some(Ok(quota)), Some(Ok(period))) = (words.next(), words.next()) else { return None };
    add_cores(facts, quota, period, &path)
}

/// Quota and period in microseconds, in a file each; a quota of -1 is none.
fn cpu_limit_v1(facts: &mut Facts<'_>, folder: &Path) -> Option<f64> {
    let path = folder.join("cpu.cfs_quota_us").display().to_string();
    let number = |path: &str| facts.root().text(path)?.parse::<f64>().ok();
    let quota = number(&path)?;
    let period = number(&folder.join("cpu.cfs_period_us").display().to_string())?;
    add_cores(facts, quota, period, &path)
}

fn add_cores(facts: &mut Facts<'_>, quota_us: f64, period_us: f64, source: &str) -> Option<f64> {
    let cores = quota_us / period_us;
    if !(quota_us > 0.0 && period_us > 0.0 && cores.is_finite()) {
        return None;
    }
    facts.add(("cgroup", ""), "cpu_cores", format!("{cores:.2}"), source);
    Some(cores)
}
