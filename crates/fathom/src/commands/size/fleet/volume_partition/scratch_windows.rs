//! Reads and writes at a place, and the room of a volume, on Windows.
#![allow(unsafe_code)] // One call of the system, with a path and a number that it fills in.

use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::FileExt;
use std::path::Path;

use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;

/// What this user may still write in the folder.
pub fn free_bytes(_: &File, folder: &Path) -> io::Result<u64> {
    let path: Vec<u16> = folder.as_os_str().encode_wide().chain([0]).collect();
    let mut free_bytes = 0;
    // SAFETY: the path ends with a zero, the number is writable, and the two that are not wanted may be null.
    let told = unsafe {
        GetDiskFreeSpaceExW(path.as_ptr(), &raw mut free_bytes, std::ptr::null_mut(), std::ptr::null_mut())
    };
    if told == 0 { Err(io::Error::last_os_error()) } else { Ok(free_bytes) }
}

/// Writes all bytes at a place.
pub fn write_all(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = file.seek_write(bytes, at)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[written..];
        at += written as u64;
    }
    Ok(())
}

/// Fills all bytes from a place on.
pub fn read_exact(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = file.seek_read(bytes, at)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        at += read as u64;
    }
    Ok(())
}
