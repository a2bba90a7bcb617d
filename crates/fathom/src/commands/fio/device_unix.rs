//! Devices, which are among the files here.

use std::fs::{File, Metadata};
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::FileTypeExt;

/// Bytes of a device; 0 of one that tells its size when it is opened for the run.
pub fn bytes(name: &str, meta: &Metadata) -> Option<u64> {
    if meta.file_type().is_block_device() {
        return File::open(name).ok()?.seek(SeekFrom::End(0)).ok();
    }
    meta.file_type().is_char_device().then_some(0)
}
