//! A table of published results in a file: TOML, or rows that a spreadsheet wrote.

use std::fs;
use std::path::Path;

use fathom_published::{PublishedTable, is_separated, parse_published, parse_separated};

use crate::failure::Failure;

/// Most bytes of a file that is looked into for the names of columns: a table is small, and a log is not.
const MOST_BYTES: u64 = 16 << 20;

/// Whether a file is such a table: any TOML, and CSV whose first line names a column `pattern`.
pub fn is_table(path: &Path) -> bool {
    match path.extension().and_then(|end| end.to_str()) {
        Some("toml") => true,
        Some("csv" | "tsv") => {
            let is_small = fs::metadata(path).is_ok_and(|file| file.len() <= MOST_BYTES);
            is_small && fs::read_to_string(path).is_ok_and(|text| is_separated(&text))
        }
        _ => false,
    }
}

/// Reads it.
///
/// # Errors
/// When it cannot be read or is no such table: the cause, and what to write.
pub fn read(path: &Path) -> Result<PublishedTable, Failure> {
    let place = path.display().to_string();
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return Err(Failure::usage(place, error.to_string(), "").with_source(error)),
    };
    let title = path.file_name().unwrap_or_default().to_string_lossy();
    let read = match path.extension().is_some_and(|end| end == "toml") {
        true => parse_published(&text),
        false => parse_separated(&text, &title),
    };
    read.map_err(|refusal| {
        Failure::usage(place, refusal.to_string(), refusal.remedy.as_str()).with_source(refusal)
    })
}
