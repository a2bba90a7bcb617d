//! Space of a file system, from `statvfs`.

use std::path::Path;

/// Sizes in bytes.
pub struct Space {
    /// Of the whole file system.
    pub total_bytes: u64,
    /// Free for any user.
    pub free_bytes: u64,
    /// Of one block.
    pub block_bytes: u64,
}

/// Space of the file system that `path` lies in.
pub fn of(path: &Path) -> Option<Space> {
    let raw = rustix::fs::statvfs(path).ok()?;
    Some(Space {
        total_bytes: raw.f_blocks.checked_mul(raw.f_frsize)?,
        free_bytes: raw.f_bavail.checked_mul(raw.f_frsize)?,
        block_bytes: raw.f_bsize,
    })
}
