//! Runs jobs on threads of their own, on the wall clock.
//!
//! The calling thread is the control plane: it takes finished tallies, gives emptied ones back, and
//! never touches what a job is using.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use fathom_measure::{Clock, WallClock};
use fathom_record::Standstill;
use fathom_record::run_record::JobStart;
use fathom_record::workload::Length;

use super::gather::{Accounts, JobEnding, Measurement, Observer, TallyCollector};
use super::job_accounts::LiveAccounts;
use super::processors;
use super::runner::{Exchange, Job, JobPlan, TurnResult};
use super::scheduling::{Demand, prefer_batches};
use super::standstill_detector::StandstillDetector;
use super::tally::Tally;
use super::timeline::Timeline;
use crate::verify::VerifyReport;
use crate::{Engine, EngineError, ErrorKind};
use fathom_target::wall::{self, Reach, Wall};

/// Tallies that one job and the control plane pass to and fro; one more than a second's delay needs.
pub const TALLIES: usize = 4;
/// How often the control plane looks for finished tallies.
const CONTROL_PERIOD: Duration = Duration::from_millis(20);
/// Before the start of a run a job stays awake for so long: on a busy machine a sleep ends a millisecond late.
const AWAKE_NS: u64 = 1_500_000;

/// Waits until the moment at which a run starts is near, and returns it, on the clock that its stamps are read from: jobs
/// wait for the rest. Called once, on the control plane's thread, when every job has made its engine.
#[derive(Clone, Copy)]
pub struct Gate<'a>(pub &'a (dyn Fn() -> u64 + Sync));

impl std::fmt::Debug for Gate<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Gate")
    }
}

/// How jobs are led through a run, whatever their engine.
#[derive(Clone, Debug)]
pub struct JobConduct<'a> {
    /// Processor for each job, in turn; empty: the scheduler's choice.
    pub cpus: &'a [u32],
    /// Whether each job is kept by itself.
    pub accounts: Accounts,
    /// Where the jobs' accounts can be read meanwhile; on threads only, not in simulated time.
    pub live: Option<Arc<LiveAccounts>>,
    /// What says when it starts, once everything is ready; absent: at once. On threads only, as well.
    pub gate: Option<Gate<'a>>,
    /// Set from outside to end the run early.
    pub stop: &'a AtomicBool,
}

impl<'a> JobConduct<'a> {
    /// At once, anywhere, until the run's end or this is set.
    pub fn until(stop: &'a AtomicBool) -> Self {
        Self { cpus: &[], accounts: Accounts::None, live: None, gate: None, stop }
    }
}

/// A run as the crew needs it.
#[derive(Debug)]
pub struct CrewPlan<'a> {
    /// One entry a job.
    pub jobs: Vec<JobPlan>,
    /// When it ends.
    pub length: &'a Length,
    /// Whether arrivals are open.
    pub open: bool,
    /// Whether engines let I/Os go at moments that nothing else announces: a delay, a throttle, a simulated
    /// device in real time. Threads then wake up on time.
    pub punctual: bool,
    /// Where the wall around the jobs' threads is open; their targets are open already.
    pub reach: Reach,
    /// How they are led.
    pub conduct: JobConduct<'a>,
}

/// The control plane's two ends of a job's exchange.
pub struct Ends {
    full: rtrb::Consumer<Box<Tally>>,
    empty: rtrb::Producer<Box<Tally>>,
}

impl Ends {
    /// Both halves of a new exchange.
    pub fn new() -> (Self, Exchange) {
        // The queues hold every tally that can exist, so that a push never fails.
        let (full_in, full) = rtrb::RingBuffer::new(TALLIES + 2);
        let (mut empty, empty_out) = rtrb::RingBuffer::new(TALLIES + 2);
        for _ in 0..TALLIES {
            empty.push(Box::default()).expect("the queue was made larger than this");
        }
        (Self { full, empty }, Exchange { full: full_in, empty: empty_out })
    }

    /// Moves what a job has finished into the sum.
    pub fn drain(&mut self, job: u32, gather: &mut TallyCollector) {
        while let Ok(tally) = self.full.pop() {
            gather.take(job, &tally);
            // Full only after the job's last tally, which was an extra one.
            let _ = self.empty.push(tally);
        }
    }
}

/// Where a job's thread is: its processor, whether it wakes up on time, and the wall around it.
struct ThreadSeat<'a> {
    cpu: Option<u32>,
    punctual: bool,
    wall: &'a Wall,
}

/// What a job's thread and the control plane tell each other.
struct ThreadSignals {
    exchange: Exchange,
    ready: mpsc::Sender<Result<(), EngineError>>,
    started: mpsc::Receiver<Timeline>,
    halt: Arc<AtomicBool>,
}

/// A job's whole life on its own thread.
type Life<'a> = dyn Fn(JobPlan, ThreadSeat<'_>, ThreadSignals) -> Result<JobEnding, EngineError> + Sync + 'a;

/// Runs all jobs to their end. `build` makes a job's engine on the job's own thread, and `harvest`
/// takes there what a decorator found when the job has ended.
///
/// # Errors
/// When an engine cannot be made or breaks. A target that fails is not an error but an ending.
pub fn run<E: Engine>(
    plan: CrewPlan<'_>,
    clock: WallClock,
    build: impl Fn(&JobPlan) -> Result<E, EngineError> + Sync,
    harvest: impl Fn(&E) -> Option<VerifyReport> + Sync,
    observe: &mut Observer<'_>,
) -> Result<Measurement, EngineError> {
    lead(plan, clock, &|job, seat, ties| work(job, seat, clock, (&build, &harvest), ties), observe)
}

/// The same, compiled once for all engines.
fn lead(
    plan: CrewPlan<'_>,
    clock: WallClock,
    life: &Life<'_>,
    observe: &mut Observer<'_>,
) -> Result<Measurement, EngineError> {
    let halt = Arc::new(AtomicBool::new(false));
    let conduct = plan.conduct;
    let wall = Wall::around(&plan.reach)?;
    std::thread::scope(|scope| {
        let _guard = HaltOnPanic(Arc::clone(&halt));
        let (ready, readiness) = mpsc::channel();
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        let mut threads: Vec<JobThread<'_>> = Vec::new();
        let count = plan.jobs.len() as u32;
        let target_of = plan.jobs.iter().map(|job| job.target).collect();
        let spawned = plan.jobs.into_iter().try_for_each(|job| {
            let (end, exchange) = Ends::new();
            let (start, started) = mpsc::channel::<Timeline>();
            let cpu = (!conduct.cpus.is_empty()).then(|| conduct.cpus[job.job as usize % conduct.cpus.len()]);
            let seat = ThreadSeat { cpu, punctual: plan.punctual, wall: &wall };
            let ties = ThreadSignals { exchange, ready: ready.clone(), started, halt: Arc::clone(&halt) };
            let thread = std::thread::Builder::new()
                .name(format!("job-{}", threads.len()))
                .spawn_scoped(scope, move || life(job, seat, ties))
                .map_err(|error| EngineError::system("starting a job's thread", &error))?;
            starts.push(start);
            ends.push(end);
            threads.push(thread);
            Ok(())
        });
        drop(ready);
        if let Err(error) = spawned.and_then(|()| all_ready(&readiness, count)) {
            // Lets those go that wait for the start; what they say of it is not the cause.
            drop(starts);
            threads.into_iter().map(join).for_each(drop);
            return Err(error);
        }
        let origin_ns = conduct.gate.map_or_else(|| clock.now_ns(), |Gate(wait)| wait());
        let timeline = Timeline::new(origin_ns, plan.length);
        let mut gather = TallyCollector::new(timeline, count, plan.open)
            .spread_over(target_of)
            .accounting(conduct.accounts)
            .shown_in(conduct.live);
        for start in &starts {
            // A thread that has died already is found when it is joined.
            let _ = start.send(timeline);
        }
        let vigil = StandstillDetector::begin(clock, CONTROL_PERIOD);
        let standstills =
            supervise((&mut threads, &mut ends), &mut gather, vigil, (conduct.stop, &halt), observe);
        // All are joined before the first error is returned.
        let endings: Vec<_> = threads.into_iter().map(join).collect();
        let endings = endings.into_iter().collect::<Result<Vec<_>, _>>()?;
        let measured = gather.conclude(endings, conduct.stop.load(Ordering::Relaxed), observe);
        Ok(Measurement { wall: Some(wall::facts().clone()), standstills, ..measured })
    })
}

type JobThread<'scope> = ScopedJoinHandle<'scope, Result<JobEnding, EngineError>>;

fn join(thread: JobThread<'_>) -> Result<JobEnding, EngineError> {
    let panicked = |_| Err(EngineError::new(ErrorKind::System, "running a job", "its thread panicked"));
    thread.join().unwrap_or_else(panicked)
}

/// Waits until every job has made its engine.
///
/// # Errors
/// The first job's that could not.
fn all_ready(readiness: &mpsc::Receiver<Result<(), EngineError>>, count: u32) -> Result<(), EngineError> {
    for _ in 0..count {
        // A job closes its end when it has reported; one that closed without a report has panicked.
        let panicked = |_| Err(EngineError::new(ErrorKind::System, "starting a job", "its thread panicked"));
        readiness.recv().unwrap_or_else(panicked)?;
    }
    Ok(())
}

/// Stops all jobs when the thread that holds it panics: a run that cannot end well ends at once.
struct HaltOnPanic(Arc<AtomicBool>);

impl Drop for HaltOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

fn work<E: Engine>(
    mut plan: JobPlan,
    ThreadSeat { cpu, punctual, wall }: ThreadSeat<'_>,
    clock: WallClock,
    (build, harvest): (&impl Fn(&JobPlan) -> Result<E, EngineError>, &impl Fn(&E) -> Option<VerifyReport>),
    ThreadSignals { exchange, ready, started, halt }: ThreadSignals,
) -> Result<JobEnding, EngineError> {
    let job = plan.job;
    let _guard = HaltOnPanic(Arc::clone(&halt));
    // Wake up when the timer says, not when it suits the kernel to batch wake-ups. Harmless if refused.
    processors::wake_on_time();
    let demand = Demand { is_closed: plan.arrival.is_none(), depth: plan.depth, punctual };
    let scheduling = prefer_batches(demand);
    // Before the engine is made, so that every thread and ring of its own is behind the wall too.
    let prepared = wall.enter().and_then(|()| processors::bind(cpu)).and_then(|()| build(&plan));
    let mut engine = match prepared {
        Ok(engine) => engine,
        Err(error) => {
            // The receiver lives until every job has reported.
            let _ = ready.send(Err(error));
            return Err(EngineError::new(
                ErrorKind::System,
                "starting a job",
                "its engine could not be made",
            ));
        }
    };
    let mut facts = engine.facts().clone();
    facts.features.push(scheduling);
    let filled = plan.fill(&mut engine);
    let _ = ready.send(Ok(()));
    drop(ready);
    let Ok(timeline) = started.recv() else {
        return Err(EngineError::new(
            ErrorKind::System,
            "starting a job",
            "another job could not be started",
        ));
    };
    let mut runner = Job::new(engine, clock, timeline, plan, filled, exchange, Arc::clone(&halt));
    wait_until(timeline.origin_ns, clock, &halt);
    let (start, outcome) = turns(&mut runner, timeline.origin_ns, clock);
    if outcome.is_err() {
        halt.store(true, Ordering::Relaxed);
    }
    let verified = harvest(runner.engine());
    let (fatal, failures) = runner.into_failures();
    outcome.map(|()| JobEnding { job, cpu, start: Some(start), facts, fatal, failures, verified })
}

/// A job's loop to its end, and when it began. The first turn does not wait for what it hands over, so that the span in
/// which it did is short where the machine is free.
fn turns<E: Engine>(
    runner: &mut Job<E, WallClock>,
    origin_ns: u64,
    clock: WallClock,
) -> (JobStart, Result<(), EngineError>) {
    let since = || clock.now_ns().saturating_sub(origin_ns);
    let from_ns = since();
    let mut start = None;
    loop {
        let turn = runner.turn(start.is_some());
        let start = *start.get_or_insert_with(|| JobStart { from_ns, to_ns: since() });
        match turn {
            Ok(TurnResult::Working { .. }) => {}
            Ok(TurnResult::Finished) => return (start, Ok(())),
            Err(error) => return (start, Err(error)),
        }
    }
}

/// Waits for the moment at which a run starts, where that is still ahead, and for the last of it awake: a thread that
/// sleeps for as long wakes late by the time that waking takes, and each by another.
fn wait_until(at_ns: u64, clock: WallClock, halt: &AtomicBool) {
    loop {
        let left_ns = at_ns.saturating_sub(clock.now_ns());
        if left_ns == 0 || halt.load(Ordering::Relaxed) {
            return;
        }
        match left_ns.checked_sub(AWAKE_NS) {
            Some(asleep_ns) if asleep_ns > 0 => std::thread::sleep(Duration::from_nanos(asleep_ns)),
            _ => std::hint::spin_loop(),
        }
    }
}

/// Takes tallies until every job's thread has ended, and tells when nothing could go on meanwhile.
fn supervise<C: Clock>(
    (threads, ends): (&mut [JobThread<'_>], &mut [Ends]),
    gather: &mut TallyCollector,
    mut vigil: StandstillDetector<C>,
    (stop, halt): (&AtomicBool, &AtomicBool),
    observe: &mut Observer<'_>,
) -> Vec<Standstill> {
    loop {
        let finished: Vec<bool> = threads.iter().map(ScopedJoinHandle::is_finished).collect();
        for (job, end) in ends.iter_mut().enumerate() {
            // Drained after the look at the thread: a finished one has nothing more to send.
            end.drain(job as u32, gather);
            if finished[job] {
                gather.finish(job as u32);
            }
        }
        // Whoever is shown the second may take his time.
        gather.settle(observe);
        if finished.iter().all(|finished| *finished) {
            return vigil.end();
        }
        if stop.load(Ordering::Relaxed) {
            halt.store(true, Ordering::Relaxed);
        }
        vigil.sleeps();
        std::thread::park_timeout(CONTROL_PERIOD);
        vigil.woke();
    }
}
