//! The mark that fathom leaves at the end of a block device before it writes to it: whose data the device holds
//! since then.
//!
//! It is one unit at the device's end that no workload is given. All that it says lies in the first 512 bytes,
//! the smallest block that a device writes as a whole, so that a mark is there or not; the rest is zero.

use std::fmt;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// Bytes that a mark takes, unless the device has larger blocks.
pub const UNIT_BYTES: u64 = 4096;
/// Bytes that say anything.
const SAID_BYTES: usize = 512;
const MAGIC: [u8; 8] = *b"fathom\xf5\x4d";
const VERSION: u16 = 1;
/// Longest text of a mark; each has its length before it.
const TEXT_BYTES: usize = 95;
const CHECKSUM_AT: usize = SAID_BYTES - 4;

/// A number that no other mark has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MarkId([u8; 16]);

impl MarkId {
    /// A new one, at random.
    pub fn random() -> Self {
        use std::hash::{BuildHasher, RandomState};
        let mut id = [0; 16];
        // Its keys are the operating system's random numbers, other ones each time.
        for half in id.chunks_exact_mut(8) {
            let seed = RandomState::new().hash_one(std::process::id());
            half.copy_from_slice(&Xoshiro256PlusPlus::seed_from_u64(seed).next_u64().to_le_bytes());
        }
        Self(id)
    }
}

impl fmt::Display for MarkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for MarkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MarkId({self})")
    }
}

impl From<MarkId> for String {
    fn from(id: MarkId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for MarkId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let number = u128::from_str_radix(&text, 16).ok().filter(|_| text.len() == 32);
        number.map(|number| Self(number.to_be_bytes())).ok_or_else(|| format!("{text:?} is not a mark's id"))
    }
}

/// What a mark says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Which mark it is.
    pub id: MarkId,
    /// Size of the device.
    pub device_bytes: u64,
    /// When it was written, as RFC 3339.
    pub at: String,
    /// The run or campaign that wrote it, by its id.
    pub by: String,
}

/// Where the mark of a device lies, and how long it is: the last whole unit. `None` on devices without room for
/// both a mark and data.
pub fn place(device_bytes: u64, block_bytes: u32) -> Option<(u64, u64)> {
    let unit = UNIT_BYTES.max(u64::from(block_bytes));
    let at = (device_bytes / unit).checked_sub(1)?.checked_mul(unit)?;
    (at > 0).then_some((at, unit))
}

impl Mark {
    /// The bytes that are written; `unit` must be at least [`UNIT_BYTES`] long, and all of it is set.
    ///
    /// Characters other than printable ASCII, and what is too long, are left out.
    pub fn write_to(&self, unit: &mut [u8]) {
        unit.fill(0);
        let said = &mut unit[..SAID_BYTES];
        said[..8].copy_from_slice(&MAGIC);
        said[8..10].copy_from_slice(&VERSION.to_le_bytes());
        said[16..32].copy_from_slice(&self.id.0);
        said[32..40].copy_from_slice(&self.device_bytes.to_le_bytes());
        for (text, at) in [(&self.at, 40), (&self.by, 40 + 1 + TEXT_BYTES)] {
            let plain = text.bytes().filter(|byte| is_plain(*byte)).take(TEXT_BYTES);
            let mut length = 0;
            for (to, byte) in said[at + 1..].iter_mut().zip(plain) {
                *to = byte;
                length += 1;
            }
            said[at] = length;
        }
        let checksum = crc32c::crc32c(&said[..CHECKSUM_AT]);
        said[CHECKSUM_AT..].copy_from_slice(&checksum.to_le_bytes());
    }

    /// The mark in these bytes of a device of that size; `None` where there is none, or not a whole one.
    pub fn read(unit: &[u8], device_bytes: u64) -> Option<Self> {
        let said = unit.get(..SAID_BYTES)?;
        let number = |at: usize| Some(u64::from_le_bytes(said.get(at..at + 8)?.try_into().ok()?));
        let checksum = u32::from_le_bytes(said[CHECKSUM_AT..].try_into().ok()?);
        let is_whole = said[..8] == MAGIC
            && said[8..10] == VERSION.to_le_bytes()
            && checksum == crc32c::crc32c(&said[..CHECKSUM_AT])
            && number(32) == Some(device_bytes);
        let text = |at: usize| {
            let length = usize::from(said[at]);
            let text = said[at + 1..].get(..length).filter(|_| length <= TEXT_BYTES)?;
            text.iter().all(|byte| is_plain(*byte)).then(|| String::from_utf8_lossy(text).into_owned())
        };
        if !is_whole {
            return None;
        }
        let id = MarkId(said[16..32].try_into().ok()?);
        Some(Self { id, device_bytes, at: text(40)?, by: text(40 + 1 + TEXT_BYTES)? })
    }
}

/// What a terminal shows as it is.
fn is_plain(byte: u8) -> bool {
    byte == b' ' || byte.is_ascii_graphic()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mark() -> Mark {
        let (at, by) = ("2026-11-22T23:00:00Z".to_owned(), "a-20261122-230000123-7f3a".to_owned());
        Mark { id: MarkId::random(), device_bytes: 64 << 20, at, by }
    }

    fn bytes(mark: &Mark) -> Vec<u8> {
        let mut unit = vec![0xaa; UNIT_BYTES as usize];
        mark.write_to(&mut unit);
        unit
    }

    #[test]
    fn it_lies_in_the_last_whole_unit_and_leaves_room_for_data() {
        assert_eq!(place(64 << 20, 512), Some(((64 << 20) - 4096, 4096)));
        assert_eq!(place((64 << 20) + 3584, 512), Some(((64 << 20) - 4096, 4096)));
        assert_eq!(place(1 << 20, 65536), Some(((1 << 20) - 65536, 65536)));
        assert_eq!([place(0, 512), place(4096, 512), place(8191, 4096), place(65536, 65536)], [None; 4]);
        assert_eq!(place(8192, 512), Some((4096, 4096)));
    }

    #[test]
    fn a_torn_mark_is_none_wherever_it_is_torn() {
        let (whole, before) = (bytes(&mark()), vec![0x11; UNIT_BYTES as usize]);
        for torn_at in 0..SAID_BYTES {
            let torn: Vec<u8> = whole[..torn_at].iter().chain(&before[torn_at..]).copied().collect();
            assert_eq!(Mark::read(&torn, 64 << 20), None, "{torn_at}");
        }
        assert!(Mark::read(&whole[..SAID_BYTES], 64 << 20).is_some());
    }

    #[test]
    fn a_mark_of_another_size_or_version_is_none() {
        let mut whole = bytes(&mark());
        assert_eq!(Mark::read(&whole, 32 << 20), None);
        whole[8] = 2;
        let checksum = crc32c::crc32c(&whole[..CHECKSUM_AT]);
        whole[CHECKSUM_AT..SAID_BYTES].copy_from_slice(&checksum.to_le_bytes());
        assert_eq!(Mark::read(&whole, 64 << 20), None);
    }

    #[test]
    fn ids_differ_and_come_back_from_text() {
        let ids: std::collections::HashSet<MarkId> = (0..1000).map(|_| MarkId::random()).collect();
        assert_eq!(ids.len(), 1000);
        let json = serde_json::to_string(&mark().id).unwrap();
        assert_eq!(json.len(), 34);
        for id in ids {
            assert_eq!(MarkId::try_from(id.to_string()), Ok(id));
        }
        assert!(MarkId::try_from("7f".to_owned()).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(at in "[ -~]{0,95}", by in "[ -~]{0,95}", device_bytes: u64) {
            let mark = Mark { id: MarkId::random(), device_bytes, at, by };
            prop_assert_eq!(Mark::read(&bytes(&mark), device_bytes), Some(mark));
        }

        #[test]
        fn texts_never_reach_a_terminal_as_commands(text: String) {
            let mark = Mark { by: text, ..mark() };
            let read = Mark::read(&bytes(&mark), mark.device_bytes).unwrap();
            prop_assert!(read.by.bytes().all(is_plain));
        }

        #[test]
        fn no_bytes_make_it_panic(unit: Vec<u8>, device_bytes: u64) {
            let _ = Mark::read(&unit, device_bytes);
        }

        #[test]
        fn a_changed_bit_is_no_mark(at in 0..SAID_BYTES, bit in 0..8) {
            let mut unit = bytes(&mark());
            unit[at] ^= 1u8 << bit;
            prop_assert_eq!(Mark::read(&unit, 64 << 20), None);
        }
    }
}
