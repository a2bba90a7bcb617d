//! One I/O as one system call, with its result in the form of a completion.
//!
//! A call names its offset and ends when its bytes were moved: the lane is a synchronous handle.

use std::fs::File;
use std::os::windows::fs::FileExt;

use fathom_record::Direction;
use fathom_record::options::IoFlags;

use crate::Io;
use crate::os_error::{self, EINVAL, EOPNOTSUPP};

/// Bytes moved, or a negated error number. `buffer` is the slot's whole buffer. Flags of single I/Os were refused
/// before.
pub fn perform_with(_: IoFlags, file: &File, io: &Io, buffer: &mut [u8]) -> i32 {
    let Some(buffer) = buffer.get_mut(..io.bytes as usize) else { return -EINVAL };
    let outcome = match io.direction {
        Direction::Read => file.seek_read(buffer, io.offset),
        Direction::Write => file.seek_write(buffer, io.offset),
        Direction::Trim => return -EOPNOTSUPP,
        Direction::Flush => file.sync_all().map(|()| 0),
    };
    match outcome {
        Ok(moved) => moved as i32,
        Err(error) => -os_error::of(&error),
    }
}
