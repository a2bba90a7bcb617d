//! An I/O as the command that the kernel takes for a namespace.

use fathom_record::Direction;
use fathom_spec::io::{
    DATASET_MANAGEMENT, DEALLOCATE, FLUSH, MOST_BLOCKS, RANGE_BYTES, READ, WRITE, range, transfer_dwords,
};
use zerocopy::{Immutable, IntoBytes};

use super::Namespace;
use crate::Io;

/// `NVME_URING_CMD_IO`: `_IOWR('N', 0x80, struct nvme_uring_cmd)`, Linux `include/uapi/linux/nvme_ioctl.h`.
pub const OPERATION: u32 = 3 << 30 | (size_of::<Command>() as u32) << 16 | (b'N' as u32) << 8 | 0x80;

/// `struct nvme_uring_cmd`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, IntoBytes, Immutable)]
pub struct Command {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    dwords_2_3: [u32; 2],
    metadata: u64,
    address: u64,
    metadata_bytes: u32,
    data_bytes: u32,
    dwords_10_15: [u32; 6],
    timeout_ms: u32,
    reserved_2: u32,
}

impl Command {
    /// The command of an I/O whose data lies at `address`; for a trim, its range lies there. `None` for
    /// what is not made of whole blocks, or of more than a command can name.
    #[inline]
    pub fn of(io: &Io, namespace: &Namespace, address: u64) -> Option<Self> {
        let plain = Self { namespace: namespace.id, ..Self::default() };
        let (opcode, data_bytes, dwords) = match io.direction {
            Direction::Flush => return Some(Self { opcode: FLUSH, ..plain }),
            Direction::Trim => (DATASET_MANAGEMENT, RANGE_BYTES as u32, [0, DEALLOCATE, 0]),
            Direction::Read => (READ, io.bytes, transfer(io, namespace)?),
            Direction::Write => (WRITE, io.bytes, transfer(io, namespace)?),
        };
        let [ten, eleven, twelve] = dwords;
        let dwords_10_15 = [ten, eleven, twelve, 0, 0, 0];
        Some(Self { opcode, address, data_bytes, dwords_10_15, ..plain })
    }

    /// As the submission entry takes it: its last 80 bytes, of which the command fills 72.
    #[inline]
    pub fn entry_bytes(&self) -> [u8; 80] {
        let mut bytes = [0; 80];
        bytes[..size_of::<Self>()].copy_from_slice(self.as_bytes());
        bytes
    }
}

/// The range of a trim. `None` for what is not made of whole blocks.
pub fn trim_range(io: &Io, namespace: &Namespace) -> Option<[u8; RANGE_BYTES]> {
    let (first, blocks) = blocks(io, namespace)?;
    Some(range(first, blocks))
}

#[inline]
fn transfer(io: &Io, namespace: &Namespace) -> Option<[u32; 3]> {
    let (first, blocks) = blocks(io, namespace)?;
    (blocks <= MOST_BLOCKS).then(|| transfer_dwords(first, blocks))
}

/// First block and number of blocks, at least one.
#[inline]
fn blocks(io: &Io, namespace: &Namespace) -> Option<(u64, u32)> {
    let shift = namespace.block_shift;
    let whole = (io.offset | u64::from(io.bytes)).trailing_zeros() >= shift;
    (whole && io.bytes > 0).then(|| (io.offset >> shift, io.bytes >> shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn namespace(block_shift: u32) -> Namespace {
        Namespace { id: 7, block_shift, size_bytes: 1 << 40, max_transfer_bytes: None, deallocates: true }
    }

    fn io(direction: Direction, offset: u64, bytes: u32) -> Io {
        Io { slot: 0, direction, offset, bytes }
    }

    #[test]
    fn the_structure_is_the_kernel_s() {
        assert_eq!((size_of::<Command>(), OPERATION), (72, 0xc048_4e80));
        let offset = std::mem::offset_of!(Command, dwords_10_15);
        assert_eq!((offset, std::mem::offset_of!(Command, address)), (40, 24));
    }

    #[test]
    fn transfers_count_in_the_namespace_s_blocks() {
        let read = Command::of(&io(Direction::Read, 1 << 36, 8192), &namespace(9), 0x1000).unwrap();
        assert_eq!((read.opcode, read.namespace, read.address, read.data_bytes), (2, 7, 0x1000, 8192));
        assert_eq!(read.dwords_10_15, [1 << 27, 0, 15, 0, 0, 0]);
        let write = Command::of(&io(Direction::Write, 1 << 45, 4096), &namespace(12), 0x2000).unwrap();
        assert_eq!((write.opcode, write.dwords_10_15), (1, [0, 2, 0, 0, 0, 0]));
    }

    #[test]
    fn a_trim_names_one_range_and_a_flush_no_data() {
        let trim = io(Direction::Trim, 8192, 1 << 30);
        let command = Command::of(&trim, &namespace(12), 0x3000).unwrap();
        assert_eq!((command.opcode, command.data_bytes), (9, 16));
        assert_eq!(command.dwords_10_15, [0, 4, 0, 0, 0, 0]);
        assert_eq!(trim_range(&trim, &namespace(12)), Some(range(2, 1 << 18)));
        let flush = Command::of(&io(Direction::Flush, 0, 0), &namespace(12), 0x3000).unwrap();
        assert_eq!((flush.opcode, flush.address, flush.data_bytes), (0, 0, 0));
    }

    #[test]
    fn parts_of_blocks_and_too_many_are_no_command() {
        for direction in [Direction::Read, Direction::Write] {
            for (offset, bytes) in [(512, 4096), (0, 512), (0, 0), (4097, 4096)] {
                assert_eq!(Command::of(&io(direction, offset, bytes), &namespace(12), 0), None);
            }
            let most = MOST_BLOCKS << 9;
            assert!(Command::of(&io(direction, 0, most), &namespace(9), 0).is_some());
            assert_eq!(Command::of(&io(direction, 0, most + 512), &namespace(9), 0), None);
        }
        assert_eq!(trim_range(&io(Direction::Trim, 100, 4096), &namespace(12)), None);
    }
}
