//! Reasons against writing a device that the kernel knows: what is mounted, swapped to, built or
//! opened on it, on the devices that share its bytes, and on those below it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::device_number::DeviceNumber;
use super::machine::{FileId, Machine, Node};
use super::mounts::Mount;
use super::sysfs;
use super::users::{self, Access, User};
use crate::guard::{Hold, Reason};

impl Machine {
    /// Every reason against writing this device that lies in its use, not in its bytes.
    pub fn use_of(&self, number: DeviceNumber) -> Vec<Reason> {
        let Some(node) = self.node(number) else {
            let text = format!("the kernel lists no block device {number}, so that its use is unknown");
            return vec![Reason::new(Hold::Unknown, text).first("make /sys visible to this process")];
        };
        let mut reasons = Vec::new();
        if sysfs::attribute(&node.dir, "ro").as_deref() == Some("1") {
            let text = format!("{} takes no writes", self.label(node));
            reasons.push(Reason::new(Hold::ReadOnly, text));
        }
        let shared = self.sharing_bytes(number);
        let below: BTreeSet<_> = self.below(number).into_iter().collect();
        // Devices that are expected to hold those below them, because the target is built so.
        let own: BTreeSet<_> = shared.union(&below).copied().collect();
        let mut opened = shared.clone();
        for member in &shared {
            self.use_of_one(*member, &own, &mut BTreeSet::new(), &mut reasons);
        }
        for lower in &below {
            for member in self.sharing_bytes(*lower).difference(&shared) {
                self.mounts_and_swap_on(*member, &mut reasons);
            }
        }
        for member in &own {
            let Some(backing) = self.node(*member).and_then(|node| node.backing.as_ref()) else { continue };
            match backing.block {
                // A loop device covers all of the block device that it stands on, so whatever else is
                // built there counts in full, where logical volumes beside the target would not.
                Some(block) => {
                    for shares in self.sharing_bytes(block) {
                        self.use_of_one(shares, &own, &mut BTreeSet::new(), &mut reasons);
                        opened.insert(shares);
                    }
                }
                None => {
                    for file in &backing.files {
                        self.use_of_one_file(*file, Path::new(&backing.path), &own, &mut reasons);
                    }
                }
            }
        }
        self.partitions_on(node, &mut reasons);
        self.processes_on(&opened, &mut reasons);
        reasons.extend(self.unseen_users(&self.label(node)));
        reasons
    }

    /// What other processes do with a target may be hidden from this one.
    fn unseen_users(&self, label: &str) -> Option<Reason> {
        let (hidden, remedy) = self.census.sight.words()?;
        let text = format!("whether another program uses {label} cannot be seen: {hidden}");
        Some(Reason::new(Hold::Unseen, text).first(format!("to have it seen, {remedy}")))
    }

    /// Use of one device and of all that is built on it, past the devices of the target's own stack.
    fn use_of_one(
        &self,
        number: DeviceNumber,
        own: &BTreeSet<DeviceNumber>,
        seen: &mut BTreeSet<DeviceNumber>,
        reasons: &mut Vec<Reason>,
    ) {
        if !seen.insert(number) {
            return;
        }
        self.mounts_and_swap_on(number, reasons);
        let Some(node) = self.node(number) else { return };
        for holder in self.built_on(number) {
            if own.contains(&holder.number) {
                continue;
            }
            let text = format!("{} is built on {}", self.label(holder), self.label(node));
            add(reasons, Reason::new(Hold::Held, text).first(self.how_to_release(holder)));
            for shares in self.sharing_bytes(holder.number) {
                self.use_of_one(shares, own, seen, reasons);
            }
        }
    }

    fn mounts_and_swap_on(&self, number: DeviceNumber, reasons: &mut Vec<Reason>) {
        let Some(node) = self.node(number) else { return };
        let label = self.label(node);
        let mut is_seen = false;
        for mount in self.mounts.iter().filter(|mount| self.devices_of(mount).contains(&number)) {
            let point = mount.point.display();
            let elsewhere = if mount.elsewhere { " in another mount namespace" } else { "" };
            let text = format!("{label} is mounted at {point} ({}){elsewhere}", mount.kind);
            is_seen = true;
            // The root of a running system is not unmounted; no advice is better than that one.
            let first = match mount.point.parent() {
                Some(_) => format!("type: sudo umount {point}"),
                None => String::new(),
            };
            add(reasons, Reason::new(Hold::Mounted, text).first(first));
        }
        if let Some(kind) = self.live_file_system(node)
            && !is_seen
        {
            let text = format!("{label} is part of a mounted {kind} file system");
            add(reasons, Reason::new(Hold::Mounted, text).first("unmount that file system"));
        }
        for path in self.swaps.iter().filter(|path| self.device_at(path) == Some(number)) {
            let text = format!("{label} is swapped to");
            let first = format!("type: sudo swapoff {}", path.display());
            add(reasons, Reason::new(Hold::Swap, text).first(first));
        }
    }

    /// Block devices that a mount stands on: its own number, what its source and options name, and
    /// all members of its pool.
    pub fn devices_of(&self, mount: &Mount) -> Vec<DeviceNumber> {
        let mut devices: Vec<_> = self.node(mount.device).map(|node| node.number).into_iter().collect();
        let named = mount.source.split(':').chain(
            // `logdev=`, `rtdev=`, `journal_path=`, `device=`.
            mount
                .options
                .split([',', ';'])
                .filter_map(|option| option.split_once('=').map(|(_, value)| value)),
        );
        devices.extend(
            named.filter(|path| path.starts_with("/dev/")).filter_map(|path| self.device_at(Path::new(path))),
        );
        if mount.kind == "btrfs" {
            let pools = self.roots.sys.join("fs/btrfs");
            for pool in sysfs::entries(&pools) {
                let members = sysfs::entries(&pools.join(pool).join("devices"));
                let numbers: Vec<_> = self
                    .nodes
                    .values()
                    .filter(|node| members.contains(&node.name))
                    .map(|node| node.number)
                    .collect();
                if numbers.iter().any(|number| devices.contains(number)) {
                    devices.extend(numbers);
                }
            }
        }
        devices
    }

    /// The kind of file system that runs on a device, whatever the namespace of its mount: drivers
    /// keep a folder for each while it is mounted.
    fn live_file_system(&self, node: &Node) -> Option<&'static str> {
        let drivers = self.roots.sys.join("fs");
        for kind in ["ext4", "xfs", "f2fs", "jfs", "erofs", "nilfs2"] {
            if drivers.join(kind).join(&node.name).is_dir() {
                return Some(kind);
            }
        }
        for kind in ["btrfs", "bcachefs"] {
            let pools = drivers.join(kind);
            for pool in sysfs::entries(&pools) {
                let links = pools.join(pool);
                let is_member = links.join("devices").join(&node.name).exists()
                    || sysfs::entries(&links).iter().any(|entry| {
                        entry.starts_with("dev-")
                            && fs::canonicalize(links.join(entry).join("block"))
                                .is_ok_and(|dir| dir == node.dir)
                    });
                if is_member {
                    return Some(kind);
                }
            }
        }
        None
    }

    fn how_to_release(&self, holder: &Node) -> String {
        let path = self.path(holder).display().to_string();
        let name = sysfs::attribute(&holder.dir, "dm/name");
        let uuid = sysfs::attribute(&holder.dir, "dm/uuid").unwrap_or_default();
        match name {
            Some(name) if uuid.starts_with("LVM-") => format!("type: sudo lvchange -an /dev/mapper/{name}"),
            Some(name) if uuid.starts_with("CRYPT-") => format!("type: sudo cryptsetup close {name}"),
            Some(name) => format!("type: sudo dmsetup remove {name}"),
            None if holder.dir.join("md").is_dir() => format!("type: sudo mdadm --stop {path}"),
            None if holder.backing.is_some() => format!("type: sudo losetup -d {path}"),
            None => format!("stop {path}"),
        }
    }

    fn partitions_on(&self, node: &Node, reasons: &mut Vec<Reason>) {
        let names: Vec<_> = node
            .partitions
            .iter()
            .filter_map(|partition| self.node(*partition))
            .map(|partition| partition.name.as_str())
            .collect();
        if !names.is_empty() {
            let text = format!("{} has partitions: {}", self.label(node), names.join(", "));
            reasons.push(Reason::new(Hold::Partitions, text));
        }
    }

    fn processes_on(&self, shared: &BTreeSet<DeviceNumber>, reasons: &mut Vec<Reason>) {
        for (number, user) in self.census.users.iter().filter(|(number, _)| shared.contains(number)) {
            let label = self.node(*number).map_or_else(|| number.to_string(), |node| self.label(node));
            add(reasons, used_by(user, &label));
        }
    }

    /// Every reason against writing a file that lies in its use.
    pub fn use_of_file(&self, file: FileId, path: &Path) -> Vec<Reason> {
        let mut reasons = Vec::new();
        self.use_of_one_file(file, path, &BTreeSet::new(), &mut reasons);
        reasons.extend(self.unseen_users(&path.display().to_string()));
        reasons
    }

    fn use_of_one_file(
        &self,
        file: FileId,
        path: &Path,
        own: &BTreeSet<DeviceNumber>,
        reasons: &mut Vec<Reason>,
    ) {
        let shown = path.display();
        let is_it = |other: &PathBuf| fs::metadata(other).is_ok_and(|meta| FileId::of(&meta) == file);
        for swap in self.swaps.iter().filter(|swap| is_it(swap)) {
            let first = format!("type: sudo swapoff {}", swap.display());
            add(reasons, Reason::new(Hold::Swap, format!("{shown} is swapped to")).first(first));
        }
        for node in self.nodes.values().filter(|node| !own.contains(&node.number)) {
            if node.backing.as_ref().is_some_and(|backing| backing.files.contains(&file)) {
                let text = format!("{} is built on {shown}", self.label(node));
                add(reasons, Reason::new(Hold::Held, text).first(self.how_to_release(node)));
                for shares in self.sharing_bytes(node.number) {
                    self.use_of_one(shares, own, &mut BTreeSet::new(), reasons);
                }
            }
        }
        for (file, path) in std::iter::once((file, path.to_owned())).chain(self.merged(path)) {
            for user in users::of_file(&self.roots.proc, file, self.file_system_of(file, &path)) {
                add(reasons, used_by(&user, &path.display().to_string()));
            }
        }
    }

    /// The number by which the kernel's lists name the file system of a file, where `stat` gives another.
    fn file_system_of(&self, file: FileId, path: &Path) -> Option<DeviceNumber> {
        let holds = |mount: &&Mount| !mount.elsewhere && path.starts_with(&mount.point);
        let mount = self.mounts.iter().filter(holds).max_by_key(|mount| mount.point.as_os_str().len())?;
        (mount.device != file.device).then_some(mount.device)
    }

    /// The files of overlays whose upper folder holds this one: programs have those open, not this one.
    fn merged(&self, path: &Path) -> Vec<(FileId, PathBuf)> {
        let overlays = self.mounts.iter().filter(|mount| mount.kind == "overlay" && !mount.elsewhere);
        let found = overlays.filter_map(|mount| {
            let upper =
                mount.options.split([',', ';']).find_map(|option| option.strip_prefix("upperdir="))?;
            let merged = mount.point.join(path.strip_prefix(upper).ok()?);
            Some((FileId::of(&fs::metadata(&merged).ok()?), merged))
        });
        found.collect()
    }
}

/// A process that can write it at any time, or that would notice that it was written.
pub fn used_by(user: &User, what: &str) -> Reason {
    let User { process, name, access } = user;
    let who = if *process == 0 { "a program".to_owned() } else { format!("process {process} ({name})") };
    let text = match access {
        Access::Writes => format!("{who} has {what} open for writing"),
        Access::Reads => format!("{who} has {what} open for reading"),
        Access::Maps => format!("{who} has {what} mapped into its memory"),
        Access::Locks => format!("{who} holds a lock or a lease on {what}"),
    };
    let first = if *process == 0 { "end that program".to_owned() } else { format!("end process {process}") };
    Reason { may_pass: *access == Access::Reads, ..Reason::new(Hold::InUse, text).first(first) }
}

fn add(reasons: &mut Vec<Reason>, reason: Reason) {
    if !reasons.contains(&reason) {
        reasons.push(reason);
    }
}
