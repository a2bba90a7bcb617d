//! What a reading of a fleet's rows does with each volume: its growth, or its verdict.

use std::sync::atomic::{AtomicU32, Ordering};

use fathom_demand::fleet::Run;
use fathom_fleet::{Grown, Verdicts, grown};
use fathom_record::fleet::FleetRow;
use fathom_sizing::fleet::{Asked, is_sampled};

use super::pass::Work;

/// How requirements grew, of a sample of the volumes.
pub struct Growths<'a> {
    asked: Asked<'a>,
    halvings: AtomicU32,
}

impl<'a> Growths<'a> {
    /// Of all volumes so far.
    pub fn new(asked: Asked<'a>) -> Self {
        Self { asked, halvings: AtomicU32::new(0) }
    }

    /// Reads no more volumes than the sample takes after so many halvings.
    pub fn halve(&self, halvings: u32) {
        self.halvings.store(halvings, Ordering::Relaxed);
    }
}

impl Work for Growths<'_> {
    type Found = Option<Grown>;

    const NAME: &'static str = "reading how demands grew";

    fn wants(&self, hash: u64) -> bool {
        is_sampled(hash, self.halvings.load(Ordering::Relaxed))
    }

    fn judge(&self, run: Run) -> Option<Grown> {
        grown(&self.asked, run)
    }
}

impl Work for Verdicts<'_> {
    type Found = FleetRow;

    const NAME: &'static str = "judging volumes";

    fn wants(&self, _hash: u64) -> bool {
        true
    }

    fn judge(&self, run: Run) -> FleetRow {
        self.row(run)
    }
}
