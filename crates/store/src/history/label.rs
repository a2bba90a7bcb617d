//! Words on runs and campaigns, by which they are found again.

use std::collections::BTreeMap;

use rusqlite::params;

use crate::error::{StoreError, StoreErrorKind};
use crate::id_lookup::StoredId;
use crate::store_file::Store;

/// Longest word.
pub const WORD_CHARACTERS_MAX: usize = 64;

/// The words on everything in a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// Words by the id of their run, in the order of the alphabet.
    pub runs: BTreeMap<String, Vec<String>>,
    /// The same of campaigns.
    pub campaigns: BTreeMap<String, Vec<String>>,
}

/// Whether a word can be put on something, and typed in a search.
///
/// # Errors
/// What a word has to be.
pub fn check_word(word: &str) -> Result<(), StoreError> {
    let refuse = |cause: &str| Err(StoreError::new(StoreErrorKind::Text, "a tag", cause));
    if word.is_empty() || word.chars().count() > WORD_CHARACTERS_MAX {
        return refuse("a tag has 1 to 64 characters");
    }
    if word.chars().any(|letter| letter.is_whitespace() || letter.is_control() || letter == '"') {
        return refuse("a tag is one word, without spaces and quotes");
    }
    Ok(())
}

const CHANGING: &str = "changing tags";

impl Store {
    /// Puts words on a run or a campaign; those that it has stay as they are. `at` is RFC 3339, UTC.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn label(&self, what: &StoredId, words: &[String], at: &str) -> Result<(), StoreError> {
        self.change(CHANGING, |transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO label (kind, object, word, at) SELECT ?1, ?2, ?3, ?4
                 WHERE NOT EXISTS (SELECT 1 FROM label
                     WHERE kind = ?1 AND object = ?2 AND word = ?3 AND void_at IS NULL)",
            )?;
            for word in words {
                insert.execute(params![what.kind(), what.id(), word, at])?;
            }
            Ok(())
        })
    }

    /// Takes words off again; gives how many it had of them.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn unlabel(&self, what: &StoredId, words: &[String], at: &str) -> Result<usize, StoreError> {
        self.change(CHANGING, |transaction| {
            let mut update = transaction.prepare_cached(
                "UPDATE label SET void_at = ?4
                 WHERE kind = ?1 AND object = ?2 AND word = ?3 AND void_at IS NULL",
            )?;
            let mut found = 0;
            for word in words {
                found += update.execute(params![what.kind(), what.id(), word, at])?;
            }
            Ok(found)
        })
    }

    /// The words on everything.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn labels(&self) -> Result<Labels, StoreError> {
        let sql = "SELECT kind, object, word FROM label WHERE void_at IS NULL ORDER BY kind, object, word";
        let rows = self.all("reading tags", sql, (), |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })?;
        let mut labels = Labels::default();
        for (kind, object, word) in rows {
            let of = if kind == "run" { &mut labels.runs } else { &mut labels.campaigns };
            of.entry(object).or_default().push(word);
        }
        Ok(labels)
    }
}
