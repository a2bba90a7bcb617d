//! Memory of the kernel's, by anonymous mapping.
#![allow(unsafe_code)] // Raw memory; each use says why it is sound.

use std::io;
use std::ptr::NonNull;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

/// Zeroed memory of `length` bytes at the start of a page.
///
/// # Errors
/// Why there is none.
pub fn map(length: usize) -> io::Result<NonNull<u8>> {
    // Accounted for, not `NORESERVE`: what the machine obviously lacks is refused here.
    let flags = MapFlags::PRIVATE;
    // SAFETY: a fresh anonymous mapping at an address of the kernel's choosing aliases nothing.
    let base =
        unsafe { mmap_anonymous(std::ptr::null_mut(), length, ProtFlags::READ | ProtFlags::WRITE, flags) };
    let base = base?;
    // Fewer translations to miss; harmless where the kernel refuses.
    // SAFETY: the range is exactly the mapping made above.
    let _ = unsafe { madvise(base, length, Advice::LinuxHugepage) };
    Ok(NonNull::new(base.cast::<u8>()).expect("mmap never returns a null pointer without failing"))
}

/// Gives it back.
///
/// # Safety
/// `base` and `length` are those of [`map`], once, and nothing uses the memory any more.
pub unsafe fn unmap(base: NonNull<u8>, length: usize) {
    // A failure leaves the memory mapped, which is the safe side.
    // SAFETY: the caller vouches for it.
    let _ = unsafe { munmap(base.as_ptr().cast(), length) };
}
