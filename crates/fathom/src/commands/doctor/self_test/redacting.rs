//! Takes out of an archive what somebody does not give away, as `fathom share` does.

use fathom_page::{PrivatePart, redacted};
use serde_json::Value;

use crate::arguments::RedactedPart;
use crate::failure::Failure;

/// What is not given away.
pub struct HiddenParts(Vec<PrivatePart>);

impl HiddenParts {
    /// These parts.
    ///
    /// # Errors
    /// None in builds with the page.
    pub fn of(parts: &[RedactedPart]) -> Result<Self, Failure> {
        Ok(Self(parts.iter().map(|part| (*part).into()).collect()))
    }

    /// Whether serial numbers are.
    pub fn has_serials(&self) -> bool {
        self.0.contains(&PrivatePart::Serial)
    }

    /// Documents with words of the same meaning in their places.
    pub fn taken_out(&self, documents: Vec<Value>) -> Vec<Value> {
        redacted(documents, &self.0)
    }
}
