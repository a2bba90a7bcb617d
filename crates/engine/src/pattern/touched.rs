//! How much of the span a number of I/Os has touched, for the ledger.

use fathom_record::workload::Workload;

use super::Geometry;

/// Share.
pub fn expected_touched_share(_workload: &Workload, _geometry: &Geometry, _ios: u64) -> (f64, &'static str) {
    (1.0, "expected")
}
