//! Keeps a campaign to one process at a time, with an advisory lock on a file beside the store.
//!
//! The operating system drops the lock with its process, however that ends. The file stays until the
//! campaign is closed, or until another campaign of the store is opened and nobody holds it any more.
//! A file may so be removed between its opening and its locking: who has a lock looks whether the file
//! still has its name, and begins again if not; and looks into the store only then, where a campaign
//! that was closed meanwhile is found closed.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::error::{self, StoreError, StoreErrorKind};
use crate::private_files;

const LOCKING: &str = "locking a campaign";
/// Bytes of a lock's file that are read: the number of a process.
const MOST_BYTES: u64 = 32;
/// Times that a file may be gone when its lock is got.
const ATTEMPTS: u32 = 100;

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
        let failed = |error: io::Error| error::system(&path, LOCKING, error);
        for _ in 0..ATTEMPTS {
            let mut file = private_files::open_private_file(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) if !has_name(&file, &path) => {}
                Ok(()) => {
                    // Who holds it is only told to others: a full disk takes nothing from the lock.
                    let _ = sign(&mut file);
                    remove_abandoned(store, &path);
                    return Ok(Self { file, path });
                }
                Err(TryLockError::WouldBlock) => {
                    let place = format!("opening campaign {id} in {}", store.display());
                    return Err(StoreError::new(StoreErrorKind::CampaignBusy, place, holder(&mut file))
                        .with_remedy(
                            "wait until it ends, or stop it with Ctrl-C: what it finished is kept",
                        ));
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Err(failed(io::Error::other("its file is removed again and again")))
    }

    /// Removes the file of a campaign that is closed, and gives the lock free.
    pub(crate) fn remove(self) {
        // A file that stays locks nothing.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether an open file is the one that has the name now.
fn has_name(file: &File, path: &Path) -> bool {
    let opened = file.metadata().ok().and_then(|meta| private_files::identity(&meta));
    match opened {
        None => true,
        opened => opened == fs::metadata(path).ok().and_then(|meta| private_files::identity(&meta)),
    }
}

/// Writes the number of this process into the file.
fn sign(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    writeln!(file, "{}", std::process::id())
}

/// Who holds the lock, as far as the file and the system say.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(MOST_BYTES).read_to_string(&mut text));
    let process = read.ok().and_then(|_| text.trim().parse::<u32>().ok());
    let Some(process) = process else { return "another process runs this campaign now".to_owned() };
    let command =
        private_files::command_of(process).map_or_else(String::new, |command| format!(": {command}"));
    let since = file.metadata().and_then(|meta| meta.modified()).ok();
    let since = since.and_then(|time| Timestamp::try_from(time).ok());
    let since =
        since.map_or_else(String::new, |time| format!(" since {}", time.strftime("%Y-%m-%d %H:%M:%S UTC")));
    format!("process {process} runs this campaign{since}{command}")
}

/// Removes the files of other campaigns of this store that nobody holds, which killed processes leave.
fn remove_abandoned(store: &Path, own: &Path) {
    let (Some(folder), Some(name)) = (store.parent(), store.file_name()) else { return };
    let start = format!("{}.campaign-", name.to_string_lossy());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_lock = name.to_str().is_some_and(|name| name.starts_with(&start) && name.ends_with(".lock"));
        let is_small = |meta: &fs::Metadata| {
            meta.is_file() && meta.len() < MOST_BYTES && private_files::identity(meta).is_some()
        };
        let path = entry.path();
        if !is_lock || path == own || !entry.metadata().is_ok_and(|meta| is_small(&meta)) {
            continue;
        }
        let Ok(file) = File::open(&path) else { continue };
        if file.try_lock().is_ok() && has_name(&file, &path) {
            let _ = fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_holds_a_campaign_is_told_and_what_nobody_holds_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("s.sqlite");
        let lock = |id: &str| folder.path().join(format!("s.sqlite.campaign-{id}.lock"));
        fs::write(lock("dead"), "").unwrap();
        fs::write(lock("large"), "x".repeat(100)).unwrap();
        fs::write(folder.path().join("t.sqlite.campaign-a.lock"), "").unwrap();
        let held = CampaignLock::acquire(&store, "a").unwrap();
        let there = |path: PathBuf| path.exists();
        assert!(!there(lock("dead")) && there(lock("large")) && there(lock("a")));
        assert!(there(folder.path().join("t.sqlite.campaign-a.lock")));
        let error = CampaignLock::acquire(&store, "a").unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::CampaignBusy);
        let words = format!("process {} runs this campaign since 2", std::process::id());
        assert!(error.cause.starts_with(&words), "{error}");
        let other = CampaignLock::acquire(&store, "b").unwrap();
        assert!(there(lock("a")), "one that is held stays");
        drop(held);
        drop(other);
        CampaignLock::acquire(&store, "b").unwrap().remove();
        assert!(!there(lock("a")) && !there(lock("b")));
    }

    #[test]
    fn a_lock_whose_file_is_gone_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let file = private_files::open_private_file(&path).unwrap();
        assert!(has_name(&file, &path));
        fs::remove_file(&path).unwrap();
        assert!(!has_name(&file, &path));
        private_files::open_private_file(&path).unwrap();
        assert!(!has_name(&file, &path), "another one has the name now");
    }
}
