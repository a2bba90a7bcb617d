//! What a sweep says, in the words of the terminal, for a page that draws its grid itself.

use fathom_record::campaign::SweepRecord;

use crate::sheet::sweep_sheet as sheet;

/// What has to be known before the numbers, as sentences.
pub fn failures(record: &SweepRecord) -> Vec<String> {
    sheet::failures(record)
}

/// The cell with the highest rate and the one with the least latency, as sentences.
pub fn extremes(record: &SweepRecord) -> Vec<String> {
    sheet::extremes(record)
}
