//! Memory of the allocator's, where there is no anonymous mapping.
#![allow(unsafe_code)] // Raw memory; each use says why it is sound.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::io;
use std::ptr::NonNull;

use super::PAGE;

fn layout(length: usize) -> io::Result<Layout> {
    Layout::from_size_align(length, PAGE).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))
}

/// Zeroed memory of `length` bytes at the start of a page.
///
/// # Errors
/// Why there is none.
pub fn map(length: usize) -> io::Result<NonNull<u8>> {
    let layout = layout(length)?;
    if length == 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no bytes were asked for"));
    }
    // SAFETY: the layout has a size above 0.
    NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

/// Gives it back.
///
/// # Safety
/// `base` and `length` are those of [`map`], once, and nothing uses the memory any more.
pub unsafe fn unmap(base: NonNull<u8>, length: usize) {
    if let Ok(layout) = layout(length) {
        // SAFETY: the caller vouches that it was allocated so.
        unsafe { dealloc(base.as_ptr(), layout) };
    }
}
