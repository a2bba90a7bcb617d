//! Opens a store file: tells whether it is one, refuses what it cannot trust, brings it up to date.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::create::{create, holds_bytes, remove_abandoned, with_suffix};
use crate::error::{self, StoreError, StoreErrorKind};
use crate::schema_migrations::{APPLICATION_ID, MIGRATIONS, identity, migrate, stand_in};

/// How long one waits for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Up to this size every page is checked at opening, which takes milliseconds.
const QUICK_CHECK_BYTES: u64 = 8 << 20;

/// Steps of SQLite's machine between two looks at whether a query is to end: some 0.1 ms.
const STEPS_BETWEEN_LOOKS: i32 = 10_000;

/// The write-ahead log is cut back to this after a checkpoint.
const WAL_KEPT_BYTES: i64 = 16 << 20;

/// An open run store. It may be moved to another thread; to use it from two, open it twice.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    /// What people say is changed only while it is as it was then.
    pub(crate) only_at: Option<i64>,
}

/// Folder beside a store's file for what other tools print.
pub fn raw_folder(store: &Path) -> PathBuf {
    with_suffix(store, ".raw")
}

impl Store {
    /// Folder beside it for what other tools print; made by whoever writes there.
    pub fn raw_folder(&self) -> PathBuf {
        raw_folder(&self.path)
    }

    /// Opens the store at `path` for reading and writing, and makes it, with the folders above it
    /// and for the user alone, if there is none.
    ///
    /// # Errors
    /// When there is a file that is not a sound store (it stays as it is), that comes from a newer
    /// build, or that cannot be written.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let path = absolute(path)?;
        if !path.try_exists().map_err(|error| error::system(&path, OPENING, error))? {
            create(&path)?;
        }
        remove_abandoned(&path);
        let bytes = file_bytes(&path)?;
        // Looked at through a connection that cannot write first, so that a foreign database is not
        // even switched to another journal. After a crash only a writer may be able to look.
        match Self::connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|store| store.identify()) {
            Err(error) if error.kind != StoreErrorKind::Permission => return Err(error),
            _ => {}
        }
        let mut store = Self::connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        store.identify()?;
        store.prepare_for_writing()?;
        store.quick_check(bytes)?;
        Ok(store)
    }

    /// Opens the store at `path` for reading; nothing about it is changed.
    ///
    /// # Errors
    /// When there is none, or the file is not a sound store of a version that this build reads.
    pub fn open_read_only(path: &Path) -> Result<Self, StoreError> {
        let path = absolute(path)?;
        let bytes = file_bytes(&path)?;
        let read_only = Self::connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .and_then(|store| store.identify().map(|()| store));
        let store = match read_only {
            // A log beside the database cannot be made in a folder that is not writable. Without
            // one that holds anything, the file alone is the whole store.
            Err(error)
                if error.kind == StoreErrorKind::Permission && !holds_bytes(&with_suffix(&path, "-wal")) =>
            {
                Self::connect_immutable(&path).ok_or(error)?
            }
            other => other?,
        };
        store.identify()?;
        store.quick_check(bytes)?;
        stand_in(&store.connection, store.version()?).map_err(|error| store.failed(OPENING, error))?;
        Ok(store)
    }

    /// The version of the store's file now: another process may bring it up to date while it is open here.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn version(&self) -> Result<i64, StoreError> {
        identity(&self.connection).map(|found| found.version).map_err(|error| self.failed(OPENING, error))
    }

    /// The same store, whose queries end, as interrupted, once `is_over` says so. It is asked every 0.1 ms or so of a query.
    ///
    /// # Errors
    /// When SQLite takes no such question.
    pub fn interrupted_by(
        mut self,
        is_over: impl FnMut() -> bool + Send + 'static,
    ) -> Result<Self, StoreError> {
        let taken = self.connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(is_over));
        taken.map_err(|error| self.failed(OPENING, error))?;
        Ok(self)
    }

    /// Where the store lies, as an absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn connect(path: &Path, mode: OpenFlags) -> Result<Self, StoreError> {
        let failed = |error| error::sqlite(path, OPENING, error);
        let connection =
            Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(failed)?;
        configure(&connection).map_err(failed)?;
        Ok(Self { connection, path: path.to_owned(), only_at: None })
    }

    fn connect_immutable(path: &Path) -> Option<Self> {
        let escaped = path.to_str()?.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let uri = format!("file:{escaped}?immutable=1");
        let connection = Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).ok()?;
        configure(&connection).ok()?;
        Some(Self { connection, path: path.to_owned(), only_at: None })
    }

    /// Whether the file is a store of a version known here.
    fn identify(&self) -> Result<(), StoreError> {
        let found = identity(&self.connection).map_err(|error| self.failed(OPENING, error))?;
        let known = MIGRATIONS.len() as i64;
        if found.application_id != APPLICATION_ID {
            return Err(error::not_a_store(&self.path, "the file is a database of another program"));
        }
        if found.version > known {
            let cause = format!(
                "the store has version {}, and this build knows versions up to {known}",
                found.version
            );
            return Err(StoreError::new(StoreErrorKind::Newer, self.place(OPENING), cause)
                .with_remedy("update fathom, or give another place with --store FILE"));
        }
        if found.version < 1 {
            return Err(error::corrupt(&self.path, OPENING, "the store has no version"));
        }
        Ok(())
    }

    fn prepare_for_writing(&mut self) -> Result<(), StoreError> {
        // SQLite opens a file without write permission for reading, and says nothing.
        let read_only = self.connection.is_readonly("main").map_err(|error| self.failed(OPENING, error))?;
        if read_only {
            let error = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
            return Err(error::system(&self.path, OPENING, error));
        }
        let prepared = set_durable(&self.connection).and_then(|()| migrate(&mut self.connection, MIGRATIONS));
        prepared.map_err(|error| self.failed(OPENING, error))
    }

    fn quick_check(&self, bytes: u64) -> Result<(), StoreError> {
        if bytes > QUICK_CHECK_BYTES {
            return Ok(());
        }
        let answer: String = self
            .connection
            .query_row("PRAGMA quick_check(1)", (), |row| row.get(0))
            .map_err(|error| self.failed("checking the run store", error))?;
        if answer == "ok" {
            return Ok(());
        }
        Err(error::corrupt(&self.path, "checking the run store", answer))
    }

    /// An error of SQLite while doing something in this store.
    pub(crate) fn failed(&self, doing: &str, error: rusqlite::Error) -> StoreError {
        error::sqlite(&self.path, doing, error)
    }

    /// Where an error happened, for its text.
    pub(crate) fn place(&self, doing: &str) -> String {
        format!("{doing} in {}", self.path.display())
    }
}

const OPENING: &str = "opening the run store";

/// SQLite gives names like `:memory:` a meaning of their own; absolute paths have none.
fn absolute(path: &Path) -> Result<PathBuf, StoreError> {
    std::path::absolute(path).map_err(|error| error::system(path, OPENING, error))
}

/// Size of the file, if it can be a store at all.
fn file_bytes(path: &Path) -> Result<u64, StoreError> {
    let facts = std::fs::metadata(path).map_err(|error| {
        let mut told = error::system(path, OPENING, error);
        if told.kind == StoreErrorKind::NotFound {
            told.kind = StoreErrorKind::NoStore;
            told.with_remedy("a run makes it, as: fathom run --target null: --time 1s; or give another place with --store FILE")
        } else {
            told
        }
    })?;
    if !facts.is_file() {
        return Err(StoreError::new(
            StoreErrorKind::NotAFile,
            format!("{OPENING} in {}", path.display()),
            "that is not a file",
        )
        .with_remedy("name a file with --store FILE"));
    }
    // SQLite would take an empty file for a new database, and drop the log of a store cut to nothing.
    if facts.len() == 0 {
        return Err(error::not_a_store(path, "the file is empty"));
    }
    Ok(facts.len())
}

/// Settings of every connection; all of them stay in memory.
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // The schema of a damaged or doctored file must not be able to do anything but hold tables.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// Settings of a connection that writes. `EXTRA` is `FULL`, and in the journal modes that a file
/// system without shared memory falls back to, it syncs the folder as well.
pub(crate) fn set_durable(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "EXTRA")?;
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    if mode != "wal" {
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    }
    connection.query_row(&format!("PRAGMA journal_size_limit = {WAL_KEPT_BYTES}"), (), |_| Ok(()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_writer_that_waits_too_long_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("runs.sqlite")).unwrap();
        let other = Connection::open(store.path()).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        store.connection.busy_timeout(Duration::from_millis(5)).unwrap();
        let error = store.change("saving a run", |_| Ok(())).unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::Locked, "{error}");
        assert!(error.remedy.contains("another process"), "{error}");
        other.execute_batch("COMMIT").unwrap();
        store.change("saving a run", |_| Ok(())).unwrap();
    }

    #[test]
    fn commits_are_synced() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("runs.sqlite")).unwrap();
        let setting = |name: &str| -> String {
            let read = |row: &rusqlite::Row<'_>| row.get::<_, rusqlite::types::Value>(0);
            format!("{:?}", store.connection.pragma_query_value(None, name, read).unwrap())
        };
        assert_eq!(setting("journal_mode"), "Text(\"wal\")");
        // 3 is EXTRA: in this mode each commit syncs the log before it returns.
        assert_eq!(setting("synchronous"), "Integer(3)");
        assert_eq!(setting("foreign_keys"), "Integer(1)");
    }

    #[test]
    fn a_query_ends_when_whoever_asked_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.sqlite");
        let (over, store) = (Arc::new(AtomicBool::new(false)), Store::open(&path).unwrap());
        let told = Arc::clone(&over);
        let store = store.interrupted_by(move || told.load(Ordering::Relaxed)).unwrap();
        let count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT count(*) FROM n";
        let ask = || store.connection.query_row(count, (), |row| row.get::<_, i64>(0));
        assert_eq!(ask().unwrap(), 100_000);
        over.store(true, Ordering::Relaxed);
        let error = store.failed("counting", ask().unwrap_err());
        assert_eq!(error.kind, StoreErrorKind::Interrupted, "{error}");
        over.store(false, Ordering::Relaxed);
        assert_eq!(ask().unwrap(), 100_000);
    }

    #[test]
    fn a_store_that_cannot_make_a_log_is_read_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("100% #1?.sqlite");
        Store::open(&path).unwrap();
        let store = Store::connect_immutable(&path).unwrap();
        store.identify().unwrap();
        assert!(store.connection.is_readonly("main").unwrap());
        assert!(!with_suffix(&path, "-shm").exists());
    }
}
