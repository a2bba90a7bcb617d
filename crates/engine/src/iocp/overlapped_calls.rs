//! What starts I/Os: the system, on a file object of the engine's own.
#![allow(unsafe_code)] // Calls of the system; each use says why it is sound.

use std::io;
use std::os::windows::io::AsRawHandle;
use std::ptr;

use fathom_target::OverlappedLane;
use windows_sys::Win32::Foundation::ERROR_IO_PENDING;
use windows_sys::Win32::Storage::FileSystem::{
    FlushFileBuffers, ReadFile, SetFileCompletionNotificationModes, WriteFile,
};
use windows_sys::Win32::System::IO::{CancelIoEx, OVERLAPPED};
use windows_sys::Win32::System::WindowsProgramming::{
    FILE_SKIP_COMPLETION_PORT_ON_SUCCESS, FILE_SKIP_SET_EVENT_ON_HANDLE,
};

use super::port::Port;
use super::records::{END_OF_FILE, bytes_moved};
use crate::os_error;

/// What became of an I/O's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartOutcome {
    /// It moved so many bytes inside the call.
    Moved(u32),
    /// A packet will come.
    Pending,
    /// It is over without a packet, with 0 or a negated error number.
    Ended(i32),
}

/// What starts the I/Os of one file and has their packets come out of a port.
pub trait Kernel {
    /// Has its packets come out of this port; whether what ends inside the call gives none.
    ///
    /// # Errors
    /// As the system reports them.
    fn attach(&mut self, port: &Port) -> io::Result<bool>;

    /// Starts a read or a write at the offset that the record has.
    ///
    /// # Safety
    /// The place has so many bytes. Until the I/O has ended, it and the record stay where they are and nobody else uses
    /// them.
    unsafe fn start(
        &mut self,
        writes: bool,
        place: *mut u8,
        bytes: u32,
        record: *mut OVERLAPPED,
    ) -> StartOutcome;

    /// Makes durable what was written, inside the call: the system has no other way.
    fn flush(&mut self) -> StartOutcome;

    /// Asks that what is in flight end soon; its packets come all the same.
    fn cancel(&mut self);
}

impl Kernel for OverlappedLane {
    fn attach(&mut self, port: &Port) -> io::Result<bool> {
        port.take_in(self.as_raw_handle())?;
        let modes = (FILE_SKIP_COMPLETION_PORT_ON_SUCCESS | FILE_SKIP_SET_EVENT_ON_HANDLE) as u8;
        // SAFETY: the handle is open for the length of the call. Where it is not done, packets come as ever.
        Ok(unsafe { SetFileCompletionNotificationModes(self.as_raw_handle(), modes) } != 0)
    }

    #[inline]
    unsafe fn start(
        &mut self,
        writes: bool,
        place: *mut u8,
        bytes: u32,
        record: *mut OVERLAPPED,
    ) -> StartOutcome {
        let (handle, none) = (self.as_raw_handle(), ptr::null_mut());
        // SAFETY: the handle is open; of the place and the record the caller has promised what is needed.
        let done = unsafe {
            if writes {
                WriteFile(handle, place, bytes, none, record)
            } else {
                ReadFile(handle, place, bytes, none, record)
            }
        };
        if done != 0 {
            // SAFETY: the I/O is over, so that the record is this side's again.
            return StartOutcome::Moved(unsafe { bytes_moved(record) });
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error().map(|code| code as u32) {
            Some(ERROR_IO_PENDING) => StartOutcome::Pending,
            Some(END_OF_FILE) => StartOutcome::Ended(0),
            _ => StartOutcome::Ended(-os_error::of(&error)),
        }
    }

    fn flush(&mut self) -> StartOutcome {
        // SAFETY: the handle is open for the length of the call.
        let done = unsafe { FlushFileBuffers(self.as_raw_handle()) };
        if done != 0 {
            StartOutcome::Ended(0)
        } else {
            StartOutcome::Ended(-os_error::of(&io::Error::last_os_error()))
        }
    }

    fn cancel(&mut self) {
        // SAFETY: the handle is open; no record is named, so that all I/Os are meant. Where there are none any more that is
        // an error, and no matter.
        let _ = unsafe { CancelIoEx(self.as_raw_handle(), ptr::null()) };
    }
}
