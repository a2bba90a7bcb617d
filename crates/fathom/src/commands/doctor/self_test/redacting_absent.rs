//! Builds without the page take nothing out.

use serde_json::Value;

use crate::arguments::RedactedPart;
use crate::failure::Failure;

/// Nothing.
pub struct HiddenParts;

impl HiddenParts {
    /// Nothing.
    ///
    /// # Errors
    /// When anything is to be taken out.
    pub fn of(parts: &[RedactedPart]) -> Result<Self, Failure> {
        if parts.is_empty() {
            return Ok(Self);
        }
        let cause = "this build takes nothing out: it was built without the feature `page`";
        Err(Failure::usage(
            "--redact",
            cause,
            "leave it out, and read what is in the archive before you send it",
        ))
    }

    /// None.
    pub fn has_serials(&self) -> bool {
        false
    }

    /// As they are.
    pub fn taken_out(&self, documents: Vec<Value>) -> Vec<Value> {
        documents
    }
}
