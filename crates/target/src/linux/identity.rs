//! What a device is called by people who permit its destruction.

use std::fs;

use super::machine::{Machine, Node};
use super::sysfs;
use crate::guard::Identity;

impl Machine {
    /// Serial number of a device's disk, as the device gives it.
    pub fn serial(&self, node: &Node) -> Option<String> {
        let dir = &self.disk_of(node).dir;
        let given = sysfs::attribute(dir, "device/serial")
            .or_else(|| sysfs::attribute(dir, "serial"))
            .or_else(|| unit_serial(dir))
            .or_else(|| self.udev_serial(self.disk_of(node)))?;
        // Controllers without a number answer with blanks, zeros or filler.
        let says_something = given.chars().any(|c| c.is_ascii_alphanumeric() && c != '0');
        (says_something && given.chars().all(|c| !c.is_control())).then_some(given)
    }

    /// The words that name this device and no other of this machine.
    pub fn identity(&self, node: &Node) -> Identity {
        let mut names = self.numbers(node);
        if names.is_empty() {
            let disk = self.disk_of(node);
            let name = sysfs::attribute(&disk.dir, "dm/name").unwrap_or_else(|| disk.name.clone());
            let size_bytes = sysfs::number::<u64>(&disk.dir, "size").unwrap_or(0).saturating_mul(512);
            names.push(name_of_part(node, format!("{name}-{size_bytes}")));
        }
        let words = names.remove(0);
        Identity { words, also: names }
    }

    /// Serial number and world-wide name of this device, with the number of a partition, where they name it
    /// alone.
    ///
    /// Namespaces share their controller's serial number, and virtual machines give one to all their
    /// disks: a number that a second disk has names neither.
    pub fn numbers(&self, node: &Node) -> Vec<String> {
        let disk = self.disk_of(node);
        let disks =
            || self.nodes.values().filter(|other| other.disk.is_none() && other.number != disk.number);
        let serial = self
            .serial(disk)
            .filter(|serial| disks().all(|other| self.serial(other).as_ref() != Some(serial)));
        let wwn = disk.wwn.clone().filter(|wwn| disks().all(|other| other.wwn.as_ref() != Some(wwn)));
        serial.into_iter().chain(wwn).map(|number| name_of_part(node, number)).collect()
    }

    /// What udev learned of an ATA or USB disk, whose drivers show no serial number themselves.
    fn udev_serial(&self, disk: &Node) -> Option<String> {
        // Only beside the machine's own /sys: the files are named by device numbers.
        let run = self.roots.dev.parent()?.join("run/udev/data");
        let text = fs::read_to_string(run.join(format!("b{}", disk.number))).ok()?;
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(str::to_owned);
        value("E:ID_SERIAL_SHORT=").or_else(|| value("E:ID_SCSI_SERIAL="))
    }
}

/// What a disk is called, with the number of its partition where that is meant.
fn name_of_part(node: &Node, disk: String) -> String {
    if node.disk.is_none() {
        return disk;
    }
    let number = sysfs::attribute(&node.dir, "partition").unwrap_or_default();
    format!("{disk}-part{number}")
}

/// Page 0x80 of the vital product data of a SCSI disk: four bytes of head, then the serial number
/// (SPC-4, section 7.8.14).
fn unit_serial(disk_dir: &std::path::Path) -> Option<String> {
    let page = fs::read(disk_dir.join("device/vpd_pg80")).ok()?;
    let text = String::from_utf8_lossy(page.get(4..)?).trim_matches(['\0', ' ']).to_owned();
    (!text.is_empty()).then_some(text)
}
