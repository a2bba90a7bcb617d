//! Priorities of I/Os as the kernel knows them: of all that a job's thread starts, and of single I/Os.
//!
//! Of single I/Os engines `uring` and `aio` tell the kernel with each; what came of each priority is counted
//! apart, since it is asked for to be compared.

mod ioprio;
mod single;

use std::sync::{Mutex, PoisonError};

use fathom_measure::Histogram;
use fathom_order::InOrder;
use fathom_record::Direction;
use fathom_record::options::{Priorities, Priority};

use crate::EngineError;
pub use single::{PrioritizedEngine, PrioritySetter};

/// Gives the calling thread the job's priority, once it is known that all the others are permitted too.
///
/// # Errors
/// When the process may not use one of them.
pub fn settle_thread(priorities: &Priorities) -> Result<(), EngineError> {
    if priorities.is_empty() {
        return Ok(());
    }
    for priority in priorities.distinct().into_iter().rev() {
        ioprio::set_of_thread(priority)?;
    }
    Ok(())
}

/// What came of the I/Os of one direction and priority.
#[derive(Clone, Debug)]
pub struct PriorityTally {
    /// Reads or writes.
    pub direction: Direction,
    /// Their priority.
    pub priority: Priority,
    /// Submission to reaping, of those that ended well, from the run's first I/O on.
    pub service: Histogram,
}

/// Where the jobs of a run leave their tallies when they end.
#[derive(Debug, Default)]
pub struct Tallies(Mutex<Vec<PriorityTally>>);

impl Tallies {
    /// Adds a job's.
    fn add(&self, own: Vec<PriorityTally>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for tally in own {
            let same = |known: &&mut PriorityTally| {
                (known.direction, known.priority) == (tally.direction, tally.priority)
            };
            match all.iter_mut().find(same) {
                Some(known) => known.service.merge(&tally.service),
                None => all.push(tally),
            }
        }
    }

    /// All, without those that no I/O had.
    pub fn take(&self) -> Vec<PriorityTally> {
        let mut all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        all.retain(|tally| tally.service.count() > 0);
        all.put_in_order_by_key(|tally| (tally.direction.index(), tally.priority));
        all
    }
}
