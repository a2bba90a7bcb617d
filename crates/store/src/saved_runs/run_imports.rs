//! Runs that were read from files of other tools, and the files themselves, known by what is in them.

use fathom_record::RunRecord;
use rusqlite::{Transaction, params};

use crate::error::{StoreError, StoreErrorKind};
use crate::saved_runs::put::exists;
use crate::store_file::Store;

/// A file whose results were taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportRow {
    /// SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// Its name without folders.
    pub file: String,
    /// What read it.
    pub importer: String,
    /// When, RFC 3339, UTC.
    pub at: String,
}

const SAVING: &str = "saving imported runs";

impl Store {
    /// All files whose results were taken over, in the order of their digests.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn imports(&self) -> Result<Vec<ImportRow>, StoreError> {
        let sql = "SELECT sha256, file, importer, at FROM import ORDER BY sha256";
        self.all("listing imports", sql, (), |row| {
            Ok(ImportRow {
                sha256: row.get("sha256")?,
                file: row.get("file")?,
                importer: row.get("importer")?,
                at: row.get("at")?,
            })
        })
    }

    /// Saves all runs of a file, and that it was read: all of it, or nothing.
    ///
    /// # Errors
    /// When a run's id is taken, a record would not read back, or the disk fails.
    pub fn put_import(&self, import: &ImportRow, runs: &[RunRecord]) -> Result<(), StoreError> {
        let prepared = self.prepare_runs(runs)?;
        self.change(SAVING, |transaction| {
            for run in &prepared {
                run.insert(transaction)?;
            }
            insert(import, transaction)
        })
        .map_err(|error| exists(error, runs.first().map_or("", |run| run.id.as_str())))
    }

    /// Saves what a file added to a run that is there already, and that the file was read.
    ///
    /// # Errors
    /// When there is no such run, the record would not read back, or the disk fails.
    pub fn put_import_beside(&self, import: &ImportRow, run: &RunRecord) -> Result<(), StoreError> {
        let prepared = self.prepare_run(run)?;
        let found = self.change(SAVING, |transaction| {
            let found = prepared.replace(transaction)?;
            if found {
                insert(import, transaction)?;
            }
            Ok(found)
        })?;
        if found {
            return Ok(());
        }
        Err(StoreError::new(StoreErrorKind::NotFound, self.place(SAVING), format!("no such run: {}", run.id)))
    }
}

fn insert(import: &ImportRow, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT OR REPLACE INTO import (sha256, file, importer, at) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![import.sha256, import.file, import.importer, import.at])
        .map(drop)
}
