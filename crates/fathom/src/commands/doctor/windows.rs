//! Rights and engines of Windows that runs use.
#![allow(unsafe_code)] // Two calls of the system about this process's own token.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::ptr;

use windows_sys::Win32::Security::{GetTokenInformation, TOKEN_ELEVATION, TOKEN_QUERY, TokenElevation};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

use super::{Finding, State};

/// What the system lets a run do, on the storage under a path too.
pub fn findings(path: &Path) -> Vec<Finding> {
    vec![rights(), files(path), wall()]
}

fn rights() -> Finding {
    const SUBJECT: &str = "rights";
    match is_elevated() {
        Ok(true) => Finding::new(SUBJECT, State::Good, "administrator: drives answer every question"),
        Ok(false) => {
            let found = "no administrator: files can be measured; some questions to drives are refused";
            Finding::new(SUBJECT, State::Missing, found).or("start the terminal as administrator")
        }
        Err(error) => Finding::new(SUBJECT, State::Missing, format!("they are not known: {error}")),
    }
}

/// Whether this process has the rights of an administrator.
fn is_elevated() -> io::Result<bool> {
    let mut token = ptr::null_mut();
    // SAFETY: the handle means this process, and the place takes a handle.
    if unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &mut token) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has just made it, and nobody else has it.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };
    let mut elevation = TOKEN_ELEVATION::default();
    let (room, mut taken) = (size_of::<TOKEN_ELEVATION>() as u32, 0);
    let place = (&raw mut elevation).cast();
    // SAFETY: the handle is open, and the place is as many bytes as is said.
    let done = unsafe { GetTokenInformation(token.as_raw_handle(), TokenElevation, place, room, &mut taken) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(elevation.TokenIsElevated != 0) }
}

/// Whether there is something to measure, and by what.
fn files(path: &Path) -> Finding {
    const SUBJECT: &str = "files";
    match std::fs::metadata(path) {
        Ok(_) => {
            Finding::new(SUBJECT, State::Good, "engine iocp carries I/O to them past the system's cache")
        }
        Err(error) => {
            Finding::new(SUBJECT, State::Fails, format!("{} cannot be opened: {error}", path.display()))
                .or("name a folder or a file that exists")
        }
    }
}

fn wall() -> Finding {
    let found = "none on this operating system: fathom's own checks alone keep runs from other data";
    Finding::new("wall", State::Missing, found)
}
