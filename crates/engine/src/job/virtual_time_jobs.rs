//! Runs jobs on one thread and a virtual clock: the same loop, with time that moves only to events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_measure::{Clock, VirtualClock};
use fathom_order::InOrder;

use super::crew::{CrewPlan, Ends};
use super::gather::{JobEnding, Measurement, Observer, TallyCollector};
use super::runner::{FilledBuffers, Job, JobPlan, TurnResult};
use super::timeline::Timeline;
use crate::{Engine, EngineError};

/// Runs all jobs to their end in simulated time.
///
/// # Errors
/// When an engine cannot be made or breaks.
pub fn run<E: Engine>(
    plan: CrewPlan<'_>,
    clock: &VirtualClock,
    build: impl Fn(&JobPlan) -> Result<E, EngineError>,
    observe: &mut Observer<'_>,
) -> Result<Measurement, EngineError> {
    let timeline = Timeline::new(clock.now_ns(), plan.length);
    let target_of = plan.jobs.iter().map(|job| job.target).collect();
    let mut gather = TallyCollector::new(timeline, plan.jobs.len() as u32, plan.open).spread_over(target_of);
    let halt = Arc::new(AtomicBool::new(false));
    let mut jobs = Vec::with_capacity(plan.jobs.len());
    for job in plan.jobs {
        let (end, exchange) = Ends::new();
        let number = job.job;
        let engine = build(&job)?;
        let unfilled = FilledBuffers::default();
        let runner = Job::new(engine, clock.clone(), timeline, job, unfilled, exchange, Arc::clone(&halt));
        jobs.push(SimulatedJob { number, runner: Some(runner), end, until_ns: 0 });
    }
    let mut endings = Vec::with_capacity(jobs.len());
    while endings.len() < jobs.len() {
        let now = clock.now_ns() - timeline.origin_ns;
        for seat in jobs.iter_mut().filter(|seat| seat.runner.is_some() && seat.until_ns <= now) {
            if let Some(ending) = seat.turn(&mut gather)? {
                endings.push(ending);
            }
        }
        gather.settle(observe);
        halt.fetch_or(plan.conduct.stop.load(Ordering::Relaxed), Ordering::Relaxed);
        let next = jobs.iter().filter(|seat| seat.runner.is_some()).map(|seat| seat.until_ns).min();
        clock.advance_to(timeline.origin_ns + next.unwrap_or(now));
    }
    endings.put_in_order_by_key(|ending| ending.job);
    Ok(gather.conclude(endings, plan.conduct.stop.load(Ordering::Relaxed), observe))
}

/// One job at the simulated table.
struct SimulatedJob<E, C> {
    number: u32,
    runner: Option<Job<E, C>>,
    end: Ends,
    until_ns: u64,
}

impl<E: Engine, C: Clock> SimulatedJob<E, C> {
    /// One turn; the job's ending when that was its last.
    fn turn(&mut self, gather: &mut TallyCollector) -> Result<Option<JobEnding>, EngineError> {
        let Some(runner) = &mut self.runner else { return Ok(None) };
        let turn = runner.turn(false)?;
        self.end.drain(self.number, gather);
        match turn {
            TurnResult::Working { until_ns } => {
                self.until_ns = until_ns;
                Ok(None)
            }
            TurnResult::Finished => {
                gather.finish(self.number);
                let facts = runner.engine().facts().clone();
                Ok(self.runner.take().map(|runner| {
                    let (fatal, failures) = runner.into_failures();
                    JobEnding {
                        job: self.number,
                        cpu: None,
                        start: None,
                        facts,
                        fatal,
                        failures,
                        verified: None,
                    }
                }))
            }
        }
    }
}
