//! Reads the seconds of finished runs again and judges them: steadiness, changes of level, quantiles with
//! their intervals, cliffs and modes, and what the runs of a workload come to together.
//!
//! Run by run, on several threads with a connection of their own each: what is held at a time is the series
//! of as many runs as there are threads, and a few kilobytes of every run that is done.

mod pooled_runs;
mod seconds;

use std::sync::atomic::{AtomicUsize, Ordering};

use fathom_order::InOrder;
use fathom_record::RunRecord;
use fathom_record::analysis_record::{AnalysedRun, Analysis};
use fathom_stats::exposure::{Exposure, Knowledge, guard};
use fathom_stats::stopping::within::within_run_interval;
use fathom_store::{RunFilter, Store, StoreError};

use crate::assess_campaign::capacity_bytes;
use fathom_plan::title_of;
use pooled_runs::together;
use seconds::Seconds;
pub use seconds::WHOLE_SECOND_NS;

/// What is analysed.
#[derive(Clone, Copy, Debug)]
pub enum AnalysisSubject<'a> {
    /// The run with this id.
    Run(&'a str),
    /// All runs of the campaign with this id.
    Campaign(&'a str),
}

/// What is kept of a run beside its seconds.
struct AnalysedRunFacts {
    run: String,
    step: Option<String>,
    target: String,
    workload: fathom_record::Workload,
    title: String,
    resolution_ns: u64,
    knowledge: Knowledge,
    exposure: Exposure,
}

/// Analyses a run or a campaign on `threads` threads. `open` opens the store for reading, once a thread.
///
/// # Errors
/// When the store cannot be opened or listed. A run that cannot be read is named in the result.
pub fn analyse(
    open: &(dyn Fn() -> Result<Store, StoreError> + Sync),
    subject: AnalysisSubject<'_>,
    threads: usize,
) -> Result<Analysis, StoreError> {
    let (of, ids) = match subject {
        AnalysisSubject::Run(id) => (id, vec![id.to_owned()]),
        AnalysisSubject::Campaign(id) => (id, runs_of(&open()?, id)?),
    };
    let mut unreadable = Vec::new();
    let heads = in_parallel(open, &ids, threads, |store, id| store.run_without_series(id).map(head_of))?;
    let mut heads = kept(heads, &mut unreadable);
    expose(&mut heads);
    let runs = in_parallel(open, &heads, threads, analyse_one)?;
    let named = heads.iter().zip(runs).map(|(head, run)| run.map(|run| (head, run))).collect();
    let (heads, runs): (Vec<&AnalysedRunFacts>, Vec<AnalysedRun>) =
        kept(named, &mut unreadable).into_iter().unzip();
    let (workloads, runs) = together(&heads, runs);
    let (format, version) = (Analysis::FORMAT.to_owned(), Analysis::VERSION);
    Ok(Analysis { format, version, command: None, of: of.to_owned(), workloads, runs, unreadable })
}

/// Ids of a campaign's runs, oldest first.
fn runs_of(store: &Store, campaign: &str) -> Result<Vec<String>, StoreError> {
    let filter = RunFilter { campaign: Some(campaign.to_owned()), ..RunFilter::default() };
    Ok(store.runs(&filter)?.into_iter().rev().map(|row| row.id).collect())
}

/// What was read; the rest is named in the result by the errors' texts.
fn kept<T>(results: Vec<Result<T, StoreError>>, unreadable: &mut Vec<String>) -> Vec<T> {
    let named =
        |result: Result<T, StoreError>| result.map_err(|error| unreadable.push(error.to_string())).ok();
    results.into_iter().filter_map(named).collect()
}

fn head_of(run: RunRecord) -> AnalysedRunFacts {
    let window = run.summary.operations().unwrap_or(0);
    let window_s = run.summary.duration_ns as f64 / 1e9;
    // The warm-up is in the seconds under load; its I/Os came at about the window's rate.
    let warmed = if window_s > 0.0 { (run.ledger.seconds / window_s).max(1.0) } else { 1.0 };
    let capacity = capacity_bytes(&run.target).or(run.ledger.span_bytes).unwrap_or(0);
    AnalysedRunFacts {
        exposure: Exposure::of_run(&run.ledger, (window as f64 * warmed) as u64, capacity),
        knowledge: Knowledge::of(&run),
        title: format!("{} on {}", title_of(&run.workload), run.target.name),
        target: run.target.name,
        resolution_ns: run.clock.as_ref().map_or(1, |clock| clock.resolution_ns.max(1)),
        run: run.id,
        step: run.campaign.map(|link| link.step),
        workload: run.workload,
    }
}

/// Adds to each run's exposure that of the runs on the same target before it.
fn expose(heads: &mut [AnalysedRunFacts]) {
    let mut before: std::collections::BTreeMap<String, Exposure> = std::collections::BTreeMap::new();
    for head in heads {
        let all = match before.get(&head.target) {
            Some(earlier) => earlier.then(head.exposure),
            None => head.exposure,
        };
        before.insert(head.target.clone(), all);
        head.exposure = all;
    }
}

fn analyse_one(store: &Store, head: &AnalysedRunFacts) -> Result<AnalysedRun, StoreError> {
    let response = head.workload.arrival.is_open();
    let seconds = Seconds::read(store, &head.run, response)?;
    let steadiness = seconds.judged(&guard(&head.knowledge, &head.exposure));
    let latencies = seconds.latencies(head.resolution_ns);
    let rates = &seconds.rates;
    let within = within_run_interval(rates).and_then(|interval| interval.half_width_share());
    Ok(AnalysedRun {
        run: head.run.clone(),
        step: head.step.clone(),
        workload: 0,
        seconds: rates.len() as u32,
        rate_per_s: fathom_stats::student::mean(rates),
        within_half_width_share: within,
        steadiness,
        levels: seconds.levels(),
        response,
        quantiles: latencies.quantiles,
        cliffs: latencies.cliffs,
        modes: latencies.modes,
        explanations: latencies.explanations,
    })
}

/// Does something with each item, on several threads; results in the order of the items.
fn in_parallel<I: Sync, T: Send>(
    open: &(dyn Fn() -> Result<Store, StoreError> + Sync),
    items: &[I],
    threads: usize,
    work: impl Fn(&Store, &I) -> T + Sync,
) -> Result<Vec<T>, StoreError> {
    let next = AtomicUsize::new(0);
    let share = || -> Result<Vec<(usize, T)>, StoreError> {
        let store = open()?;
        let mut done = Vec::new();
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(at)
        {
            done.push((at, work(&store, item)));
        }
        Ok(done)
    };
    let threads = threads.clamp(1, items.len().max(1));
    let shares: Vec<Result<Vec<(usize, T)>, StoreError>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(share)).collect();
        let own = share();
        let others = workers.into_iter().map(|worker| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        std::iter::once(own).chain(others).collect()
    });
    let mut all: Vec<(usize, T)> =
        shares.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    all.put_in_order_by_key(|(at, _)| *at);
    Ok(all.into_iter().map(|(_, result)| result).collect())
}
