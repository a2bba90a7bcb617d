//! Files that a run makes for itself, and that leave nothing behind.

use std::fs::File;
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_DELETE_ON_CLOSE, FILE_READ_ATTRIBUTES, SYNCHRONIZE,
};

use super::handle::SHARED;
use crate::Error;

/// A folder, open, that files can be made in.
pub struct Folder {
    dir: File,
    path: PathBuf,
}

impl Folder {
    /// Opens a folder.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let opened = File::options()
            .access_mode(FILE_READ_ATTRIBUTES | SYNCHRONIZE)
            .share_mode(SHARED)
            .custom_flags(FILE_FLAG_BACKUP_SEMANTICS)
            .open(path);
        let dir = opened.map_err(|error| {
            let place = format!("opening the folder {}", path.display());
            Error::system(place, &error).with_remedy("name a folder that exists")
        })?;
        Ok(Self { dir, path: path.to_owned() })
    }

    /// The open folder.
    pub fn file(&self) -> &File {
        &self.dir
    }

    /// A file under a name that was free, which the system removes when it is closed, however the process ends.
    ///
    /// # Errors
    /// As the system reports them, with what to type.
    pub fn scratch(&self) -> Result<File, Error> {
        let mut outcome = Err(io::ErrorKind::AlreadyExists.into());
        for attempt in 0..1000u32 {
            let name = format!("fathom-scratch-{}-{attempt}.tmp", std::process::id());
            outcome = File::options()
                .read(true)
                .write(true)
                .create_new(true)
                .share_mode(SHARED)
                .custom_flags(FILE_FLAG_DELETE_ON_CLOSE)
                .open(self.path.join(name));
            match &outcome {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                _ => break,
            }
        }
        outcome.map_err(|error| {
            let remedy = match error.kind() {
                io::ErrorKind::PermissionDenied => "name a folder that you may write to",
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    "free some space, or name a folder on another volume"
                }
                _ => "name a folder on another volume",
            };
            let place = format!("making a scratch file in {}", self.path.display());
            Error::system(place, &error).with_remedy(remedy)
        })
    }
}
