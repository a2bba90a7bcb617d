//! The whole loop on simulated devices: what it reports is held against what the device is.
#![allow(clippy::unwrap_used, reason = "a test panics when it is wrong")]

use std::sync::atomic::AtomicBool;

use fathom_engine::engine_kinds::EngineKind;
use fathom_engine::job::Measurement;
use fathom_engine::job::crew::JobConduct;
use fathom_engine::launch::{Launch, Medium};
use fathom_engine::pattern::Geometry;
use fathom_measure::WallClock;
use fathom_record::Workload;
use fathom_record::run_plan::RunOptions;
use fathom_record::workload::{Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection};
use fathom_sim::{SimParameters, parse};

const SECOND: u64 = 1_000_000_000;

fn workload(jobs: u32, depth: u32, arrival: Arrival, seconds: u64) -> Workload {
    Workload {
        mix: Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 },
        addresses: Addresses::RandomIndependent,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: 4096 }),
        offset_bytes: 0,
        span_bytes: None,
        alignment_bytes: None,
        data: Data::default(),
        arrival,
        jobs,
        depth,
        length: Length { time_ns: Some(seconds * SECOND), warmup_ns: 0, operations: None, bytes: None },
        seed: 1,
        special: None,
    }
}

fn simulate(device: &str, workload: &Workload) -> Measurement {
    simulate_all(&[device], workload)
}

fn simulate_all(devices: &[&str], workload: &Workload) -> Measurement {
    let parameters: Vec<_> = devices.iter().map(|device| parse(device).unwrap()).collect();
    let geometry = |device: &SimParameters| Geometry::of(workload, device.size_bytes).unwrap();
    let geometries: Vec<_> = parameters.iter().map(geometry).collect();
    let (clock, _) = WallClock::start();
    let stop = AtomicBool::new(false);
    let launch = Launch {
        workload,
        geometries: &geometries,
        medium: &Medium::Simulated(parameters),
        engine: EngineKind::named("sim").unwrap(),
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
    launch.run(&mut |_| {}).unwrap()
}

fn near(value: f64, truth: f64, share: f64, what: &str) {
    assert!((value - truth).abs() <= truth * share, "{what}: {value} against {truth}");
}

/// A device of 100 us that serves nothing for the first second of each minute. Over an hour of open
/// arrivals the response is uniform over the stall for 1/60 of them: its 99th percentile is where
/// 1 - (1 s - x) / 60 s = 0.99, and so on.
#[test]
fn tails_of_a_stall_are_those_of_the_loop_that_saw_it() {
    let open = simulate("stall", &workload(1, 8192, Arrival::Constant { rate_per_s: 5000.0 }, 600));
    let response = &open.total.directions[0].response;
    // The queue behind a stall also takes time to drain; the truth is the stall's ramp, 1 s down to 0.
    let drained = |q: f64| response.quantile(q).unwrap() as f64 / 1e9;
    near(drained(0.999), 0.94 + 0.0301, 0.02, "open p99.9");
    assert!(drained(0.99) > 0.4, "open p99: {}", drained(0.99));

    let closed = simulate("stall", &workload(1, 1, Arrival::Closed, 600));
    let service = &closed.total.directions[0].service;
    near(service.quantile(0.9999).unwrap() as f64, 100_000.0, 0.02, "closed p99.99");
    near(service.max().unwrap() as f64, 1e9, 0.02, "closed max");
}

#[test]
fn littles_law_and_the_window_hold_exactly_on_a_virtual_clock() {
    for (jobs, depth) in [(1, 1), (1, 32), (4, 8), (16, 16)] {
        let measured = simulate("nvme", &workload(jobs, depth, Arrival::Closed, 2));
        let seconds = measured.window_ns as f64 / 1e9;
        assert_eq!(measured.window_ns, 2 * SECOND);
        let in_flight = measured.total.in_flight_integral_ns as f64 / 1e9 / seconds;
        near(in_flight, f64::from(jobs * depth), 0.001, "in-flight");
        let service = &measured.total.directions[0].service;
        let derived = service.count() as f64 / seconds * service.mean().unwrap() / 1e9;
        near(derived, in_flight, 0.005, "rate times latency");
        assert_eq!(measured.intervals.len(), 2);
        let by_second: u64 = measured.intervals.iter().map(|interval| interval.operations()).sum();
        assert_eq!(by_second, measured.total.operations());
    }
}

#[test]
fn the_same_seed_replays_the_same_run() {
    let plan = workload(2, 4, Arrival::Poisson { rate_per_s: 3000.0 }, 5);
    let (first, second) = (simulate("gp3", &plan), simulate("gp3", &plan));
    assert_eq!(first.intervals, second.intervals);
    let other = Workload { seed: 2, ..plan };
    assert_ne!(first.intervals, simulate("gp3", &other).intervals);
}

#[test]
fn a_count_ends_a_run_to_the_operation() {
    let mut plan = workload(3, 4, Arrival::Closed, 1);
    plan.length = Length { operations: Some(10_000), ..Length::default() };
    let measured = simulate("nvme", &plan);
    assert_eq!(measured.total.operations(), 10_000);
    assert!(measured.window_ns > 0 && measured.window_ns < 10 * SECOND);
    plan.length = Length { bytes: Some(4096 * 999), ..Length::default() };
    assert_eq!(simulate("nvme", &plan).total.bytes(), 4096 * 999);
}

#[test]
fn targets_of_one_instance_share_its_limit_and_others_do_not() {
    let rate = |second: &str| {
        let first = "ideal,iops=20000,instance=host,instance-iops=5000";
        let measured = simulate_all(&[first, second], &workload(2, 16, Arrival::Closed, 4));
        measured.total.directions[0].service.count() as f64 / 4.0
    };
    near(rate("ideal,iops=20000,instance=host,instance-iops=5000,seed=9"), 5000.0, 0.01, "one instance");
    near(rate("ideal,iops=20000,instance=other,instance-iops=5000"), 10_000.0, 0.01, "two instances");
}
