//! How far what people say has come, so that nobody changes what he has not seen.

use rusqlite::Connection;

use crate::error::{StoreError, StoreErrorKind};
use crate::store_file::Store;

/// Rows that were written and rows that were taken back, of all that people say.
const COUNTED: &str = "SELECT
    (SELECT count(*) + count(void_at) FROM label) + (SELECT count(*) + count(void_at) FROM note) +
    (SELECT count(*) + count(void_at) FROM mark) + (SELECT count(*) + count(void_at) FROM baseline) +
    (SELECT count(*) + count(void_at) FROM finding)";

/// The number now.
pub(crate) fn read(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached(COUNTED)?.query_row((), |row| row.get(0))
}

impl Store {
    /// A number that every tag, note, mark, baseline and finding that is put or taken back makes a higher one.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn said_sequence(&self) -> Result<i64, StoreError> {
        read(&self.connection).map_err(|error| self.failed("reading how far it has come", error))
    }

    /// The same store, which is changed only while [`said_sequence`](Self::said_sequence) is still this number: one
    /// change is made with it.
    #[must_use]
    pub fn only_at(self, sequence: i64) -> Self {
        Self { only_at: Some(sequence), ..self }
    }

    /// The error of a change that comes too late.
    pub(crate) fn stale(&self, doing: &str) -> StoreError {
        let cause = "somebody has changed tags, notes, marks or baselines since this was shown";
        StoreError::new(StoreErrorKind::Stale, self.place(doing), cause)
            .with_remedy("look at it again, and repeat what still holds")
    }
}
