//! Makes a new store file: complete under another name first, so that no reader, crash or second
//! process ever meets half of one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::error::{StoreError, StoreErrorKind};
use crate::open::set_durable;
use crate::platform;
use crate::schema::{APPLICATION_ID, MIGRATIONS, migrate};

const MAKING: &str = "making a run store";

/// Makes the store at `path` unless another process makes one first; never replaces a file.
pub(crate) fn create(path: &Path) -> Result<(), StoreError> {
    let failed = |error: &io::Error| {
        let told = StoreError::system(path, MAKING, error);
        if told.kind == StoreErrorKind::NotFound {
            told.with_remedy("name a file with --store FILE")
        } else {
            told
        }
    };
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(failed(&io::Error::from(io::ErrorKind::IsADirectory)));
    };
    platform::create_private_folder(folder).map_err(|error| failed(&error))?;
    // SQLite would replay it into whatever database has the name.
    let logs = ["-wal", "-journal"].map(|suffix| with_suffix(path, suffix));
    if let Some(log) = logs.iter().find(|log| holds_bytes(log)).filter(|_| !path.exists()) {
        return Err(StoreError::not_a_store(log, "a log lies there whose store is gone"));
    }
    let draft = claim_draft(folder, &name.to_string_lossy()).map_err(|error| failed(&error))?;
    let outcome = fill(&draft)
        .map_err(|error| StoreError::sqlite(path, MAKING, error))
        .and_then(|()| publish(&draft, path).map_err(|error| failed(&error)));
    for leftover in ["", "-wal", "-shm", "-journal"] {
        // Most of these are gone; what cannot be removed does no harm.
        let _ = fs::remove_file(with_suffix(&draft, leftover));
    }
    outcome?;
    platform::sync_folder(folder).map_err(|error| failed(&error))
}

/// A new empty file beside the store that no other process uses.
fn claim_draft(folder: &Path, name: &str) -> io::Result<PathBuf> {
    for attempt in 0..1000 {
        let draft = folder.join(format!(".{name}.new-{}-{attempt}", std::process::id()));
        match platform::create_private_file(&draft) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|_| draft),
        }
    }
    Err(io::Error::other("too many unfinished drafts of it lie there"))
}

fn fill(draft: &Path) -> rusqlite::Result<()> {
    let mut connection = Connection::open(draft)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    set_durable(&connection)?;
    migrate(&mut connection, MIGRATIONS)?;
    // Closing copies the log into the file, which is then whole by itself.
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
    match platform::create_private_file(path) {
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
