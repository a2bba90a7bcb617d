//! One mapping of page-aligned memory a job, cut into equal buffers, one for each slot.
#![allow(unsafe_code)] // Raw memory shared with the kernel; each use says why it is sound.

#[cfg(unix)]
mod mapping_unix;
#[cfg(unix)]
use mapping_unix as mapping;
#[cfg(not(unix))]
mod mapping_elsewhere;
#[cfg(not(unix))]
use mapping_elsewhere as mapping;

use std::ptr::NonNull;

use crate::{Error, ErrorKind};

/// Buffers of one job. They never move, so that their addresses can be given to the kernel.
#[derive(Debug)]
pub struct Arena {
    base: NonNull<u8>,
    slots: usize,
    stride: usize,
}

/// Buffers start on page boundaries, which satisfies every direct-I/O alignment in use.
const PAGE: usize = 4096;

// SAFETY: the mapping belongs to this value alone; nothing in it depends on the thread.
unsafe impl Send for Arena {}

impl Arena {
    /// Maps `slots` buffers of at least `bytes` each, touched and ready.
    ///
    /// # Errors
    /// When the system has no room for them.
    pub fn new(slots: u32, bytes: u64) -> Result<Self, Error> {
        let slots = slots as usize;
        let refuse = |cause: String| {
            let place = format!("allocating {slots} I/O buffers of {bytes} bytes");
            Error::new(ErrorKind::System, place, cause).with_remedy("use a smaller --depth, --jobs or --bs")
        };
        let beyond = || refuse("more than an address space holds".to_owned());
        let stride =
            usize::try_from(bytes.max(1)).ok().and_then(|bytes| bytes.checked_next_multiple_of(PAGE));
        let stride = stride.ok_or_else(beyond)?;
        let length = slots.checked_mul(stride).filter(|&length| length <= isize::MAX as usize);
        let length = length.ok_or_else(beyond)?;
        let base = mapping::map(length).map_err(|error| refuse(error.to_string()).with_source(error))?;
        let arena = Self { base, slots, stride };
        for page in (0..length).step_by(PAGE) {
            // SAFETY: within the mapping. Touching now keeps page faults out of the measurement.
            unsafe { base.as_ptr().add(page).write_volatile(0) };
        }
        Ok(arena)
    }

    /// Number of buffers.
    #[inline]
    pub fn slots(&self) -> u32 {
        self.slots as u32
    }

    /// Bytes of one buffer, a multiple of 4096.
    #[inline]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Start of the whole mapping.
    #[inline]
    pub fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// Length of the whole mapping in bytes.
    #[inline]
    pub fn length(&self) -> usize {
        self.slots * self.stride
    }

    /// Start of one buffer, for the kernel or another thread.
    ///
    /// # Panics
    /// If there is no such slot.
    #[inline]
    pub fn pointer(&self, slot: u32) -> *mut u8 {
        assert!((slot as usize) < self.slots, "slot beyond the arena");
        // SAFETY: the slot is within the mapping.
        unsafe { self.base.as_ptr().add(slot as usize * self.stride) }
    }

    /// Start of `bytes` within one buffer, after `skip_bytes`; `None` where they reach beyond it.
    ///
    /// # Panics
    /// If there is no such slot.
    #[inline]
    pub fn place(&self, slot: u32, skip_bytes: u32, bytes: u32) -> Option<*mut u8> {
        let (skip, bytes) = (skip_bytes as usize, bytes as usize);
        let start = self.pointer(slot);
        // SAFETY: `skip` is at most the stride, so the result is within the mapping or at its end.
        (skip + bytes <= self.stride).then(|| unsafe { start.add(skip) })
    }

    /// A part of one buffer; `None` where it reaches beyond it. The caller holds the engine contract: this
    /// part is not in flight.
    ///
    /// # Panics
    /// If there is no such slot.
    #[inline]
    pub fn part(&mut self, slot: u32, skip_bytes: u32, bytes: u32) -> Option<&mut [u8]> {
        let start = self.place(slot, skip_bytes, bytes)?;
        // SAFETY: `bytes` from there are within the slot's buffer, are initialised, and `&mut self` keeps
        // any other slice away.
        Some(unsafe { std::slice::from_raw_parts_mut(start, bytes as usize) })
    }

    /// One buffer, to fill or to read. The caller holds the engine contract: the slot is not in flight.
    ///
    /// # Panics
    /// If there is no such slot.
    #[inline]
    pub fn slice(&mut self, slot: u32) -> &mut [u8] {
        let pointer = self.pointer(slot);
        // SAFETY: `stride` bytes from there belong to this slot alone, are initialised (the mapping is
        // zeroed), and `&mut self` keeps any other slice away.
        unsafe { std::slice::from_raw_parts_mut(pointer, self.stride) }
    }

    /// One buffer, to read. The caller holds the engine contract: the slot is not in flight.
    ///
    /// # Panics
    /// If there is no such slot.
    #[inline]
    pub fn view(&self, slot: u32) -> &[u8] {
        let pointer = self.pointer(slot);
        // SAFETY: as in `slice`; `&self` keeps whoever writes away, and those who read may be several.
        unsafe { std::slice::from_raw_parts(pointer, self.stride) }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: gives back exactly what `new` got; engines drop it only when neither
        // the kernel nor a thread of theirs uses it any more.
        unsafe { mapping::unmap(self.base, self.length()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_holds_is_refused() {
        for (slots, bytes) in [(u32::MAX, u64::MAX), (u32::MAX, 1 << 32), (1, u64::MAX), (0, 4096)] {
            assert_eq!(Arena::new(slots, bytes).unwrap_err().kind, ErrorKind::System, "{slots} of {bytes}");
        }
    }

    #[test]
    fn buffers_are_aligned_and_apart() {
        let mut arena = Arena::new(3, 5000).unwrap();
        assert_eq!((arena.slots(), arena.stride()), (3, 8192));
        for slot in 0..3 {
            assert_eq!(arena.pointer(slot) as usize % PAGE, 0);
            arena.slice(slot).fill(slot as u8 + 1);
        }
        for slot in 0..3 {
            assert!(arena.slice(slot).iter().all(|&byte| byte == slot as u8 + 1));
        }
        arena.part(1, 4096, 4096).unwrap().fill(9);
        assert_eq!((arena.slice(1)[4095], arena.slice(1)[4096], arena.slice(2)[0]), (2, 9, 3));
        for (skip, bytes) in [(0, 8193), (8192, 1), (u32::MAX, u32::MAX)] {
            assert!(arena.part(1, skip, bytes).is_none(), "{skip} {bytes}");
        }
        assert_eq!(arena.part(1, 8192, 0).unwrap().len(), 0);
    }
}
