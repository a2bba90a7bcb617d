//! What is not asked of Windows: what is cached of a file, and where a file lies.

use std::io;
use std::ops::Range;

use fathom_record::workload::AccessHint;

use super::Handle;
use crate::stretch::Stretch;

fn nobody_knows<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The generic device of a block device.
pub fn generic_of(_: &str) -> Option<String> {
    None
}

/// Whether what is open is a block device.
pub fn is_block_device(handle: &Handle) -> bool {
    handle.is_device()
}

/// Tells the system how a file will be read.
pub fn advise(_: &Handle, _: Range<u64>, _: AccessHint) -> io::Result<()> {
    nobody_knows()
}

/// Share of a stretch that is cached.
pub fn cached_share(_: &Handle, _: Range<u64>) -> io::Result<f64> {
    nobody_knows()
}

/// Drops what is cached of a stretch.
pub fn drop_cached(_: &Handle, _: Range<u64>) -> io::Result<()> {
    nobody_knows()
}

/// Drops what is cached of a stretch and was not changed.
pub fn forget(_: &Handle, _: Range<u64>) -> io::Result<()> {
    nobody_knows()
}

/// Where a file lies.
pub fn stretches(_: &Handle, _: &Range<u64>) -> io::Result<Vec<Stretch>> {
    nobody_knows()
}
