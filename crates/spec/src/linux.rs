//! A command as Linux takes it from a program: `struct nvme_passthru_cmd` of `linux/nvme_ioctl.h`, and
//! `struct nvme_uring_cmd`, which is laid out alike.

use zerocopy::{Immutable, IntoBytes};

/// One command, by `ioctl` or in a submission entry of io_uring. All zero is an admin command with no data
/// and the driver's own timeout.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, IntoBytes, Immutable)]
pub struct LinuxCommand {
    /// What to do, in the command set of the queue that it goes to.
    pub opcode: u8,
    /// Fused operations; the driver takes 0 alone.
    pub flags: u8,
    /// 0.
    pub reserved: u16,
    /// Namespace identifier.
    pub namespace: u32,
    /// Command dwords 2 and 3.
    pub dwords_2_3: [u32; 2],
    /// Address of the metadata in the program's memory.
    pub metadata: u64,
    /// Address of the data in the program's memory.
    pub address: u64,
    /// Length of the metadata.
    pub metadata_bytes: u32,
    /// Length of the data.
    pub data_bytes: u32,
    /// Command dwords 10 to 15.
    pub dwords_10_15: [u32; 6],
    /// Time until the driver takes the command back, which may reset the controller; 0 is the driver's own.
    pub timeout_ms: u32,
    /// Dword 0 of the completion, which the driver writes; io_uring has it in the completion entry.
    pub result: u32,
}

/// `NVME_IOCTL_ID`: `_IO('N', 0x40)`, which takes no argument.
pub const NAMESPACE_ID_REQUEST: u32 = (b'N' as u32) << 8 | 0x40;

/// `NVME_IOCTL_ADMIN_CMD`: `_IOWR('N', 0x41, struct nvme_passthru_cmd)`.
pub const ADMIN_REQUEST: u32 = request(0x41);

/// `NVME_URING_CMD_IO`: `_IOWR('N', 0x80, struct nvme_uring_cmd)`.
pub const RING_IO_OPERATION: u32 = request(0x80);

/// A request that hands a command over and back (`_IOWR`, as most processors encode it).
const fn request(number: u32) -> u32 {
    3 << 30 | (size_of::<LinuxCommand>() as u32) << 16 | (b'N' as u32) << 8 | number
}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;

    use super::*;

    #[test]
    fn layout_and_requests_are_the_kernel_s() {
        assert_eq!((size_of::<LinuxCommand>(), align_of::<LinuxCommand>()), (72, 8));
        let places = [
            offset_of!(LinuxCommand, namespace),
            offset_of!(LinuxCommand, metadata),
            offset_of!(LinuxCommand, address),
            offset_of!(LinuxCommand, data_bytes),
            offset_of!(LinuxCommand, dwords_10_15),
            offset_of!(LinuxCommand, timeout_ms),
        ];
        assert_eq!(places, [4, 16, 24, 36, 40, 64]);
        let requests = [NAMESPACE_ID_REQUEST, ADMIN_REQUEST, RING_IO_OPERATION];
        assert_eq!(requests, [0x4e40, 0xc048_4e41, 0xc048_4e80]);
    }
}
