//! The table of signatures that are plain bytes at fixed places.

use super::SignatureClass::{self, Encrypted, FileSystem, Member, PartitionTable, Swap};

/// A place, in bytes.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// From the first byte.
    Start(u64),
    /// Before the end.
    End(u64),
}

use Place::{End, Start};

/// One format.
pub struct Magic {
    /// What it stands for.
    pub class: SignatureClass,
    /// Its name.
    pub name: &'static str,
    /// The bytes.
    pub bytes: &'static [u8],
    /// Every place where they can lie.
    pub at: &'static [Place],
}

/// Name of the family until its feature words were read.
pub const EXT: &str = "ext2, ext3 or ext4 file system";

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

const fn magic(
    class: SignatureClass,
    name: &'static str,
    bytes: &'static [u8],
    at: &'static [Place],
) -> Magic {
    Magic { class, name, bytes, at }
}

/// Ten bytes before the end of the first page, for every page size in use.
const SWAP_PLACES: &[Place] = &[
    Start(4 * KIB - 10),
    Start(8 * KIB - 10),
    Start(16 * KIB - 10),
    Start(32 * KIB - 10),
    Start(64 * KIB - 10),
];

/// LUKS2 keeps a second header at one of these places (LUKS2 on-disk format, section 2.1).
const LUKS_SECOND: &[Place] = &[
    Start(16 * KIB),
    Start(32 * KIB),
    Start(64 * KIB),
    Start(128 * KIB),
    Start(256 * KIB),
    Start(512 * KIB),
    Start(MIB),
    Start(2 * MIB),
    Start(4 * MIB),
];

/// Volume descriptors start at 32 KiB, one each 2 KiB; the identifier is at their second byte.
const ISO_PLACES: &[Place] = &[Start(32 * KIB + 1), Start(34 * KIB + 1), Start(36 * KIB + 1)];

/// Every format that is known by bytes at a place.
pub const MAGICS: &[Magic] = &[
    magic(
        PartitionTable,
        "GPT partition table",
        b"EFI PART",
        &[Start(512), Start(4096), End(512), End(4096)],
    ),
    magic(PartitionTable, "Apple partition map", b"PM\0\0", &[Start(512), Start(2048)]),
    magic(PartitionTable, "BSD disk label", &[0x57, 0x45, 0x56, 0x82], &[Start(0), Start(64), Start(512)]),
    magic(PartitionTable, "Sun disk label", &[0xda, 0xbe], &[Start(508)]),
    // Superblocks: the first, and the first copies for blocks of 1 KiB and 4 KiB.
    magic(FileSystem, EXT, &[0x53, 0xef], &[Start(KIB + 56), Start(8193 * KIB + 56), Start(128 * MIB + 56)]),
    magic(FileSystem, "XFS file system", b"XFSB", &[Start(0)]),
    magic(
        FileSystem,
        "btrfs file system",
        b"_BHRfS_M",
        &[Start(64 * KIB + 64), Start(64 * MIB + 64), Start(256 * GIB + 64)],
    ),
    magic(FileSystem, "NTFS file system", b"NTFS    ", &[Start(3)]),
    magic(FileSystem, "exFAT file system", b"EXFAT   ", &[Start(3)]),
    magic(FileSystem, "ReFS file system", b"ReFS\0", &[Start(3)]),
    magic(FileSystem, "FAT file system", b"FAT12   ", &[Start(54)]),
    magic(FileSystem, "FAT file system", b"FAT16   ", &[Start(54)]),
    magic(FileSystem, "FAT file system", b"FAT32   ", &[Start(82)]),
    magic(FileSystem, "FAT file system", b"MSDOS", &[Start(54), Start(82)]),
    magic(FileSystem, "F2FS file system", &[0x10, 0x20, 0xf5, 0xf2], &[Start(KIB), Start(5 * KIB)]),
    magic(FileSystem, "EROFS file system", &[0xe2, 0xe1, 0xf5, 0xe0], &[Start(KIB)]),
    magic(FileSystem, "SquashFS file system", b"hsqs", &[Start(0)]),
    magic(FileSystem, "SquashFS file system", b"sqsh", &[Start(0)]),
    magic(FileSystem, "ISO 9660 file system", b"CD001", ISO_PLACES),
    magic(FileSystem, "UDF file system", b"NSR02", ISO_PLACES),
    magic(FileSystem, "UDF file system", b"NSR03", ISO_PLACES),
    magic(FileSystem, "UDF file system", b"BEA01", ISO_PLACES),
    magic(FileSystem, "JFS file system", b"JFS1", &[Start(32 * KIB)]),
    magic(FileSystem, "ReiserFS file system", b"ReIsEr", &[Start(8 * KIB + 52), Start(64 * KIB + 52)]),
    magic(FileSystem, "NILFS2 file system", &[0x34, 0x34], &[Start(KIB + 6)]),
    magic(FileSystem, "HFS+ file system", b"H+\0", &[Start(KIB)]),
    magic(FileSystem, "HFS+ file system", b"HX\0", &[Start(KIB)]),
    magic(FileSystem, "APFS container", b"NXSB", &[Start(32)]),
    magic(FileSystem, "GFS2 file system", &[0x01, 0x16, 0x19, 0x70], &[Start(64 * KIB)]),
    magic(
        FileSystem,
        "OCFS2 file system",
        b"OCFSV2",
        &[Start(KIB), Start(2 * KIB), Start(4 * KIB), Start(8 * KIB)],
    ),
    magic(FileSystem, "UFS file system", &[0x54, 0x19, 0x01, 0x00], &[Start(8 * KIB + 1372)]),
    magic(FileSystem, "UFS2 file system", &[0x19, 0x01, 0x54, 0x19], &[Start(64 * KIB + 1372)]),
    magic(FileSystem, "cramfs file system", &[0x45, 0x3d, 0xcd, 0x28], &[Start(0)]),
    magic(FileSystem, "romfs file system", b"-rom1fs-", &[Start(0)]),
    magic(FileSystem, "zonefs file system", b"SFOZ", &[Start(0)]),
    magic(FileSystem, "VMFS file system", &[0x0d, 0xd0, 0x01, 0xc0], &[Start(MIB)]),
    magic(
        FileSystem,
        "bcachefs file system",
        &[0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9, 0xd9, 0x6a, 0x60, 0xcf, 0x80, 0x3d, 0xf7, 0xef],
        &[Start(4 * KIB + 24), Start(2 * MIB + 24)],
    ),
    magic(
        Member,
        "bcache device",
        &[0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d, 0x81],
        &[Start(4 * KIB + 24)],
    ),
    magic(Member, "LVM physical volume", b"LABELONE", &[Start(0), Start(512), Start(1024), Start(1536)]),
    magic(Member, "LVM snapshot store", b"SnAp", &[Start(0)]),
    // Versions 1.1 and 1.2; those that lie at the end need the size to be found.
    magic(Member, "Linux RAID (md) member", &[0xfc, 0x4e, 0x2b, 0xa9], &[Start(0), Start(4 * KIB)]),
    magic(Member, "Ceph BlueStore device", b"bluestore block device", &[Start(0)]),
    magic(Member, "DRBD device", &[0x83, 0x74, 0x02, 0x6b], &[End(4 * KIB - 60)]),
    magic(Member, "DRBD device", &[0x83, 0x74, 0x02, 0x6c], &[End(4 * KIB - 60)]),
    magic(Member, "DRBD device", &[0x83, 0x74, 0x02, 0x6d], &[End(4 * KIB - 60)]),
    magic(Member, "Intel RAID (IMSM) member", b"Intel Raid ISM Cfg Sig. ", &[End(1024), End(8 * KIB)]),
    magic(Member, "DDF RAID member", &[0xde, 0x11, 0xde, 0x11], &[End(512), End(257 * 512)]),
    magic(Member, "Stratis pool member", b"!Stra0tis\x86\xff\x02^Arh", &[Start(516), Start(4612)]),
    magic(Member, "VDO volume", b"dmvdo001", &[Start(0)]),
    magic(Member, "Oracle ASM disk", b"ORCLDISK", &[Start(32)]),
    magic(Member, "AIX physical volume", &[0xc9, 0xc2, 0xd4, 0xc1], &[Start(0)]),
    magic(Encrypted, "LUKS container", b"LUKS\xba\xbe", &[Start(0)]),
    magic(Encrypted, "LUKS container", b"SKUL\xba\xbe", LUKS_SECOND),
    magic(Encrypted, "BitLocker volume", b"-FVE-FS-", &[Start(3)]),
    magic(Encrypted, "dm-integrity device", b"integrity\0", &[Start(0)]),
    magic(Encrypted, "dm-verity hash device", b"verity\0\0", &[Start(0)]),
    magic(Swap, "swap space", b"SWAPSPACE2", SWAP_PLACES),
    magic(Swap, "swap space", b"SWAP-SPACE", SWAP_PLACES),
    magic(Swap, "hibernation image", b"S1SUSPEND", SWAP_PLACES),
    magic(Swap, "hibernation image", b"S2SUSPEND", SWAP_PLACES),
    magic(Swap, "hibernation image", b"ULSUSPEND", SWAP_PLACES),
    magic(Swap, "hibernation image", b"LINHIB0001", SWAP_PLACES),
];
