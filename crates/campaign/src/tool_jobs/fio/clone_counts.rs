//! Runs as fio counts them: each clone by itself, with what was in flight at the end. The records keep their own
//! window.

use fathom_engine::job::{Account, DirectionAccount};
use fathom_measure::Histogram;
use fathom_record::run_record::DirectionSummary;
use fathom_record::{Direction, EndedIo, LatencySummary, RunRecord, SparseHistogram};

use crate::single_run::JobDetails;

/// A run.
#[derive(Debug)]
pub struct CountedRun {
    /// All of its clones as one.
    pub whole: RunRecord,
    /// Each clone.
    pub clones: Vec<CountedClone>,
    /// I/Os that its record does not count: they ended after the window.
    pub beyond: u64,
    /// I/Os that its logs lack.
    pub lost: u64,
}

/// One of its clones.
#[derive(Debug)]
pub struct CountedClone {
    /// As a record of its own.
    pub record: RunRecord,
    /// Its I/Os, where they are logged one by one.
    pub ios: Vec<EndedIo>,
}

impl CountedRun {
    /// From its record and what else was told of it.
    pub fn of(record: &RunRecord, told: JobDetails) -> Self {
        let JobDetails { accounts, samples, lost, .. } = told;
        if accounts.is_empty() {
            let clone = CountedClone { record: record.clone(), ios: Vec::new() };
            return Self { whole: record.clone(), clones: vec![clone], beyond: 0, lost };
        }
        let all: Vec<&Account> = accounts.iter().collect();
        let mut whole = counted(record, &all);
        whole.read_back.clone_from(&record.read_back);
        let operations = |record: &RunRecord| -> u64 {
            let data = record.summary.directions.iter().filter(|of| of.direction != Direction::Flush);
            data.filter_map(|of| of.operations).sum()
        };
        let beyond = operations(&whole).saturating_sub(operations(record));
        let mut samples = samples.into_iter();
        let clones = accounts.iter().enumerate().map(|(number, account)| CountedClone {
            record: one_clone(record, (number, accounts.len()), account),
            ios: samples.next().unwrap_or_default(),
        });
        Self { whole, clones: clones.collect(), beyond, lost }
    }
}

/// One job of a run, as if the run were its own. The process's time, switches and faults are
/// shared out evenly.
fn one_clone(record: &RunRecord, (number, clones): (usize, usize), account: &Account) -> RunRecord {
    let mut own = counted(record, &[account]);
    own.workload.jobs = 1;
    own.jobs.retain(|job| job.job as usize == number);
    own.intervals.clone_from(&account.intervals);
    own.read_back = account.read_back.as_ref().map(|tally| Box::new(tally.summary()));
    let window_ns = record.summary.duration_ns.max(1) as f64;
    own.summary.in_flight_mean = Some(account.in_flight_integral_ns as f64 / window_ns);
    for time_ns in [&mut own.summary.cpu_user_ns, &mut own.summary.cpu_system_ns].into_iter().flatten() {
        *time_ns /= clones.max(1) as u64;
    }
    // Switches and faults are the process's too.
    let of_process = own.telemetry.series.iter_mut().filter(|series| series.metric.starts_with("process."));
    of_process.flat_map(|series| &mut series.values).flatten().for_each(|value| *value /= clones as f64);
    if clones > 1 {
        own.priorities.clear();
    } else {
        own.intervals.clone_from(&record.intervals);
    }
    own
}

/// The record with the numbers of these accounts in place of its window's.
fn counted(record: &RunRecord, accounts: &[&Account]) -> RunRecord {
    let mut own = record.clone();
    let duration_ns = accounts.iter().map(|account| account.duration_ns).max().unwrap_or(0);
    own.summary.duration_ns = duration_ns;
    let flushes_at_end = record.workload.special.as_ref().is_some_and(|special| special.flush_at_end);
    own.summary.directions = Direction::ALL
        .into_iter()
        .filter_map(|direction| {
            let of = |account: &&Account| {
                // One of each job that fio does not count as an I/O.
                let uncounted = u64::from(flushes_at_end && direction == Direction::Flush);
                (account.directions.iter().filter(|of| of.direction == direction).count() as u64)
                    .min(uncounted)
            };
            let uncounted: u64 = accounts.iter().map(of).sum();
            let all = accounts.iter().flat_map(|account| &account.directions);
            summary(direction, all.filter(|of| of.direction == direction), duration_ns, uncounted)
        })
        .collect();
    own
}

fn summary<'a>(
    direction: Direction,
    accounts: impl Iterator<Item = &'a DirectionAccount>,
    duration_ns: u64,
    uncounted: u64,
) -> Option<DirectionSummary> {
    let (mut bytes, mut errors) = (0, 0);
    let (mut service, mut response) = (Histogram::new(), Histogram::new());
    for account in accounts {
        bytes += account.bytes;
        errors += account.errors;
        service.merge(&account.service);
        response.merge(&account.response);
    }
    let operations = service.count().saturating_sub(uncounted);
    let per_s = |count: u64| if duration_ns > 0 { count as f64 * 1e9 / duration_ns as f64 } else { 0.0 };
    (operations + errors > 0).then(|| DirectionSummary {
        direction: direction.into(),
        operations: Some(operations),
        bytes: Some(bytes),
        errors: Some(errors),
        operations_per_s: per_s(operations),
        throughput_bytes_per_s: per_s(bytes),
        service: LatencySummary::of(&service),
        response: LatencySummary::of(&response),
        submit: None,
        service_histogram: Some(SparseHistogram::from(&service)),
        response_histogram: (!response.is_empty()).then(|| SparseHistogram::from(&response)),
        completion: None,
        completion_histogram: None,
    })
}
