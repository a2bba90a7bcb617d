//! Why a report could not be made.

/// A report that could not be made. None of these comes from a record that this build wrote itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A histogram in the record contradicts itself.
    #[error(
        "run {run}: {cause}; the record is damaged: leave it out, or run `fathom show {run} --json` to look"
    )]
    Histogram {
        /// The run that holds it.
        run: String,
        /// What is wrong with it.
        cause: &'static str,
    },
    /// The page's template could not be filled in.
    #[error("could not fill in the page: {0}")]
    Page(#[from] askama::Error),
    /// The record could not be written as JSON.
    #[error("could not write the record as JSON: {0}")]
    Json(#[from] serde_json::Error),
}
