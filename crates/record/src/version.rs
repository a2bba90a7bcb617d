//! Reads records of every version that was ever written.

use serde::de::{DeserializeOwned, Error as _};
use serde_json::Value;

use crate::error::Error;
use crate::{CampaignRecord, ProfileRecord, RunRecord};

/// Kinds of texts that are no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// Not JSON, or a field is missing or of another type.
    Malformed,
    /// JSON of another kind.
    OtherFormat,
    /// Written by a newer build.
    Newer,
}

/// Why a text is not a record. Its cause says which record was expected.
pub type ReadError = Error<ReadErrorKind>;

fn error(kind: ReadErrorKind, format: &str, cause: impl Into<String>) -> ReadError {
    ReadError::new(kind, format!("reading a {format} record"), cause)
}

fn malformed(format: &str, source: serde_json::Error) -> ReadError {
    error(ReadErrorKind::Malformed, format, format!("not a {format} record: {source}")).with_source(source)
}

/// The text as JSON, if it is of this format and of a version that is known.
fn checked(json: &[u8], format: &'static str, known: u32) -> Result<Value, ReadError> {
    let value: Value = serde_json::from_slice(json).map_err(|source| malformed(format, source))?;
    let found = value.get("format").and_then(Value::as_str).unwrap_or("something without a format");
    if found != format {
        let cause = format!("not a {format} record, but `{found}`");
        return Err(error(ReadErrorKind::OtherFormat, format, cause));
    }
    let version = value.get("version").and_then(Value::as_u64).unwrap_or(0);
    if version > u64::from(known) {
        let cause = format!("a {format} record of version {version}: this build reads up to version {known}");
        return Err(error(ReadErrorKind::Newer, format, cause).with_remedy("update fathom"));
    }
    Ok(value)
}

/// Reads the text itself, and not the tree of values that it was looked at with: a second reader of every structure would
/// make the program larger.
fn read<T: DeserializeOwned>(json: &[u8], format: &'static str) -> Result<T, ReadError> {
    fathom_json::read_bytes(json).map_err(|source| malformed(format, source))
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

/// Reads a campaign record. One without a `kind`, as version 1 wrote it, is an assessment.
///
/// # Errors
/// When the text is not one, or comes from a newer build.
pub fn parse_campaign(json: &[u8]) -> Result<CampaignRecord, ReadError> {
    const FORMAT: &str = CampaignRecord::FORMAT;
    let value = checked(json, FORMAT, CampaignRecord::VERSION)?;
    // By its kind and not by an enum of serde's, which holds all of a text before it knows the variant, and would bring a
    // second reader of every structure.
    match value.get("kind").map_or(Some("assess"), Value::as_str) {
        Some("assess") => read(json, FORMAT).map(|record| CampaignRecord::Assess(Box::new(record))),
        Some("sweep") => read(json, FORMAT).map(|record| CampaignRecord::Sweep(Box::new(record))),
        Some("compare") => read(json, FORMAT).map(|record| CampaignRecord::Compare(Box::new(record))),
        Some("explain") => read(json, FORMAT).map(|record| CampaignRecord::Explain(Box::new(record))),
        Some("repeat") => read(json, FORMAT).map(|record| CampaignRecord::Repeat(Box::new(record))),
        kind => {
            let found = kind
                .map_or_else(|| "a kind that is not a string".to_owned(), |kind| format!("kind `{kind}`"));
            Err(malformed(FORMAT, serde_json::Error::custom(found)))
        }
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

    #[test]
    fn a_campaign_of_a_kind_that_is_not_known_is_refused_by_its_name() {
        let refused = |kind: &str| {
            let json = format!(r#"{{"format":"fathom.campaign","version":3,"kind":{kind}}}"#);
            parse_campaign(json.as_bytes()).unwrap_err().cause
        };
        assert_eq!(refused("\"tour\""), "not a fathom.campaign record: kind `tour`");
        assert_eq!(refused("7"), "not a fathom.campaign record: a kind that is not a string");
        assert!(refused("\"assess\"").contains("missing field"), "{}", refused("\"assess\""));
        let bytes = b"{\"format\":\"fathom.campaign\",\"id\":\"\xff\"}";
        assert_eq!(parse_campaign(bytes).unwrap_err().kind, ReadErrorKind::Malformed);
    }
}
