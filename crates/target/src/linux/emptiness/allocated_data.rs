//! What says without being read that a device holds nothing: how much zram stores, and where the file behind a
//! loop device has data.

use std::fs::File;
use std::io;
use std::ops::Range;

use rustix::fs::SeekFrom;

use crate::linux::extents::each_extent;
use crate::linux::ioctl::{self, Extent};
use crate::linux::machine::{FileId, Node};
use crate::linux::sysfs;

/// File systems whose map of a file's data is exact, by their magic numbers (Linux `include/uapi/linux/magic.h`).
const MAPPED: [u32; 3] = [0xef53, 0x5846_5342, 0x9123_683e];
/// tmpfs, which has no map and knows its holes.
const TMPFS: u32 = 0x0102_1994;

/// How it is known that a device holds nothing, if that is known. Everything that was written to the device has
/// left the page cache.
pub fn nothing(node: &Node, file: &File) -> Option<String> {
    // A partition is a part of what these say.
    if node.disk.is_some() {
        return None;
    }
    if node.name.starts_with("zram") {
        return stores_nothing(node).then(|| "zram stores nothing".to_owned());
    }
    let backing = node.backing.as_ref().filter(|backing| backing.block.is_none())?;
    let range = mapped_range(file)?;
    let path = &backing.path;
    let opened = File::open(path).ok()?;
    let meta = opened.metadata().ok()?;
    // By what the open device says: a path may lead to another file in another mount namespace, or by now.
    let status = ioctl::loop_status(file).ok()?;
    let is_it = meta.is_file() && FileId::of(&meta) == FileId { device: status.device, inode: status.inode };
    let holds_data = is_it.then(|| has_data(&opened, &range))?.ok()?;
    (!holds_data).then(|| format!("the file behind it, {path}, has no data in it"))
}

/// `orig_data_size` and `same_pages` of `mm_stat`, and the first field of `bd_stat`, pages that were written out
/// (Linux Documentation/admin-guide/blockdev/zram.rst).
fn stores_nothing(node: &Node) -> bool {
    let field = |name: &str, at: usize| {
        let text = sysfs::attribute(&node.dir, name)?;
        text.split_ascii_whitespace().nth(at)?.parse::<u64>().ok()
    };
    let written_out = if node.dir.join("bd_stat").exists() { field("bd_stat", 0) } else { Some(0) };
    (field("mm_stat", 0), field("mm_stat", 5), written_out) == (Some(0), Some(0), Some(0))
}

/// The part of the backing file that an open loop device shows.
fn mapped_range(device: &File) -> Option<Range<u64>> {
    let first = ioctl::loop_status(device).ok()?.offset_bytes;
    let length = ioctl::block_size_bytes(device).ok()?;
    Some(first..first.checked_add(length)?)
}

/// Whether a file has data in a stretch. What waits in memory for a place counts; what has a place and was never
/// written does not.
///
/// # Errors
/// Where the file system has no exact answer.
fn has_data(file: &File, range: &Range<u64>) -> io::Result<bool> {
    let kind = rustix::fs::fstatfs(file)?.f_type as u32;
    if kind == TMPFS {
        return match rustix::fs::seek(file, SeekFrom::Data(range.start)) {
            Ok(at) => Ok(at < range.end),
            Err(rustix::io::Errno::NXIO) => Ok(false),
            Err(error) => Err(error.into()),
        };
    }
    if !MAPPED.contains(&kind) {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let mut found = false;
    each_extent(file, range, |extent| found |= extent.flags & Extent::UNWRITTEN == 0)?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn data_is_found_where_it_lies_and_before_it_has_a_place() {
        let beside = std::env::current_exe().unwrap();
        for folder in [beside.parent().unwrap(), std::path::Path::new("/dev/shm")] {
            let Ok(file) = tempfile::tempfile_in(folder) else { continue };
            file.set_len(64 * MIB).unwrap();
            let Ok(data) = has_data(&file, &(0..64 * MIB)) else {
                fathom_skips::skipped(format_args!(
                    "the file system of {} has no exact answer",
                    folder.display()
                ));
                continue;
            };
            assert!(!data, "{}", folder.display());
            file.write_all_at(b"x", 40 * MIB + 5).unwrap();
            assert!(has_data(&file, &(0..64 * MIB)).unwrap());
            assert!(has_data(&file, &(40 * MIB..41 * MIB)).unwrap());
            assert!(
                !has_data(&file, &(0..40 * MIB)).unwrap() && !has_data(&file, &(41 * MIB..64 * MIB)).unwrap()
            );
        }
    }

    #[test]
    fn space_that_was_given_and_never_written_holds_nothing() {
        let beside = std::env::current_exe().unwrap();
        let file = tempfile::tempfile_in(beside.parent().unwrap()).unwrap();
        let given = rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, 8 * MIB);
        if given.is_err() || has_data(&file, &(0..8 * MIB)).is_err() {
            fathom_skips::skipped("no space can be given ahead, or no exact answer");
            return;
        }
        assert!(!has_data(&file, &(0..8 * MIB)).unwrap());
        file.write_all_at(&[1; 4096], 4 * MIB).unwrap();
        assert!(has_data(&file, &(0..8 * MIB)).unwrap());
    }
}
