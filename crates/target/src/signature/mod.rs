//! Says what a device holds from its bytes alone: file systems, members of arrays and pools,
//! partition tables, and data that nobody knows.
//!
//! Places and values are those of each format's own documentation, as libblkid (util-linux,
//! `libblkid/src/superblocks` and `src/partitions`) gathers them.

mod magics;
pub mod marks;

use std::io;

use serde::Serialize;

use magics::{MAGICS, Place};

/// What a signature stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SignatureClass {
    /// A file system.
    FileSystem,
    /// A table of partitions.
    PartitionTable,
    /// A member of an array, a pool or a volume group.
    Member,
    /// An encrypted container.
    Encrypted,
    /// Swap space or a hibernation image.
    Swap,
}

/// One signature that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Signature {
    /// What it stands for.
    pub class: SignatureClass,
    /// Its name, as `ext4 file system`.
    pub name: &'static str,
    /// Where it lies, in bytes from the start of what was scanned.
    pub offset_bytes: u64,
}

/// What a scan saw.
#[derive(Debug, Default)]
pub struct Scan {
    /// Every signature, each name once.
    pub signatures: Vec<Signature>,
    /// First place looked at that is not zero, in bytes.
    pub nonzero_at_bytes: Option<u64>,
    /// First place that could not be read, and why. What lies there is unknown.
    pub unreadable: Option<(u64, io::Error)>,
}

/// Bytes to scan: a device, a stretch of one, or an image.
pub trait ReadAt {
    /// Size in bytes.
    fn size_bytes(&self) -> u64;

    /// Fills `buffer` from `offset`, all of which lies within the size.
    ///
    /// # Errors
    /// As the system reports them.
    fn read_at(&self, offset_bytes: u64, buffer: &mut [u8]) -> io::Result<()>;
}

/// How much of each end is read whole.
const END_BYTES: u64 = 1 << 20;
/// Places between the ends that are probed for data, evenly spread.
const PROBES: u64 = 64;
const PROBE_BYTES: u64 = 4096;

/// Reads both ends whole, every further place where a signature can lie, and probes between them.
///
/// That a device is zero in all of these is a judgement on what was looked at, and says nothing of the rest: it
/// finds most of what there is quickly, and lets nothing be written by itself.
pub fn scan(bytes: &dyn ReadAt) -> Scan {
    let mut scan = Scan::default();
    let view = View::new(bytes, &mut scan);
    for magic in MAGICS {
        for at in magic.at {
            view.match_magic(magic, *at, &mut scan);
        }
    }
    view.match_zfs(&mut scan);
    view.match_md_at_end(&mut scan);
    view.name_ext(&mut scan);
    view.name_boot_sector(&mut scan);
    view.probe(&mut scan);
    scan
}

/// First bytes of the four labels of a ZFS pool's member (OpenZFS, `module/zfs/vdev_label.c`).
fn zfs_labels(size_bytes: u64) -> [u64; 4] {
    const LABEL: u64 = 256 << 10;
    let end = size_bytes & !(LABEL - 1);
    [0, LABEL, end.saturating_sub(2 * LABEL), end.saturating_sub(LABEL)]
}

/// Linux `drivers/md/md.c`: version 1.0 lies at least 8 KiB before the end on a 4 KiB boundary,
/// version 0.90 in the last whole 64 KiB but one boundary, in the byte order of its maker.
fn md_places(size_bytes: u64) -> impl Iterator<Item = u64> {
    let places = [
        (size_bytes / 512).checked_sub(16).map(|sector| (sector & !7) * 512),
        (size_bytes & !0xffff).checked_sub(0x1_0000),
    ];
    places.into_iter().flatten()
}

fn is_md(bytes: &[u8]) -> bool {
    const MD: u32 = 0xa92b_4efc;
    bytes == MD.to_le_bytes() || bytes == MD.to_be_bytes()
}

/// Both ends in memory, the rest by reading.
struct View<'a> {
    bytes: &'a dyn ReadAt,
    size_bytes: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
    tail_at_bytes: u64,
}

impl<'a> View<'a> {
    fn new(bytes: &'a dyn ReadAt, scan: &mut Scan) -> Self {
        let size_bytes = bytes.size_bytes();
        let head_bytes = size_bytes.min(END_BYTES);
        let tail_at_bytes = size_bytes.saturating_sub(END_BYTES);
        let mut end = |at: u64, length: u64| {
            let mut buffer = vec![0; length as usize];
            match bytes.read_at(at, &mut buffer) {
                Ok(()) => {
                    if let Some(first) = buffer.iter().position(|byte| *byte != 0) {
                        scan.nonzero_at_bytes.get_or_insert(at + first as u64);
                    }
                    buffer
                }
                Err(error) => {
                    scan.unreadable.get_or_insert((at, error));
                    Vec::new()
                }
            }
        };
        let head = end(0, head_bytes);
        let tail = end(tail_at_bytes, size_bytes - tail_at_bytes);
        Self { bytes, size_bytes, head, tail, tail_at_bytes }
    }

    /// `length` bytes from `offset`; `None` beyond the end or where they cannot be read.
    fn get(&self, offset: u64, length: usize, scan: &mut Scan) -> Option<Vec<u8>> {
        let end = offset.checked_add(length as u64).filter(|end| *end <= self.size_bytes)?;
        if end <= self.head.len() as u64 {
            return Some(self.head[offset as usize..end as usize].to_vec());
        }
        if offset >= self.tail_at_bytes && !self.tail.is_empty() {
            let from = (offset - self.tail_at_bytes) as usize;
            return Some(self.tail[from..from + length].to_vec());
        }
        let mut buffer = vec![0; length];
        match self.bytes.read_at(offset, &mut buffer) {
            Ok(()) => Some(buffer),
            Err(error) => {
                scan.unreadable.get_or_insert((offset, error));
                None
            }
        }
    }

    fn match_magic(&self, magic: &magics::Magic, at: Place, scan: &mut Scan) {
        let offset = match at {
            Place::Start(offset) => Some(offset),
            Place::End(distance) => self.size_bytes.checked_sub(distance),
        };
        let Some(offset) = offset else { return };
        if self.get(offset, magic.bytes.len(), scan).is_some_and(|found| found == magic.bytes) {
            scan.add(magic.class, magic.name, offset);
        }
    }

    /// Four labels of 256 KiB, two at each end; in each a list of
    /// names from 16 KiB on, and a ring of uberblocks from 128 KiB on, in either byte order. Spares
    /// and cache devices have the list alone.
    fn match_zfs(&self, scan: &mut Scan) {
        const UBERBLOCK: u64 = 0x00ba_b10c;
        for label in zfs_labels(self.size_bytes) {
            let names = self.get(label + (16 << 10), 1024, scan).unwrap_or_default();
            if names.windows(7).any(|word| word == b"version") {
                scan.add(SignatureClass::Member, "ZFS pool member", label);
            }
            let ring = self.get(label + (128 << 10), 128 << 10, scan).unwrap_or_default();
            let is_uberblock = |block: &[u8]| {
                let magic = block.first_chunk::<8>().copied().unwrap_or_default();
                u64::from_le_bytes(magic) == UBERBLOCK || u64::from_be_bytes(magic) == UBERBLOCK
            };
            if ring.chunks(1024).any(is_uberblock) {
                scan.add(SignatureClass::Member, "ZFS pool member", label);
            }
        }
    }

    /// Members of arrays whose metadata lies at the end.
    fn match_md_at_end(&self, scan: &mut Scan) {
        for offset in md_places(self.size_bytes) {
            let Some(found) = self.get(offset, 4, scan) else { continue };
            if is_md(&found) {
                scan.add(SignatureClass::Member, "Linux RAID (md) member", offset);
            }
        }
    }

    /// ext2, 3 and 4 share one magic number; their feature words tell them apart
    /// (Linux `Documentation/filesystems/ext4/super.rst`).
    fn name_ext(&self, scan: &mut Scan) {
        const HAS_JOURNAL: u32 = 0x4;
        const JOURNAL_DEVICE: u32 = 0x8;
        const EXT4_ONLY: u32 = 0x40 | 0x80 | 0x200;
        let Some(at) = scan.signatures.iter().position(|found| found.name == magics::EXT) else { return };
        if scan.signatures[at].offset_bytes != 1024 + 56 {
            return;
        }
        let Some(features) = self.get(1024 + 92, 8, scan) else { return };
        let word =
            |from: usize| features[from..].first_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let (compatible, incompatible) = (word(0), word(4));
        scan.signatures[at].name = match () {
            () if incompatible & JOURNAL_DEVICE != 0 => "journal of an ext file system",
            () if incompatible & EXT4_ONLY != 0 => "ext4 file system",
            () if compatible & HAS_JOURNAL != 0 => "ext3 file system",
            () => "ext2 file system",
        };
    }

    /// A sector that ends in 0x55AA is a partition table when an entry of it is in use, otherwise
    /// some boot sector.
    fn name_boot_sector(&self, scan: &mut Scan) {
        let Some(sector) = self.get(0, 512, scan) else { return };
        if sector[510..] != [0x55, 0xaa] {
            return;
        }
        let mut entries = sector[446..510].chunks(16);
        let is_table =
            entries.clone().all(|entry| entry[0] & 0x7f == 0) && entries.any(|entry| entry[4] != 0);
        if is_table {
            scan.add(SignatureClass::PartitionTable, "MBR partition table", 510);
        } else if scan.signatures.is_empty() {
            scan.add(SignatureClass::PartitionTable, "boot sector", 510);
        }
    }

    fn probe(&self, scan: &mut Scan) {
        if scan.nonzero_at_bytes.is_some() || self.size_bytes <= 2 * END_BYTES {
            return;
        }
        let middle = self.size_bytes - 2 * END_BYTES;
        for probe in 1..=PROBES {
            let into = (u128::from(middle) * u128::from(probe) / u128::from(PROBES + 1)) as u64;
            let offset = (END_BYTES + into) & !(PROBE_BYTES - 1);
            let Some(bytes) = self.get(offset, PROBE_BYTES as usize, scan) else { return };
            if let Some(first) = bytes.iter().position(|byte| *byte != 0) {
                scan.nonzero_at_bytes = Some(offset + first as u64);
                return;
            }
        }
    }
}

impl Scan {
    fn add(&mut self, class: SignatureClass, name: &'static str, offset_bytes: u64) {
        self.nonzero_at_bytes.get_or_insert(offset_bytes);
        if self.signatures.iter().all(|found| found.name != name) {
            self.signatures.push(Signature { class, name, offset_bytes });
        }
    }
}

#[cfg(test)]
mod tests;
