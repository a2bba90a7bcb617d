//! Marks in time: a deploy, an update, a move, that trends are read against.

use rusqlite::params;

use crate::error::{StoreError, StoreErrorKind};
use crate::store_file::Store;

/// Something that happened around runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its number, from 1.
    pub number: i64,
    /// What it says, and when it was.
    pub text: MarkText,
    /// When it was made, RFC 3339, UTC.
    pub at: String,
}

/// What a mark says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkText {
    /// When it began, RFC 3339, UTC.
    pub from_at: String,
    /// When it was over; absent for a moment. Not before it began.
    pub until_at: Option<String>,
    /// What happened.
    pub title: String,
    /// The one target that it is about, as it is named in runs; absent where it is about all.
    pub target: Option<String>,
    /// Who or what made it, as far as is known.
    pub source: Option<String>,
}

/// Longest title.
const BYTES_MAX: usize = 200;

/// A mark's title as it is kept: without the white space around it.
///
/// # Errors
/// What a title has to be.
pub fn check_title(text: &str) -> Result<&str, StoreError> {
    let text = text.trim();
    if (1..=BYTES_MAX).contains(&text.len()) {
        Ok(text)
    } else {
        let cause = format!("a title has 1 to {BYTES_MAX} bytes");
        Err(StoreError::new(StoreErrorKind::Text, "a mark's title", cause))
    }
}

const MARKING: &str = "making a mark";

impl Store {
    /// Makes a mark; gives its number. `at` is RFC 3339, UTC.
    ///
    /// # Errors
    /// When it ends before it begins, or the store cannot be written.
    pub fn make_mark(&self, mark: &MarkText, at: &str) -> Result<i64, StoreError> {
        self.change(MARKING, |transaction| {
            transaction
                .prepare_cached(
                    "INSERT INTO mark (from_at, until_at, title, target, source, at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .insert(params![mark.from_at, mark.until_at, mark.title, mark.target, mark.source, at])
        })
    }

    /// Takes a mark back; tells whether it was there.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn void_mark(&self, number: i64, at: &str) -> Result<bool, StoreError> {
        self.change(MARKING, |transaction| {
            transaction
                .prepare_cached("UPDATE mark SET void_at = ?2 WHERE seq = ?1 AND void_at IS NULL")?
                .execute(params![number, at])
                .map(|changed| changed > 0)
        })
    }

    /// Marks about a target, or about all of them, oldest first; every mark where no target is named.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn marks(&self, target: Option<&str>) -> Result<Vec<Mark>, StoreError> {
        let sql = "SELECT * FROM mark
                   WHERE void_at IS NULL AND (?1 IS NULL OR target IS NULL OR target = ?1)
                   ORDER BY from_at, seq";
        self.all("reading marks", sql, [target], |row| {
            Ok(Mark {
                number: row.get("seq")?,
                text: MarkText {
                    from_at: row.get("from_at")?,
                    until_at: row.get("until_at")?,
                    title: row.get("title")?,
                    target: row.get("target")?,
                    source: row.get("source")?,
                },
                at: row.get("at")?,
            })
        })
    }
}
