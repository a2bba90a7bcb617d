//! One I/O as one system call, with its result in the form of a completion.

use std::fs::File;
use std::os::fd::AsFd;

use fathom_record::Direction;
use fathom_record::options::IoFlags;
use rustix::fs::{FallocateFlags, fallocate, fdatasync, fsync};
use rustix::io::{Errno, pread, pwrite};

use crate::{Io, io_flags};

/// Bytes moved, or a negated `errno`. `buffer` is the slot's whole buffer.
pub fn perform(file: &File, io: &Io, buffer: &mut [u8]) -> i32 {
    perform_with(IoFlags::default(), file, io, buffer)
}

/// The same with flags on reads and writes: `preadv2` and `pwritev2` where there are any.
pub fn perform_with(flags: IoFlags, file: &File, io: &Io, buffer: &mut [u8]) -> i32 {
    let length = io.bytes as usize;
    let Some(buffer) = buffer.get_mut(..length) else { return -libc::EINVAL };
    let outcome = match io.direction {
        Direction::Read if !flags.is_empty() => {
            retry(|| io_flags::read(file, buffer, io.offset, io_flags::on_reads(flags)))
        }
        Direction::Write if !flags.is_empty() => {
            retry(|| io_flags::write(file, buffer, io.offset, io_flags::on_writes(flags)))
        }
        Direction::Read => retry(|| pread(file.as_fd(), &mut *buffer, io.offset)),
        Direction::Write => retry(|| pwrite(file.as_fd(), &*buffer, io.offset)),
        Direction::Trim => {
            let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            retry(|| fallocate(file.as_fd(), flags, io.offset, u64::from(io.bytes)).map(|()| length))
        }
        Direction::Flush if io.flushes_all() => retry(|| fsync(file.as_fd()).map(|()| 0)),
        Direction::Flush => retry(|| fdatasync(file.as_fd()).map(|()| 0)),
    };
    match outcome {
        Ok(moved) => moved as i32,
        Err(errno) => -errno.raw_os_error(),
    }
}

fn retry<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            other => return other,
        }
    }
}
