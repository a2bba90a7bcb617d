//! An assessment's time: what it may take, what it took, and how it is shared out.

use fathom_measure::{Clock, WallClock};
use fathom_record::RunRecord;

use crate::single_run::{RUN_OVERHEAD_NS, Session};

/// Runs that a pattern is given time for: a search of about eight cells, and repeats of the points it finds.
const RUNS_WANTED: u64 = 11;
/// A measured window shorter than this shows more of its edges than of the target.
const SHORTEST_WINDOW_NS: u64 = 500_000_000;
/// A longer window teaches less than another run.
const LONGEST_WINDOW_NS: u64 = 60_000_000_000;
/// Share of a run that warms up.
const WARMUP_SHARE: f64 = 0.15;

/// How one pattern's runs are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// When the pattern's time is over, on the budget's clock.
    pub until_ns: u64,
    /// Warm-up of a run.
    pub warmup_ns: u64,
    /// Measured window of a run.
    pub window_ns: u64,
}

impl Share {
    /// Time that one run takes in all.
    pub fn run_ns(&self) -> u64 {
        self.warmup_ns + self.window_ns + RUN_OVERHEAD_NS
    }
}

/// The time of a whole assessment. Simulated targets spend simulated time.
#[derive(Debug)]
pub struct Budget {
    clock: WallClock,
    simulated: bool,
    limit_ns: u64,
    /// Spent before this process started, or, in simulated time, in all.
    spent_ns: u64,
    /// Real time of this process that does not count.
    exempt_ns: u64,
}

impl Budget {
    /// A budget of `limit_ns`, of which `spent_ns` are gone. Opening the session counts as well: its
    /// clock starts before it opens anything. `runs` were made in the time that is gone.
    pub fn start(session: &Session, limit_ns: u64, (spent_ns, runs): (u64, usize)) -> Self {
        let (clock, simulated) = (*session.clock(), session.is_simulated_time());
        let between = if simulated { RUN_OVERHEAD_NS * runs as u64 } else { 0 };
        Self { clock, simulated, limit_ns, spent_ns: spent_ns + between, exempt_ns: 0 }
    }

    /// The least budget with which each of `patterns` has time for a search, in whole seconds; `part_of_all` is the
    /// searches' part of it.
    pub fn least_ns(patterns: usize, part_of_all: f64) -> u64 {
        let run_ns = SHORTEST_WINDOW_NS as f64 / (1.0 - WARMUP_SHARE) + RUN_OVERHEAD_NS as f64;
        let all_s = run_ns / 1e9 * (RUNS_WANTED * patterns as u64) as f64 / part_of_all;
        all_s.ceil() as u64 * 1_000_000_000
    }

    /// Leaves out the real time since `from_ns` of the session's clock: what is written before measuring
    /// goes by bytes.
    pub fn exempt_since(&mut self, from_ns: u64) {
        self.exempt_ns += self.clock.now_ns().saturating_sub(from_ns);
    }

    /// The session's clock.
    pub fn clock_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    /// Time spent so far.
    pub fn now_ns(&self) -> u64 {
        if self.simulated { self.spent_ns } else { self.spent_ns + self.clock.now_ns() - self.exempt_ns }
    }

    /// Time left.
    pub fn left_ns(&self) -> u64 {
        self.limit_ns.saturating_sub(self.now_ns())
    }

    /// Counts a run.
    pub fn spend(&mut self, run: &RunRecord) {
        if self.simulated {
            self.spent_ns += (run.ledger.seconds * 1e9) as u64 + RUN_OVERHEAD_NS;
        }
    }

    /// The next pattern's part when `patterns` are still to come, itself included; its runs are as long as
    /// those that are known of it. All patterns together have this part of the whole budget.
    pub fn share(&self, patterns: usize, known: &[RunRecord], part_of_all: f64) -> Share {
        let kept_ns = (self.limit_ns as f64 * (1.0 - part_of_all)) as u64;
        // What the pattern had before it was cut off counts as its own.
        let had_ns = known.iter().map(|run| (run.ledger.seconds * 1e9) as u64).sum::<u64>();
        let part = ((self.left_ns().saturating_sub(kept_ns) + had_ns) / patterns.max(1) as u64)
            .saturating_sub(had_ns);
        let slot = (part / RUNS_WANTED).saturating_sub(RUN_OVERHEAD_NS);
        let window =
            ((slot as f64 * (1.0 - WARMUP_SHARE)) as u64).clamp(SHORTEST_WINDOW_NS, LONGEST_WINDOW_NS);
        let (warmup_ns, window_ns) = match known.first() {
            Some(run) => (run.workload.length.warmup_ns, run.workload.length.time_ns.unwrap_or(window)),
            None => ((window as f64 * WARMUP_SHARE / (1.0 - WARMUP_SHARE)) as u64, window),
        };
        Share { until_ns: self.now_ns() + part, warmup_ns, window_ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_patterns_fit_into_a_minute_and_not_into_five_seconds() {
        let least_s = Budget::least_ns(7, 1.0) / 1_000_000_000;
        assert!((45..=60).contains(&least_s), "{least_s} s");
        assert!(Budget::least_ns(1, 1.0) <= 8_000_000_000);
    }
}
