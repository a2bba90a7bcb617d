//! Reads and writes at a place, and the room of a file system, on Unix.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What this user may still write where the file lies.
pub fn free_bytes(file: &File, _: &Path) -> io::Result<u64> {
    let room = rustix::fs::fstatvfs(file)?;
    Ok(room.f_bavail.saturating_mul(room.f_frsize))
}

/// Writes all bytes at a place.
pub fn write_all(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    file.write_all_at(bytes, at)
}

/// Fills all bytes from a place on.
pub fn read_exact(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(bytes, at)
}
