//! What one job counts in one interval.

use fathom_measure::Histogram;
use fathom_record::{Direction, EngineBreaches};

use super::timeline::Phase;

/// Counts of one direction.
#[derive(Clone, Debug, Default)]
pub struct DirectionTally {
    /// Submission to reaping, of I/Os that ended well.
    pub service: Histogram,
    /// Intended start to reaping; only for open arrivals.
    pub response: Histogram,
    /// The submitting call; only where it is apart from the completion.
    pub submit: Histogram,
    /// Bytes moved.
    pub bytes: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// I/Os that transferred fewer bytes than asked; not in the histograms.
    pub short: u64,
}

/// Counts of one job in one interval, or of several added up.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Start of the interval, from the run's origin.
    pub start_ns: u64,
    /// End of the interval.
    pub end_ns: u64,
    /// Which part of the run it belongs to.
    pub phase: Phase,
    /// In-flight I/Os integrated over time.
    pub in_flight_integral_ns: u64,
    /// By [`Direction::index`](fathom_record::Direction::index).
    pub directions: [DirectionTally; 4],
    /// Submission after the intended start, of open arrivals that found a free slot.
    pub lag: Histogram,
    /// Time between two looks at the completion queue without waiting: bounds a completion's age.
    pub look_gap: Histogram,
    /// Open arrivals that were issued; what was due beyond the in-flight cap at a run's end is not.
    pub arrivals: u64,
    /// Open arrivals that found the in-flight cap reached.
    pub delayed: u64,
    /// Intervals that had to be added to this one because the control plane was late.
    pub extended: u64,
    /// What the engine did against its contract.
    pub breaches: EngineBreaches,
    /// Processor time of the job's thread.
    pub thread_cpu_ns: u64,
    /// Processor time of the whole process in user mode; counted by the first job only.
    pub process_user_ns: u64,
    /// Processor time of the whole process in the kernel; counted by the first job only.
    pub process_system_ns: u64,
}

impl Tally {
    /// Makes an empty tally out of a used one, for the interval that starts at `start_ns`.
    pub fn begin(&mut self, start_ns: u64, end_ns: u64, phase: Phase) {
        for direction in &mut self.directions {
            direction.service.clear();
            direction.response.clear();
            direction.submit.clear();
            (direction.bytes, direction.errors, direction.short) = (0, 0, 0);
        }
        self.lag.clear();
        self.look_gap.clear();
        (self.start_ns, self.end_ns, self.phase) = (start_ns, end_ns, phase);
        (self.in_flight_integral_ns, self.arrivals, self.delayed, self.extended) = (0, 0, 0, 0);
        (self.thread_cpu_ns, self.process_user_ns, self.process_system_ns) = (0, 0, 0);
        self.breaches = EngineBreaches::default();
    }

    /// Adds another tally's counts; the interval stays this one's.
    pub fn merge(&mut self, other: &Tally) {
        for (mine, theirs) in self.directions.iter_mut().zip(&other.directions) {
            mine.service.merge(&theirs.service);
            mine.response.merge(&theirs.response);
            mine.submit.merge(&theirs.submit);
            mine.bytes += theirs.bytes;
            mine.errors += theirs.errors;
            mine.short += theirs.short;
        }
        self.lag.merge(&other.lag);
        self.look_gap.merge(&other.look_gap);
        self.in_flight_integral_ns += other.in_flight_integral_ns;
        self.arrivals += other.arrivals;
        self.delayed += other.delayed;
        self.extended += other.extended;
        self.breaches.merge(&other.breaches);
        self.thread_cpu_ns += other.thread_cpu_ns;
        self.process_user_ns += other.process_user_ns;
        self.process_system_ns += other.process_system_ns;
    }

    /// I/Os that ended well, over all directions.
    pub fn operations(&self) -> u64 {
        self.directions.iter().map(|d| d.service.count()).sum()
    }

    /// The same without flushes, which have no address.
    pub fn placed_operations(&self) -> u64 {
        self.operations() - self.directions[Direction::Flush.index()].service.count()
    }

    /// Bytes moved, over all directions.
    pub fn bytes(&self) -> u64 {
        self.directions.iter().map(|d| d.bytes).sum()
    }

    /// I/Os that failed or came up short, over all directions.
    pub fn errors(&self) -> u64 {
        self.directions.iter().map(|d| d.errors + d.short).sum()
    }
}
