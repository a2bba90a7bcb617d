//! The block devices under a file or device, from the one that holds the data down to the disks.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use fathom_record::facts::DeviceFacts;

use super::device_number::DeviceNumber;
use super::file_mount;
use super::machine::{Machine, Node};
use super::mounts::Mount;
use super::sysfs;

/// Stacks are a handful of layers; a loop device over a file in a file system over it must end.
const MOST_DEVICES: usize = 64;

impl Machine {
    /// Facts of one device.
    pub fn facts(&self, node: &Node) -> DeviceFacts {
        let serial = self.serial(node).or_else(|| self.disk_of(node).wwn.clone());
        sysfs::facts(&node.name, &node.dir, &self.disk_of(node).dir, serial)
    }

    /// Numbers of the devices under an open file, or of an open device and those under it.
    pub fn devices_under(&self, file: &File) -> Vec<DeviceNumber> {
        let Ok(meta) = file.metadata() else { return Vec::new() };
        let first = if meta.file_type().is_block_device() {
            vec![DeviceNumber::of_node(&meta)]
        } else {
            let mount = file_mount::mount_of(self, file);
            self.devices_of_file(DeviceNumber::holding(&meta), mount)
        };
        self.down_from(first)
    }

    fn devices_of_file(&self, holding: DeviceNumber, mount: Option<&Mount>) -> Vec<DeviceNumber> {
        if self.node(holding).is_some() {
            return vec![holding];
        }
        let Some(mount) = mount else { return Vec::new() };
        if mount.kind != "overlay" {
            return self.devices_of(mount);
        }
        // New files of an overlay lie in its upper folder, by a path that may belong to another
        // namespace and then leads nowhere.
        let upper = mount.options.split([',', ';']).find_map(|option| option.strip_prefix("upperdir="));
        let Some(upper) = upper.and_then(|upper| fs::metadata(upper).ok()) else { return Vec::new() };
        let number = DeviceNumber::from_raw(upper.dev());
        self.node(number).map(|node| node.number).into_iter().collect()
    }

    pub(super) fn down_from(&self, first: Vec<DeviceNumber>) -> Vec<DeviceNumber> {
        let mut found = Vec::new();
        let mut waiting: std::collections::VecDeque<_> = first.into();
        while let Some(next) = waiting.pop_front() {
            let Some(node) = self.node(next) else { continue };
            if found.contains(&next) || found.len() == MOST_DEVICES {
                continue;
            }
            found.push(next);
            waiting.extend(node.slaves.iter().copied().chain(node.disk));
            if let Some(backing) = &node.backing {
                waiting.extend(backing.block);
                let holding = fs::metadata(Path::new(&backing.path)).map(|meta| DeviceNumber::holding(&meta));
                waiting.extend(holding.ok().filter(|_| backing.block.is_none()));
            }
        }
        found
    }
}
