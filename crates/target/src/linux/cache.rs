//! What of a file or device is in the page cache, and how to empty it.
#![allow(unsafe_code)] // cachestat and mincore have no safe form; each use says why it is sound.

use std::fs::File;
use std::io;
use std::num::NonZeroU64;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;

use fathom_record::workload::AccessHint;
use rustix::fs::Advice;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Bytes looked at in one mapping.
const WINDOW_BYTES: u64 = 1 << 30;

/// Drops what the page cache holds of a stretch, after writing back what was changed.
///
/// # Errors
/// When writing back fails. What others have mapped or locked stays in the cache:
/// [`cached_share`] tells.
pub fn drop_cached(file: &File, range: Range<u64>) -> io::Result<()> {
    rustix::fs::fdatasync(file)?;
    forget(file, range)
}

/// Drops what the page cache holds of a stretch and is not changed: what is not written back yet stays.
///
/// # Errors
/// As the system reports them.
pub fn forget(file: &File, range: Range<u64>) -> io::Result<()> {
    told(file, range, Advice::DontNeed)
}

/// Whether what is open is a block device.
pub fn is_block_device(file: &File) -> bool {
    file.metadata().is_ok_and(|meta| meta.file_type().is_block_device())
}

/// Tells what order of accesses to expect of an open file.
///
/// # Errors
/// As the system reports them.
pub fn advise(file: &File, range: Range<u64>, hint: AccessHint) -> io::Result<()> {
    let advice = match hint {
        AccessHint::Random => Advice::Random,
        AccessHint::Sequential => Advice::Sequential,
    };
    told(file, range, advice)
}

fn told(file: &File, range: Range<u64>, advice: Advice) -> io::Result<()> {
    let length = NonZeroU64::new(range.end.saturating_sub(range.start));
    Ok(rustix::fs::fadvise(file, range.start, length, advice)?)
}

/// Share of a stretch, 0 to 1, that the page cache holds.
///
/// Asks `cachestat` (since Linux 6.5), before that `mincore`; both count whole pages. For a file that
/// this process may not write and does not own, the kernel may hide the truth or refuse.
///
/// # Errors
/// As the system reports them.
pub fn cached_share(file: &File, range: Range<u64>) -> io::Result<f64> {
    let page_bytes = page_bytes();
    let first = range.start / page_bytes;
    let pages = range.end.div_ceil(page_bytes).saturating_sub(first);
    if pages == 0 {
        return Ok(0.0);
    }
    let cached = match by_cachestat(file, first * page_bytes, pages * page_bytes) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EOPNOTSUPP)) => {
            by_mincore(file, first * page_bytes, range.end, page_bytes)?
        }
        answer => answer?,
    };
    Ok((cached as f64 / pages as f64).min(1.0))
}

fn page_bytes() -> u64 {
    // SAFETY: asks for a constant of the system.
    let answer = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(answer).ok().filter(|bytes| bytes.is_power_of_two()).unwrap_or(4096)
}

/// `struct cachestat_range` and `struct cachestat`, Linux `include/uapi/linux/mman.h`.
fn by_cachestat(file: &File, offset: u64, length: u64) -> io::Result<u64> {
    /// The number of the call is the same on every architecture.
    const CACHESTAT: libc::c_long = 451;
    let range = [offset, length];
    let mut answer = [0u64; 5];
    // SAFETY: the call reads two u64 and writes five u64, exactly these arrays; the descriptor is open.
    let status = unsafe {
        libc::syscall(CACHESTAT, file.as_raw_fd(), range.as_ptr(), answer.as_mut_ptr(), 0 as libc::c_uint)
    };
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(answer[0]) }
}

fn by_mincore(file: &File, start: u64, end: u64, page_bytes: u64) -> io::Result<u64> {
    let mut cached = 0;
    let mut at = start;
    while at < end {
        let length = (end - at).min(WINDOW_BYTES) as usize;
        let mut pages = vec![0u8; length.div_ceil(page_bytes as usize)];
        // SAFETY: a fresh shared mapping at an address of the kernel's choosing; nothing reads through
        // it, so that a file that shrinks meanwhile does no harm.
        let base =
            unsafe { mmap(std::ptr::null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file, at) }?;
        // SAFETY: the range is exactly that mapping, and the vector has a byte for each of its pages.
        let status = unsafe { libc::mincore(base, length, pages.as_mut_ptr()) };
        let error = io::Error::last_os_error();
        // SAFETY: unmaps exactly what was mapped above.
        unsafe { munmap(base, length) }?;
        if status < 0 {
            return Err(error);
        }
        cached += pages.iter().filter(|page| **page & 1 != 0).count() as u64;
        at += length as u64;
    }
    Ok(cached)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 4 << 20;

    #[test]
    fn both_ways_of_asking_agree_with_what_was_done() {
        // Beside the test program: a temporary folder in memory would have nothing to drop.
        let program = std::env::current_exe().unwrap();
        let dir = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
        let path = dir.path().join("cached");
        std::fs::write(&path, vec![7; SIZE as usize]).unwrap();
        let file = File::open(&path).unwrap();
        assert_eq!(cached_share(&file, 0..SIZE).unwrap(), 1.0);
        assert_eq!(by_mincore(&file, 0, SIZE, page_bytes()).unwrap() * page_bytes(), SIZE);
        drop_cached(&file, 0..SIZE).unwrap();
        // A scan of the machine may read some of it back; most stays out.
        assert!(cached_share(&file, 0..SIZE).unwrap() < 0.5);
        assert!(by_mincore(&file, 0, SIZE, page_bytes()).unwrap() * page_bytes() < SIZE / 2);
        assert_eq!(cached_share(&file, 0..0).unwrap(), 0.0);
    }
}
