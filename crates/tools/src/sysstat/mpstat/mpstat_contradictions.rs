//! Figures of one report that must agree.

use crate::foreign_series::{Contradiction, Contradictions, Sheet, rows};
use crate::sysstat::iostat::whole;

/// Holds the parts of each processor's time against the whole.
pub fn audit(sheet: &Sheet) -> Vec<Contradiction> {
    let mut found = Contradictions::default();
    for (number, report) in sheet.reports.iter().enumerate() {
        for table in ["CPU", "NODE"] {
            for (processor, row) in rows(sheet, report, table) {
                whole(&mut found, processor, number, &row);
            }
        }
    }
    found.finish()
}
