//! What drives of Windows answer, from bytes: the layouts of `winioctl.h` and `ntddstor.h`. Whatever is cut, or says of itself
//! what is not there, is absent.

/// What a drive says of itself (`STORAGE_DEVICE_DESCRIPTOR`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DriveDescription {
    /// Vendor and product, as they are told apart or not.
    pub model: Option<String>,
    pub revision: Option<String>,
    pub serial: Option<String>,
    /// How it is connected, in a word.
    pub bus: Option<&'static str>,
    pub removable: bool,
}

/// Its partitions (`DRIVE_LAYOUT_INFORMATION_EX`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// `MBR`, `GPT`, or none at all.
    pub table: Option<&'static str>,
    /// Partitions that have a length.
    pub partitions: usize,
    /// Those of them that belong to more than one file system, by what they are.
    pub held: Vec<&'static str>,
    /// Whether as many came as it says to have.
    pub is_whole: bool,
}

/// Names of `STORAGE_BUS_TYPE`, by number.
const BUSES: [&str; 21] = [
    "unknown",
    "SCSI",
    "ATAPI",
    "ATA",
    "1394",
    "SSA",
    "Fibre Channel",
    "USB",
    "RAID",
    "iSCSI",
    "SAS",
    "SATA",
    "SD",
    "MMC",
    "virtual",
    "file",
    "Storage Spaces",
    "NVMe",
    "SCM",
    "UFS",
    "NVMe-oF",
];
/// Longest text of a descriptor; its fields are shorter by far.
const TEXT_MAX: usize = 256;
/// Of the partition table's header and of one entry.
const LAYOUT_HEADER: usize = 48;
const LAYOUT_ENTRY: usize = 144;
/// Of one entry: its length, and its type, of which a GPT has 16 bytes and an MBR one.
const ENTRY_LENGTH: usize = 16;
const ENTRY_TYPE: usize = 32;
/// Types of partitions that are a part of something larger, or that machines start from, as they lie in memory.
const HELD_GPT: [([u8; 16], &str); 5] = [
    (
        [0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11, 0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b],
        "an EFI system partition, which a machine starts from",
    ),
    (
        [0xaa, 0xc8, 0x08, 0x58, 0x8f, 0x7e, 0xe0, 0x42, 0x85, 0xd2, 0xe1, 0xe9, 0x04, 0x34, 0xcf, 0xb3],
        "the table of a dynamic disk",
    ),
    (
        [0xa0, 0x60, 0x9b, 0xaf, 0x31, 0x14, 0x62, 0x4f, 0xbc, 0x68, 0x33, 0x11, 0x71, 0x4a, 0x69, 0xad],
        "data of dynamic volumes",
    ),
    (
        [0x8f, 0xaf, 0x5c, 0xe7, 0x80, 0xf6, 0xee, 0x4c, 0xaf, 0xa3, 0xb0, 0x01, 0xe5, 0x6e, 0xfc, 0x2d],
        "a member of a storage pool",
    ),
    (
        [0xa9, 0xdb, 0x97, 0xdb, 0x40, 0x08, 0xae, 0x4b, 0x97, 0xf0, 0xff, 0xb9, 0xa3, 0x27, 0xc7, 0xe1],
        "metadata of a cluster",
    ),
];
const HELD_MBR: [(u8, &str); 2] =
    [(0xef, "an EFI system partition, which a machine starts from"), (0x42, "data of dynamic volumes")];

fn half(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn whole(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

/// The text at a place that bytes name; none at place 0.
fn text(bytes: &[u8], at: usize) -> Option<String> {
    let offset = usize::try_from(half(bytes, at)?).ok().filter(|offset| *offset > 0)?;
    let rest = bytes.get(offset..)?;
    let end = rest.iter().take(TEXT_MAX).position(|byte| *byte == 0)?;
    let text = String::from_utf8_lossy(&rest[..end]).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// What it says of itself.
pub fn described(bytes: &[u8]) -> Option<DriveDescription> {
    let removable = *bytes.get(10)? != 0;
    let bus = half(bytes, 28)?;
    let model: Vec<String> = [12, 16].into_iter().filter_map(|at| text(bytes, at)).collect();
    Some(DriveDescription {
        model: (!model.is_empty()).then(|| model.join(" ")),
        revision: text(bytes, 20),
        serial: text(bytes, 24),
        bus: BUSES.get(bus as usize).copied().filter(|_| bus > 0),
        removable,
    })
}

/// Logical and physical block (`STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR`), in bytes.
pub fn blocks(bytes: &[u8]) -> Option<(u32, u32)> {
    let (logical, physical) = (half(bytes, 16)?, half(bytes, 20)?);
    let is_block = |bytes: u32| bytes.is_power_of_two() && bytes >= 512;
    (is_block(logical) && is_block(physical)).then_some((logical, physical))
}

/// The one answer of a descriptor that has no more: whether a seek costs something, or whether trims are taken.
pub fn yes(bytes: &[u8]) -> Option<bool> {
    Some(*bytes.get(8)? != 0)
}

/// The cache for writes, in the words of records (`STORAGE_WRITE_CACHE_PROPERTY`).
pub fn write_cache(bytes: &[u8]) -> Option<&'static str> {
    const DISABLED: u32 = 1;
    match (half(bytes, 8)?, half(bytes, 12)?) {
        (1 | 3, _) | (_, DISABLED) => Some("write through"),
        (2, _) => Some("write back"),
        _ => None,
    }
}

/// Whether the system was told that the cache outlives a loss of power, so that it is flushed no more.
pub fn is_unflushed(bytes: &[u8]) -> Option<bool> {
    Some(*bytes.get(25)? != 0)
}

/// Size in bytes, and the sector (`DISK_GEOMETRY_EX`).
pub fn size(bytes: &[u8]) -> Option<(u64, u32)> {
    let (sector, size) = (half(bytes, 20)?, whole(bytes, 24)?);
    (sector > 0 && size > 0 && size <= i64::MAX as u64).then_some((size, sector))
}

/// Its partitions; a count beyond what came is one of nothing, and told. A kind of table that is unknown is no answer.
pub fn layout(bytes: &[u8]) -> Option<Layout> {
    let (style, count) = (half(bytes, 0)?, half(bytes, 4)? as usize);
    let table = match style {
        0 => Some("MBR"),
        1 => Some("GPT"),
        2 => None,
        _ => return None,
    };
    let entries = bytes.get(LAYOUT_HEADER..).unwrap_or_default().chunks_exact(LAYOUT_ENTRY);
    let is_whole = entries.len() >= count;
    let there: Vec<&[u8]> =
        entries.take(count).filter(|entry| whole(entry, ENTRY_LENGTH) != Some(0)).collect();
    let held = there.iter().filter_map(|entry| held(entry)).collect();
    Some(Layout { table, partitions: there.len(), held, is_whole })
}

/// What a partition belongs to, by its own table's kind.
fn held(entry: &[u8]) -> Option<&'static str> {
    match half(entry, 0)? {
        0 => {
            let kind = entry.get(ENTRY_TYPE)?;
            HELD_MBR.iter().find(|(known, _)| known == kind).map(|(_, what)| *what)
        }
        1 => {
            let kind = entry.get(ENTRY_TYPE..ENTRY_TYPE + 16)?;
            HELD_GPT.iter().find(|(known, _)| known == kind).map(|(_, what)| *what)
        }
        _ => None,
    }
}

/// Kind and number of a device (`STORAGE_DEVICE_NUMBER`).
pub fn number(bytes: &[u8]) -> Option<(u32, u32)> {
    half(bytes, 0).zip(half(bytes, 4)).filter(|_| bytes.len() >= 12)
}

/// The one byte of an answer that is yes or no.
pub fn flag(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0] => Some(false),
        [1] => Some(true),
        _ => None,
    }
}

/// Whether it is offline, and whether it takes no writes (`GET_DISK_ATTRIBUTES`).
pub fn attributes(bytes: &[u8]) -> Option<(bool, bool)> {
    let bits = whole(bytes, 8)?;
    Some((bits & 1 != 0, bits & 2 != 0))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A descriptor with these texts; places of absent ones are 0.
    pub fn drawn(bus: u32, vendor: &str, product: &str, serial: &str) -> Vec<u8> {
        let mut bytes = vec![0; 40];
        bytes[28..32].copy_from_slice(&bus.to_le_bytes());
        for (at, text) in [(12, vendor), (16, product), (24, serial)] {
            if !text.is_empty() {
                let place = (bytes.len() as u32).to_le_bytes();
                bytes[at..at + 4].copy_from_slice(&place);
                bytes.extend(text.as_bytes());
                bytes.push(0);
            }
        }
        bytes
    }

    #[test]
    fn a_drive_is_described_by_what_came() {
        let bytes = drawn(17, "", "  Amazon Elastic Block Store ", "vol0123456789abcdef_00000001.");
        let read = described(&bytes).unwrap();
        assert_eq!((read.model.as_deref(), read.bus), (Some("Amazon Elastic Block Store"), Some("NVMe")));
        assert_eq!(read.serial.as_deref(), Some("vol0123456789abcdef_00000001."));
        assert_eq!(described(&drawn(7, "ACME", "Stick", "")).unwrap().model.as_deref(), Some("ACME Stick"));
        assert_eq!(described(&drawn(99, "", "", "")).unwrap(), DriveDescription::default());
    }

    #[test]
    fn places_outside_and_texts_without_an_end_are_absent() {
        let mut bytes = drawn(17, "", "model", "serial");
        for at in [24, 16] {
            for place in [u32::MAX, 1 << 20, 39 + 14] {
                bytes[at..at + 4].copy_from_slice(&place.to_le_bytes());
                assert!(described(&bytes).is_some());
            }
        }
        assert_eq!(described(&bytes).unwrap().serial, None);
        let whole = drawn(17, "", "model", "serial");
        for length in 0..whole.len() {
            let read = described(&whole[..length]);
            assert!(read.is_none() == (length < 32), "{length}");
            assert!(read.is_none_or(|read| read.serial.is_none()), "{length}");
        }
    }

    #[test]
    fn blocks_sizes_and_answers_are_read_or_absent() {
        let put = |fields: &[(usize, u32)]| {
            let mut bytes = vec![0; 32];
            fields.iter().for_each(|(at, n)| bytes[*at..at + 4].copy_from_slice(&n.to_le_bytes()));
            bytes
        };
        assert_eq!(blocks(&put(&[(16, 512), (20, 4096)])), Some((512, 4096)));
        for bad in [put(&[]), put(&[(16, 513), (20, 4096)]), put(&[(16, 512)]), vec![0; 8]] {
            assert_eq!(blocks(&bad), None);
        }
        assert_eq!(size(&put(&[(20, 512), (24, 1 << 30)])), Some((1 << 30, 512)));
        assert_eq!(size(&put(&[(24, 1 << 30)])), None);
        assert_eq!(size(&put(&[(20, 512), (24, u32::MAX), (28, u32::MAX)])), None);
        assert_eq!((yes(&put(&[(8, 1)])), yes(&[0; 8])), (Some(true), None));
        assert_eq!(write_cache(&put(&[(8, 2), (12, 2)])), Some("write back"));
        assert_eq!(write_cache(&put(&[(8, 2), (12, 1)])), Some("write through"));
        assert_eq!(write_cache(&put(&[])), None);
        assert_eq!(
            (is_unflushed(&put(&[(24, 1)])), is_unflushed(&put(&[(24, 0x100)]))),
            (Some(false), Some(true))
        );
        assert_eq!(is_unflushed(&[0; 25]), None);
        assert_eq!(attributes(&put(&[(8, 3)])), Some((true, true)));
    }

    /// A table of this kind, with partitions of these types.
    pub fn table(style: u32, kinds: &[&[u8]]) -> Vec<u8> {
        let mut bytes = vec![0; LAYOUT_HEADER];
        bytes[..4].copy_from_slice(&style.to_le_bytes());
        bytes[4..8].copy_from_slice(&(kinds.len() as u32).to_le_bytes());
        for kind in kinds {
            let mut entry = [0; LAYOUT_ENTRY];
            entry[..4].copy_from_slice(&style.to_le_bytes());
            entry[ENTRY_LENGTH + 2] = 1;
            entry[ENTRY_TYPE..ENTRY_TYPE + kind.len()].copy_from_slice(kind);
            bytes.extend(entry);
        }
        bytes
    }

    #[test]
    fn a_count_of_partitions_is_no_reason_to_believe_it() {
        let mut bytes = vec![0; LAYOUT_HEADER + 2 * LAYOUT_ENTRY];
        bytes[0] = 1;
        bytes[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        bytes[LAYOUT_HEADER + 16] = 9;
        let read = |bytes: &[u8]| layout(bytes).map(|read| (read.table, read.partitions, read.is_whole));
        assert_eq!(read(&bytes), Some((Some("GPT"), 1, false)));
        assert_eq!(read(&bytes[..LAYOUT_HEADER]), Some((Some("GPT"), 0, false)));
        bytes[4..8].copy_from_slice(&2u32.to_le_bytes());
        assert_eq!(read(&bytes), Some((Some("GPT"), 1, true)));
        bytes[0] = 2;
        assert_eq!(layout(&bytes).unwrap().table, None);
        bytes[0] = 3;
        assert_eq!((layout(&bytes), layout(&bytes[..7])), (None, None));
    }

    #[test]
    fn partitions_of_something_larger_are_known_by_their_types() {
        for (kind, what) in HELD_GPT {
            assert_eq!(layout(&table(1, &[&[7; 16], &kind])).unwrap().held, [what]);
            assert!(layout(&table(0, &[&kind])).unwrap().held.is_empty());
        }
        for (kind, what) in HELD_MBR {
            assert_eq!(layout(&table(0, &[&[kind], &[7]])).unwrap().held, [what]);
        }
    }

    #[test]
    fn numbers_and_single_bytes_are_read_whole_or_not_at_all() {
        let bytes = [7u32, 3, 0].map(u32::to_le_bytes).concat();
        assert_eq!((number(&bytes), number(&bytes[..11])), (Some((7, 3)), None));
        assert_eq!(
            (flag(&[0]), flag(&[1]), flag(&[]), flag(&[2]), flag(&[0, 0])),
            (Some(false), Some(true), None, None, None)
        );
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_or_absent(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..512)) {
            let _ = (described(&bytes), blocks(&bytes), yes(&bytes), write_cache(&bytes), is_unflushed(&bytes));
            let _ = (size(&bytes), attributes(&bytes), number(&bytes), flag(&bytes));
            if let Some(layout) = layout(&bytes) {
                proptest::prop_assert!(layout.partitions <= bytes.len() / LAYOUT_ENTRY);
            }
        }
    }
}
