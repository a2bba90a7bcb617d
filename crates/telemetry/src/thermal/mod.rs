//! Temperatures of processors, drives and boards that the kernel's drivers show, and how often heat slowed the
//! processors down.

mod metrics;

pub use metrics::METRICS;

use std::collections::{HashMap, HashSet};

use crate::counter_growth::per_second;
use crate::{MetricDecl, Root, Sample, Source};

/// Time between two looks: some sensors cost a message to a core or a command to a drive.
const PERIOD_NS: u64 = 10_000_000_000;
/// Sensors that are read at most.
const SENSORS_MAX: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Sensor {
    label: String,
    path: String,
}

/// All sensors of the machine but those of single cores.
pub struct Thermal {
    root: Root,
    sensors: Option<Vec<Sensor>>,
    since_ns: u64,
    /// Times that processors slowed down, by label, at the sample before.
    throttles: HashMap<&'static str, u64>,
}

/// Which counts of a processor's folder are shown under which label.
const THROTTLES: [(&str, &str); 2] = [("core", "core_throttle_count"), ("package", "package_throttle_count")];
/// Processors whose counts are read at most.
const PROCESSORS_MAX: usize = 1024;

/// The sum of a count over all processors that have it; absent where none does, as on virtual machines.
fn throttles(root: &Root, file: &str) -> Option<u64> {
    const CPUS: &str = "/sys/devices/system/cpu";
    let numbered = |name: &String| name.strip_prefix("cpu").is_some_and(|n| n.parse::<u32>().is_ok());
    let names = root.names(CPUS).into_iter().filter(numbered).take(PROCESSORS_MAX);
    let counts = names.filter_map(|name| root.number(format!("{CPUS}/{name}/thermal_throttle/{file}")));
    counts.reduce(u64::saturating_add)
}

impl Thermal {
    /// The machine's sensors, looked for at the first sample.
    pub fn new(root: &Root) -> Self {
        Self { root: root.clone(), sensors: None, since_ns: PERIOD_NS, throttles: HashMap::new() }
    }
}

fn find(root: &Root) -> Vec<Sensor> {
    let mut sensors = Vec::new();
    for zone in root.names("/sys/class/thermal").into_iter().filter(|name| name.starts_with("thermal_zone")) {
        let folder = format!("/sys/class/thermal/{zone}");
        let label = root.text(format!("{folder}/type")).unwrap_or(zone);
        sensors.push(Sensor { label, path: format!("{folder}/temp") });
    }
    for chip in root.names("/sys/class/hwmon") {
        find_on_chip(root, &format!("/sys/class/hwmon/{chip}"), &mut sensors);
    }
    let mut seen = HashSet::new();
    for sensor in &mut sensors {
        if !seen.insert(sensor.label.clone()) {
            sensor.label = format!("{} {}", sensor.label, sensor.path.rsplit('/').nth(1).unwrap_or(""));
        }
    }
    sensors.truncate(SENSORS_MAX);
    sensors
}

fn find_on_chip(root: &Root, folder: &str, sensors: &mut Vec<Sensor>) {
    let driver = root.text(format!("{folder}/name")).unwrap_or_else(|| "hwmon".to_owned());
    // Several drives share the driver's name; the device's own tells them apart.
    let chip =
        root.link_name(format!("{folder}/device")).filter(|name| name.starts_with("nvme")).unwrap_or(driver);
    for file in root.names(folder) {
        let Some(sensor) = file.strip_prefix("temp").and_then(|rest| rest.strip_suffix("_input")) else {
            continue;
        };
        let label = root.text(format!("{folder}/temp{sensor}_label"));
        // A core's sensor is read by interrupting that core, which may be running a job.
        if label.as_deref().is_some_and(|label| label.starts_with("Core ")) {
            continue;
        }
        let label = format!("{chip} {}", label.unwrap_or_else(|| sensor.to_owned()));
        sensors.push(Sensor { label, path: format!("{folder}/{file}") });
    }
}

impl Source for Thermal {
    fn describe(&self) -> &'static [MetricDecl] {
        METRICS
    }

    fn sample(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) {
        let root = &self.root;
        for (label, file) in THROTTLES {
            // A machine without counts at the first sample has none later.
            if elapsed_ns > 0 && !self.throttles.contains_key(label) {
                continue;
            }
            let Some(now) = throttles(root, file) else { continue };
            if let Some(before) = self.throttles.insert(label, now) {
                sample.put(&METRICS[1], label, per_second(before, now, elapsed_ns));
            }
        }
        let sensors = self.sensors.get_or_insert_with(|| find(root));
        if sensors.is_empty() {
            return sample.absent(
                "thermal",
                "no sensors under /sys/class/hwmon and /sys/class/thermal: virtual machines rarely show any; \
                 on hardware load the driver (`modprobe coretemp`, `modprobe k10temp`)",
            );
        }
        self.since_ns = self.since_ns.saturating_add(elapsed_ns);
        if elapsed_ns == 0 || self.since_ns < PERIOD_NS {
            return;
        }
        self.since_ns = 0;
        for sensor in sensors {
            // The kernel gives thousandths of a degree.
            let millidegrees = root.text(&sensor.path).and_then(|text| text.parse::<f64>().ok());
            sample.put(&METRICS[0], &sensor.label, millidegrees.map(|value| value / 1000.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(tree: &std::path::Path, path: &str, text: &str) {
        let path = tree.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn sensors_are_named_apart_and_single_cores_left_alone() {
        let tree = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("sys/class/thermal/thermal_zone0/type", "x86_pkg_temp"),
            ("sys/class/thermal/thermal_zone0/temp", "51000"),
            ("sys/class/thermal/cooling_device0/type", "fan"),
            ("sys/class/hwmon/hwmon0/name", "coretemp"),
            ("sys/class/hwmon/hwmon0/temp1_label", "Package id 0"),
            ("sys/class/hwmon/hwmon0/temp1_input", "50000"),
            ("sys/class/hwmon/hwmon0/temp2_label", "Core 0"),
            ("sys/class/hwmon/hwmon0/temp2_input", "49000"),
            ("sys/class/hwmon/hwmon1/name", "acpi"),
            ("sys/class/hwmon/hwmon1/temp1_input", "40000"),
            ("sys/class/hwmon/hwmon2/name", "acpi"),
            ("sys/class/hwmon/hwmon2/temp1_input", "41000"),
        ] {
            put(tree.path(), path, text);
        }
        let labels: Vec<String> = find(&Root::at(tree.path())).into_iter().map(|s| s.label).collect();
        assert_eq!(labels, ["x86_pkg_temp", "coretemp Package id 0", "acpi 1", "acpi 1 hwmon2"]);
    }
}
