//! Processes that have a device or a file open for writing, from `/proc/*/fd`.
//!
//! Databases and virtual machines use whole devices without mounting or claiming them; their open
//! descriptors are the only sign. Only processes that this one may look into are seen.

use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use super::machine::FileId;
use super::mounts::processes;
use super::number::DeviceNumber;
use super::sysfs;

/// A process that writes, or can at any time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Its number.
    pub process: u32,
    /// Its name, as `qemu-system-x86`.
    pub name: String,
}

/// Every other process that has a block device open for writing, with the device.
pub fn device_writers(proc: &Path) -> Vec<(DeviceNumber, User)> {
    let mut found = Vec::new();
    each_writer(
        proc,
        |meta| meta.file_type().is_block_device(),
        |meta, user| {
            let entry = (DeviceNumber::of_node(meta), user);
            if !found.contains(&entry) {
                found.push(entry);
            }
        },
    );
    found
}

/// Every other process that has this file open for writing.
pub fn file_writers(proc: &Path, file: FileId) -> Vec<User> {
    let mut found = Vec::new();
    each_writer(
        proc,
        |meta| meta.ino() == file.inode && FileId::of(meta) == file,
        |_, user| {
            if !found.contains(&user) {
                found.push(user);
            }
        },
    );
    found
}

fn each_writer(proc: &Path, wanted: impl Fn(&Metadata) -> bool, mut found: impl FnMut(&Metadata, User)) {
    let own = std::process::id();
    for process in processes(proc) {
        let number = process.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse().ok());
        let Some(number) = number.filter(|number| *number != own) else { continue };
        for fd in sysfs::entries(&process.join("fd")) {
            let Ok(meta) = fs::metadata(process.join("fd").join(&fd)) else { continue };
            if wanted(&meta) && is_writable(&process.join("fdinfo").join(&fd)) {
                let name = sysfs::attribute(&process, "comm").unwrap_or_default();
                found(&meta, User { process: number, name });
            }
        }
    }
}

/// Whether a descriptor was opened for writing: its access mode is the last two bits of the octal
/// `flags:` line. What cannot be read counts as writable.
fn is_writable(info: &Path) -> bool {
    let flags = fs::read_to_string(info).ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("flags:").map(str::to_owned))?;
        u32::from_str_radix(line.trim(), 8).ok()
    });
    flags.is_none_or(|flags| flags & 3 != 0)
}
