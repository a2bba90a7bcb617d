//! What can go wrong with the store, and how it is told.

use std::fs::File;
use std::path::Path;

use fathom_record::shell_bytes;
use rusqlite::ErrorCode;

use crate::private_files;

/// Kind of a store's error, for callers to match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// No store at that place: nothing was saved there yet, or its file has gone.
    NoStore,
    /// Nothing of that name in the store, or no place for one.
    NotFound,
    /// A name that fits several runs or campaigns.
    Ambiguous,
    /// The file is something else than a store of fathom.
    NotAStore,
    /// What is at that place is no file.
    NotAFile,
    /// The file is a store, but damaged.
    Corrupt,
    /// The store was written by a newer build.
    Newer,
    /// Something with that id, or an unfinished campaign with that key, is there already.
    Exists,
    /// A record that could not be read back, or that contradicts the call it came with.
    BadRecord,
    /// Another process runs the campaign.
    CampaignBusy,
    /// What is to be deleted is needed by something that is not.
    Needed,
    /// What people say has changed since it was looked at.
    Stale,
    /// A text that people say is none that is kept.
    Text,
    /// Whoever asked ended it before there was an answer.
    Interrupted,
    /// Another process held the store for longer than one waits.
    Locked,
    /// Not permitted by the operating system, or a read-only file system.
    Permission,
    /// No space left.
    Full,
    /// The process has as many files open as it may.
    OutOfFiles,
    /// The operating system failed.
    System,
}

/// An error with a kind, a place, a cause and what to do, as every room has it. Its place says what was being done, and
/// where: `listing runs in /home/me/.local/share/fathom/runs.sqlite`.
pub type StoreError = fathom_record::error::Error<StoreErrorKind>;

/// A damaged store: what is wrong with it, and that it stays as it is.
pub(crate) fn corrupt(path: &Path, doing: &str, cause: impl Into<String>) -> StoreError {
    StoreError::new(StoreErrorKind::Corrupt, place(path, doing), cause).with_remedy(move_away(path))
}

/// A file that is something else.
pub(crate) fn not_a_store(path: &Path, cause: impl Into<String>) -> StoreError {
    StoreError::new(StoreErrorKind::NotAStore, place(path, "opening the run store"), cause)
        .with_remedy(move_away(path))
}

/// From an error of the operating system, sorted into its kind.
pub(crate) fn system(path: &Path, doing: &str, error: std::io::Error) -> StoreError {
    use std::io::ErrorKind as Os;
    let kind = match error.kind() {
        _ if private_files::is_out_of_files(&error) => StoreErrorKind::OutOfFiles,
        Os::NotFound => StoreErrorKind::NotFound,
        Os::PermissionDenied | Os::ReadOnlyFilesystem => StoreErrorKind::Permission,
        Os::StorageFull | Os::QuotaExceeded => StoreErrorKind::Full,
        _ => StoreErrorKind::System,
    };
    StoreError::new(kind, place(path, doing), error.to_string())
        .with_remedy(remedy(kind, path))
        .with_source(error)
}

/// From an error of SQLite, sorted into its kind.
pub(crate) fn sqlite(path: &Path, doing: &str, error: rusqlite::Error) -> StoreError {
    let kind = match kind_of(&error) {
        // SQLite does not say why it could not open a file.
        StoreErrorKind::Permission if may_open_no_more() => StoreErrorKind::OutOfFiles,
        kind => kind,
    };
    // SQLite's generic error, with statements that are right, is about the tables they name.
    let cause = match error.sqlite_error_code() {
        Some(ErrorCode::Unknown) => format!("its tables are not those of a store ({error})"),
        _ if kind == StoreErrorKind::OutOfFiles => "too many open files".to_owned(),
        _ => error.to_string(),
    };
    StoreError::new(kind, place(path, doing), cause).with_remedy(remedy(kind, path)).with_source(error)
}

fn place(path: &Path, doing: &str) -> String {
    format!("{doing} in {}", path.display())
}

/// Whether this process is so near its limit of open files that a database does not fit under it: the file
/// itself, its log, the log's index, and the folder.
fn may_open_no_more() -> bool {
    let opened: Result<Vec<File>, _> = (0..5).map(|_| File::open("/dev/null")).collect();
    opened.is_err_and(|error| private_files::is_out_of_files(&error))
}

fn kind_of(error: &rusqlite::Error) -> StoreErrorKind {
    let code = match error {
        rusqlite::Error::SqliteFailure(failure, _) => failure.code,
        rusqlite::Error::SqlInputError { error, .. } => error.code,
        // Values of another type than the schema gives them, or text that is not UTF-8.
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::QueryReturnedNoRows
        | rusqlite::Error::Utf8Error(..) => return StoreErrorKind::Corrupt,
        _ => return StoreErrorKind::System,
    };
    match code {
        ErrorCode::NotADatabase => StoreErrorKind::NotAStore,
        // `Unknown` is how SQLite reports a table or column that should exist and does not.
        ErrorCode::DatabaseCorrupt | ErrorCode::Unknown | ErrorCode::TypeMismatch => StoreErrorKind::Corrupt,
        ErrorCode::ConstraintViolation => StoreErrorKind::Exists,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            StoreErrorKind::Locked
        }
        ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied => {
            StoreErrorKind::Permission
        }
        ErrorCode::DiskFull => StoreErrorKind::Full,
        ErrorCode::OperationInterrupted => StoreErrorKind::Interrupted,
        _ => StoreErrorKind::System,
    }
}

fn remedy(kind: StoreErrorKind, path: &Path) -> String {
    let folder = path.parent().unwrap_or(path).display();
    match kind {
        StoreErrorKind::NotAStore | StoreErrorKind::Corrupt => move_away(path),
        StoreErrorKind::Locked => "another process is writing to it: try again when that has finished".into(),
        StoreErrorKind::Permission => {
            format!("make {folder} and the file writable for you, or give another place with --store FILE")
        }
        StoreErrorKind::Full => {
            format!(
                "free some space in {folder}, or give another place with --store FILE; runs saved so far are kept"
            )
        }
        StoreErrorKind::OutOfFiles => "allow more open files and try again: ulimit -n 1024".to_owned(),
        StoreErrorKind::System => {
            format!("see that {folder} has space and is sound, or give another place with --store FILE")
        }
        _ => String::new(),
    }
}

fn move_away(path: &Path) -> String {
    let mut away = path.as_os_str().to_owned();
    away.push(".bad");
    let (from, to) = (shell_bytes(path.as_os_str().as_encoded_bytes()), shell_bytes(away.as_encoded_bytes()));
    format!("move it away, with its -wal file if there is one: mv {from} {to}; fathom never overwrites it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_sqlite_are_sorted_and_say_what_to_do() {
        let path = Path::new("/data/runs.sqlite");
        for (code, kind, words) in [
            (rusqlite::ffi::SQLITE_BUSY, StoreErrorKind::Locked, "another process"),
            (rusqlite::ffi::SQLITE_READONLY_DIRECTORY, StoreErrorKind::Permission, "make /data"),
            (rusqlite::ffi::SQLITE_CANTOPEN, StoreErrorKind::Permission, "--store"),
            (rusqlite::ffi::SQLITE_FULL, StoreErrorKind::Full, "free some space in /data"),
            (rusqlite::ffi::SQLITE_CORRUPT_VTAB, StoreErrorKind::Corrupt, "never overwrites"),
            (
                rusqlite::ffi::SQLITE_NOTADB,
                StoreErrorKind::NotAStore,
                "mv /data/runs.sqlite /data/runs.sqlite.bad;",
            ),
            (rusqlite::ffi::SQLITE_IOERR_FSYNC, StoreErrorKind::System, "--store"),
        ] {
            let error = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
            let told = sqlite(path, "saving a run", error);
            assert_eq!(told.kind, kind, "{told}");
            assert!(told.to_string().contains(words), "{told}");
            assert!(told.to_string().starts_with("saving a run in /data/runs.sqlite: "), "{told}");
        }
    }
}
