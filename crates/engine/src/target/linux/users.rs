//! Processes that have a device or a file open for writing, from `/proc/*/fd`.
//!
//! Databases and virtual machines use whole devices without mounting or claiming them; their open
//! descriptors are the only sign. Only processes that this one may look into are seen.

use std::fs;
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

/// What is looked for.
#[derive(Clone, Copy)]
pub enum Wanted<'a> {
    /// Any of these block devices.
    Devices(&'a dyn Fn(DeviceNumber) -> bool),
    /// This file.
    File(FileId),
}

impl Wanted<'_> {
    fn is(&self, meta: &fs::Metadata) -> bool {
        match self {
            Self::Devices(any) => meta.file_type().is_block_device() && any(DeviceNumber::of_node(meta)),
            Self::File(file) => meta.ino() == file.inode && FileId::of(meta) == *file,
        }
    }
}

/// Every other process that has it open for writing.
pub fn writers(proc: &Path, wanted: Wanted<'_>) -> Vec<User> {
    let own = std::process::id();
    let mut users = Vec::new();
    for process in processes(proc) {
        let number = process.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse().ok());
        let Some(number) = number.filter(|number| *number != own) else { continue };
        let opened = sysfs::entries(&process.join("fd"));
        let writes = |fd: &String| {
            fs::metadata(process.join("fd").join(fd)).is_ok_and(|meta| wanted.is(&meta))
                && is_writable(&process.join("fdinfo").join(fd))
        };
        if opened.iter().any(writes) {
            let name = sysfs::attribute(&process, "comm").unwrap_or_default();
            users.push(User { process: number, name });
        }
    }
    users
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
