//! How much of a file or device is really written.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use rustix::fs::SeekFrom;

use super::device_number::DeviceNumber;
use super::ioctl::{self, Extent};
use super::machine::{FileId, Machine, Node, Roots};
use super::sysfs;
use crate::stretch::Stretch;

/// Share of a stretch, 0 to 1, whose reads reach written data; `None` where nobody can know. Reads of
/// the rest are answered with zeros by a file system or driver, without the device.
///
/// Of a file, its map of extents says it (`FS_IOC_FIEMAP`, less those that are allocated but not
/// written), or where there is none, its holes. Of a block device, zram says how much it stores and
/// a loop device is as written as its file; a disk does not say.
///
/// # Errors
/// When the map cannot be read although there is one.
pub fn written_share(file: &File, range: Range<u64>) -> io::Result<Option<f64>> {
    let meta = file.metadata()?;
    if meta.file_type().is_block_device() {
        let machine = Machine::look_at_devices(&Roots::default());
        let node = machine.node(DeviceNumber::of_node(&meta));
        return Ok(node.and_then(|node| stored_share(&machine, node, &range)));
    }
    let length = range.end.saturating_sub(range.start);
    if !meta.is_file() || length == 0 {
        return Ok(None);
    }
    match mapped_bytes(file, &range) {
        Ok(bytes) => Ok(Some(bytes as f64 / length as f64)),
        Err(error)
            if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOTTY | libc::EINVAL)) =>
        {
            let bytes = data_bytes(file, &range)?;
            // File systems without holes of their own answer "all data" for sparse files too.
            let unsure = bytes >= length && meta.blocks().saturating_mul(512) < length;
            Ok((!unsure).then_some(bytes as f64 / length as f64))
        }
        Err(error) => Err(error),
    }
}

fn mapped_bytes(file: &File, range: &Range<u64>) -> io::Result<u64> {
    let mut written = 0;
    each_extent(file, range, |extent| {
        let end = extent.logical_bytes.saturating_add(extent.length_bytes).min(range.end);
        let start = extent.logical_bytes.max(range.start);
        if extent.flags & (Extent::UNWRITTEN | Extent::DELAYED) == 0 {
            written += end.saturating_sub(start);
        }
    })?;
    Ok(written)
}

/// Every extent that overlaps a stretch, ascending.
///
/// # Errors
/// When there is no map, or it cannot be read.
pub fn each_extent(file: &File, range: &Range<u64>, mut take: impl FnMut(&Extent)) -> io::Result<()> {
    let mut at = range.start;
    while at < range.end {
        let extents = ioctl::extents(file, at, range.end - at)?;
        let Some(last) = extents.last().copied() else { break };
        extents.iter().for_each(&mut take);
        let next = last.logical_bytes.saturating_add(last.length_bytes);
        if last.flags & Extent::LAST != 0 || next <= at {
            break;
        }
        at = next;
    }
    Ok(())
}

/// Where a stretch of a file lies on the device of its file system: ascending, adjoining pieces as one. A
/// block device lies on itself. What lies nowhere, or where the file system does not say, is left out.
///
/// # Errors
/// When there is no map, or it cannot be read.
pub fn stretches(file: &File, range: &Range<u64>) -> io::Result<Vec<Stretch>> {
    let meta = file.metadata()?;
    if meta.file_type().is_block_device() {
        return Ok(vec![Stretch { first_byte: 0, bytes: u64::MAX, device_byte: 0 }]);
    }
    let mut found: Vec<Stretch> = Vec::new();
    each_extent(file, range, |extent| {
        if extent.flags & (Extent::ELSEWHERE | Extent::DELAYED) != 0 {
            return;
        }
        let (first_byte, device_byte) = (extent.logical_bytes, extent.physical_bytes);
        match found.last_mut() {
            Some(last)
                if last.first_byte + last.bytes == first_byte
                    && last.device_byte + last.bytes == device_byte =>
            {
                last.bytes += extent.length_bytes;
            }
            _ => found.push(Stretch { first_byte, bytes: extent.length_bytes, device_byte }),
        }
    })?;
    Ok(found)
}

fn data_bytes(file: &File, range: &Range<u64>) -> io::Result<u64> {
    let seek = |position| match rustix::fs::seek(file, position) {
        Ok(at) => Ok(Some(at)),
        Err(rustix::io::Errno::NXIO) => Ok(None),
        Err(error) => Err(io::Error::from(error)),
    };
    let mut bytes = 0;
    let mut at = range.start;
    while at < range.end {
        let Some(data) = seek(SeekFrom::Data(at))?.filter(|data| *data < range.end) else { break };
        let hole = seek(SeekFrom::Hole(data))?.unwrap_or(range.end);
        bytes += hole.min(range.end).saturating_sub(data);
        at = hole.max(data + 1);
    }
    Ok(bytes)
}

/// Share of a stretch of a block device that its driver says it stores. zram counts what it stores in all: the
/// stretch holds that much at most.
fn stored_share(machine: &Machine, node: &Node, range: &Range<u64>) -> Option<f64> {
    let disk = machine.disk_of(node);
    let size_bytes = sysfs::number::<u64>(&node.dir, "size")?.saturating_mul(512);
    let range = range.start.min(size_bytes)..range.end.min(size_bytes);
    let length = range.end.saturating_sub(range.start);
    if length == 0 {
        return None;
    }
    if disk.name.starts_with("zram") {
        // `orig_data_size`, `compr_data_size`, `mem_used_total`, `mem_limit`, `mem_used_max`,
        // `same_pages`, ...: pages of one repeated word are kept aside and count as stored
        // (Linux Documentation/admin-guide/blockdev/zram.rst).
        let state = sysfs::attribute(&disk.dir, "mm_stat")?;
        let stored: u64 = state.split_ascii_whitespace().next()?.parse().ok()?;
        return Some((stored as f64 / length as f64).min(1.0));
    }
    let backing = disk.backing.as_ref().filter(|backing| backing.block.is_none())?;
    let file = File::open(&backing.path).ok()?;
    let is_it = fs::metadata(&backing.path)
        .is_ok_and(|meta| meta.is_file() && backing.files.contains(&FileId::of(&meta)));
    if !is_it {
        return None;
    }
    // Where a partition begins in its disk, and the disk in its file.
    let first_sector = sysfs::number::<u64>(&node.dir, "start").unwrap_or(0);
    let offset = sysfs::number::<u64>(&disk.dir, "loop/offset").unwrap_or(0);
    let first_byte = first_sector.saturating_mul(512).saturating_add(offset);
    written_share(&file, range.start + first_byte..range.end + first_byte).ok().flatten()
}
