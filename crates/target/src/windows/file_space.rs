//! Room for a file, its bytes, and how many of them were ever written.

use std::fs::File;
use std::io;
use std::ops::Range;

use super::drives::control;
use super::{Handle, call, valid};
use crate::scratch::Space;

/// `FSCTL_QUERY_FILE_REGIONS`; without a stretch it answers of the whole file.
const FILE_REGIONS: u32 = 0x0009_0284;

/// Room of the volume that a file or folder is in.
///
/// # Errors
/// As the system reports them.
pub fn space(file: &File) -> io::Result<Space> {
    let volume = call::volume(file)?;
    Ok(Space { total_bytes: volume.total_bytes, free_bytes: volume.free_bytes })
}

/// Share of a stretch that was written: what lies behind a file's valid data reads as zeros without reaching the device.
/// Unknown where the file system does not say.
///
/// # Errors
/// None: a file system that has no answer says nothing.
pub fn written_share(handle: &Handle, stretch: Range<u64>) -> io::Result<Option<f64>> {
    Ok(control(handle.anchor(), FILE_REGIONS, &[]).ok().and_then(|bytes| valid::share(&bytes, &stretch)))
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
