//! Lists the block devices of this machine with what holds them.

use std::path::Path;

use fathom_order::InOrder;
use fathom_record::facts::DeviceFacts;

use super::device_number::DeviceNumber;
use super::inspect;
use super::io_alignment::queue_number;
use super::machine::{Machine, Node, Roots};
use super::open_refusals::how_to_reach;
use super::origin;
use super::sysfs;
use super::{character_device, emptiness};
use crate::device_listing::{Claims, Device};
use crate::drives::Capture;
use crate::guard::{self, Findings, Hold, Identity, Reason};
use crate::{Error, ErrorKind};

/// Every disk, partition, stack and memory device that has a node, in the order of their names, then
/// the character devices of NVMe namespaces. Loop devices without a file are left out. Devices are
/// opened for reading only.
///
/// # Errors
/// When `/sys` shows no block devices at all.
pub fn devices() -> Result<Vec<Device>, Error> {
    let roots = Roots::default();
    let class = roots.sys.join("class/block");
    if let Err(error) = std::fs::read_dir(&class) {
        return Err(Error::system("listing the block devices", &error)
            .with_remedy("make /sys visible to this process"));
    }
    let machine = Machine::look(&roots);
    let mut nodes: Vec<_> = machine.nodes.values().filter(|node| is_listed(node)).collect();
    nodes.put_in_order_by_key(|node| natural(&node.name));
    let mut devices: Vec<_> = nodes.into_iter().map(|node| describe(&machine, node)).collect();
    let generic = generic_namespaces(&machine, &devices);
    devices.extend(generic);
    Ok(devices)
}

/// The driver of a device's class, which the kernel tells by files alone.
pub fn class_driver(_: &str) -> Option<String> {
    None
}

/// What drives answer, which those of Windows alone are asked so.
///
/// # Errors
/// Always.
pub fn capture() -> Result<Capture, Error> {
    let cause = "drives are asked so on Windows alone";
    Err(Error::new(ErrorKind::Unsupported, "fathom devices --capture", cause)
        .with_remedy("what is known of the devices here, as a file: fathom devices --json > devices.json"))
}

fn is_listed(node: &Node) -> bool {
    node.backing.is_some() || node.disk.is_some() || !node.name.starts_with("loop")
}

/// Letters, then numbers as numbers, so that `nvme10n1` comes after `nvme2n1`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts: Vec<(String, u64)> = vec![(String::new(), 0)];
    let mut in_number = false;
    for c in name.chars() {
        if in_number && !c.is_ascii_digit() {
            parts.push((String::new(), 0));
        }
        in_number = c.is_ascii_digit();
        if let Some((text, number)) = parts.last_mut() {
            match c.to_digit(10) {
                Some(digit) => *number = number.saturating_mul(10).saturating_add(u64::from(digit)),
                None => text.push(c),
            }
        }
    }
    parts
}

fn describe(machine: &Machine, node: &Node) -> Device {
    let facts = machine.facts(node);
    let path = machine.path(node);
    let mut unusable = None;
    let mut direct_io = None;
    let used =
        || Findings { reasons: machine.use_of(node.number), identity: machine.identity(node), own: false };
    let mut findings = None;
    let (mut empty, mut reading_s) = (None, None);
    if facts.size_bytes == 0 {
        unusable = Some(no_size(node));
    } else if has_removable_medium(node) {
        unusable = Some("it has a removable medium, which is not looked at unasked".to_owned());
    } else {
        match open(&path, node.number) {
            Ok(file) => {
                direct_io = Some(
                    rustix::fs::fcntl_getfl(&file)
                        .is_ok_and(|flags| flags.contains(rustix::fs::OFlags::DIRECT)),
                );
                findings = origin::hold("judging devices", machine, &file, None).ok();
                if let Some(found) = findings.as_mut().filter(|found| found.reasons.is_empty()) {
                    match emptiness::listed(machine, node, &file) {
                        Ok(how) => empty = Some(how),
                        Err((reason, takes_s)) => {
                            found.reasons.push(reason);
                            reading_s = takes_s;
                        }
                    }
                }
            }
            Err(error) => {
                let text = format!("{} could not be looked at: {error}", path.display());
                let mut found = used();
                found.reasons.push(Reason::new(Hold::Unknown, text).first(how_to_reach(&path, "rw")));
                findings = Some(found);
                unusable = Some(format!("it cannot be opened: {error}"));
            }
        }
    }
    let findings = findings.unwrap_or_else(used);
    Device {
        path: path.display().to_string(),
        carried: None,
        disk: node.disk.and_then(|disk| machine.node(disk)).map(|disk| disk.name.clone()),
        verdict: guard::verdict(&findings.reasons, &findings.identity),
        reasons: findings.reasons,
        identity: findings.identity,
        empty,
        reading_s,
        claims: Claims { direct_io, ..claims(machine, node) },
        unusable,
        facts,
    }
}

fn open(path: &Path, number: DeviceNumber) -> std::io::Result<std::fs::File> {
    let file = inspect::open_for_looking(path)?;
    let same = DeviceNumber::of_node(&file.metadata()?) == number;
    if same { Ok(file) } else { Err(std::io::Error::other("its node stands for another device")) }
}

fn no_size(node: &Node) -> String {
    if node.name.starts_with("zram") {
        format!("it has no size yet; type: echo 1G | sudo tee /sys/block/{}/disksize", node.name)
    } else {
        "it has no size: no medium, or nothing attached".to_owned()
    }
}

/// Diskette and disc drives, where looking can take long and make noise.
fn has_removable_medium(node: &Node) -> bool {
    let numbered = |prefix: &str| {
        node.name
            .strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    numbered("fd") || numbered("sr")
}

fn claims(machine: &Machine, node: &Node) -> Claims {
    let disk = machine.disk_of(node);
    let fields = sysfs::attribute(&node.dir, "stat").map_or(0, |text| text.split_ascii_whitespace().count());
    let mut counters = Vec::new();
    // Linux Documentation/block/stat.rst: 11 fields, 15 with trims since 4.18, 17 with flushes since 5.5.
    for (least, name) in [(11, "diskstats"), (15, "trim counters"), (17, "flush counters")] {
        if fields >= least {
            counters.push(name.to_owned());
        }
    }
    let mut have = |present: bool, name: &str| {
        if present {
            counters.push(name.to_owned());
        }
    };
    have(node.dir.join("inflight").exists(), "in-flight");
    let is_nvme = disk.name.starts_with("nvme");
    have(is_nvme, "nvme identify");
    have(is_nvme, "nvme health");
    let sensors = ["device/hwmon", "device/device/hwmon"].map(|dir| disk.dir.join(dir).is_dir());
    // NVMe controllers keep their sensor directly under the device.
    let own_sensor = sysfs::entries(&disk.dir.join("device")).iter().any(|name| name.starts_with("hwmon"));
    have(sensors.contains(&true) || own_sensor, "temperature");
    have(disk.dir.join("mm_stat").exists(), "stored bytes");
    Claims {
        direct_io: None,
        logical_block_bytes: queue_number(machine, node, "queue/logical_block_size"),
        physical_block_bytes: queue_number(machine, node, "queue/physical_block_size"),
        trim: sysfs::number::<u64>(&disk.dir, "queue/discard_max_bytes").is_some_and(|bytes| bytes > 0),
        counters,
    }
}

/// `/dev/ng0n1` and its like: what holds them is what holds their block devices. They are not opened: what a
/// program sends through one passes every check of the kernel's.
fn generic_namespaces(machine: &Machine, blocks: &[Device]) -> Vec<Device> {
    let names = sysfs::entries(&machine.roots.sys.join("class/nvme-generic"));
    names.into_iter().map(|name| generic_namespace(machine, blocks, name)).collect()
}

fn generic_namespace(machine: &Machine, blocks: &[Device], name: String) -> Device {
    let path = machine.roots.dev.join(&name);
    let sibling = character_device::listed_sibling(&machine.roots, &name);
    let block = sibling.and_then(|sibling| blocks.iter().find(|device| device.facts.name == sibling));
    let mut reasons =
        block.map_or_else(|| vec![character_device::without_sibling()], |device| device.reasons.clone());
    reasons.extend(character_device::writers(machine, &path));
    let nobody = || Identity { words: String::new(), also: Vec::new() };
    let identity = block.map_or_else(nobody, |device| device.identity.clone());
    let facts = block.map_or_else(DeviceFacts::default, |device| device.facts.clone());
    Device {
        path: path.display().to_string(),
        facts: DeviceFacts {
            name,
            layer: "NVMe commands".to_owned(),
            // The block layer's, which commands pass.
            scheduler: None,
            queue_requests: None,
            ..facts
        },
        carried: None,
        disk: None,
        verdict: guard::verdict(&reasons, &identity),
        reasons,
        identity,
        empty: block.and_then(|device| device.empty.clone()),
        reading_s: block.and_then(|device| device.reading_s),
        claims: Claims {
            direct_io: Some(true),
            logical_block_bytes: block.and_then(|device| device.claims.logical_block_bytes),
            physical_block_bytes: block.and_then(|device| device.claims.physical_block_bytes),
            trim: block.is_some_and(|device| device.claims.trim),
            counters: block.map_or_else(Vec::new, |device| {
                let passes = |name: &&String| name.starts_with("nvme") || *name == "temperature";
                device.claims.counters.iter().filter(passes).cloned().collect()
            }),
        },
        unusable: block
            .is_none()
            .then(|| "its block device is not listed, and only that reports its size".to_owned()),
    }
}
