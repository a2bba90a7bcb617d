//! The kernel's structures of native asynchronous I/O (`include/uapi/linux/aio_abi.h`).

use std::os::fd::RawFd;

use fathom_record::Direction;
use fathom_record::options::IoFlags;

use crate::{Io, io_flags};

const PREAD: u16 = 0;
const PWRITE: u16 = 1;
const FSYNC: u16 = 2;
const FDSYNC: u16 = 3;
/// `IOCB_FLAG_IOPRIO`: the priority counts.
const HAS_PRIORITY: u32 = 2;

/// `struct iocb` on little-endian machines.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    data: u64,
    key: u32,
    flags_of_rw: u32,
    opcode: u16,
    priority: i16,
    file: u32,
    buffer: u64,
    bytes: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    event_file: u32,
}

/// `struct io_event`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Event {
    data: u64,
    object: u64,
    result: i64,
    second_result: i64,
}

const _: () = assert!(size_of::<Request>() == 64 && size_of::<Event>() == 32);

#[cfg(target_endian = "big")]
compile_error!("`struct iocb` has another order of fields on big-endian machines");

/// Flags of `preadv2` and `pwritev2`, of reads and of writes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flags([u32; 2]);

impl From<IoFlags> for Flags {
    fn from(flags: IoFlags) -> Self {
        Self([io_flags::on_reads(flags) as u32, io_flags::on_writes(flags) as u32])
    }
}

impl Request {
    /// The request for an I/O that is a read, a write or a flush.
    #[inline]
    pub fn new(io: &Io, file: RawFd, buffer: *mut u8, Flags([on_reads, on_writes]): Flags) -> Self {
        let (opcode, flags_of_rw, buffer, bytes, offset) = match io.direction {
            Direction::Read => (PREAD, on_reads, buffer as u64, u64::from(io.bytes), io.offset as i64),
            Direction::Write => (PWRITE, on_writes, buffer as u64, u64::from(io.bytes), io.offset as i64),
            Direction::Flush if io.flushes_all() => (FSYNC, 0, 0, 0, 0),
            Direction::Trim | Direction::Flush => (FDSYNC, 0, 0, 0, 0),
        };
        let (data, file) = (u64::from(io.slot), file as u32);
        Self { data, flags_of_rw, opcode, file, buffer, bytes, offset, ..Self::default() }
    }
}

impl Request {
    /// The same with a priority of its own; 0 for none. A flush has none.
    #[inline]
    pub fn with_priority(mut self, number: u16) -> Self {
        if number != 0 && self.opcode != FDSYNC && self.opcode != FSYNC {
            self.priority = number as i16;
            self.flags |= HAS_PRIORITY;
        }
        self
    }
}

impl Event {
    /// The slot whose I/O ended.
    #[inline]
    pub fn slot(&self) -> u32 {
        self.data as u32
    }

    /// Bytes moved, or a negated error number.
    #[inline]
    pub fn result(&self) -> i32 {
        self.result as i32
    }
}
