//! Why a report could not be made.

use fathom_record::error::Error;
use fathom_record::shell_word;

/// Kinds of reports that could not be made. None of these comes from a record that this build wrote itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReportErrorKind {
    /// A histogram in the record contradicts itself.
    Histogram,
    /// The page's template could not be filled in.
    Page,
    /// The record could not be written as JSON.
    Json,
}

/// A report that could not be made.
pub type ReportError = Error<ReportErrorKind>;

const MAKING: &str = "making the report";

/// A run's record whose histogram is damaged.
pub(crate) fn damaged(run: &str, cause: &str) -> ReportError {
    let cause = format!("run {run}: {cause}; the record is damaged");
    let remedy = format!("leave it out, or look at it: fathom show {} --json", shell_word(run));
    ReportError::new(ReportErrorKind::Histogram, MAKING, cause).with_remedy(remedy)
}

/// A page whose template failed.
pub(crate) fn unfilled(error: askama::Error) -> ReportError {
    let cause = format!("could not fill in the page: {error}");
    ReportError::new(ReportErrorKind::Page, MAKING, cause).with_source(error)
}

/// A value without a form in JSON.
pub(crate) fn unwritten(error: serde_json::Error) -> ReportError {
    let cause = format!("could not write the record as JSON: {error}");
    ReportError::new(ReportErrorKind::Json, MAKING, cause).with_source(error)
}
