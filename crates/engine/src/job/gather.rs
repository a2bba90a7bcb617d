//! Adds up what the jobs counted: a series of seconds, and the measured window's totals.

use std::collections::BTreeMap;
use std::sync::Arc;

use fathom_record::facts::{EngineFacts, FabricQueue, Outages};
use fathom_record::latency::SparseHistogram;
use fathom_record::run_record::{JobDirection, JobStart, JobSummary};
use fathom_record::{Direction, DirectionInterval, Interval, Standstill, WallFacts};

use super::io_failures::Failure;
use super::job_accounts::{Account, LiveAccounts};
use super::tally::{DirectionTally, Tally};
use super::timeline::{Phase, Timeline};
use crate::priority::PriorityTally;
use crate::readback::ReadBackTally;
use crate::verify::VerifyReport;
use fathom_sim::SimParameters;

/// Sees each interval of all jobs together as it is complete.
pub type Observer<'a> = dyn FnMut(&Tally) + 'a;

/// What a job said when it ended.
#[derive(Debug)]
pub struct JobEnding {
    /// Number of the job.
    pub job: u32,
    /// Processor it was bound to.
    pub cpu: Option<u32>,
    /// When it began, where time is real.
    pub start: Option<JobStart>,
    /// Its engine's facts.
    pub facts: EngineFacts,
    /// The failure that ended it.
    pub fatal: Option<Failure>,
    /// The first failures.
    pub failures: Vec<Failure>,
    /// What its engine's verification found, if it verified.
    pub verified: Option<VerifyReport>,
}

/// Everything the I/O loop measured.
#[derive(Debug)]
pub struct Measurement {
    /// The run's time.
    pub timeline: Timeline,
    /// Length of the measured window.
    pub window_ns: u64,
    /// Time from the first I/O to the last completion.
    pub exposed_ns: u64,
    /// Counts of the measured window, all jobs.
    pub total: Tally,
    /// Counts of the whole run, warm-up and drain included, all jobs.
    pub whole: Tally,
    /// Second by second, warm-up included.
    pub intervals: Vec<Interval>,
    /// Each job's share.
    pub jobs: Vec<JobSummary>,
    /// Each target's share, where there are several.
    pub targets: Vec<TargetTotals>,
    /// The engine's facts.
    pub engine: EngineFacts,
    /// The failure that ended the run.
    pub fatal: Option<Failure>,
    /// The first failures of each job.
    pub failures: Vec<Failure>,
    /// What verification found over all jobs, if any verified.
    pub verified: Option<VerifyReport>,
    /// Whether the run was stopped from outside.
    pub interrupted: bool,
    /// Simulated devices as the run left them; empty for other targets.
    pub left: Vec<SimParameters>,
    /// What came of each priority, where single I/Os have one of their own.
    pub priorities: Vec<PriorityTally>,
    /// The wall around the jobs' threads; absent where they have none of their own.
    pub wall: Option<WallFacts>,
    /// When nothing could go on, with times from the start; always empty in simulated time.
    pub standstills: Vec<Standstill>,
    /// Each job by itself, drain included; empty unless it was asked for.
    pub accounts: Vec<Account>,
    /// What was read back and checked after the measurement, of all targets.
    pub read_back: Option<ReadBackTally>,
    /// Losses of connections that did not end the run; absent where a loss ends it.
    pub outages: Option<Outages>,
    /// What each queue of a namespace on the network carried; empty for every other target.
    pub queues: Vec<FabricQueue>,
}

/// What one target of several got.
#[derive(Debug, Default)]
pub struct TargetTotals {
    /// Jobs that worked on it.
    pub jobs: u32,
    /// Counts of the measured window.
    pub total: Tally,
    /// I/Os with an address that ended well in the whole run, warm-up and drain included.
    pub placed_ios: u64,
}

#[derive(Debug, Default)]
struct JobTotals {
    operations: u64,
    bytes: u64,
    errors: u64,
    in_flight_integral_ns: u64,
    thread_cpu_ns: u64,
    /// End of the last interval that arrived.
    until_ns: u64,
    /// By [`Direction::index`].
    directions: [DirectionTotals; 4],
}

/// A job's counts of one direction; whole distributions of each job would take too much memory.
#[derive(Debug, Default)]
struct DirectionTotals {
    operations: u64,
    bytes: u64,
    errors: u64,
    service_sum_ns: u128,
    service_min_ns: Option<u64>,
    service_max_ns: Option<u64>,
}

impl DirectionTotals {
    fn add(&mut self, tally: &DirectionTally) {
        self.operations += tally.service.count();
        self.bytes += tally.bytes;
        self.errors += tally.errors + tally.short;
        self.service_sum_ns += tally.service.sum();
        self.service_min_ns = self.service_min_ns.into_iter().chain(tally.service.min()).min();
        self.service_max_ns = self.service_max_ns.max(tally.service.max());
    }

    fn summary(&self, direction: Direction) -> Option<JobDirection> {
        let mean_ns = || self.service_sum_ns as f64 / self.operations as f64;
        (self.operations + self.errors > 0).then(|| JobDirection {
            direction,
            operations: self.operations,
            bytes: self.bytes,
            errors: Some(self.errors),
            service_min_ns: self.service_min_ns,
            service_mean_ns: (self.operations > 0).then(mean_ns),
            service_max_ns: self.service_max_ns,
        })
    }
}

/// Whether each job is kept by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accounts {
    /// Only what a record holds of it.
    #[default]
    None,
    /// Its counts and latencies in whole, and its counts of each second.
    Counts,
    /// The same with the latencies of each second.
    WithLatencies,
}

/// Adds tallies up as they come.
#[derive(Debug)]
pub struct TallyCollector {
    timeline: Timeline,
    open: bool,
    pending: BTreeMap<u64, Tally>,
    jobs: Vec<JobTotals>,
    /// Target of each job; empty where there is one.
    target_of: Vec<u32>,
    targets: Vec<TargetTotals>,
    accounts: Vec<Account>,
    /// Where the accounts can be read while the run goes on.
    live: Option<Arc<LiveAccounts>>,
    /// Whether the accounts' seconds have latencies.
    latencies: bool,
    finished: Vec<bool>,
    total: Tally,
    whole: Tally,
    intervals: Vec<Interval>,
    /// The last interval that was complete, before it joins the series.
    last: Option<Tally>,
}

impl TallyCollector {
    /// For `jobs` jobs; `open` when arrivals are, so that response latencies exist.
    pub fn new(timeline: Timeline, jobs: u32, open: bool) -> Self {
        Self {
            timeline,
            open,
            pending: BTreeMap::new(),
            jobs: (0..jobs).map(|_| JobTotals::default()).collect(),
            target_of: Vec::new(),
            targets: Vec::new(),
            accounts: Vec::new(),
            live: None,
            latencies: false,
            finished: vec![false; jobs as usize],
            total: Tally::default(),
            whole: Tally::default(),
            intervals: Vec::new(),
            last: None,
        }
    }

    /// Also keeps the targets apart; `target_of` names each job's.
    pub fn spread_over(mut self, target_of: Vec<u32>) -> Self {
        let targets = target_of.iter().max().map_or(0, |last| last + 1);
        if targets > 1 {
            self.targets = (0..targets).map(|_| TargetTotals::default()).collect();
            for target in &target_of {
                self.targets[*target as usize].jobs += 1;
            }
            self.target_of = target_of;
        }
        self
    }

    /// Also keeps the jobs' accounts.
    pub fn accounting(mut self, accounts: Accounts) -> Self {
        if accounts != Accounts::None {
            self.accounts = self.jobs.iter().map(|_| Account::default()).collect();
            self.latencies = accounts == Accounts::WithLatencies;
        }
        self
    }

    /// Also shows the accounts as they grow.
    pub fn shown_in(mut self, live: Option<Arc<LiveAccounts>>) -> Self {
        self.live = live;
        self
    }

    /// Takes one job's tally.
    pub fn take(&mut self, job: u32, tally: &Tally) {
        let totals = &mut self.jobs[job as usize];
        totals.until_ns = totals.until_ns.max(tally.end_ns);
        if let Some(account) = self.accounts.get_mut(job as usize) {
            account.take(tally, self.timeline.warmup_ns, self.open, self.latencies);
        }
        if tally.phase == Phase::Measured {
            totals.operations += tally.operations();
            totals.bytes += tally.bytes();
            totals.errors += tally.errors();
            totals.in_flight_integral_ns += tally.in_flight_integral_ns;
            totals.thread_cpu_ns += tally.thread_cpu_ns;
            for (sum, counts) in totals.directions.iter_mut().zip(&tally.directions) {
                sum.add(counts);
            }
        }
        if let Some(target) = self.target_of.get(job as usize) {
            let target = &mut self.targets[*target as usize];
            target.placed_ios += tally.placed_operations();
            if tally.phase == Phase::Measured {
                target.total.merge(tally);
            }
        }
        let entry = self.pending.entry(tally.start_ns).or_insert_with(|| {
            let mut fresh = Tally::default();
            fresh.begin(tally.start_ns, tally.end_ns, tally.phase);
            fresh
        });
        entry.end_ns = entry.end_ns.max(tally.end_ns);
        entry.merge(tally);
    }

    /// Notes that a job will send nothing more.
    pub fn finish(&mut self, job: u32) {
        self.finished[job as usize] = true;
    }

    /// End of the first pending interval. A job that handed several seconds over as one makes one of
    /// the others' too: an interval that begins before the end of an earlier one belongs to it.
    fn first_end_ns(&self) -> Option<u64> {
        let mut tallies = self.pending.values();
        let mut end_ns = tallies.next()?.end_ns;
        while let Some(tally) = tallies.next().filter(|tally| tally.start_ns < end_ns) {
            end_ns = end_ns.max(tally.end_ns);
        }
        Some(end_ns)
    }

    /// Takes all that belongs to the first pending interval, which ends at `end_ns`.
    fn take_first(&mut self, end_ns: u64) -> Option<Tally> {
        let (_, mut first) = self.pending.pop_first()?;
        first.end_ns = end_ns;
        while let Some(entry) = self.pending.first_entry()
            && *entry.key() < end_ns
        {
            first.merge(&entry.remove());
        }
        Some(first)
    }

    /// Puts an interval into the series.
    fn append(&mut self, tally: Tally) {
        match &mut self.last {
            // Nothing lasted: the run's last I/O ended with the interval before.
            Some(last) if tally.end_ns == tally.start_ns => {
                if last.phase == tally.phase {
                    last.merge(&tally);
                }
            }
            _ => {
                self.append_last();
                self.last = Some(tally);
            }
        }
    }

    fn append_last(&mut self) {
        if let Some(last) = self.last.take().filter(|last| last.end_ns > last.start_ns) {
            self.intervals.push(interval_of(&last, self.open));
        }
    }

    /// Completes the intervals that no job can add to any more.
    pub fn settle(&mut self, observe: &mut Observer<'_>) {
        let open_jobs = self.jobs.iter().zip(&self.finished).filter(|(_, finished)| !**finished);
        let mut settled = false;
        let settled_ns = open_jobs.map(|(totals, _)| totals.until_ns).min().unwrap_or(u64::MAX);
        while let Some(end_ns) = self.first_end_ns().filter(|end_ns| *end_ns <= settled_ns)
            && let Some(tally) = self.take_first(end_ns)
        {
            observe(&tally);
            self.whole.merge(&tally);
            if tally.phase == Phase::Measured {
                self.total.merge(&tally);
            }
            settled = true;
            if tally.phase != Phase::Drain {
                self.append(tally);
            }
        }
        if let Some(live) = self.live.as_ref().filter(|_| settled) {
            live.put(&self.accounts);
        }
    }

    /// The sum of it all. Every job has ended.
    pub fn conclude(
        mut self,
        endings: Vec<JobEnding>,
        interrupted: bool,
        observe: &mut Observer<'_>,
    ) -> Measurement {
        self.finished.fill(true);
        self.settle(observe);
        self.append_last();
        let exposed_ns = self.jobs.iter().map(|job| job.until_ns).max().unwrap_or(0);
        let window_ns = exposed_ns.min(self.timeline.end_ns).saturating_sub(self.timeline.warmup_ns);
        let share = |ns: u64| if window_ns == 0 { 0.0 } else { ns as f64 / window_ns as f64 };
        let per_s = |count: u64| (window_ns > 0).then(|| count as f64 * 1e9 / window_ns as f64);
        let jobs = self.jobs.iter().zip(&endings).map(|(totals, ending)| JobSummary {
            job: ending.job,
            target: self.target_of.get(ending.job as usize).copied(),
            cpu: ending.cpu,
            placement: None,
            start: ending.start,
            operations: Some(totals.operations),
            bytes: Some(totals.bytes),
            errors: Some(totals.errors),
            operations_per_s: per_s(totals.operations),
            in_flight_mean: Some(share(totals.in_flight_integral_ns)),
            busy_share: Some(share(totals.thread_cpu_ns)),
            directions: Direction::ALL
                .into_iter()
                .zip(&totals.directions)
                .filter_map(|(direction, totals)| totals.summary(direction))
                .collect(),
        });
        let jobs = jobs.collect();
        let engine = facts_of_all(&endings).expect("a run has at least one job");
        let verified = endings.iter().filter_map(|ending| ending.verified.clone()).reduce(|mut sum, next| {
            sum.merge(&next);
            sum
        });
        Measurement {
            verified,
            timeline: self.timeline,
            window_ns,
            exposed_ns,
            total: self.total,
            whole: self.whole,
            intervals: self.intervals,
            jobs,
            targets: self.targets,
            engine,
            fatal: endings.iter().find_map(|ending| ending.fatal),
            failures: endings.into_iter().flat_map(|ending| ending.failures).collect(),
            interrupted,
            left: Vec::new(),
            priorities: Vec::new(),
            wall: None,
            standstills: Vec::new(),
            accounts: self.accounts,
            read_back: None,
            outages: None,
            queues: Vec::new(),
        }
    }
}

/// The facts of the jobs' engines as one: a feature counts as used only where all jobs had it, as a
/// limit of the machine may be reached by some.
fn facts_of_all(endings: &[JobEnding]) -> Option<EngineFacts> {
    let mut facts = endings.first()?.facts.clone();
    for feature in &mut facts.features {
        let of_each = || endings.iter().flat_map(|ending| &ending.facts.features);
        let lacking = || of_each().filter(|other| other.name == feature.name && !other.used);
        let without = lacking().count();
        if without > 0 && without < endings.len() {
            let why = lacking().find_map(|other| other.note.as_deref()).unwrap_or("no reason was given");
            let note = format!("not in {without} of {} jobs: {why}", endings.len());
            feature.refused = lacking().any(|other| other.refused);
            (feature.used, feature.note) = (false, Some(note));
        }
    }
    Some(facts)
}

/// A tally as an entry of the series; response latencies are those of open arrivals.
pub fn interval_of(tally: &Tally, open: bool) -> Interval {
    let directions = Direction::ALL.into_iter().zip(&tally.directions).filter_map(|(direction, counts)| {
        let used = counts.service.count() > 0 || counts.errors > 0 || counts.short > 0;
        used.then(|| DirectionInterval {
            direction,
            operations: counts.service.count(),
            bytes: counts.bytes,
            errors: counts.errors + counts.short,
            service: SparseHistogram::from(&counts.service),
            response: open.then(|| SparseHistogram::from(&counts.response)),
        })
    });
    Interval {
        start_ns: tally.start_ns,
        duration_ns: tally.end_ns - tally.start_ns,
        warmup: tally.phase == Phase::Warmup,
        in_flight_integral_ns: tally.in_flight_integral_ns,
        directions: directions.collect(),
    }
}

#[cfg(test)]
#[path = "gather_tests.rs"]
mod tests;
