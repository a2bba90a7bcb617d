//! The system's records of I/Os in flight, one a slot, and the slot that a packet is of.
#![allow(unsafe_code)] // The system writes to records in flight; each use says whose they are.

use std::cell::UnsafeCell;

use windows_sys::Win32::Foundation::{ERROR_HANDLE_EOF, NTSTATUS, RtlNtStatusToDosError};
use windows_sys::Win32::System::IO::{OVERLAPPED, OVERLAPPED_0, OVERLAPPED_0_0, OVERLAPPED_ENTRY};

use crate::os_error;

/// The system's error for a read that begins at the end of a file or behind it: no bytes, and no fault.
pub const END_OF_FILE: u32 = ERROR_HANDLE_EOF;

/// Records that stay where they are.
#[derive(Debug)]
pub struct Records(Box<[Record]>);

#[repr(transparent)]
struct Record(UnsafeCell<OVERLAPPED>);

impl std::fmt::Debug for Record {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What is in it may be the system's just now.
        out.write_str("Record")
    }
}

/// The bytes that an I/O moved.
///
/// # Safety
/// The I/O is over, and the record still there.
#[inline]
pub unsafe fn bytes_moved(record: *const OVERLAPPED) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { (*record).InternalHigh as u32 }
}

impl Records {
    /// One for each number of a slot.
    pub fn new(count: usize) -> Self {
        Self((0..count).map(|_| Record(UnsafeCell::new(OVERLAPPED::default()))).collect())
    }

    /// The record of a slot that is not in flight, for an I/O at an offset.
    #[inline]
    pub fn begin(&mut self, slot: u32, offset: u64) -> *mut OVERLAPPED {
        let record = self.0[slot as usize].0.get();
        let at = OVERLAPPED_0_0 { Offset: offset as u32, OffsetHigh: (offset >> 32) as u32 };
        // SAFETY: the slot is not in flight, so that the record is this side's.
        unsafe {
            *record = OVERLAPPED { Anonymous: OVERLAPPED_0 { Anonymous: at }, ..OVERLAPPED::default() }
        };
        record
    }

    /// The slot that a packet is of, and the result of its I/O: bytes, or a negated error number. `None` where it is of
    /// none of these.
    #[inline]
    pub fn ended(&self, entry: &OVERLAPPED_ENTRY) -> Option<(u32, i32)> {
        let slot = self.slot_of(entry.lpOverlapped as usize)?;
        // SAFETY: its packet has come, so that the record is this side's again.
        let status = unsafe { (*self.0[slot].0.get()).Internal } as NTSTATUS;
        if status >= 0 {
            return Some((slot as u32, entry.dwNumberOfBytesTransferred as i32));
        }
        // SAFETY: a call without pointers.
        let result = match unsafe { RtlNtStatusToDosError(status) } {
            END_OF_FILE => 0,
            code => -os_error::of(&std::io::Error::from_raw_os_error(code as i32)),
        };
        Some((slot as u32, result))
    }

    /// The slot whose record is at an address.
    #[inline]
    fn slot_of(&self, address: usize) -> Option<usize> {
        let behind = address.checked_sub(self.0.as_ptr() as usize)?;
        let slot = behind / size_of::<Record>();
        (behind % size_of::<Record>() == 0 && slot < self.0.len()).then_some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_whole_and_addresses_are_slots() {
        let mut records = Records::new(3);
        for offset in [0, (1 << 32) - 4096, 1 << 32, (1 << 32) + 4096, 1 << 63] {
            let record = records.begin(2, offset);
            // SAFETY: nothing is in flight.
            let at = unsafe { (*record).Anonymous.Anonymous };
            assert_eq!(u64::from(at.OffsetHigh) << 32 | u64::from(at.Offset), offset);
            assert_eq!(records.slot_of(record as usize), Some(2));
        }
        let first = records.begin(0, 0) as usize;
        let outside = [0, first - 1, first + 1, first + 3 * size_of::<OVERLAPPED>(), usize::MAX];
        assert!(outside.into_iter().all(|address| records.slot_of(address).is_none()));
    }
}
