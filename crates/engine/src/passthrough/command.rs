//! An I/O as the command that the kernel takes for a namespace.

use fathom_record::Direction;
use fathom_spec::LinuxCommand;
use fathom_spec::io::{
    DATASET_MANAGEMENT, DEALLOCATE, FLUSH, MOST_BLOCKS, RANGE_BYTES, READ, WRITE, range, transfer_dwords,
};
use fathom_target::namespace::Namespace;
use zerocopy::IntoBytes;

use crate::Io;

/// The command of an I/O whose data lies at `address`; for a trim, its range lies there. `None` for what
/// is not made of whole blocks, or of more than a command can name.
#[inline]
pub fn command(io: &Io, namespace: &Namespace, address: u64) -> Option<LinuxCommand> {
    let plain = LinuxCommand { namespace: namespace.id, ..LinuxCommand::default() };
    let (opcode, data_bytes, dwords) = match io.direction {
        Direction::Flush => return Some(LinuxCommand { opcode: FLUSH, ..plain }),
        Direction::Trim => (DATASET_MANAGEMENT, RANGE_BYTES as u32, [0, DEALLOCATE, 0]),
        Direction::Read => (READ, io.bytes, transfer(io, namespace)?),
        Direction::Write => (WRITE, io.bytes, transfer(io, namespace)?),
    };
    let [ten, eleven, twelve] = dwords;
    let dwords_10_15 = [ten, eleven, twelve, 0, 0, 0];
    Some(LinuxCommand { opcode, address, data_bytes, dwords_10_15, ..plain })
}

/// As the submission entry takes it: its last 80 bytes, of which the command fills 72.
#[inline]
pub fn entry_bytes(command: &LinuxCommand) -> [u8; 80] {
    let mut bytes = [0; 80];
    bytes[..size_of::<LinuxCommand>()].copy_from_slice(command.as_bytes());
    bytes
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
    fn transfers_count_in_the_namespace_s_blocks() {
        let read = command(&io(Direction::Read, 1 << 36, 8192), &namespace(9), 0x1000).unwrap();
        assert_eq!((read.opcode, read.namespace, read.address, read.data_bytes), (2, 7, 0x1000, 8192));
        assert_eq!(read.dwords_10_15, [1 << 27, 0, 15, 0, 0, 0]);
        let write = command(&io(Direction::Write, 1 << 45, 4096), &namespace(12), 0x2000).unwrap();
        assert_eq!((write.opcode, write.dwords_10_15), (1, [0, 2, 0, 0, 0, 0]));
    }

    #[test]
    fn a_trim_names_one_range_and_a_flush_no_data() {
        let trim = io(Direction::Trim, 8192, 1 << 30);
        let deallocate = command(&trim, &namespace(12), 0x3000).unwrap();
        assert_eq!((deallocate.opcode, deallocate.data_bytes), (9, 16));
        assert_eq!(deallocate.dwords_10_15, [0, 4, 0, 0, 0, 0]);
        assert_eq!(trim_range(&trim, &namespace(12)), Some(range(2, 1 << 18)));
        let flush = command(&io(Direction::Flush, 0, 0), &namespace(12), 0x3000).unwrap();
        assert_eq!((flush.opcode, flush.address, flush.data_bytes), (0, 0, 0));
    }

    #[test]
    fn parts_of_blocks_and_too_many_are_no_command() {
        for direction in [Direction::Read, Direction::Write] {
            for (offset, bytes) in [(512, 4096), (0, 512), (0, 0), (4097, 4096)] {
                assert_eq!(command(&io(direction, offset, bytes), &namespace(12), 0), None);
            }
            let most = MOST_BLOCKS << 9;
            assert!(command(&io(direction, 0, most), &namespace(9), 0).is_some());
            assert_eq!(command(&io(direction, 0, most + 512), &namespace(9), 0), None);
        }
        assert_eq!(trim_range(&io(Direction::Trim, 100, 4096), &namespace(12)), None);
    }
}
