//! Every format at its place, found by the reader that devices are scanned with.

use std::collections::BTreeMap;
use std::io;

use proptest::prelude::*;

use super::*;

/// Zeros with patches, of any size, and a stretch that fails.
#[derive(Default)]
pub struct Image {
    size_bytes: u64,
    patches: BTreeMap<u64, Vec<u8>>,
    broken_at: Option<u64>,
}

impl Image {
    pub fn new(size_bytes: u64) -> Self {
        Self { size_bytes, ..Self::default() }
    }

    pub fn with(mut self, offset: u64, bytes: &[u8]) -> Self {
        self.patches.insert(offset, bytes.to_vec());
        self
    }

    fn names(&self) -> Vec<&'static str> {
        scan(self).signatures.iter().map(|found| found.name).collect()
    }
}

impl ReadAt for Image {
    fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        assert!(offset + buffer.len() as u64 <= self.size_bytes, "read beyond the end");
        let end = offset + buffer.len() as u64;
        if self.broken_at.is_some_and(|at| (offset..end).contains(&at)) {
            return Err(io::Error::from_raw_os_error(5));
        }
        buffer.fill(0);
        for (at, bytes) in &self.patches {
            for (into, byte) in bytes.iter().enumerate() {
                let place = at + into as u64;
                if (offset..end).contains(&place) {
                    buffer[(place - offset) as usize] = *byte;
                }
            }
        }
        Ok(())
    }
}

const SIZE: u64 = 300 << 30;

#[test]
fn a_blank_device_has_nothing_on_it() {
    for size in [0, 512, 4096, 1 << 20, (1 << 20) + 512, 5 << 20, SIZE] {
        let scan = scan(&Image::new(size));
        assert!(scan.signatures.is_empty() && scan.nonzero_at_bytes.is_none() && scan.unreadable.is_none());
    }
}

#[test]
fn every_format_of_the_table_is_found_at_each_of_its_places() {
    for magic in MAGICS {
        for at in magic.at {
            let offset = match at {
                Place::Start(offset) => *offset,
                Place::End(distance) => SIZE - distance,
            };
            let names = Image::new(SIZE).with(offset, magic.bytes).names();
            let wanted =
                if magic.name == magics::EXT && offset == 1080 { "ext2 file system" } else { magic.name };
            assert!(names.contains(&wanted), "{} at {offset}: {names:?}", magic.name);
        }
    }
}

#[test]
fn ext_file_systems_are_told_apart_by_their_features() {
    let with = |compatible: u32, incompatible: u32| {
        Image::new(SIZE)
            .with(1024 + 56, &[0x53, 0xef])
            .with(1024 + 92, &compatible.to_le_bytes())
            .with(1024 + 96, &incompatible.to_le_bytes())
            .names()
    };
    assert_eq!(with(0, 2), ["ext2 file system"]);
    assert_eq!(with(4, 2), ["ext3 file system"]);
    assert_eq!(with(4, 0x40), ["ext4 file system"]);
    assert_eq!(with(0, 8), ["journal of an ext file system"]);
}

#[test]
fn boot_sectors_are_tables_only_with_entries() {
    let entry = [0x80, 0, 0, 0, 0x83, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
    let sector = || Image::new(SIZE).with(510, &[0x55, 0xaa]);
    assert_eq!(sector().with(446, &entry).names(), ["MBR partition table"]);
    assert_eq!(sector().names(), ["boot sector"]);
    assert_eq!(sector().with(82, b"FAT32   ").names(), ["FAT file system"]);
}

#[test]
fn raid_members_are_found_at_the_end_by_the_rules_of_each_version() {
    let magic = 0xa92b_4efcu32;
    for size in [SIZE, SIZE + 512, SIZE + 37 * 512, (64 << 20) + 3 * 4096] {
        let version_1_0 = (size / 512 - 16) / 8 * 8 * 512;
        let version_0_90 = size / 65536 * 65536 - 65536;
        for image in [
            Image::new(size).with(version_1_0, &magic.to_le_bytes()),
            Image::new(size).with(version_0_90, &magic.to_le_bytes()),
            Image::new(size).with(version_0_90, &magic.to_be_bytes()),
        ] {
            assert_eq!(image.names(), ["Linux RAID (md) member"]);
        }
    }
}

#[test]
fn zfs_is_found_by_either_its_names_or_its_uberblocks_in_any_label() {
    let label = 256 << 10;
    let size = SIZE + 5 * 4096;
    for start in [0, label, SIZE - 2 * label, SIZE - label] {
        let uberblock = 0x00ba_b10cu64;
        for image in [
            Image::new(size).with(start + (16 << 10) + 20, b"\0\0\0\x07version"),
            Image::new(size).with(start + (128 << 10) + 7 * 1024, &uberblock.to_le_bytes()),
            Image::new(size).with(start + (255 << 10), &uberblock.to_be_bytes()),
        ] {
            assert_eq!(image.names(), ["ZFS pool member"], "label at {start}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_said_and_not_taken_for_blank() {
    for at in [700, SIZE - 9, (64 << 20) + 66] {
        let image = Image { broken_at: Some(at), ..Image::new(SIZE) };
        assert!(scan(&image).unreadable.is_some(), "{at}");
    }
}

proptest! {
    #[test]
    fn any_byte_in_the_ends_is_noticed(into in 0u64..1 << 20, from_end: bool, byte in 1u8.., extra in 0u64..9) {
        let size = SIZE + extra * 512;
        let at = if from_end { size - 1 - into } else { into };
        prop_assert_eq!(scan(&Image::new(size).with(at, &[byte])).nonzero_at_bytes, Some(at));
    }

    #[test]
    fn hostile_bytes_never_panic(size in 0u64..300_000, bytes in prop::collection::vec(any::<u8>(), 0..4096), at: u32) {
        let at = u64::from(at) % size.max(1);
        scan(&Image::new(size).with(at, &bytes));
    }

    #[test]
    fn data_between_wiped_ends_is_noticed_by_the_probes(start in 2u64 << 20..100 << 30) {
        // A sixty-fourth of the device and more cannot hide between two probes.
        let stretch = SIZE / 64;
        struct Filled(u64, u64);
        impl ReadAt for Filled {
            fn size_bytes(&self) -> u64 { SIZE }
            fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
                buffer.fill(u8::from((self.0..self.1).contains(&offset)));
                Ok(())
            }
        }
        prop_assert!(scan(&Filled(start, start + stretch)).nonzero_at_bytes.is_some());
    }
}

#[test]
fn what_the_system_tools_make_is_recognised() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("image");
    for (tool, name) in [
        ("mkfs.ext4 -q -F", "ext4 file system"),
        ("mkfs.ext2 -q -F", "ext2 file system"),
        ("mkfs.xfs -q", "XFS file system"),
        ("mkfs.btrfs -q", "btrfs file system"),
        ("mkfs.vfat", "FAT file system"),
        ("mkswap", "swap space"),
    ] {
        let file = std::fs::File::create(&path).unwrap();
        file.set_len(512 << 20).unwrap();
        let mut words = tool.split(' ');
        let made = std::process::Command::new(words.next().unwrap()).args(words).arg(&path).output();
        let Ok(made) = made else {
            fathom_skips::skipped(format_args!("no {tool}"));
            continue;
        };
        assert!(made.status.success(), "{tool}: {made:?}");
        let names: Vec<_> =
            scan(&Plain(std::fs::File::open(&path).unwrap())).signatures.iter().map(|s| s.name).collect();
        assert!(names.contains(&name), "{tool}: {names:?}");
        std::fs::remove_file(&path).unwrap();
    }
}

/// An image file, read through the page cache.
struct Plain(std::fs::File);

impl ReadAt for Plain {
    fn size_bytes(&self) -> u64 {
        self.0.metadata().unwrap().len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, buffer, offset)
    }
}
