//! What people wrote about a run or a campaign.

use std::collections::BTreeMap;

use rusqlite::{Row, params};

use crate::error::{StoreError, StoreErrorKind};
use crate::id_lookup::StoredId;
use crate::store_file::Store;

/// A note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its number, from 1.
    pub number: i64,
    /// What it says.
    pub text: String,
    /// Who wrote it, as far as is known.
    pub author: Option<String>,
    /// When, RFC 3339, UTC.
    pub at: String,
}

impl Note {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            number: row.get("seq")?,
            text: row.get("text")?,
            author: row.get("author")?,
            at: row.get("at")?,
        })
    }
}

/// Longest note.
const BYTES_MAX: usize = 4096;

/// A note as it is kept: without the white space around it.
///
/// # Errors
/// What a note has to be.
pub fn check_note(text: &str) -> Result<&str, StoreError> {
    let text = text.trim();
    if (1..=BYTES_MAX).contains(&text.len()) {
        return Ok(text);
    }
    let cause = format!("a note has 1 to {BYTES_MAX} bytes, and this one has {}", text.len());
    Err(StoreError::new(StoreErrorKind::Text, "a note's text", cause))
}

const WRITING: &str = "writing a note";
const READING: &str = "reading notes";

impl Store {
    /// Writes a note about a run or a campaign; gives its number. `at` is RFC 3339, UTC.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn write_note(
        &self,
        about: &StoredId,
        text: &str,
        author: Option<&str>,
        at: &str,
    ) -> Result<i64, StoreError> {
        self.change(WRITING, |transaction| {
            transaction
                .prepare_cached(
                    "INSERT INTO note (kind, object, text, author, at) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .insert(params![about.kind(), about.id(), text, author, at])
        })
    }

    /// Takes a note about this run or campaign back; tells whether it was there.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn void_note(&self, about: &StoredId, number: i64, at: &str) -> Result<bool, StoreError> {
        self.change(WRITING, |transaction| {
            transaction
                .prepare_cached(
                    "UPDATE note SET void_at = ?4
                     WHERE seq = ?3 AND kind = ?1 AND object = ?2 AND void_at IS NULL",
                )?
                .execute(params![about.kind(), about.id(), number, at])
                .map(|changed| changed > 0)
        })
    }

    /// The notes about a run or a campaign, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn notes(&self, about: &StoredId) -> Result<Vec<Note>, StoreError> {
        let sql = "SELECT * FROM note WHERE kind = ?1 AND object = ?2 AND void_at IS NULL ORDER BY seq";
        self.all(READING, sql, (about.kind(), about.id()), Note::read)
    }

    /// The notes about all runs, by the run's id, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn notes_of_runs(&self) -> Result<BTreeMap<String, Vec<Note>>, StoreError> {
        let sql = "SELECT * FROM note WHERE kind = 'run' AND void_at IS NULL ORDER BY seq";
        let rows =
            self.all(READING, sql, (), |row| Ok((row.get::<_, String>("object")?, Note::read(row)?)))?;
        let mut notes: BTreeMap<String, Vec<Note>> = BTreeMap::new();
        for (object, note) in rows {
            notes.entry(object).or_default().push(note);
        }
        Ok(notes)
    }
}
