//! NVMe controllers: which there are under a device, what they say of themselves, and their health.

#[cfg_attr(target_os = "linux", path = "admin_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "admin_elsewhere.rs")]
mod admin;
#[cfg(any(test, target_os = "linux"))]
mod command_dwords;
mod ebs_volume;
mod health;
mod metrics;

pub use admin::Controller;
pub use metrics::METRICS;

use std::collections::{BTreeSet, HashMap};
use std::io;

use fathom_spec::smart::LOG_BYTES;
use fathom_spec::{SmartLog, VolumeLog, amazon};

use crate::{MetricDecl, Root, Sample, Source};

/// Time between two readings of the health log.
const PERIOD_NS: u64 = 10_000_000_000;

/// The commands that are sent: they read and change nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadCommand {
    /// Identify Controller.
    IdentifyController,
    /// Identify Namespace, of this namespace identifier.
    IdentifyNamespace(u32),
    /// The SMART / Health log.
    Health,
    /// Amazon's log of a volume; only its own devices are asked for it.
    Volume,
}

/// How the model of Amazon's devices begins.
const AMAZON: &str = "Amazon ";

/// Whether this is a controller's name: `nvme0`, not `nvme0n1`.
fn is_controller(name: &str) -> bool {
    name.strip_prefix("nvme").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// The controllers that serve a block device: one, or all paths of a shared namespace.
pub(crate) fn controllers(root: &Root, device: &str) -> Vec<String> {
    if !device.starts_with("nvme") {
        return Vec::new();
    }
    let place = format!("/sys/class/block/{device}/device");
    let direct = root.resolve(&place).and_then(|path| Some(path.file_name()?.to_str()?.to_owned()));
    match direct {
        Some(name) if is_controller(&name) => vec![name],
        // A subsystem, whose folder links to its controllers.
        _ => root.names(&place).into_iter().filter(|name| is_controller(name)).collect(),
    }
}

/// Health of the controllers under a run's devices.
pub struct Nvme {
    root: Root,
    names: Vec<String>,
    open: HashMap<String, Controller>,
    /// Those of the names that are Amazon's and answered when they were last asked.
    volumes: Vec<String>,
    /// Counters at the reading before.
    health: HashMap<String, health::Counters>,
    exceeded: HashMap<String, ebs_volume::ExceededTimes>,
    since_ns: u64,
    /// Whether a sample after the baseline holds it already.
    in_first_row: bool,
}

impl Nvme {
    /// The controllers of those devices that are NVMe namespaces.
    pub fn new(root: &Root, devices: &[String]) -> Self {
        let names: BTreeSet<String> = devices.iter().flat_map(|device| controllers(root, device)).collect();
        let model = |name: &String| root.text(format!("/sys/class/nvme/{name}/model")).unwrap_or_default();
        Self {
            root: root.clone(),
            volumes: names.iter().filter(|name| model(name).starts_with(AMAZON)).cloned().collect(),
            names: names.into_iter().collect(),
            open: HashMap::new(),
            health: HashMap::new(),
            exceeded: HashMap::new(),
            since_ns: 0,
            in_first_row: false,
        }
    }

    fn read(&mut self, name: &str, command: ReadCommand, data: &mut [u8]) -> io::Result<()> {
        if !self.open.contains_key(name) {
            let controller = Controller::open(&self.root.path(format!("/dev/{name}")))?;
            self.open.insert(name.to_owned(), controller);
        }
        let result = self.open[name].read(command, data);
        if result.is_err() {
            self.open.remove(name);
        }
        result
    }

    fn sample_health(&mut self, name: &str, sample: &mut Sample<'_>) -> io::Result<()> {
        let mut bytes = [0; LOG_BYTES];
        self.read(name, ReadCommand::Health, &mut bytes)?;
        let log = SmartLog::parse(&bytes).map_err(io::Error::other)?;
        let before = self.health.get(name).copied();
        self.health.insert(name.to_owned(), health::put(log, name, before, self.since_ns, sample));
        Ok(())
    }

    fn sample_volume(&mut self, name: &str, elapsed_ns: u64, sample: &mut Sample<'_>) -> io::Result<()> {
        let mut bytes = [0; amazon::LOG_BYTES];
        self.read(name, ReadCommand::Volume, &mut bytes)?;
        let log = VolumeLog::parse(&bytes).map_err(io::Error::other)?;
        let log = log.ok_or_else(|| io::Error::other("the answer does not begin as the log does"))?;
        let before = self.exceeded.get(name).copied();
        self.exceeded.insert(name.to_owned(), ebs_volume::put(log, name, before, elapsed_ns, sample));
        Ok(())
    }

    /// The counters of Amazon's volumes, which are worth a command each second. One that does not answer is not
    /// asked again.
    fn sample_volumes(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) {
        for name in self.volumes.clone() {
            if let Err(error) = self.sample_volume(&name, elapsed_ns, sample) {
                self.volumes.retain(|known| *known != name);
                sample.absent(
                    "nvme",
                    format!("{name}: the volume's log could not be read ({error}); run as root, or type `nvme amzn stats /dev/{name}`"),
                );
            }
        }
    }
}

impl Source for Nvme {
    fn describe(&self) -> &'static [MetricDecl] {
        METRICS
    }

    fn sample(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) {
        if self.names.is_empty() {
            return sample.absent("nvme", "no NVMe controller under the target");
        }
        self.sample_volumes(elapsed_ns, sample);
        self.since_ns = self.since_ns.saturating_add(elapsed_ns);
        // The baseline and the first sample read it too, so that short runs have a temperature.
        if elapsed_ns > 0 && std::mem::replace(&mut self.in_first_row, true) && self.since_ns < PERIOD_NS {
            return;
        }
        for name in self.names.clone() {
            if let Err(error) = self.sample_health(&name, sample) {
                self.health.remove(&name);
                sample.absent(
                    "nvme",
                    format!("{name}: the health log could not be read ({error}); run as root, or type `nvme smart-log /dev/{name}`"),
                );
            }
        }
        self.since_ns = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A volume's log with so many microseconds beyond each limit.
    fn log(magic: u32, exceeded_us: [u64; 4]) -> Vec<u8> {
        let mut bytes = vec![0u8; amazon::LOG_BYTES];
        bytes[..4].copy_from_slice(&magic.to_le_bytes());
        for (at, value) in (56..).step_by(8).zip(exceeded_us.into_iter().chain([7])) {
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn time_beyond_a_limit_is_a_share_of_the_interval() {
        const EBS: u32 = 0x3c23_b510;
        let mut table = crate::sample_columns::Table::default();
        let first = log(EBS, [1_000_000, 0, 5, 0]);
        let first = VolumeLog::parse(&first).unwrap().unwrap();
        let before = ebs_volume::put(first, "nvme1", None, 0, &mut table.baseline());
        let second = log(EBS, [2_500_000, 0, 4, 500_000]);
        let second = VolumeLog::parse(&second).unwrap().unwrap();
        ebs_volume::put(second, "nvme1", Some(before), 2_000_000_000, &mut table.row(2_000_000_000));
        let (_, series, _) = table.into_series();
        let found: Vec<_> =
            series.iter().map(|s| (s.metric.as_str(), s.values.last().copied().flatten())).collect();
        assert!(found.contains(&("nvme.volume_iops_exceeded", Some(0.75))), "{found:?}");
        assert!(found.contains(&("nvme.volume_throughput_exceeded", Some(0.0))), "{found:?}");
        assert!(found.contains(&("nvme.instance_throughput_exceeded", Some(0.25))), "{found:?}");
        assert!(found.contains(&("nvme.volume_queue", Some(7.0))), "{found:?}");
        let reset = found.iter().find(|(name, _)| *name == "nvme.instance_iops_exceeded");
        assert!(
            reset.is_none_or(|(_, value)| value.is_none()),
            "a counter that went back says nothing: {found:?}"
        );
    }

    #[test]
    fn heat_and_errors_are_growth_of_the_health_log() {
        let bytes = |transitions: u8, seconds: u8, errors: u8, minutes: u8| {
            let mut log = [0u8; LOG_BYTES];
            (log[160], log[192], log[216], log[228]) = (errors, minutes, transitions, seconds);
            log
        };
        let mut table = crate::sample_columns::Table::default();
        let first = bytes(1, 0, 3, 1);
        let before = health::put(SmartLog::parse(&first).unwrap(), "nvme0", None, 0, &mut table.baseline());
        let mut second = bytes(3, 5, 3, 2);
        second[0] = 0b10;
        let second = SmartLog::parse(&second).unwrap();
        health::put(second, "nvme0", Some(before), 10_000_000_000, &mut table.row(10_000_000_000));
        let (_, series, _) = table.into_series();
        for (metric, value) in [
            ("nvme.throttled", 0.5),
            ("nvme.throttle_transitions", 0.2),
            ("nvme.media_errors", 0.0),
            ("nvme.hot", 1.0),
            ("nvme.temperature_warning", 1.0),
        ] {
            let found = series.iter().find(|s| s.metric == metric).map(|s| s.values.clone());
            assert_eq!(found, Some(vec![Some(value)]), "{metric}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn controllers_are_found_directly_and_through_a_subsystem() {
        let tree = tempfile::tempdir().unwrap();
        let make = |path: &str| std::fs::create_dir_all(tree.path().join(path)).unwrap();
        make("sys/devices/pci0/nvme/nvme0");
        make("sys/devices/virtual/nvme-subsystem/nvme-subsys1/nvme1n1");
        make("sys/devices/virtual/nvme-subsystem/nvme-subsys1/nvme1");
        make("sys/devices/virtual/nvme-subsystem/nvme-subsys1/nvme2");
        make("sys/class/block/nvme0n1");
        make("sys/class/block/nvme1n1");
        make("sys/class/block/vda");
        let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, tree.path().join(at)).unwrap();
        link("../../../devices/pci0/nvme/nvme0", "sys/class/block/nvme0n1/device");
        link("../../../devices/virtual/nvme-subsystem/nvme-subsys1", "sys/class/block/nvme1n1/device");
        let root = Root::at(tree.path());
        assert_eq!(controllers(&root, "nvme0n1"), ["nvme0"]);
        assert_eq!(controllers(&root, "nvme1n1"), ["nvme1", "nvme2"]);
        assert!(controllers(&root, "vda").is_empty() && controllers(&root, "nvme9n1").is_empty());
    }
}
