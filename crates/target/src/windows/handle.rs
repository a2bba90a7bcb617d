//! An open file, and file objects of it for those that do its I/O.

use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle, RawHandle};
use std::sync::Arc;

use windows_sys::Win32::Foundation::{GENERIC_READ, GENERIC_WRITE};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_NO_BUFFERING, FILE_FLAG_OVERLAPPED, FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE,
};

use super::call;
use super::raw::RawReopen;
use crate::Error;

/// What fathom lets others do with what it has open, its own further handles among them.
pub const SHARED: u32 = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// The file or device that was judged, by a handle that stays open and does no I/O of a run.
#[derive(Debug)]
pub struct Handle {
    anchor: File,
    writes: bool,
    /// Devices are opened by their names again, since no call does it by a handle.
    device: Option<RawReopen>,
}

/// A file object of its own, past the cache, for one thread: the system does the I/O of a shared one in turn.
pub type Lane = File;

/// A file object of its own, past the cache, for many I/Os at once of one thread, which end at a completion port. It is no
/// `File`: a file's methods wait for its handle, which says nothing where several I/Os are in flight.
#[derive(Debug)]
pub struct OverlappedLane(OwnedHandle);

impl AsRawHandle for OverlappedLane {
    fn as_raw_handle(&self) -> RawHandle {
        self.0.as_raw_handle()
    }
}

impl Handle {
    /// A file that is open as `anchor`; whether lanes of it write.
    pub fn new(anchor: File, writes: bool) -> Self {
        Self { anchor, writes, device: None }
    }

    /// A drive or a volume that is open as `anchor`.
    pub fn of_device(anchor: File, writes: bool, again: RawReopen) -> Self {
        Self { anchor, writes, device: Some(again) }
    }

    /// Whether it is a drive or a volume.
    pub fn is_device(&self) -> bool {
        self.device.is_some()
    }

    /// The handle that was judged.
    pub fn anchor(&self) -> &File {
        &self.anchor
    }

    /// Opens the same file again, whatever became of its name, or the same device.
    ///
    /// # Errors
    /// As the system reports them, and where a device's name is another one's by now.
    pub fn open_lane(&self) -> io::Result<Lane> {
        self.once_more(FILE_FLAG_NO_BUFFERING)
    }

    /// The same for overlapped I/O.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn open_overlapped(&self) -> io::Result<OverlappedLane> {
        self.once_more(FILE_FLAG_NO_BUFFERING | FILE_FLAG_OVERLAPPED)
            .map(|opened| OverlappedLane(opened.into()))
    }

    fn once_more(&self, flags: u32) -> io::Result<File> {
        let access = if self.writes { GENERIC_READ | GENERIC_WRITE } else { GENERIC_READ };
        match &self.device {
            Some(again) => again.open(self.writes, flags),
            None => call::reopen(&self.anchor, access, SHARED, flags),
        }
    }
}

/// A lane of a file.
///
/// # Errors
/// [`ErrorKind::System`](crate::ErrorKind::System) and its like when the system does not open it again.
pub fn lane(handle: &Arc<Handle>) -> Result<Lane, Error> {
    handle.open_lane().map_err(|error| not_opened(&error))
}

/// A lane of a file for overlapped I/O.
///
/// # Errors
/// As [`lane`].
pub fn overlapped_lane(handle: &Arc<Handle>) -> Result<OverlappedLane, Error> {
    handle.open_overlapped().map_err(|error| not_opened(&error))
}

fn not_opened(error: &io::Error) -> Error {
    Error::system("opening the target once more for a job of the run", error)
        .with_remedy("end what uses the file, or use a smaller --depth and --jobs")
}
