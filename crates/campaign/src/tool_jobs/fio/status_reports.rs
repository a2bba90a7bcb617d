//! What a command prints while its jobs run: the state of all I/Os so far, at each end of a stretch of time.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fathom_engine::job::{Account, LiveAccounts};
use fathom_measure::{Clock, WallClock};
use fathom_record::{Interval, RunRecord};
use fathom_telemetry::process::{ProcessUsage, usage};

use super::clone_counts::CountedRun;
use crate::single_run::JobDetails;

/// How long after the end of a stretch it is reported: jobs hand over a second when the next one has begun.
const GRACE: Duration = Duration::from_millis(250);

/// Takes the runs of each job as they are.
pub type StatusCallback<'a> = dyn Fn(&[Vec<&CountedRun>]) + Sync + 'a;

/// Reports on jobs while they run.
pub struct StatusReports<'a> {
    every: Duration,
    show: &'a StatusCallback<'a>,
    clock: WallClock,
    /// When the first I/O of the command may begin, on the clock.
    begun_ns: OnceLock<u64>,
}

impl std::fmt::Debug for StatusReports<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StatusReports").field("every", &self.every).finish_non_exhaustive()
    }
}

impl<'a> StatusReports<'a> {
    /// At each end of a stretch of this length.
    pub fn new(every: Duration, show: &'a StatusCallback<'a>) -> Self {
        Self { every, show, clock: WallClock::start_on_system_clock().0, begun_ns: OnceLock::new() }
    }

    /// Runs a stage, and shows meanwhile what came before it and what is known of its runs.
    pub(super) fn beside<T>(
        &self,
        before: &[Vec<CountedRun>],
        running: &[RunningJob],
        run: impl FnOnce() -> T,
    ) -> T {
        let begun_ns = *self.begun_ns.get_or_init(|| self.clock.now_ns());
        let process = usage();
        std::thread::scope(|scope| {
            let (end, ended) = mpsc::channel::<()>();
            scope.spawn(move || {
                let elapsed = || Duration::from_nanos(self.clock.now_ns().saturating_sub(begun_ns));
                while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(self.until_next(elapsed())) {
                    self.report(before, running, process);
                }
            });
            let outcome = run();
            drop(end);
            outcome
        })
    }

    /// Time until the next report is due, so long after the start.
    fn until_next(&self, elapsed: Duration) -> Duration {
        let past = elapsed.saturating_sub(GRACE).as_nanos() / self.every.as_nanos().max(1) + 1;
        let due = self.every.saturating_mul(u32::try_from(past).unwrap_or(u32::MAX)) + GRACE;
        due.saturating_sub(elapsed)
    }

    fn report(&self, before: &[Vec<CountedRun>], running: &[RunningJob], process: Option<ProcessUsage>) {
        let counted: Vec<(usize, CountedRun)> =
            running.iter().filter_map(|run| Some((run.job, run.counted(process)?))).collect();
        let mut all: Vec<Vec<&CountedRun>> = before.iter().map(|runs| runs.iter().collect()).collect();
        for (job, run) in &counted {
            if let Some(of_job) = all.get_mut(*job) {
                of_job.push(run);
            }
        }
        (self.show)(&all);
    }
}

/// A run of the stage that goes on.
pub(super) struct RunningJob {
    /// The place of its job among all.
    pub job: usize,
    /// Its record but for what only its end shows.
    pub record: RunRecord,
    /// What its jobs did until now.
    pub live: Arc<LiveAccounts>,
}

impl RunningJob {
    /// As it is; `None` before its first second is complete. `process` is what the process had used before it.
    fn counted(&self, process: Option<ProcessUsage>) -> Option<CountedRun> {
        let accounts = self.live.read();
        let duration_ns = accounts.iter().map(|account| account.duration_ns).max()?;
        let mut record = self.record.clone();
        record.started_at = crate::record_ids::now();
        record.intervals = together(&accounts);
        record.summary.duration_ns = duration_ns;
        let in_flight_ns: u64 = accounts.iter().map(|account| account.in_flight_integral_ns).sum();
        record.summary.in_flight_mean = Some(in_flight_ns as f64 / duration_ns.max(1) as f64);
        if let (Some(before), Some(now)) = (process, usage()) {
            record.summary.cpu_user_ns = Some(now.user_ns.saturating_sub(before.user_ns));
            record.summary.cpu_system_ns = Some(now.system_ns.saturating_sub(before.system_ns));
        }
        Some(CountedRun::of(&record, JobDetails::of(accounts)))
    }
}

/// The seconds of all jobs as those of one; latencies of single seconds are not kept.
fn together(accounts: &[Account]) -> Vec<Interval> {
    let mut sums: BTreeMap<u64, Interval> = BTreeMap::new();
    for interval in accounts.iter().flat_map(|account| &account.intervals) {
        let Some(sum) = sums.get_mut(&interval.start_ns) else {
            sums.insert(interval.start_ns, interval.clone());
            continue;
        };
        sum.duration_ns = sum.duration_ns.max(interval.duration_ns);
        sum.in_flight_integral_ns += interval.in_flight_integral_ns;
        for of in &interval.directions {
            match sum.directions.iter_mut().find(|known| known.direction == of.direction) {
                Some(known) => {
                    known.operations += of.operations;
                    known.bytes += of.bytes;
                    known.errors += of.errors;
                }
                None => sum.directions.push(of.clone()),
            }
        }
    }
    sums.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_due_at_the_end_of_each_stretch_and_none_is_made_up_for() {
        let reports = StatusReports::new(Duration::from_secs(10), &|_| {});
        let after =
            |seconds: f64| seconds + reports.until_next(Duration::from_secs_f64(seconds)).as_secs_f64();
        for (now, due) in [(0.0, 10.25), (10.1, 10.25), (10.3, 20.25), (47.0, 50.25)] {
            assert!((after(now) - due).abs() < 0.05, "{now}: {} for {due}", after(now));
        }
    }

    #[test]
    fn reports_end_with_what_they_are_about() {
        let (shown, reported) = mpsc::channel();
        let show = |_: &[Vec<&CountedRun>]| shown.send(()).unwrap();
        let reports = StatusReports::new(Duration::from_millis(20), &show);
        let begun_ns = reports.clock.now_ns();
        let elapsed_ms = || (reports.clock.now_ns() - begun_ns) / 1_000_000;
        reports.beside(&[], &[], || {
            for _ in 0..2 {
                reported.recv_timeout(Duration::from_secs(30)).expect("a second report");
            }
        });
        // No more than there were ends of stretches.
        let (most, made) = (elapsed_ms() / 20, 2 + reported.try_iter().count() as u64);
        assert!((2..=most).contains(&made), "{made} reports, of {most} at most");
    }
}
