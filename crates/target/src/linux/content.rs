//! Reads an open device or file past the page cache, for whoever looks at what it holds.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::signature::ReadAt;
use crate::{Arena, Error};

/// Largest read, and the alignment that satisfies direct I/O to all but devices of larger blocks.
const CHUNK_BYTES: usize = 1 << 20;
const LEAST_ALIGNMENT: u64 = 4096;

/// A stretch of an open file: a whole device, or one of its partitions.
pub struct Content<'a> {
    file: &'a File,
    start_bytes: u64,
    size_bytes: u64,
    alignment: u64,
    chunk_bytes: usize,
    buffer: RefCell<Arena>,
}

impl<'a> Content<'a> {
    /// The stretch of `size_bytes` from `start_bytes` on.
    ///
    /// # Errors
    /// When there is no memory for the buffer.
    pub fn new(file: &'a File, start_bytes: u64, size_bytes: u64) -> Result<Self, Error> {
        Self::in_chunks(file, start_bytes, size_bytes, CHUNK_BYTES)
    }

    /// The same with smaller reads, whose buffer is made sooner.
    ///
    /// # Errors
    /// When there is no memory for the buffer.
    pub fn in_chunks(
        file: &'a File,
        start_bytes: u64,
        size_bytes: u64,
        chunk_bytes: usize,
    ) -> Result<Self, Error> {
        let block = rustix::fs::ioctl_blksszget(file).map_or(LEAST_ALIGNMENT, u64::from);
        let alignment = block.clamp(LEAST_ALIGNMENT, chunk_bytes as u64);
        let buffer = RefCell::new(Arena::new(1, chunk_bytes as u64)?);
        Ok(Self { file, start_bytes, size_bytes, alignment, chunk_bytes, buffer })
    }
}

impl ReadAt for Content<'_> {
    fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    fn read_at(&self, offset_bytes: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut arena = self.buffer.borrow_mut();
        let mut done = 0;
        while done < buffer.len() {
            let wanted = self.start_bytes + offset_bytes + done as u64;
            let aligned = wanted / self.alignment * self.alignment;
            let skip = (wanted - aligned) as usize;
            let length =
                (skip + buffer.len() - done).next_multiple_of(self.alignment as usize).min(self.chunk_bytes);
            let room = &mut arena.slice(0)[..length];
            // Short only at the end of the device, whose size need not be a multiple of the alignment.
            let got = self.file.read_at(room, aligned)?;
            let useful = got.saturating_sub(skip).min(buffer.len() - done);
            if useful == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            buffer[done..done + useful].copy_from_slice(&room[skip..skip + useful]);
            done += useful;
        }
        Ok(())
    }
}
