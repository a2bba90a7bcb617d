//! Signatures that cannot be there by chance, looked for again while a device is in use by runs that write
//! random data: a few reads at the places where they lie.
//!
//! Among random bytes a magic of four is at one of its places once in 2^32 looks. That is let count: with the
//! places of all formats together, a run is refused without reason once in some hundred million. Shorter
//! ones count only with further fields that fit, and those without such fields not at all.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fathom_order::InOrder;

use super::ReadAt;
use super::SignatureClass::{self, Member, PartitionTable};
use super::magics::{EXT, MAGICS, Magic, Place};

/// One signature, told from another of the same kind by the sector that holds it: formats keep identifiers or
/// checksums beside their magic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What it stands for.
    pub class: SignatureClass,
    /// Its name, as `XFS file system`.
    pub name: &'static str,
    /// Where it lies, in bytes from the start.
    pub offset_bytes: u64,
    sector: Vec<u8>,
}

const SECTOR_BYTES: u64 = 512;
/// Reads are of whole pages, and one where the gap between two is smaller than this.
const PAGE_BYTES: u64 = 4096;
const GAP_BYTES: u64 = 64 << 10;
/// Reads at a time.
const READERS: usize = 4;
/// Shortest magic that counts by itself.
const STRONG_BYTES: usize = 4;
/// Bytes of an ext superblock that are looked at, and the place of its magic among them.
const EXT_BYTES: usize = 128;
const EXT_MAGIC_AT: u64 = 56;
const ZFS_LABEL_BYTES: u64 = 256 << 10;
const ZFS_NAMES: Range<u64> = (16 << 10)..(17 << 10);

/// What lies where signatures can.
#[derive(Debug)]
pub struct Places {
    size_bytes: u64,
    /// By their first bytes.
    parts: BTreeMap<u64, Vec<u8>>,
}

impl Places {
    /// Reads them, several at a time, with one reader for each thread. What cannot be read is left out: a run
    /// meets it itself.
    ///
    /// # Errors
    /// When there is no memory for a reader.
    pub fn read<R: ReadAt, E: Send>(
        size_bytes: u64,
        reader: impl Fn() -> Result<R, E> + Sync,
    ) -> Result<Self, E> {
        let windows = windows(size_bytes);
        let (next, parts) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
        let work = || -> Result<(), E> {
            let reader = reader()?;
            while let Some(window) = windows.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut bytes = vec![0; (window.end - window.start) as usize];
                let read: io::Result<()> = reader.read_at(window.start, &mut bytes);
                if let (Ok(()), Ok(mut parts)) = (read, parts.lock()) {
                    parts.insert(window.start, bytes);
                }
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (1..READERS.min(windows.len())).map(|_| scope.spawn(work)).collect();
            let own = work();
            threads.into_iter().map(|thread| thread.join().unwrap_or(Ok(()))).fold(own, Result::and)
        })?;
        Ok(Self { size_bytes, parts: parts.into_inner().unwrap_or_default() })
    }

    fn get(&self, offset: u64, length: usize) -> Option<&[u8]> {
        let (start, bytes) = self.parts.range(..=offset).next_back()?;
        let from = (offset - start) as usize;
        bytes.get(from..from.checked_add(length)?)
    }

    /// Every signature that is there.
    pub fn marks(&self) -> Vec<Mark> {
        let mut marks = Vec::new();
        let mut add = |class, name, offset_bytes: u64| {
            let start = offset_bytes / SECTOR_BYTES * SECTOR_BYTES;
            let sector = self.get(start, SECTOR_BYTES as usize).unwrap_or_default().to_vec();
            marks.push(Mark { class, name, offset_bytes, sector });
        };
        for (magic, offset) in places(self.size_bytes) {
            if self.get(offset, magic.bytes.len()) == Some(magic.bytes) && self.is_plausible(magic, offset) {
                add(magic.class, magic.name, offset);
            }
        }
        for offset in super::md_places(self.size_bytes) {
            if self.get(offset, 4).is_some_and(super::is_md) {
                add(Member, "Linux RAID (md) member", offset);
            }
        }
        for label in super::zfs_labels(self.size_bytes) {
            let names = self.get(label + ZFS_NAMES.start, (ZFS_NAMES.end - ZFS_NAMES.start) as usize);
            let found = names.and_then(|names| names.windows(7).position(|word| word == b"version"));
            if let Some(at) = found {
                add(Member, "ZFS pool member", label + ZFS_NAMES.start + at as u64);
            }
        }
        if self.get(0, 512).is_some_and(|sector| is_partition_table(sector, self.size_bytes)) {
            add(PartitionTable, "MBR partition table", 510);
        }
        marks
    }

    fn is_plausible(&self, magic: &Magic, offset: u64) -> bool {
        let word = |bytes: &[u8], at: usize| {
            bytes[at..].first_chunk::<4>().map_or(u32::MAX, |word| u32::from_le_bytes(*word))
        };
        match magic.name {
            _ if magic.bytes.len() >= STRONG_BYTES => true,
            // Revision, block size, state and counts (Linux Documentation/filesystems/ext4/super.rst).
            EXT => offset.checked_sub(EXT_MAGIC_AT).and_then(|start| self.get(start, EXT_BYTES)).is_some_and(
                |block| {
                    let (inodes, blocks, scale, revision) =
                        (word(block, 0), word(block, 4), word(block, 24), word(block, 76));
                    inodes > 0
                        && blocks > 0
                        && scale <= 6
                        && revision <= 1
                        && block[58] <= 7
                        && block[59] == 0
                },
            ),
            // The revision before the magic (Linux include/uapi/linux/nilfs2_ondisk.h).
            "NILFS2 file system" => offset
                .checked_sub(6)
                .and_then(|start| self.get(start, 4))
                .is_some_and(|start| word(start, 0) == 2),
            // The version behind it: 4, or 5 with case told apart (Apple Technical Note TN1150).
            "HFS+ file system" => self.get(offset + 3, 1).is_some_and(|version| matches!(version, [4 | 5])),
            _ => false,
        }
    }
}

/// An entry in use, none that is beyond the device, and no byte that says otherwise: 44 bits in all.
fn is_partition_table(sector: &[u8], size_bytes: u64) -> bool {
    /// Protects a GPT, and may claim any length.
    const PROTECTIVE: u8 = 0xee;
    let number = |entry: &[u8], at: usize| {
        entry[at..].first_chunk::<4>().map_or(0, |word| u64::from(u32::from_le_bytes(*word)))
    };
    let fits = |entry: &[u8]| {
        let (start, count) = (number(entry, 8), number(entry, 12));
        let within = start.saturating_add(count).saturating_mul(SECTOR_BYTES) <= size_bytes;
        entry[0] & 0x7f == 0 && (entry[4] == 0 || entry[4] == PROTECTIVE || start > 0 && count > 0 && within)
    };
    let mut entries = sector[446..510].chunks(16);
    sector[510..] == [0x55, 0xaa] && entries.clone().all(fits) && entries.any(|entry| entry[4] != 0)
}

/// Every magic at every place of its own that is within the size.
fn places(size_bytes: u64) -> impl Iterator<Item = (&'static Magic, u64)> {
    let within = move |magic: &'static Magic, place: Place| {
        let offset = match place {
            Place::Start(offset) => Some(offset),
            Place::End(distance) => size_bytes.checked_sub(distance),
        };
        offset.filter(|offset| offset.saturating_add(magic.bytes.len() as u64) <= size_bytes)
    };
    MAGICS
        .iter()
        .flat_map(move |magic| magic.at.iter().filter_map(move |place| Some((magic, within(magic, *place)?))))
}

/// What to read: whole pages, neighbours as one.
fn windows(size_bytes: u64) -> Vec<Range<u64>> {
    let sector = |offset: u64| offset / SECTOR_BYTES * SECTOR_BYTES..offset + SECTOR_BYTES;
    let mut wanted: Vec<Range<u64>> = places(size_bytes).map(|(_, offset)| sector(offset)).collect();
    wanted.extend(super::md_places(size_bytes).map(sector));
    wanted.extend(super::zfs_labels(size_bytes).map(|label| label + ZFS_NAMES.start..label + ZFS_NAMES.end));
    wanted.push(0..SECTOR_BYTES);
    for window in &mut wanted {
        window.start = window.start / PAGE_BYTES * PAGE_BYTES;
        window.end = window.end.next_multiple_of(PAGE_BYTES).min(size_bytes);
    }
    wanted.retain(|window| window.start < window.end);
    wanted.put_in_order_by_key(|window| window.start);
    let mut merged: Vec<Range<u64>> = Vec::new();
    for window in wanted {
        match merged.last_mut() {
            Some(last) if window.start <= last.end.saturating_add(GAP_BYTES) => {
                last.end = last.end.max(window.end)
            }
            _ => merged.push(window),
        }
    }
    merged
}

const _: () = assert!(ZFS_NAMES.end < ZFS_LABEL_BYTES);

#[cfg(test)]
mod tests;
