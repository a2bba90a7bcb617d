//! An open file, and file objects of it for those that do its I/O.

use std::fs::File;
use std::io;
use std::sync::Arc;

use windows_sys::Win32::Foundation::{GENERIC_READ, GENERIC_WRITE};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_NO_BUFFERING, FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE,
};

use super::call;
use crate::Error;

/// What fathom lets others do with what it has open, its own further handles among them.
pub const SHARED: u32 = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// The file that was judged, by a handle that stays open and does no I/O of a run.
#[derive(Debug)]
pub struct Handle {
    anchor: File,
    writes: bool,
}

/// A file object of its own, past the cache, for one thread: the system does the I/O of a shared one in turn.
pub type Lane = File;

impl Handle {
    /// A file that is open as `anchor`; whether lanes of it write.
    pub fn new(anchor: File, writes: bool) -> Self {
        Self { anchor, writes }
    }

    /// The handle that was judged.
    pub fn anchor(&self) -> &File {
        &self.anchor
    }

    /// Opens the same file again, whatever became of its name.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn open_lane(&self) -> io::Result<Lane> {
        let access = if self.writes { GENERIC_READ | GENERIC_WRITE } else { GENERIC_READ };
        call::reopen(&self.anchor, access, SHARED, FILE_FLAG_NO_BUFFERING)
    }
}

/// A lane of a file.
///
/// # Errors
/// [`ErrorKind::System`](crate::ErrorKind::System) and its like when the system does not open it again.
pub fn lane(handle: &Arc<Handle>) -> Result<Lane, Error> {
    handle.open_lane().map_err(|error| {
        Error::system("opening the target once more for a job of the run", &error)
            .with_remedy("end what uses the file, or use a smaller --depth and --jobs")
    })
}
