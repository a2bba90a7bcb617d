//! What a comparison says, in the words and tables of the terminal, for a page that draws them itself.

use fathom_record::campaign::{CompareRecord, ComparedWorkload};
use fathom_record::comparison::Side;

use crate::sheet::compare_sheet as sheet;
use crate::table::Table;

/// The sides, A and B, each in words.
pub fn sides(record: &CompareRecord) -> [String; 2] {
    [Side::A, Side::B].map(|side| sheet::side(record, side))
}

/// What has to be known before the numbers, as sentences.
pub fn failures(record: &CompareRecord) -> Vec<String> {
    sheet::failures(record)
}

/// What the words mean.
pub fn legend(record: &CompareRecord) -> String {
    sheet::legend(record)
}

/// What is said of one workload, as a sentence.
pub fn sentence(workload: &ComparedWorkload) -> String {
    sheet::sentence(workload)
}

/// Every metric of a workload: both sides, their ratio with its interval, and what follows.
pub fn metrics(workload: &ComparedWorkload) -> Table {
    sheet::metrics(workload)
}

/// What the numbers of a workload rest on, as sentences.
pub fn conditions(workload: &ComparedWorkload) -> Vec<String> {
    sheet::conditions(workload)
}
