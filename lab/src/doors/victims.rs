//! The kinds of victims: devices, files and folders that hold something, each made once and copied for
//! every pair.

use super::super::draw::Draw;
use super::crafted_images::{self, Image};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// What a victim is to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Device,
    File,
    Folder,
}

/// How its bytes are made.
#[derive(Clone, Copy)]
pub enum VictimSource {
    /// By the system's own tool, on a sparse file of that size. `{P}` is the file, `{D}` a folder with a
    /// file in it, `{K}` a file with a key.
    Tool(u64, &'static [&'static str]),
    /// By the same tool; afterwards the first MiB is zeroed.
    Beheaded(u64, &'static [&'static str]),
    /// By a tool that reads its wishes.
    Told(u64, &'static [&'static str], &'static str),
    /// By the format's description; drawn anew for every pair where `true`.
    Bytes(fn(&mut Draw) -> Image, bool),
}

/// Whether it can be mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mounts {
    Never,
    ReadOnly,
    /// Writable too, and quiet while nobody writes.
    Both,
    /// Not mounted, but swapped to.
    Swap,
}

/// A kind of victim.
#[derive(Clone, Copy)]
pub struct Kind {
    pub name: &'static str,
    pub class: Class,
    pub make: VictimSource,
    pub mounts: Mounts,
}

const fn device(name: &'static str, make: VictimSource, mounts: Mounts) -> Kind {
    Kind { name, class: Class::Device, make, mounts }
}

const fn bytes(name: &'static str, image: fn(&mut Draw) -> Image) -> Kind {
    Kind { name, class: Class::Device, make: VictimSource::Bytes(image, false), mounts: Mounts::Never }
}

const fn drawn(name: &'static str, image: fn(&mut Draw) -> Image) -> Kind {
    Kind { name, class: Class::Device, make: VictimSource::Bytes(image, true), mounts: Mounts::Never }
}

const fn file(name: &'static str, image: fn(&mut Draw) -> Image) -> Kind {
    Kind { name, class: Class::File, make: VictimSource::Bytes(image, false), mounts: Mounts::Never }
}

const EXT4: &[&str] = &["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0", "{P}"];
const LUKS: [&str; 5] = ["--batch-mode", "--key-file", "{K}", "--pbkdf-force-iterations", "1000"];

/// Every kind there is.
pub const KINDS: &[Kind] = &[
    device("ext2", VictimSource::Tool(4 * MIB, &["mkfs.ext2", "-q", "-F", "{P}"]), Mounts::Both),
    device("ext3", VictimSource::Tool(8 * MIB, &["mkfs.ext3", "-q", "-F", "{P}"]), Mounts::Both),
    device("ext4", VictimSource::Tool(8 * MIB, EXT4), Mounts::Both),
    device("xfs", VictimSource::Tool(300 * MIB, &["mkfs.xfs", "-q", "-f", "{P}"]), Mounts::ReadOnly),
    device("btrfs", VictimSource::Tool(112 * MIB, &["mkfs.btrfs", "-q", "-f", "{P}"]), Mounts::ReadOnly),
    device("vfat", VictimSource::Tool(4 * MIB, &["mkfs.vfat", "{P}"]), Mounts::ReadOnly),
    device("exfat", VictimSource::Tool(4 * MIB, &["mkfs.exfat", "{P}"]), Mounts::ReadOnly),
    device("ntfs", VictimSource::Tool(8 * MIB, &["mkfs.ntfs", "-q", "-f", "-F", "{P}"]), Mounts::Never),
    device("squashfs", VictimSource::Tool(0, &["mksquashfs", "{D}", "{P}", "-noappend"]), Mounts::ReadOnly),
    device(
        "iso9660",
        VictimSource::Tool(0, &["genisoimage", "-quiet", "-o", "{P}", "{D}"]),
        Mounts::ReadOnly,
    ),
    device("erofs", VictimSource::Tool(0, &["mkfs.erofs", "{P}", "{D}"]), Mounts::ReadOnly),
    device("f2fs", VictimSource::Tool(64 * MIB, &["mkfs.f2fs", "-q", "-f", "{P}"]), Mounts::ReadOnly),
    device("swap", VictimSource::Tool(4 * MIB, &["mkswap", "{P}"]), Mounts::Swap),
    device(
        "luks1",
        VictimSource::Tool(
            4 * MIB,
            &[
                "cryptsetup",
                "luksFormat",
                "--type",
                "luks1",
                LUKS[0],
                LUKS[1],
                LUKS[2],
                LUKS[3],
                LUKS[4],
                "{P}",
            ],
        ),
        Mounts::Never,
    ),
    device(
        "luks2",
        VictimSource::Tool(
            32 * MIB,
            &[
                "cryptsetup",
                "luksFormat",
                "--type",
                "luks2",
                "--pbkdf",
                "pbkdf2",
                LUKS[0],
                LUKS[1],
                LUKS[2],
                LUKS[3],
                LUKS[4],
                "{P}",
            ],
        ),
        Mounts::Never,
    ),
    device("bcache", VictimSource::Tool(4 * MIB, &["make-bcache", "-B", "{P}"]), Mounts::Never),
    device(
        "gpt",
        VictimSource::Told(8 * MIB, &["sfdisk", "-q", "{P}"], "label: gpt\n,4M\n,\n"),
        Mounts::Never,
    ),
    device(
        "mbr",
        VictimSource::Told(8 * MIB, &["sfdisk", "-q", "{P}"], "label: dos\n,4M\n,\n"),
        Mounts::Never,
    ),
    device("ext4-beheaded", VictimSource::Beheaded(64 * MIB, EXT4), Mounts::Never),
    device(
        "xfs-beheaded",
        VictimSource::Beheaded(300 * MIB, &["mkfs.xfs", "-q", "-f", "{P}"]),
        Mounts::Never,
    ),
    device(
        "btrfs-beheaded",
        VictimSource::Beheaded(112 * MIB, &["mkfs.btrfs", "-q", "-f", "{P}"]),
        Mounts::Never,
    ),
    bytes("hybrid-mbr", crafted_images::hybrid),
    bytes("gpt-backup-only", crafted_images::gpt_backup),
    bytes("lvm-sector-0", crafted_images::lvm_first),
    bytes("lvm-sector-1", crafted_images::lvm_second),
    bytes("md-0.90", crafted_images::md_090),
    bytes("md-1.0", crafted_images::md_10),
    bytes("md-1.1", crafted_images::md_11),
    bytes("md-1.2", crafted_images::md_12),
    bytes("zfs", crafted_images::zfs),
    bytes("zfs-last-labels", crafted_images::zfs_last),
    bytes("drbd", crafted_images::drbd),
    bytes("oracle-asm", crafted_images::asm),
    bytes("vmfs", crafted_images::vmfs),
    bytes("database", crafted_images::database),
    bytes("last-sector", crafted_images::last_sector),
    bytes("first-byte", crafted_images::first_byte),
    drawn("data-anywhere", crafted_images::anywhere),
    drawn("data-anywhere-again", crafted_images::anywhere),
    drawn("one-block-anywhere", crafted_images::one_block),
    drawn("between-probes", crafted_images::many_islands),
    drawn("head-wiped", crafted_images::head_wiped),
    file("text", crafted_images::text),
    file("random", crafted_images::random),
    file("picture", crafted_images::picture),
    file("names-fathom", crafted_images::names_fathom),
    file("fio-json", crafted_images::fio_json),
    file("fio-text", crafted_images::fio_text),
    file("json", crafted_images::json),
    file("page", crafted_images::page),
    file("log-lines", crafted_images::log_lines),
    file("iolog", crafted_images::iolog),
    file("verify-state", crafted_images::verify_state),
    file("sqlite", crafted_images::sqlite),
    file("empty", crafted_images::empty),
    file("sparse", crafted_images::sparse),
    file("one-byte", crafted_images::one_byte),
    Kind {
        name: "disk-image",
        class: Class::File,
        make: VictimSource::Tool(8 * MIB, EXT4),
        mounts: Mounts::Never,
    },
    Kind {
        name: "swap-file",
        class: Class::File,
        make: VictimSource::Bytes(crafted_images::swap_file, false),
        mounts: Mounts::Swap,
    },
    Kind {
        name: "folder",
        class: Class::Folder,
        make: VictimSource::Bytes(crafted_images::random, false),
        mounts: Mounts::Never,
    },
];

/// Least size of a file that holds the image of a device.
pub const LEAST_DEVICE_BYTES: u64 = 512 * KIB;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn kinds_have_names_of_their_own_and_hold_something() {
        let names: BTreeSet<&str> = KINDS.iter().map(|kind| kind.name).collect();
        assert_eq!(names.len(), KINDS.len());
        for kind in KINDS {
            let VictimSource::Bytes(make, _) = kind.make else { continue };
            let image = make(&mut Draw::new(3, 4));
            assert!(
                image.pieces.iter().all(|(at, bytes)| at + bytes.len() as u64 <= image.bytes),
                "{}",
                kind.name
            );
            let holds = image.pieces.iter().any(|(_, bytes)| bytes.iter().any(|byte| *byte != 0));
            assert!(holds || ["empty"].contains(&kind.name), "{}", kind.name);
            assert!(kind.class != Class::Device || image.bytes >= LEAST_DEVICE_BYTES, "{}", kind.name);
        }
    }
}
