//! A record as JSON that is the same, byte for byte, for the same record.

use serde::Serialize;

use crate::ReportError;

/// Indented by two spaces, fields in the order of the record's declaration, with a newline at the end.
///
/// # Errors
/// When a value has no JSON form, as a map with keys that are not text.
pub fn pretty<T: Serialize>(record: &T) -> Result<String, ReportError> {
    let mut text = serde_json::to_string_pretty(record)?;
    text.push('\n');
    Ok(text)
}
