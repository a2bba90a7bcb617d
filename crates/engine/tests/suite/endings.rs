//! How runs end that do not end by themselves: engines that cannot be made, targets that fail, threads
//! that panic, a user who stops.
#![allow(clippy::unwrap_used, reason = "a test panics when it is wrong")]

use std::fs::File;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use fathom_engine::engine_kinds::EngineKind;
use fathom_engine::fault::{Effect, Fault, FaultPlan, FaultRule, FaultTrigger};
use fathom_engine::job::crew::{CrewPlan, JobConduct};
use fathom_engine::job::spare_buffers::Spares;
use fathom_engine::job::{JobPlan, Measurement};
use fathom_engine::launch::{Launch, Medium};
use fathom_engine::memory_target::{Memory, Store};
use fathom_engine::null::Null;
use fathom_engine::pattern::{DataPattern, Generator, Geometry};
use fathom_engine::simulated::{Mode, SimEngine};
use fathom_engine::stripe::{Carrier, Layout, Part, Shape, Stripe};
use fathom_engine::{Completion, Engine, EngineError, ErrorKind, Io, Submission, Wait, sync};
use fathom_measure::{Clock, VirtualClock, WallClock};
use fathom_record::facts::EngineFacts;
use fathom_record::options::IoFlags;
use fathom_record::run_plan::RunOptions;
use fathom_record::workload::{Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection};
use fathom_record::{Direction, Workload};
use fathom_sim::{SimDevice, parse};
use fathom_target::wall::{self, Reach};

use super::{run_crew, run_simulated};

const TARGET_BYTES: u64 = 1 << 20;

fn workload(jobs: u32, length: Length) -> Workload {
    Workload {
        mix: Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 },
        addresses: Addresses::RandomIndependent,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: 4096 }),
        offset_bytes: 0,
        span_bytes: None,
        alignment_bytes: None,
        data: Data::default(),
        arrival: Arrival::Closed,
        jobs,
        depth: 1,
        length,
        seed: 1,
        special: None,
    }
}

fn seconds(seconds: u64) -> Length {
    Length { time_ns: Some(seconds * 1_000_000_000), ..Length::default() }
}

fn job_plans(workload: &Workload) -> Vec<JobPlan> {
    let geometry = Geometry::of(workload, TARGET_BYTES).unwrap();
    let cursor = Arc::new(AtomicU64::new(0));
    let plan = |job| JobPlan {
        job,
        target: 0,
        depth: 1,
        spares: Spares::default(),
        generator: Generator::new(workload, &geometry, job, &cursor),
        arrival: None,
        pace: None,
        aside: None,
        data: DataPattern::new(&workload.data, 1, job),
        operations: u64::MAX,
        bytes: u64::MAX,
        counts_process: job == 0,
    };
    (0..workload.jobs).map(plan).collect()
}

/// Runs jobs of depth 1 on engines that `build` makes, and says how long it took.
fn run<E: Engine + 'static>(
    jobs: u32,
    length: Length,
    stop: &AtomicBool,
    build: impl Fn(&JobPlan, WallClock) -> Result<E, EngineError> + Sync,
) -> (Result<Measurement, EngineError>, Duration) {
    let jobs = job_plans(&workload(jobs, length));
    let plans = CrewPlan {
        jobs,
        length: &length,
        open: false,
        punctual: false,
        reach: Reach::default(),
        conduct: JobConduct::until(stop),
    };
    let (clock, _) = WallClock::start();
    let started_ns = clock.now_ns();
    let measured = run_crew(plans, clock, &|plan| Ok(Box::new(build(plan, clock)?)));
    (measured, Duration::from_nanos(clock.now_ns() - started_ns))
}

fn null(_: &JobPlan, clock: WallClock) -> Result<Null<WallClock>, EngineError> {
    Null::new(1, 4096, clock)
}

#[test]
fn an_engine_that_cannot_be_made_ends_the_start_with_its_own_cause() {
    for broken in 0..4 {
        let made = AtomicU64::new(0);
        let (measured, took) = run(4, seconds(60), &AtomicBool::new(false), |plan, clock| {
            if plan.job == broken {
                // The others have theirs, and wait for the start.
                while made.load(Ordering::Relaxed) < 3 {
                    std::thread::yield_now();
                }
                return Err(EngineError::new(ErrorKind::Permission, "making it", "not allowed"));
            }
            made.fetch_add(1, Ordering::Relaxed);
            null(plan, clock)
        });
        let error = measured.unwrap_err();
        assert_eq!((error.kind, error.place.as_str()), (ErrorKind::Permission, "making it"));
        assert!(took < Duration::from_secs(10), "{took:?}");
    }
}

#[test]
fn a_thread_that_panics_at_the_start_leaves_nobody_waiting() {
    let (measured, took) = run(3, seconds(60), &AtomicBool::new(false), |plan, clock| {
        assert!(plan.job != 1, "as planned by the test");
        null(plan, clock)
    });
    assert_eq!(measured.unwrap_err().cause, "its thread panicked");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

/// Says before each I/O how many are left of a number of them.
struct Counting<F>(Null<WallClock>, u32, F);

impl<F: FnMut(u32) + Send> Engine for Counting<F> {
    fn facts(&self) -> &EngineFacts {
        self.0.facts()
    }
    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.0.buffer(slot)
    }
    fn submit(&mut self, io: Io) -> Submission {
        (self.2)(self.1);
        self.1 = self.1.saturating_sub(1);
        self.0.submit(io)
    }
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        self.0.reap(wait, done)
    }
}

#[test]
fn a_thread_that_panics_under_way_stops_the_others() {
    let (measured, took) = run(3, seconds(60), &AtomicBool::new(false), |plan, clock| {
        let carried = if plan.job == 2 { 1000 } else { u32::MAX };
        Ok(Counting(null(plan, clock)?, carried, |left| assert!(left > 0, "as planned by the test")))
    });
    assert_eq!(measured.unwrap_err().cause, "its thread panicked");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn a_target_that_is_gone_for_one_job_ends_the_run_for_all() {
    let store = Store::new(TARGET_BYTES).unwrap();
    for (errno, most_errors) in [(libc::ENODEV, 1), (libc::EIO, 1000)] {
        let (measured, took) = run(3, seconds(60), &AtomicBool::new(false), |plan, clock| {
            let rule = FaultRule {
                direction: None,
                when: if plan.job == 1 {
                    FaultTrigger::FromNth(5000)
                } else {
                    FaultTrigger::FromNth(u64::MAX)
                },
                effect: Effect::Fail(errno),
            };
            let inner = Memory::new(store.clone(), plan.depth, 4096, clock)?;
            Ok(Fault::new(inner, FaultPlan { rules: vec![rule] }, plan.depth))
        });
        let measured = measured.unwrap();
        assert_eq!(measured.fatal.unwrap().errno, errno);
        assert_eq!(measured.total.errors(), most_errors);
        assert_eq!(measured.jobs[1].operations, Some(5000));
        assert!(!measured.interrupted);
        assert!(took < Duration::from_secs(10), "{took:?}");
    }
}

/// Loses one of its members after a number of parts.
struct Losing(sync::Sync<WallClock>, u32);

impl Engine for Losing {
    fn facts(&self) -> &EngineFacts {
        self.0.facts()
    }
    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.0.buffer(slot)
    }
    fn submit(&mut self, io: Io) -> Submission {
        self.0.submit(io)
    }
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        self.0.reap(wait, done)
    }
}

impl Carrier for Losing {
    fn submit_part(&mut self, part: Part) -> Submission {
        self.1 = self.1.saturating_sub(1);
        match self.0.submit_part(part) {
            Submission::Done(end) if self.1 == 0 && part.member == 1 => {
                Submission::Done(Completion { result: -libc::ENODEV, ..end })
            }
            other => other,
        }
    }
}

#[test]
fn a_member_of_a_stripe_that_is_gone_ends_the_run() {
    let files: Vec<Arc<File>> =
        (0..2).map(|_| Arc::new(tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap())).collect();
    files.iter().for_each(|file| file.set_len(TARGET_BYTES / 2).unwrap());
    let layout = Layout::new(&[TARGET_BYTES / 2; 2], 4096, 512).unwrap();
    let (measured, took) = run(2, seconds(60), &AtomicBool::new(false), |plan, clock| {
        let shape = Shape::new(&layout, plan.depth, (4096, 4096), false)?;
        let inner = sync::Sync::over(&files, (shape.slots(), 4096), IoFlags::default(), clock)?;
        let lasts = if plan.job == 1 { 1000 } else { u32::MAX };
        Ok(Stripe::new(Losing(inner, lasts), layout, shape, clock))
    });
    let measured = measured.unwrap();
    let failure = measured.fatal.unwrap();
    assert_eq!(failure.errno, libc::ENODEV);
    // The place is told on the stripe's address space.
    assert_eq!(failure.offset / 4096 % 2, 1);
    assert_eq!(measured.total.errors(), 1);
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn in_simulated_time_too_a_target_that_is_gone_ends_the_run() {
    let (clock, length, stop) = (VirtualClock::new(), seconds(60), AtomicBool::new(false));
    let parameters = parse("ideal,read=1ms").unwrap();
    let device = Arc::new(Mutex::new(SimDevice::new(parameters).unwrap()));
    let jobs = job_plans(&workload(3, length));
    let plan = CrewPlan {
        jobs,
        length: &length,
        open: false,
        punctual: false,
        reach: Reach::default(),
        conduct: JobConduct::until(&stop),
    };
    let build = |plan: &JobPlan| {
        let device = Arc::clone(&device);
        let inner = SimEngine::new(device, plan.depth, 4096, clock.clone(), Mode::Virtual)?;
        let when = FaultTrigger::FromNth(if plan.job == 1 { 100 } else { u64::MAX });
        let rule = FaultRule { when, direction: None, effect: Effect::Fail(libc::ENODEV) };
        Ok(Box::new(Fault::new(inner, FaultPlan { rules: vec![rule] }, plan.depth)) as Box<dyn Engine>)
    };
    let measured = run_simulated(plan, &clock, &build).unwrap();
    assert_eq!(measured.fatal.unwrap().errno, libc::ENODEV);
    assert!(measured.exposed_ns < 200_000_000, "{} ns", measured.exposed_ns);
}

/// A clock that breaks on every thread but one.
#[derive(Clone)]
struct OneThread(WallClock, ThreadId);

impl Clock for OneThread {
    fn now_ns(&self) -> u64 {
        assert_eq!(std::thread::current().id(), self.1, "as planned by the test");
        self.0.now_ns()
    }
}

#[test]
fn a_dead_thread_of_engine_sync_is_an_error_and_not_a_wait_for_ever() {
    let file = Arc::new(tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
    let clock = OneThread(WallClock::start().0, std::thread::current().id());
    let mut engine = sync::Sync::new(file, 2, 4096, clock.clone()).unwrap();
    let io = Io { slot: 1, direction: Direction::Read, offset: 0, bytes: 4096 };
    assert_eq!(engine.submit(io), Submission::Queued);
    let mut done = Vec::new();
    let outcome =
        (0..50).find_map(|_| engine.reap(Wait::Until(clock.now_ns() + 50_000_000), &mut done).err());
    assert_eq!(outcome.unwrap().kind, ErrorKind::System);
    assert!(done.is_empty());
}

#[test]
fn a_stop_in_the_warm_up_leaves_an_empty_window() {
    let stop = Arc::new(AtomicBool::new(false));
    let length = Length { warmup_ns: 60_000_000_000, ..seconds(60) };
    // When either job has carried out some.
    let (measured, took) = run(2, length, &stop, |plan, clock| {
        let stop = Arc::clone(&stop);
        Ok(Counting(null(plan, clock)?, 1000, move |left| {
            stop.fetch_or(left == 0, Ordering::Relaxed);
        }))
    });
    let measured = measured.unwrap();
    assert!(measured.interrupted && took < Duration::from_secs(2), "{took:?}");
    assert_eq!((measured.window_ns, measured.total.operations()), (0, 0));
    assert!(measured.whole.operations() > 0 && measured.intervals.iter().all(|part| part.warmup));
    assert!(measured.jobs.iter().all(|job| job.in_flight_mean == Some(0.0) && job.busy_share == Some(0.0)));
}

fn engine_null() -> EngineKind {
    EngineKind::named("null").unwrap()
}

fn launch(workload: &Workload, medium: &Medium, engine: EngineKind) -> Result<Measurement, EngineError> {
    let geometry = Geometry::of(workload, 1 << 40).unwrap();
    let (clock, _) = WallClock::start();
    let stop = AtomicBool::new(false);
    let launch = Launch {
        workload,
        geometries: &[geometry],
        medium,
        engine,
        options: &RunOptions::default(),
        share: None,
        wear: None,
        priorities: None,
        scripts: None,
        listeners: None,
        clock,
        tag: 1,
        conduct: JobConduct::until(&stop),
    };
    launch.run(&mut |_| {})
}

#[test]
fn fewer_operations_than_jobs_are_carried_out_once_each() {
    for operations in [1, 3, 8] {
        let length = Length { operations: Some(operations), ..Length::default() };
        let measured = launch(&workload(8, length), &Medium::Null, engine_null()).unwrap();
        assert_eq!(measured.total.operations(), operations);
        assert_eq!(measured.jobs.len(), 8);
    }
}

#[test]
fn buffers_beyond_the_memory_of_the_machine_are_refused() {
    let mut plan = workload(1024, seconds(1));
    (plan.depth, plan.sizes) = (32_768, SizesByDirection::all(Sizes::Fixed { bytes: 64 << 20 }));
    let error = launch(&plan, &Medium::Null, engine_null()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::System);
    assert!(error.remedy.contains("--depth"), "{error}");
}

/// An engine that tries, when it is made and at its first I/O, to write a file and to start a program.
struct Thief {
    inner: Null<WallClock>,
    victim: std::path::PathBuf,
    attempts: u32,
    got_through: Arc<AtomicU64>,
}

impl Thief {
    fn attempt(&mut self) {
        self.attempts += 1;
        let written = std::fs::OpenOptions::new().write(true).open(&self.victim).is_ok();
        let started = std::process::Command::new("/bin/true").status().is_ok();
        self.got_through.fetch_add(u64::from(written) + u64::from(started), Ordering::Relaxed);
    }
}

impl Engine for Thief {
    fn facts(&self) -> &EngineFacts {
        self.inner.facts()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.inner.buffer(slot)
    }

    fn submit(&mut self, io: Io) -> Submission {
        if self.attempts < 2 {
            self.attempt();
        }
        self.inner.submit(io)
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        self.inner.reap(wait, done)
    }
}

#[test]
fn what_an_engine_tries_beyond_its_reach_fails() {
    let victim = tempfile::NamedTempFile::new().unwrap();
    let got_through = Arc::new(AtomicU64::new(0));
    let length = Length { time_ns: Some(50_000_000), ..Length::default() };
    let (measured, _) = run(2, length, &AtomicBool::new(false), |plan, clock| {
        let (victim, got_through) = (victim.path().to_owned(), Arc::clone(&got_through));
        let mut thief = Thief { inner: null(plan, clock)?, victim, attempts: 0, got_through };
        thief.attempt();
        Ok(thief)
    });
    assert_eq!(measured.unwrap().wall.as_ref(), Some(wall::facts()));
    if let Some(missing) = &wall::facts().missing {
        fathom_skips::skipped(missing);
        return;
    }
    assert_eq!(got_through.load(Ordering::Relaxed), 0);
    // The rest of the process is as free as before.
    assert!(std::fs::OpenOptions::new().write(true).open(victim.path()).is_ok());
}
