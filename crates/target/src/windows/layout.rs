//! Room for a file, and its bytes.

use std::fs::File;
use std::io;
use std::ops::Range;

use super::call;
use crate::scratch::Space;

/// Room of the volume that a file or folder is in.
///
/// # Errors
/// As the system reports them.
pub fn space(file: &File) -> io::Result<Space> {
    let volume = call::volume(file)?;
    Ok(Space { total_bytes: volume.total_bytes, free_bytes: volume.free_bytes })
}

/// Has a file take its room.
///
/// # Errors
/// As the system reports them.
pub fn allocate(file: &File, range: &Range<u64>) -> io::Result<()> {
    if file.metadata()?.len() < range.end { file.set_len(range.end) } else { Ok(()) }
}

/// Writes at a place, as Unix has it.
pub trait FileExt {
    /// Writes all of `bytes` at `offset`.
    ///
    /// # Errors
    /// As the system reports them.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
}

impl FileExt for File {
    fn write_all_at(&self, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = std::os::windows::fs::FileExt::seek_write(self, bytes, offset)?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            bytes = &bytes[written..];
            offset += written as u64;
        }
        Ok(())
    }
}
