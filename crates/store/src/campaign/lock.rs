//! Keeps a campaign to one process at a time, with an advisory lock on a file beside the store.
//!
//! The operating system drops the lock with its process, however that ends. The file stays as long
//! as the campaign is unfinished and is removed when it is closed; a process that waited for a file
//! which is removed then finds the campaign closed, because it looks after it has the lock.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::error::{StoreError, StoreErrorKind};
use crate::platform;

const LOCKING: &str = "locking a campaign";

/// A held lock; dropping it gives the campaign free.
#[derive(Debug)]
pub(crate) struct CampaignLock {
    /// Holds the lock while it is open.
    file: File,
    path: PathBuf,
}

impl Drop for CampaignLock {
    /// Closing the file would not do: a child that is just being started holds it open until it
    /// becomes its program.
    fn drop(&mut self) {
        // Where this fails, the lock ends with the process.
        let _ = self.file.unlock();
    }
}

impl CampaignLock {
    /// Takes the lock of one campaign of one store. The id must be safe in a file name.
    pub(crate) fn acquire(store: &Path, id: &str) -> Result<Self, StoreError> {
        let mut path = store.as_os_str().to_owned();
        path.push(format!(".campaign-{id}.lock"));
        let path = PathBuf::from(path);
        let file =
            platform::open_private_file(&path).map_err(|error| StoreError::system(&path, LOCKING, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file, path }),
            Err(TryLockError::WouldBlock) => Err(StoreError::new(
                StoreErrorKind::CampaignBusy,
                format!("opening campaign {id} in {}", store.display()),
                "another process runs this campaign now",
            )
            .with_remedy("wait until it ends, or stop it with Ctrl-C: what it finished is kept")),
            Err(TryLockError::Error(error)) => Err(StoreError::system(&path, LOCKING, &error)),
        }
    }

    /// Removes the file of a campaign that is closed, and gives the lock free.
    pub(crate) fn remove(self) {
        // A file that stays locks nothing.
        let _ = std::fs::remove_file(&self.path);
    }
}
