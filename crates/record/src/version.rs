//! Reads records of every version that was ever written.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{CampaignRecord, ProfileRecord, RunRecord};

/// Why a text is not a record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Not JSON, or a field is missing or of another type.
    #[error("not a {format} record: {source}")]
    Malformed {
        /// What was expected.
        format: &'static str,
        /// Where it stopped making sense.
        source: serde_json::Error,
    },
    /// JSON of another kind.
    #[error("not a {expected} record, but `{found}`")]
    OtherFormat {
        /// What was expected.
        expected: &'static str,
        /// What its `format` field says.
        found: String,
    },
    /// Written by a newer build.
    #[error("a {format} record of version {version}: this build reads up to version {known}; update fathom")]
    Newer {
        /// Which kind.
        format: &'static str,
        /// Its version.
        version: u64,
        /// The newest known here.
        known: u32,
    },
}

/// The text as JSON, if it is of this format and of a version that is known.
fn checked(json: &[u8], format: &'static str, known: u32) -> Result<Value, ReadError> {
    let value: Value =
        serde_json::from_slice(json).map_err(|source| ReadError::Malformed { format, source })?;
    let found = value.get("format").and_then(Value::as_str).unwrap_or("something without a format");
    if found != format {
        return Err(ReadError::OtherFormat { expected: format, found: found.to_owned() });
    }
    let version = value.get("version").and_then(Value::as_u64).unwrap_or(0);
    if version > u64::from(known) {
        return Err(ReadError::Newer { format, version, known });
    }
    Ok(value)
}

/// Reads the text itself, and not the tree of values that it was looked at with: a second reader of every structure would
/// make the program larger.
fn read<T: DeserializeOwned>(json: &[u8], format: &'static str) -> Result<T, ReadError> {
    serde_json::from_slice(json).map_err(|source| ReadError::Malformed { format, source })
}

/// Reads a run record.
///
/// # Errors
/// When the text is not one, or comes from a newer build.
pub fn parse_run(json: &[u8]) -> Result<RunRecord, ReadError> {
    // Thousands of buckets are read without a tree of values; what does not read so is looked at with one, which
    // tells a newer build's record from one that is damaged.
    match read::<RunRecord>(json, RunRecord::FORMAT) {
        Ok(record) if record.format == RunRecord::FORMAT && record.version <= RunRecord::VERSION => {
            Ok(record)
        }
        other => checked(json, RunRecord::FORMAT, RunRecord::VERSION).and(other),
    }
}

/// Reads a campaign record.
///
/// # Errors
/// When the text is not one, or comes from a newer build.
pub fn parse_campaign(json: &[u8]) -> Result<CampaignRecord, ReadError> {
    let mut value = checked(json, CampaignRecord::FORMAT, CampaignRecord::VERSION)?;
    match value.as_object_mut() {
        // Version 1 knew assessments alone.
        Some(fields) if !fields.contains_key("kind") => {
            fields.insert("kind".to_owned(), "assess".into());
            read(value.to_string().as_bytes(), CampaignRecord::FORMAT)
        }
        _ => read(json, CampaignRecord::FORMAT),
    }
}

/// Reads a profile.
///
/// # Errors
/// When the text is not one, or comes from a newer build.
pub fn parse_profile(json: &[u8]) -> Result<ProfileRecord, ReadError> {
    checked(json, ProfileRecord::FORMAT, ProfileRecord::VERSION)?;
    read(json, ProfileRecord::FORMAT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_for_people_states_the_versions_that_are_written() {
        let page = include_str!("../../../docs/record.md");
        let (run, campaign) = (RunRecord::VERSION, CampaignRecord::VERSION);
        let said = format!(
            "This build writes version {run} of run records and version {campaign} of campaign records"
        );
        assert!(page.contains(&said), "docs/record.md lacks: {said}");
        assert!(page.contains(&format!("| `format`, `version` | `fathom.run` and {run} |")));
    }
}
