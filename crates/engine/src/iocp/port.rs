//! A completion port.
#![allow(unsafe_code)] // Calls of the system; each use says why it is sound.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::ptr;

use windows_sys::Win32::Foundation::{INVALID_HANDLE_VALUE, WAIT_TIMEOUT};
use windows_sys::Win32::System::IO::{CreateIoCompletionPort, GetQueuedCompletionStatusEx, OVERLAPPED_ENTRY};

/// A port of one thread.
#[derive(Debug)]
pub struct Port(OwnedHandle);

impl Port {
    /// A port that no file belongs to yet.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn new() -> io::Result<Self> {
        // SAFETY: no file is named; the call gives a new handle or none.
        let made = unsafe { CreateIoCompletionPort(INVALID_HANDLE_VALUE, ptr::null_mut(), 0, 1) };
        if made.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call has just made it, and nobody else has it.
        Ok(Self(unsafe { OwnedHandle::from_raw_handle(made) }))
    }

    /// Has the ends of a file object's I/Os come out of this port, for ever.
    ///
    /// # Errors
    /// As the system reports them, as when it belongs to a port already.
    pub fn take_in(&self, file: RawHandle) -> io::Result<()> {
        // SAFETY: both handles are open for the length of the call.
        let port = unsafe { CreateIoCompletionPort(file, self.0.as_raw_handle(), 0, 0) };
        if port.is_null() { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Takes packets that are there; without any, waits at most so many milliseconds for one. How many.
    ///
    /// # Errors
    /// As the system reports them; that none came is no error.
    #[inline]
    pub fn take(&self, entries: &mut [OVERLAPPED_ENTRY], wait_ms: u32) -> io::Result<usize> {
        let (mut found, room) = (0, u32::try_from(entries.len()).unwrap_or(u32::MAX));
        // SAFETY: the place is as many entries as is said, and the handle is open.
        let done = unsafe {
            GetQueuedCompletionStatusEx(
                self.0.as_raw_handle(),
                entries.as_mut_ptr(),
                room,
                &mut found,
                wait_ms,
                0,
            )
        };
        if done != 0 {
            return Ok(found as usize);
        }
        let error = io::Error::last_os_error();
        if error.raw_os_error() == Some(WAIT_TIMEOUT as i32) { Ok(0) } else { Err(error) }
    }
}

impl AsRawHandle for Port {
    fn as_raw_handle(&self) -> RawHandle {
        self.0.as_raw_handle()
    }
}
