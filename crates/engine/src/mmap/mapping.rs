//! One job's shared mapping of the part of a file or device that its workload uses.
#![allow(unsafe_code)] // Maps files and copies by address; each use says why it is sound.

use std::fs::File;
use std::ops::Range;
use std::os::fd::AsFd;
use std::ptr::NonNull;
use std::sync::Arc;

use rustix::fs::{OFlags, fcntl_getfl};
use rustix::mm::{Advice, MapFlags, MsyncFlags, ProtFlags, madvise, mmap, msync, munmap};

use super::sigbus_guard;
use crate::EngineError;

/// A mapping that one thread uses. Each job has its own: while a failed page is being replaced, no other
/// job may take the replacement for data.
#[derive(Debug)]
pub struct Mapping {
    base: NonNull<u8>,
    length: usize,
    /// Byte of the file at `base`; a multiple of the page.
    first_byte: u64,
    /// Bytes of the file that I/Os may touch.
    span: Range<u64>,
    file: Arc<File>,
    protection: ProtFlags,
    advice: Advice,
    /// A failed page could not be mapped again: what is read there is not the file's.
    broken: bool,
}

// SAFETY: the mapping belongs to this value alone; nothing in it depends on the thread.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps `span` of an open file or device, for writing where the file is open for writing.
    ///
    /// # Errors
    /// When the system refuses the mapping or the handler for failing pages.
    pub fn new(file: Arc<File>, span: Range<u64>, advice: Advice) -> Result<Self, EngineError> {
        sigbus_guard::install()?;
        let page = rustix::param::page_size() as u64;
        let first_byte = span.start / page * page;
        let bytes = span.end.saturating_sub(first_byte).max(1);
        let place = format!("mapping {bytes} bytes of the target");
        let refuse = |error: std::io::Error| {
            EngineError::system(&place, &error)
                .with_remedy("use a smaller --size, raise `ulimit -v`, or leave --engine mmap out")
        };
        let length = usize::try_from(bytes).map_err(|_| refuse(std::io::ErrorKind::OutOfMemory.into()))?;
        let flags = fcntl_getfl(file.as_fd()).map_err(|errno| refuse(errno.into()))?;
        let mut protection = ProtFlags::READ;
        if flags.contains(OFlags::RDWR) {
            protection |= ProtFlags::WRITE;
        }
        // SAFETY: a fresh mapping at an address of the kernel's choosing aliases no memory of this process
        // that Rust knows of; it is only used by address.
        let base = unsafe {
            mmap(std::ptr::null_mut(), length, protection, MapFlags::SHARED, file.as_fd(), first_byte)
        };
        let base = base.map_err(|errno| refuse(errno.into()))?;
        let base =
            NonNull::new(base.cast::<u8>()).expect("mmap never returns a null pointer without failing");
        Ok(Self { base, length, first_byte, span, file, protection, advice, broken: false })
    }

    /// Tells the kernel how the span is walked.
    ///
    /// # Errors
    /// The error number of a kernel that refuses.
    pub fn advise(&self) -> Result<(), rustix::io::Errno> {
        // SAFETY: the range is exactly this mapping.
        unsafe { madvise(self.base.as_ptr().cast(), self.length, self.advice) }
    }

    /// Copies from the mapping; bytes moved, or a negated error number.
    pub fn read(&mut self, offset: u64, buffer: &mut [u8]) -> i32 {
        let Some(at) = self.place(offset, buffer.len()) else { return -libc::EINVAL };
        // SAFETY: `place` has checked that the I/O lies within the mapping, which this thread alone uses.
        let replaced = unsafe { sigbus_guard::copy(at, buffer.as_mut_ptr(), buffer.len(), at) };
        self.outcome(replaced, at, buffer.len())
    }

    /// Copies into the mapping; bytes moved, or a negated error number.
    pub fn write(&mut self, offset: u64, buffer: &[u8]) -> i32 {
        if !self.protection.contains(ProtFlags::WRITE) {
            return -libc::EBADF;
        }
        let Some(at) = self.place(offset, buffer.len()) else { return -libc::EINVAL };
        // SAFETY: as for reading, and the mapping is writable.
        let replaced = unsafe { sigbus_guard::copy(buffer.as_ptr(), at, buffer.len(), at) };
        self.outcome(replaced, at, buffer.len())
    }

    /// Waits until the device has everything that was written through the page cache to the span,
    /// by whichever job; 0, or a negated error number.
    pub fn sync(&self) -> i32 {
        // SAFETY: the range is exactly this mapping.
        match unsafe { msync(self.base.as_ptr().cast(), self.length, MsyncFlags::SYNC) } {
            Ok(()) => 0,
            Err(errno) => -errno.raw_os_error(),
        }
    }

    /// Where an I/O lies in memory; `None` when it is not within the span.
    fn place(&self, offset: u64, bytes: usize) -> Option<*mut u8> {
        let end = offset.checked_add(bytes as u64)?;
        if offset < self.span.start || end > self.span.end {
            return None;
        }
        // SAFETY: within the span, which the mapping covers.
        Some(unsafe { self.base.as_ptr().add((offset - self.first_byte) as usize) })
    }

    fn outcome(&mut self, replaced: Option<usize>, at: *mut u8, bytes: usize) -> i32 {
        if let Some(page) = replaced {
            self.heal(page, at as usize + bytes);
            return -libc::EIO;
        }
        if self.broken { -libc::EIO } else { bytes as i32 }
    }

    /// Maps the file again where the handler put memory of nobody's: from `page` to the end of the last
    /// page before `end`.
    #[cold]
    fn heal(&mut self, page: usize, end: usize) {
        let length = end.next_multiple_of(rustix::param::page_size()) - page;
        let offset = self.first_byte + (page - self.base.as_ptr() as usize) as u64;
        let flags = MapFlags::SHARED | MapFlags::FIXED;
        // SAFETY: these pages belong to this mapping, which this thread alone uses, by address only.
        let healed = unsafe {
            let address = page as *mut std::ffi::c_void;
            let healed = mmap(address, length, self.protection, flags, self.file.as_fd(), offset);
            // Advice that is refused changes no data, and the engine's facts say so already.
            let _ = madvise(address, length, self.advice);
            healed
        };
        self.broken |= healed.is_err();
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly what `new` mapped and `heal` put back; nothing uses it any more. A
        // failure leaves it mapped, which is the safe side.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.length) };
    }
}
