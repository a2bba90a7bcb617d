//! Makes a new store file: complete under another name first, so that no reader, crash or second
//! process ever meets half of one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use crate::error::{self, StoreError, StoreErrorKind};
use crate::private_files;
use crate::schema_migrations::{APPLICATION_ID, MIGRATIONS, migrate};
use crate::store_file::set_durable;

const MAKING: &str = "making a run store";

/// Makes the store at `path` unless another process makes one first; never replaces a file.
pub(crate) fn create(path: &Path) -> Result<(), StoreError> {
    let failed = |error: io::Error| {
        let told = error::system(path, MAKING, error);
        if told.kind == StoreErrorKind::NotFound {
            told.with_remedy("name a file with --store FILE")
        } else {
            told
        }
    };
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
    };
    private_files::create_private_folder(folder).map_err(failed)?;
    // SQLite would replay it into whatever database has the name.
    let logs = ["-wal", "-journal"].map(|suffix| with_suffix(path, suffix));
    if let Some(log) = logs.iter().find(|log| holds_bytes(log)).filter(|_| !path.exists()) {
        return Err(error::not_a_store(log, "a log lies there whose store is gone"));
    }
    let draft = claim_draft(folder, &name.to_string_lossy()).map_err(failed)?;
    let outcome = fill(&draft)
        .map_err(|error| error::sqlite(path, MAKING, error))
        .and_then(|()| publish(&draft, path).map_err(failed));
    for leftover in ["", "-wal", "-shm", "-journal"] {
        // Most of these are gone; what cannot be removed does no harm.
        let _ = fs::remove_file(with_suffix(&draft, leftover));
    }
    outcome?;
    private_files::sync_folder(folder).map_err(failed)
}

/// A new empty file beside the store that no other process uses.
fn claim_draft(folder: &Path, name: &str) -> io::Result<PathBuf> {
    for attempt in 0..1000 {
        let draft = folder.join(format!(".{name}.new-{}-{attempt}", std::process::id()));
        match private_files::create_private_file(&draft) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|_| draft),
        }
    }
    Err(io::Error::other("too many unfinished drafts of it lie there"))
}

/// Removes drafts of a store that killed processes left: of a process that is gone, and older than a minute,
/// since a process of another container cannot be seen from here, and making a store takes less than a second.
pub(crate) fn remove_abandoned(path: &Path) {
    const OLD: Duration = Duration::from_secs(60);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
    let name = name.to_string_lossy();
    let is_abandoned = |entry: &fs::DirEntry| {
        let owner = entry.file_name().to_str().and_then(|file| owner_of(file, &name));
        owner.is_some_and(private_files::has_ended)
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let left: Vec<fs::DirEntry> = entries.filter(is_abandoned).collect();
    if left.is_empty() {
        return;
    }
    // The time is that of the file system, by a file that is made now.
    let Ok(probe) = claim_draft(folder, &name) else { return };
    let now = fs::metadata(&probe).and_then(|meta| meta.modified());
    let _ = fs::remove_file(&probe);
    let Ok(now) = now else { return };
    for entry in left {
        let meta = entry.metadata().ok().filter(fs::Metadata::is_file);
        let made = meta.and_then(|meta| meta.modified().ok());
        if made.and_then(|made| now.duration_since(made).ok()).is_some_and(|age| age > OLD) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The process that made a draft of this store, or a log of such a draft.
fn owner_of(file: &str, name: &str) -> Option<u32> {
    let rest = file.strip_prefix('.')?.strip_prefix(name)?.strip_prefix(".new-")?;
    let (process, rest) = rest.split_once('-')?;
    let (attempt, suffix) = rest.split_once('-').unwrap_or((rest, ""));
    attempt.parse::<u32>().ok()?;
    ["", "wal", "shm", "journal"].contains(&suffix).then(|| process.parse().ok()).flatten()
}

fn fill(draft: &Path) -> rusqlite::Result<()> {
    let mut connection = Connection::open(draft)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    set_durable(&connection)?;
    migrate(&mut connection, MIGRATIONS)?;
    // The log goes into the file, which is then whole by itself. Closing would do so too, and say nothing of a
    // disk that is full. A journal of another kind has no log.
    let left: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get(0))?;
    if left != 0 {
        return Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY),
            None,
        ));
    }
    connection.close().map_err(|(_, error)| error)
}

/// Gives the draft its name, unless that is taken; then the store there is used.
fn publish(draft: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(draft, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(_) => publish_by_renaming(draft, path),
        Ok(()) => Ok(()),
    }
}

/// For file systems without hard links: the name is claimed with an empty file, which is replaced.
fn publish_by_renaming(draft: &Path, path: &Path) -> io::Result<()> {
    match private_files::create_private_file(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
        Ok(_) => fs::rename(draft, path),
    }
}

pub(crate) fn holds_bytes(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|facts| facts.len() > 0)
}

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_of_killed_processes_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let gone = u32::MAX - 1;
        let old = |name: &str, is_old: bool| {
            let file = fs::File::create(folder.path().join(name)).unwrap();
            let made = file.metadata().unwrap().modified().unwrap() - Duration::from_secs(3600);
            if is_old {
                file.set_modified(made).unwrap();
            }
        };
        let left = [
            format!(".s.new-{gone}-0"),
            format!(".s.new-{gone}-0-wal"),
            format!(".s.new-{gone}-12-shm"),
            format!(".s.new-{gone}-0-journal"),
        ];
        let kept = [
            format!(".s.new-{}-0", std::process::id()),
            format!(".other.new-{gone}-0"),
            format!(".s.new-{gone}-0.txt"),
            format!(".s.new-{gone}-notes"),
            format!(".s.new-{gone}-0-mine"),
            format!("s.new-{gone}-0"),
            ".s.new-x-0".to_owned(),
        ];
        left.iter().chain(&kept).for_each(|name| old(name, true));
        old(&format!(".s.new-{gone}-3"), false);
        remove_abandoned(&folder.path().join("s"));
        let there = |name: &String| folder.path().join(name).exists();
        assert!(!left.iter().any(there), "{left:?}");
        assert!(kept.iter().all(there) && there(&format!(".s.new-{gone}-3")));
    }

    #[test]
    fn publishing_never_replaces_a_file() {
        type Publish = fn(&Path, &Path) -> io::Result<()>;
        for publish in [publish as Publish, publish_by_renaming as Publish] {
            let folder = tempfile::tempdir().unwrap();
            let (draft, path) = (folder.path().join("draft"), folder.path().join("store"));
            fs::write(&draft, "first").unwrap();
            publish(&draft, &path).unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"first");
            fs::write(folder.path().join("second"), "second").unwrap();
            publish(&folder.path().join("second"), &path).unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"first");
        }
    }
}
