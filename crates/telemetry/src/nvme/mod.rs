//! NVMe controllers: which there are under a device, what they say of themselves, and their health.

#[cfg_attr(target_os = "linux", path = "admin_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "admin_elsewhere.rs")]
mod admin;
mod metrics;

pub use admin::Controller;
pub use metrics::METRICS;

use std::collections::{BTreeSet, HashMap};
use std::io;

use fathom_spec::SmartLog;
use fathom_spec::admin::{ALL_NAMESPACES, GET_LOG_PAGE, IDENTIFY, IdentifyWhat, log_page_dword10};
use fathom_spec::smart::{LOG_BYTES, LOG_IDENTIFIER};

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
}

impl ReadCommand {
    /// Opcode, namespace identifier and command dword 10, for an answer of `bytes` bytes.
    fn words(self, bytes: u32) -> (u8, u32, u32) {
        match self {
            Self::IdentifyController => (IDENTIFY, 0, IdentifyWhat::Controller.dword10()),
            Self::IdentifyNamespace(namespace) => (IDENTIFY, namespace, IdentifyWhat::Namespace.dword10()),
            Self::Health => (GET_LOG_PAGE, ALL_NAMESPACES, log_page_dword10(LOG_IDENTIFIER, bytes)),
        }
    }
}

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
    /// Seconds under throttling at the reading before.
    throttled_s: HashMap<String, u64>,
    since_ns: u64,
    /// Whether a sample after the baseline holds it already.
    in_first_row: bool,
}

impl Nvme {
    /// The controllers of those devices that are NVMe namespaces.
    pub fn new(root: &Root, devices: &[String]) -> Self {
        let names: BTreeSet<String> = devices.iter().flat_map(|device| controllers(root, device)).collect();
        Self {
            root: root.clone(),
            names: names.into_iter().collect(),
            open: HashMap::new(),
            throttled_s: HashMap::new(),
            since_ns: 0,
            in_first_row: false,
        }
    }

    fn read_health(&mut self, name: &str) -> io::Result<[u8; LOG_BYTES]> {
        if !self.open.contains_key(name) {
            let controller = Controller::open(&self.root.path(format!("/dev/{name}")))?;
            self.open.insert(name.to_owned(), controller);
        }
        let mut log = [0; LOG_BYTES];
        self.open[name].read(ReadCommand::Health, &mut log)?;
        Ok(log)
    }

    fn sample_one(&mut self, name: &str, sample: &mut Sample<'_>) -> io::Result<()> {
        let bytes = self.read_health(name)?;
        let log = SmartLog::parse(&bytes).map_err(io::Error::other)?;
        sample.put(&METRICS[0], name, log.celsius());
        sample.put(&METRICS[1], name, log.warnings().count() as f64);
        sample.put(&METRICS[2], name, log.used_share());
        sample.put(&METRICS[3], name, f64::from(log.available_spare) / 100.0);
        let throttled =
            u64::from(log.light_throttle_seconds.get()) + u64::from(log.heavy_throttle_seconds.get());
        if let Some(before) = self.throttled_s.insert(name.to_owned(), throttled)
            && self.since_ns > 0
        {
            let seconds = throttled.saturating_sub(before) as f64;
            sample.put(&METRICS[4], name, (seconds * 1e9 / self.since_ns as f64).min(1.0));
        }
        Ok(())
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
        self.since_ns = self.since_ns.saturating_add(elapsed_ns);
        // The baseline and the first sample read it too, so that short runs have a temperature.
        if elapsed_ns > 0 && std::mem::replace(&mut self.in_first_row, true) && self.since_ns < PERIOD_NS {
            return;
        }
        for name in self.names.clone() {
            if let Err(error) = self.sample_one(&name, sample) {
                self.open.remove(&name);
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

    #[test]
    fn commands_carry_the_specification_s_words() {
        assert_eq!(ReadCommand::IdentifyController.words(4096), (0x06, 0, 1));
        assert_eq!(ReadCommand::IdentifyNamespace(7).words(4096), (0x06, 7, 0));
        assert_eq!(ReadCommand::Health.words(512), (0x02, 0xffff_ffff, 0x007f_0002));
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
