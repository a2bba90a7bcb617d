//! The stamp at the start of every block that was written with verification on.
//!
//! | bytes | field |
//! |---|---|
//! | 0..8 | `89 66 61 74 68 6f 6d 0a`, which no text and no zeroed or random block starts with |
//! | 8..10 | version of this layout, 1 |
//! | 10..12 | length of the stamp, 48 |
//! | 12..16 | length of the block, stamp included |
//! | 16..24 | first byte of the block on the target |
//! | 24..32 | tag of the run that wrote it |
//! | 32..36 | generation: how often that run had written this block, modulo 2^30, never 0 |
//! | 36..44 | zero |
//! | 44..48 | CRC-32C (Castagnoli) of bytes 0..44 followed by bytes 48 to the end of the block |
//!
//! All numbers are little-endian. A block without the first eight bytes was not stamped.

/// First bytes of a stamped block.
const MAGIC: [u8; 8] = *b"\x89fathom\n";
/// Version of the layout that this build writes and reads.
const VERSION: u16 = 1;
/// Bytes of the stamp; the smallest block.
pub(super) const STAMP_BYTES: usize = 48;
/// Where the checksum lies.
const CHECKSUM_AT: usize = 44;

/// What identifies one write of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Length of the block, stamp included.
    pub block_bytes: u32,
    /// First byte of the block on the target.
    pub offset: u64,
    /// Of the run that wrote it: no other run has it.
    pub tag: u64,
    /// How often that run had written the block, modulo 2^30, never 0.
    pub generation: u32,
}

/// What the start of a block looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// No stamp.
    Bare,
    /// A stamp of another version, or one whose lengths make no sense.
    Unreadable,
    /// A stamp; whether it is true is for [`is_whole`] to say.
    Stamped(Stamp),
}

impl Stamp {
    /// Writes the stamp into `block`, which is `block_bytes` long, and seals both with a checksum.
    pub fn seal(&self, block: &mut [u8]) {
        debug_assert_eq!(block.len(), self.block_bytes as usize, "a stamp covers its block");
        block[0..8].copy_from_slice(&MAGIC);
        block[8..10].copy_from_slice(&VERSION.to_le_bytes());
        block[10..12].copy_from_slice(&(STAMP_BYTES as u16).to_le_bytes());
        block[12..16].copy_from_slice(&self.block_bytes.to_le_bytes());
        block[16..24].copy_from_slice(&self.offset.to_le_bytes());
        block[24..32].copy_from_slice(&self.tag.to_le_bytes());
        block[32..36].copy_from_slice(&self.generation.to_le_bytes());
        block[36..44].fill(0);
        let checksum = checksum(block);
        block[CHECKSUM_AT..STAMP_BYTES].copy_from_slice(&checksum.to_le_bytes());
    }
}

impl Start {
    /// Reads the start of a block; any bytes, of any length.
    pub fn of(bytes: &[u8]) -> Self {
        let Some(head) = bytes.first_chunk::<STAMP_BYTES>() else { return Start::Bare };
        if head[0..8] != MAGIC {
            return Start::Bare;
        }
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let double = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let stamp =
            Stamp { block_bytes: word(12), offset: double(16), tag: double(24), generation: word(32) };
        let known = word(8) == u32::from(VERSION) | (STAMP_BYTES as u32) << 16;
        if known && stamp.block_bytes as usize >= STAMP_BYTES {
            Start::Stamped(stamp)
        } else {
            Start::Unreadable
        }
    }
}

/// Whether stamp and content of a whole block belong together. False for less than a stamp.
pub(super) fn is_whole(block: &[u8]) -> bool {
    block.len() >= STAMP_BYTES && checksum(block).to_le_bytes() == block[CHECKSUM_AT..STAMP_BYTES]
}

fn checksum(block: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&block[..CHECKSUM_AT]), &block[STAMP_BYTES..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_stamp_reads_back_and_any_flipped_bit_shows(
            offset: u64, tag: u64, generation: u32, blocks in 1usize..9, flip: u64,
        ) {
            let mut block = vec![0x5a; blocks * 512];
            let stamp = Stamp { block_bytes: block.len() as u32, offset, tag, generation };
            stamp.seal(&mut block);
            prop_assert_eq!(Start::of(&block), Start::Stamped(stamp));
            prop_assert!(is_whole(&block));
            let bit = (flip % (block.len() as u64 * 8)) as usize;
            block[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(!is_whole(&block));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..100), magic: bool) {
            let mut bytes = bytes;
            if magic && bytes.len() >= 8 {
                bytes[..8].copy_from_slice(&MAGIC);
            }
            let start = Start::of(&bytes);
            prop_assert!(magic || start == Start::Bare);
            is_whole(&bytes);
        }
    }

    #[test]
    fn the_layout_is_the_documented_one() {
        let mut block = vec![0; 512];
        Stamp { block_bytes: 512, offset: 0x1_0000_1000, tag: 7, generation: 3 }.seal(&mut block);
        let mut expected = b"\x89fathom\n\x01\x00\x30\x00\x00\x02\x00\x00".to_vec();
        expected.extend([0, 0x10, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0]);
        expected.extend([0; 8]);
        assert_eq!(block[..44], expected);
    }
}
