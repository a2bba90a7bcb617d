//! What single jobs did from the end of the warm-up to their last completion: more than the window's totals hold,
//! where somebody wants each job by itself, or what was in flight at the end.

use std::sync::{Mutex, PoisonError};

use fathom_measure::Histogram;
use fathom_record::{Direction, Interval, SparseHistogram};

use super::gather::interval_of;
use super::tally::Tally;
use super::timeline::Phase;
use crate::readback::ReadBackTally;

/// One job's part of a run.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Time from the end of the warm-up to the job's last completion, or to the end of the window.
    pub duration_ns: u64,
    /// One entry for each direction that any I/O ended in.
    pub directions: Vec<DirectionAccount>,
    /// In-flight I/Os integrated over the measured window.
    pub in_flight_integral_ns: u64,
    /// Second by second, without the warm-up.
    pub intervals: Vec<Interval>,
    /// What was read back when the measurement was over, on the job's target.
    pub read_back: Option<ReadBackTally>,
}

/// One direction of it.
#[derive(Clone, Debug)]
pub struct DirectionAccount {
    /// Which.
    pub direction: Direction,
    /// Bytes of I/Os that ended well.
    pub bytes: u64,
    /// I/Os that failed or came up short.
    pub errors: u64,
    /// Service latencies of those that ended well.
    pub service: Histogram,
    /// Response latencies, where arrivals are open.
    pub response: Histogram,
}

/// The accounts of a run that goes on, for whoever reports on it meanwhile: those of each job's whole seconds.
#[derive(Debug, Default)]
pub struct LiveAccounts(Mutex<Vec<Account>>);

impl LiveAccounts {
    /// Each job's, in their order, as they are; empty before the first second.
    pub fn read(&self) -> Vec<Account> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn put(&self, accounts: &[Account]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = accounts.to_vec();
    }
}

impl Account {
    /// Takes one of the job's tallies; `open` where arrivals are. With `latencies` the seconds have theirs.
    pub(super) fn take(&mut self, tally: &Tally, warmup_ns: u64, open: bool, latencies: bool) {
        if tally.phase == Phase::Warmup {
            return;
        }
        self.duration_ns = self.duration_ns.max(tally.end_ns.saturating_sub(warmup_ns));
        if tally.phase == Phase::Measured {
            self.in_flight_integral_ns += tally.in_flight_integral_ns;
        }
        for (direction, counts) in Direction::ALL.into_iter().zip(&tally.directions) {
            if counts.service.count() == 0 && counts.errors + counts.short == 0 {
                continue;
            }
            let known = self.directions.iter().position(|known| known.direction == direction);
            let place = known.unwrap_or_else(|| {
                self.directions.push(DirectionAccount {
                    direction,
                    bytes: 0,
                    errors: 0,
                    service: Histogram::new(),
                    response: Histogram::new(),
                });
                self.directions.len() - 1
            });
            let sum = &mut self.directions[place];
            sum.bytes += counts.bytes;
            sum.errors += counts.errors + counts.short;
            sum.service.merge(&counts.service);
            sum.response.merge(&counts.response);
        }
        if tally.end_ns > tally.start_ns {
            let mut interval = interval_of(tally, open);
            if !latencies {
                for of in &mut interval.directions {
                    of.service = SparseHistogram::from(&Histogram::new());
                    of.response = None;
                }
            }
            self.intervals.push(interval);
        }
    }
}
