//! Finds out whether the process stood still, from a thread that wakes up all the time.
//!
//! A thread that sleeps for 20 ms at a time and wakes up much later was either kept waiting for a
//! processor, or was not to run at all: the process was stopped or frozen, the machine suspended or
//! paused. The kernel counts the wait for a processor of each thread (`schedstat`), so the rest of
//! the gap is a standstill. A paused virtual processor holds up one thread only: while the process as a whole
//! goes on using processor time, nothing stood still.

#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
mod platform;
#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod platform;

use std::time::Duration;

use fathom_measure::Clock;
use fathom_record::Standstill;

use super::usage::Usage;

/// Gaps that leave less than this unexplained are late wake-ups: timers of a virtual machine are some milliseconds
/// late at times, and some tens on a busy host.
const GAP_MIN_NS: u64 = 50_000_000;
/// Processor time that a process may use in a gap and have stood still: what its threads did between the end of
/// the standstill and this thread's turn.
const STIR_NS: u64 = 10_000_000;

/// What is read at each look.
#[derive(Clone, Copy, Debug, Default)]
struct StandstillReading {
    /// Time of the run's clock.
    now_ns: u64,
    /// Time for which this thread has waited for a processor so far; 0 where the kernel does not count it.
    waited_ns: u64,
    /// Time for which the machine has been suspended so far.
    suspended_ns: u64,
    /// Processor time that the process has used so far.
    busy_ns: u64,
}

/// Gaps in the life of one thread.
#[derive(Debug)]
pub struct StandstillDetector<C> {
    clock: C,
    period_ns: u64,
    /// How long the thread that keeps the vigil has waited for a processor.
    waits: platform::Waits,
    first: StandstillReading,
    last: StandstillReading,
    found: Vec<Standstill>,
}

impl<C: Clock> StandstillDetector<C> {
    /// Begins now, on the thread that will look; it means to wake up every `period`.
    pub fn begin(clock: C, period: Duration) -> Self {
        let period_ns = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX);
        let mut vigil = Self {
            clock,
            period_ns,
            waits: platform::Waits::of_this_thread(),
            first: StandstillReading::default(),
            last: StandstillReading::default(),
            found: Vec::new(),
        };
        vigil.first = vigil.read();
        vigil.last = vigil.first;
        vigil
    }

    /// Right after waking up.
    pub fn woke(&mut self) {
        let now = self.read();
        if let Some(still_ns) = stood_still_ns(&self.first, &self.last, &now, self.period_ns) {
            self.found.push(Standstill {
                at_ns: self.last.now_ns.saturating_sub(self.first.now_ns),
                duration_ns: still_ns,
            });
        }
        self.last = now;
    }

    /// Right before going to sleep: what the thread did since it woke up is no gap.
    pub fn sleeps(&mut self) {
        self.last = self.read();
    }

    /// What was found, with times from the beginning.
    pub fn end(self) -> Vec<Standstill> {
        self.found
    }

    fn read(&self) -> StandstillReading {
        StandstillReading {
            now_ns: self.clock.now_ns(),
            waited_ns: self.waits.waited_ns().unwrap_or(0),
            suspended_ns: platform::suspended_ns(),
            busy_ns: Usage::of_process().total_ns(),
        }
    }
}

/// For how long nothing went on between two looks; `None` where something did.
fn stood_still_ns(
    first: &StandstillReading,
    last: &StandstillReading,
    now: &StandstillReading,
    period_ns: u64,
) -> Option<u64> {
    let passed_ns = now.now_ns.saturating_sub(last.now_ns);
    let waited_ns = now.waited_ns.saturating_sub(last.waited_ns);
    let gap_ns = passed_ns.saturating_sub(waited_ns).saturating_sub(period_ns);
    // The clock may stand still in a suspended machine, or go on.
    let suspended_ns = now.suspended_ns.saturating_sub(last.suspended_ns);
    if suspended_ns >= GAP_MIN_NS {
        return Some(suspended_ns.max(gap_ns));
    }
    let busy_ns = now.busy_ns.saturating_sub(last.busy_ns);
    let before_ns = last.now_ns.saturating_sub(first.now_ns).max(1);
    let usual = last.busy_ns.saturating_sub(first.busy_ns) as f64 / before_ns as f64;
    let stir_ns = (usual * passed_ns as f64 / 2.0).max(STIR_NS as f64);
    (gap_ns >= GAP_MIN_NS && busy_ns as f64 <= stir_ns).then_some(gap_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// After two seconds at half a processor: a look `passed` later with the other figures grown, in ms.
    fn after(passed: u64, waited: u64, suspended: u64, busy: u64) -> Option<u64> {
        let last = StandstillReading {
            now_ns: 2000 * MS,
            waited_ns: 70 * MS,
            suspended_ns: 9 * MS,
            busy_ns: 1000 * MS,
        };
        let now = StandstillReading {
            now_ns: last.now_ns + passed * MS,
            waited_ns: last.waited_ns + waited * MS,
            suspended_ns: last.suspended_ns + suspended * MS,
            busy_ns: last.busy_ns + busy * MS,
        };
        stood_still_ns(&StandstillReading::default(), &last, &now, 20 * MS).map(|ns| ns / MS)
    }

    #[test]
    fn a_stopped_process_is_told_from_a_busy_machine_and_from_a_late_timer() {
        assert_eq!(after(3020, 0, 0, 0), Some(3000), "stopped for three seconds");
        assert_eq!(after(3030, 10, 0, 9), Some(3000), "stopped, and late for its turn after that");
        assert_eq!(after(21, 1, 0, 10), None);
        assert_eq!(after(69, 0, 0, 0), None, "a late timer");
        assert_eq!(after(3000, 2950, 0, 0), None, "runnable all the time");
        assert_eq!(after(3000, 0, 0, 1500), None, "the other threads went on");
        assert_eq!(after(100, 0, 0, 20), Some(80), "they did not for most of it");
    }

    #[test]
    fn a_suspended_machine_stood_still_whether_the_clock_went_on_or_not() {
        assert_eq!(after(20, 0, 5000, 10), Some(5000));
        assert_eq!(after(5020, 0, 5000, 10), Some(5000));
    }

    #[test]
    fn the_kernel_tells_how_long_a_thread_waited() {
        if !std::path::Path::new("/proc/thread-self/schedstat").exists() {
            fathom_skips::skipped("this kernel does not count waits (CONFIG_SCHED_INFO)");
            return;
        }
        let (clock, _) = fathom_measure::WallClock::start();
        let mut vigil = StandstillDetector::begin(clock, Duration::from_millis(1));
        let waited_ns = vigil.waits.waited_ns().unwrap();
        vigil.sleeps();
        std::thread::sleep(Duration::from_millis(1));
        vigil.woke();
        assert!(vigil.waits.waited_ns().unwrap() >= waited_ns);
        assert!(vigil.last.now_ns > vigil.first.now_ns && vigil.last.busy_ns >= vigil.first.busy_ns);
    }
}
