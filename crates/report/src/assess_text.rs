//! What an assessment says, in the words and tables of the terminal, for a page that draws them itself.

use fathom_record::campaign::{AssessRecord, PatternResult};

use crate::sheet::assess_sheet as sheet;
use crate::table::Table;

/// What has to be known before the numbers, as sentences.
pub fn failures(record: &AssessRecord) -> Vec<String> {
    sheet::failures(record)
}

/// What a pattern reached, as a sentence.
pub fn reached(pattern: &PatternResult) -> String {
    sheet::reached(pattern)
}

/// What limits it, and how likely.
pub fn limited_by(pattern: &PatternResult) -> String {
    sheet::limited_by(pattern)
}

/// The operating points of all patterns.
pub fn points(record: &AssessRecord) -> Table {
    sheet::summary(record)
}
