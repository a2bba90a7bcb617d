//! Where facts are from, and of when.

use super::csv_rows::{self, CatalogueError};

/// One source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What rows name it by.
    pub key: String,
    /// Day, month or year that the facts are of; `undated` where the source does not say.
    pub date: String,
    /// The source itself, to find it again.
    pub text: String,
}

/// All sources of a catalogue.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    sources: Vec<Source>,
}

impl Sources {
    pub(super) fn read(text: &str) -> Result<Self, CatalogueError> {
        let sources = csv_rows::read("sources.csv", text, |row| {
            Ok(Source {
                key: row.required("key")?.to_owned(),
                date: row.required("date")?.to_owned(),
                text: row.required("source")?.to_owned(),
            })
        })?;
        Ok(Self { sources })
    }

    /// The source of a key.
    pub fn find(&self, key: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.key == key)
    }
}
