//! JSON in the store, with a checksum beside it: SQLite does not notice a changed digit.

use rusqlite::Row;
use serde::Serialize;

/// A JSON text and the CRC32C of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckedJson {
    pub(crate) json: String,
    pub(crate) crc: u32,
}

impl CheckedJson {
    pub(crate) fn of(value: &impl Serialize) -> serde_json::Result<Self> {
        fathom_json::text(value).map(Self::new)
    }

    pub(crate) fn new(json: String) -> Self {
        Self { crc: crc32c::crc32c(json.as_bytes()), json }
    }

    /// Reads the text from one column and its checksum from another.
    pub(crate) fn from_row(row: &Row<'_>, json: &str, crc: &str) -> rusqlite::Result<Self> {
        Ok(Self { json: row.get(json)?, crc: row.get(crc)? })
    }

    /// The text, if it is the one that was written.
    pub(crate) fn verified(&self) -> Result<&str, &'static str> {
        if crc32c::crc32c(self.json.as_bytes()) == self.crc {
            Ok(&self.json)
        } else {
            Err("its JSON does not have the checksum that was written with it")
        }
    }
}
