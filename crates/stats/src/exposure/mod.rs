//! What a target was exposed to, held against the hidden states that its rate may depend on.
//!
//! No statistic sees a bucket that has not run out, a cache that is not full, or a snapshot that is still
//! being fetched: on simulated buckets every detector that was tried failed in 94 to 100 of 100. So each
//! known hidden state ([`states`]) gets the exposure at which it is used up; before that a result is
//! labelled with its regime. A state that nothing is known of is named, never guessed.

pub mod credits;
pub mod knowledge;
mod state_verdicts;
pub mod states;

use fathom_record::run_record::Ledger;

pub use knowledge::{Knowledge, StateSize, Temperature, Thermal};
pub use state_verdicts::guard;

/// Everything that a target was exposed to, over one run or several with the same pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exposure {
    /// Time under load.
    pub seconds: f64,
    /// Operations that ended well.
    pub operations: f64,
    /// Bytes read.
    pub bytes_read: f64,
    /// Bytes written.
    pub bytes_written: f64,
    /// Size of the target.
    pub capacity_bytes: f64,
    /// Bytes that the pattern can reach.
    pub span_bytes: f64,
    /// Least share of the span that was touched, 0 to 1.
    pub touched_share: f64,
}

impl Exposure {
    /// The exposure of one run: its ledger, the operations of all its seconds, and the target's size. What the
    /// ledger does not tell counts as not exposed.
    pub fn of_run(ledger: &Ledger, operations: u64, capacity_bytes: u64) -> Self {
        Self {
            seconds: ledger.seconds,
            operations: operations as f64,
            bytes_read: ledger.bytes_read.unwrap_or(0) as f64,
            bytes_written: ledger.bytes_written.unwrap_or(0) as f64,
            capacity_bytes: capacity_bytes as f64,
            span_bytes: ledger.span_bytes.unwrap_or(0) as f64,
            touched_share: ledger.span_touched_share.unwrap_or(0.0).clamp(0.0, 1.0),
        }
    }

    /// This and a later exposure of the same target. What both touched may be the same, so only the larger
    /// share counts as touched.
    pub fn then(self, later: Self) -> Self {
        Self {
            seconds: self.seconds + later.seconds,
            operations: self.operations + later.operations,
            bytes_read: self.bytes_read + later.bytes_read,
            bytes_written: self.bytes_written + later.bytes_written,
            capacity_bytes: later.capacity_bytes.max(self.capacity_bytes),
            span_bytes: later.span_bytes.max(self.span_bytes),
            touched_share: later.touched_share.max(self.touched_share),
        }
    }

    /// Bytes written over the target's size.
    pub fn written_over_capacity(&self) -> f64 {
        if self.capacity_bytes > 0.0 { self.bytes_written / self.capacity_bytes } else { 0.0 }
    }

    /// Bytes moved both ways.
    pub fn bytes(&self) -> f64 {
        self.bytes_read + self.bytes_written
    }
}
