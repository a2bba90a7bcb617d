//! What a source saw of a run's I/Os in the block layer, as distributions and sums.

use fathom_measure::Histogram;
use fathom_record::Direction;
use fathom_record::witness::{Losses, WitnessCost};

use super::pairs::Span;

/// Everything a source saw between its start and its end.
#[derive(Debug, Default)]
pub struct TraceSummary {
    /// By [`Direction::index`].
    pub directions: [TraceDirection; 4],
    /// Events counted.
    pub events: u64,
    /// Events or I/Os that could not be kept.
    pub losses: Losses,
    /// I/Os that had begun and not ended.
    pub unfinished: u64,
    /// I/Os of the process that are not the run's.
    pub strays: u64,
    /// What seeing them cost.
    pub cost: WitnessCost,
    /// I/Os one by one, as many as both sides keep; on the source's clock.
    pub spans: Vec<Span>,
    /// Chosen ones that could not be kept.
    pub missed: u64,
}

/// One direction.
#[derive(Debug, Default)]
pub struct TraceDirection {
    /// Arrival to hand-over to the driver.
    pub queue: Histogram,
    /// Hand-over to the end.
    pub device: Histogram,
    /// Arrival to the end.
    pub total: Histogram,
    /// I/Os that shared a request with one before them.
    pub merged: u64,
    /// Further parts that I/Os were cut into.
    pub cuts: u64,
    /// I/Os that were never handed to a driver.
    pub unissued: u64,
    /// I/Os that waited in a list.
    pub scheduled: u64,
    /// Time that they waited there, in nanoseconds.
    pub scheduled_sum_ns: u64,
}

/// Times of one I/O in the block layer, on the source's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passage {
    /// Arrival.
    pub queued_ns: u64,
    /// Entry into a list, where it had to wait in one.
    pub inserted_ns: Option<u64>,
    /// Hand-over to the driver.
    pub issued_ns: Option<u64>,
    /// The end.
    pub ended_ns: u64,
}

impl TraceSummary {
    /// Counts one I/O that ended.
    pub fn count(&mut self, direction: Direction, passage: &Passage) {
        let Passage { queued_ns, inserted_ns, issued_ns, ended_ns } = *passage;
        let seen = &mut self.directions[direction.index()];
        seen.total.record(ended_ns.saturating_sub(queued_ns));
        let Some(issued_ns) = issued_ns else {
            seen.unissued += 1;
            return;
        };
        seen.queue.record(issued_ns.saturating_sub(queued_ns));
        seen.device.record(ended_ns.saturating_sub(issued_ns));
        if let Some(inserted_ns) = inserted_ns {
            seen.scheduled += 1;
            seen.scheduled_sum_ns =
                seen.scheduled_sum_ns.saturating_add(issued_ns.saturating_sub(inserted_ns));
        }
    }
}
