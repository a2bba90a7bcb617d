//! The file system that a file lies in.

use std::fs::{self, File};
use std::os::fd::{AsFd, AsRawFd};

use fathom_record::facts::FileSystemFacts;

use super::machine::Machine;
use super::mounts::Mount;
use crate::scratch::Space;

/// Kinds that show the kernel rather than hold files; writing to them can change the machine.
const NOT_STORAGE: [&str; 14] = [
    "proc",
    "sysfs",
    "devtmpfs",
    "devpts",
    "cgroup",
    "cgroup2",
    "debugfs",
    "tracefs",
    "securityfs",
    "efivarfs",
    "bpf",
    "pstore",
    "configfs",
    "mqueue",
];

/// Kinds that live in memory, where direct I/O is refused by older kernels and ignored by newer ones.
const IN_MEMORY: [&str; 2] = ["tmpfs", "ramfs"];

/// Whether a file system holds files on storage or in memory.
pub fn is_storage(mount: &Mount) -> bool {
    !NOT_STORAGE.contains(&mount.kind.as_str())
}

/// Whether its page cache is all there is of it.
pub fn is_in_memory(mount: &Mount) -> bool {
    IN_MEMORY.contains(&mount.kind.as_str())
}

/// The mount through which an open file was reached.
pub fn mount_of<'a>(machine: &'a Machine, file: &File) -> Option<&'a Mount> {
    let info = machine.roots.proc.join("self/fdinfo").join(file.as_raw_fd().to_string());
    let text = fs::read_to_string(info).ok()?;
    let id: u64 = text.lines().find_map(|line| line.strip_prefix("mnt_id:"))?.trim().parse().ok()?;
    machine.mounts.iter().find(|mount| mount.id == id && !mount.elsewhere)
}

/// Facts for the record.
pub fn facts(mount: &Mount, file: &File) -> FileSystemFacts {
    FileSystemFacts {
        kind: mount.kind.clone(),
        mount_point: mount.point.display().to_string(),
        options: mount.options.clone(),
        free_bytes: space(file).ok().map(|space| space.free_bytes),
    }
}

/// Room of the file system that an open file or directory lies in.
///
/// # Errors
/// As the system reports them.
pub fn space(file: impl AsFd) -> std::io::Result<Space> {
    let room = rustix::fs::fstatvfs(file)?;
    Ok(Space {
        total_bytes: room.f_blocks.saturating_mul(room.f_frsize),
        free_bytes: room.f_bavail.saturating_mul(room.f_frsize),
    })
}
