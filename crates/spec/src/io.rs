//! Commands of the NVM command set (NVM 1.0, section 3.2): opcodes, and the words that say where.

/// Opcode of Flush (Base 2.0, section 7.1).
pub const FLUSH: u8 = 0x00;
/// Opcode of Write (NVM 1.0, section 3.2.6).
pub const WRITE: u8 = 0x01;
/// Opcode of Read (NVM 1.0, section 3.2.4).
pub const READ: u8 = 0x02;
/// Opcode of Dataset Management (NVM 1.0, section 3.2.3).
pub const DATASET_MANAGEMENT: u8 = 0x09;

/// Command dword 11 of Dataset Management that deallocates the ranges (AD, bit 2).
pub const DEALLOCATE: u32 = 1 << 2;
/// Length of one Dataset Management range, in bytes.
pub const RANGE_BYTES: usize = 16;
/// Logical blocks that one Read or Write moves at most: its count is 16 bits, 0's based.
pub const MOST_BLOCKS: u32 = 1 << 16;

/// Command dwords 10, 11 and 12 of Read and Write: the first block and the number of blocks, 1 to
/// [`MOST_BLOCKS`]; numbers outside are brought into that range.
#[inline]
pub const fn transfer_dwords(first_block: u64, blocks: u32) -> [u32; 3] {
    let count = if blocks == 0 {
        0
    } else if blocks > MOST_BLOCKS {
        MOST_BLOCKS - 1
    } else {
        blocks - 1
    };
    [first_block as u32, (first_block >> 32) as u32, count]
}

/// One Dataset Management range as it lies in memory: attributes, number of blocks (not 0's based),
/// first block.
pub const fn range(first_block: u64, blocks: u32) -> [u8; RANGE_BYTES] {
    let (count, first) = (blocks.to_le_bytes(), first_block.to_le_bytes());
    let mut bytes = [0; RANGE_BYTES];
    let mut index = 0;
    while index < 4 {
        bytes[4 + index] = count[index];
        index += 1;
    }
    index = 0;
    while index < 8 {
        bytes[8 + index] = first[index];
        index += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_specification_s() {
        assert_eq!(transfer_dwords(0x1_0000_0007, 8), [7, 1, 7]);
        assert_eq!(transfer_dwords(0, MOST_BLOCKS), [0, 0, 0xffff]);
        assert_eq!(transfer_dwords(1, 0), [1, 0, 0]);
        assert_eq!(transfer_dwords(1, u32::MAX), [1, 0, 0xffff]);
    }

    #[test]
    fn a_range_lies_in_memory_as_the_specification_draws_it() {
        let bytes = range(0x0102_0304_0506_0708, 0x1122_3344);
        assert_eq!(bytes, [0, 0, 0, 0, 0x44, 0x33, 0x22, 0x11, 8, 7, 6, 5, 4, 3, 2, 1]);
    }
}
