//! Amazon's statistics log of EBS volumes and of the local disks of EC2 instances (log identifier D0h).
//!
//! Source: EBS user guide, "Amazon EBS detailed performance statistics" (2024-11), and the structures of
//! nvme-cli's plugin `amzn`. Counters run from when the volume was attached; times are in microseconds.

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::{ShortBufferError, view};

/// Log identifier of this page.
pub const LOG_IDENTIFIER: u8 = 0xd0;
/// Length of this page, in bytes.
pub const LOG_BYTES: usize = 4096;
/// Namespace that it is asked for.
pub const NAMESPACE: u32 = 1;

const MAGIC_EBS: u32 = 0x3c23_b510;
const MAGIC_LOCAL: u32 = 0xec2c_0d7e;

/// Counters of one volume. Of a local disk the volume's limits are the disk's own, and the instance's are
/// unused.
#[derive(Clone, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct VolumeLog {
    magic: U32,
    version: U32,
    /// Reads completed.
    pub read_operations: U64,
    /// Writes completed.
    pub write_operations: U64,
    /// Bytes read.
    pub read_bytes: U64,
    /// Bytes written.
    pub write_bytes: U64,
    /// Time of all reads, in microseconds.
    pub read_us: U64,
    /// Time of all writes, in microseconds.
    pub write_us: U64,
    /// Time in which more I/Os a second were wanted than the volume gives, in microseconds.
    pub volume_iops_exceeded_us: U64,
    /// Time in which more throughput was wanted than the volume gives, in microseconds.
    pub volume_throughput_exceeded_us: U64,
    /// Time in which more I/Os a second were wanted than the instance gives, in microseconds.
    pub instance_iops_exceeded_us: U64,
    /// Time in which more throughput was wanted than the instance gives, in microseconds.
    pub instance_throughput_exceeded_us: U64,
    /// I/Os that wait now.
    pub queue_length: U64,
}

impl VolumeLog {
    /// Reads it from the start of a buffer; `None` where the bytes do not begin as the log does.
    ///
    /// # Errors
    /// When there are fewer bytes than fields.
    pub fn parse(bytes: &[u8]) -> Result<Option<&Self>, ShortBufferError> {
        let log: &Self = view(bytes, "Amazon volume statistics")?;
        Ok([MAGIC_EBS, MAGIC_LOCAL].contains(&log.magic.get()).then_some(log))
    }

    /// Whether it is of a local disk.
    pub fn is_local(&self) -> bool {
        self.magic.get() == MAGIC_LOCAL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lie_where_the_plugin_of_nvme_cli_has_them() {
        let mut bytes = [0u8; LOG_BYTES];
        bytes[..4].copy_from_slice(&0x3c23_b510_u32.to_le_bytes());
        for (at, value) in [(8, 1), (32, 4), (56, 31_000_000), (64, 2), (72, 3), (80, 500_000), (88, 12_u64)]
        {
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        let log = VolumeLog::parse(&bytes).unwrap().unwrap();
        assert_eq!((log.read_operations.get(), log.write_bytes.get(), log.queue_length.get()), (1, 4, 12));
        assert_eq!(
            (log.volume_iops_exceeded_us.get(), log.volume_throughput_exceeded_us.get()),
            (31_000_000, 2)
        );
        assert_eq!(
            (log.instance_iops_exceeded_us.get(), log.instance_throughput_exceeded_us.get()),
            (3, 500_000)
        );
        assert!(!log.is_local());
        bytes[..4].copy_from_slice(&0xec2c_0d7e_u32.to_le_bytes());
        assert!(VolumeLog::parse(&bytes).unwrap().unwrap().is_local());
    }

    #[test]
    fn bytes_of_another_device_are_no_log() {
        assert!(VolumeLog::parse(&[0xff; LOG_BYTES]).unwrap().is_none());
        assert!(VolumeLog::parse(&[]).is_err());
    }
}
