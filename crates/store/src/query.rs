//! The three ways to use the database: read one row, read several, change it. Each says what it was
//! for when it fails.

use rusqlite::{OptionalExtension, Params, Row, Transaction, TransactionBehavior};

use crate::error::StoreError;
use crate::history::sequence;
use crate::store_file::Store;

impl Store {
    /// The first row that the query gives, if any.
    pub(crate) fn one<T>(
        &self,
        doing: &str,
        sql: &str,
        parameters: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        let query = || self.connection.prepare_cached(sql)?.query_row(parameters, read).optional();
        query().map_err(|error| self.failed(doing, error))
    }

    /// All rows that the query gives.
    pub(crate) fn all<T>(
        &self,
        doing: &str,
        sql: &str,
        parameters: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let query = || -> rusqlite::Result<Vec<T>> {
            self.connection.prepare_cached(sql)?.query_map(parameters, read)?.collect()
        };
        query().map_err(|error| self.failed(doing, error))
    }

    /// Runs `change` in one transaction that has the right to write from its start; when this
    /// returns, the change is on the disk, or nothing of it.
    pub(crate) fn change<T>(
        &self,
        doing: &str,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let run = || {
            // What stands in for tables of later versions could be written, and would be gone with the connection.
            if self.connection.is_readonly("main")? {
                let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_READONLY);
                return Err(rusqlite::Error::SqliteFailure(code, None));
            }
            let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            if let Some(expected) = self.only_at
                && sequence::read(&transaction)? != expected
            {
                return Ok(None);
            }
            let outcome = change(&transaction)?;
            transaction.commit().map(|()| Some(outcome))
        };
        run().map_err(|error| self.failed(doing, error))?.ok_or_else(|| self.stale(doing))
    }
}
