//! Units of I/O of an open target, and whether the page cache can be bypassed.

use std::fs::File;
use std::os::unix::fs::FileTypeExt;

use rustix::fs::{AtFlags, Statx, StatxFlags, statx};

use super::file_mount::{self, mount_of};
use super::machine::{Machine, Node};
use super::sysfs;

/// What every direct I/O path in use accepts, where nothing says better.
const SAFE_BLOCK_BYTES: u32 = 4096;

/// Alignment that the file system states for direct I/O (since Linux 6.1, on some).
fn alignment(file: &File) -> Option<Statx> {
    let answer = statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN).ok()?;
    (answer.stx_mask & StatxFlags::DIOALIGN.bits() != 0).then_some(answer)
}

/// Whether reads and writes of an open file reach the device directly. A file system that lives in
/// memory, and a file whose alignment is stated as none, take the flag on some kernels and go through
/// the page cache all the same; others fail to open, which the opening itself finds.
pub fn takes_direct(machine: &Machine, file: &File) -> bool {
    let is_device = file.metadata().is_ok_and(|meta| meta.file_type().is_block_device());
    if is_device {
        return true;
    }
    let in_memory = mount_of(machine, file).is_some_and(file_mount::is_in_memory);
    let stated_none = alignment(file).is_some_and(|stated| stated.stx_dio_offset_align == 0);
    !in_memory && !stated_none
}

/// Smallest unit of direct I/O to an open target.
pub fn logical_block_bytes(machine: &Machine, file: &File) -> u32 {
    if let Ok(bytes) = rustix::fs::ioctl_blksszget(file) {
        return bytes;
    }
    alignment(file)
        .map(|stated| stated.stx_dio_offset_align)
        .filter(|bytes| *bytes > 0)
        .or_else(|| first_disk(machine, file, "queue/logical_block_size"))
        .unwrap_or(SAFE_BLOCK_BYTES)
}

/// Unit below which the first device under an open target reads, modifies and writes.
pub fn physical_block_bytes(machine: &Machine, file: &File) -> Option<u32> {
    first_disk(machine, file, "queue/physical_block_size")
}

fn first_disk(machine: &Machine, file: &File, attribute: &str) -> Option<u32> {
    let first = *machine.devices_under(file).first()?;
    queue_number(machine, machine.node(first)?, attribute)
}

/// A number of the queue of a device's disk.
pub fn queue_number(machine: &Machine, node: &Node, attribute: &str) -> Option<u32> {
    sysfs::number(&machine.disk_of(node).dir, attribute)
}
