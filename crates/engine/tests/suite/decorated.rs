//! The delay and the throttle through the whole loop on a virtual clock, held against their closed forms.
#![allow(clippy::unwrap_used, reason = "a test panics when it is wrong")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use fathom_engine::decorate::Stack;
use fathom_engine::delay::Draw;
use fathom_engine::job::crew::{CrewPlan, JobConduct};
use fathom_engine::job::spare_buffers::Spares;
use fathom_engine::job::{JobPlan, Measurement};
use fathom_engine::null::Null;
use fathom_engine::pattern::{ArrivalPattern, DataPattern, Generator, Geometry};
use fathom_engine::precise_sleep::PreciseSleep;
use fathom_engine::simulated::{Mode, SimEngine};
use fathom_engine::{Engine, EngineError};
use fathom_measure::VirtualClock;
use fathom_record::Workload;
use fathom_record::options::{Decorators, DelayPlan, Stalls, ThrottlePlan};
use fathom_record::workload::{Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection};
use fathom_sim::{SimDevice, parse};
use fathom_target::wall::Reach;
use proptest::prelude::*;

use super::run_simulated;

const BYTES: u64 = 4096;

fn workload(jobs: u32, depth: u32, arrival: Arrival, length: Length) -> Workload {
    Workload {
        mix: Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 },
        addresses: Addresses::RandomIndependent,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: BYTES }),
        offset_bytes: 0,
        span_bytes: None,
        alignment_bytes: None,
        data: Data::default(),
        arrival,
        jobs,
        depth,
        length,
        seed: 3,
        special: None,
    }
}

fn operations(count: u64) -> Length {
    Length { operations: Some(count), ..Length::default() }
}

fn seconds(seconds: f64) -> Length {
    Length { time_ns: Some((seconds * 1e9) as u64), ..Length::default() }
}

fn decorators(delay: &str, throttle: &str) -> Decorators {
    Decorators {
        delay: (!delay.is_empty()).then(|| delay.parse().unwrap()),
        throttle: (!throttle.is_empty()).then(|| throttle.parse().unwrap()),
    }
}

/// Runs a workload on what `build` makes, behind decorators.
fn run_on<E: Engine + 'static>(
    decorators: &Decorators,
    workload: &Workload,
    clock: &VirtualClock,
    build: impl Fn(&JobPlan) -> Result<E, EngineError>,
) -> Measurement {
    let geometry = Geometry::of(workload, 1 << 30).unwrap();
    let cursor = Arc::new(AtomicU64::new(0));
    let jobs = (0..workload.jobs)
        .map(|job| JobPlan {
            job,
            target: 0,
            depth: workload.depth,
            spares: Spares::default(),
            generator: Generator::new(workload, &geometry, job, &cursor),
            arrival: workload
                .arrival
                .is_open()
                .then(|| ArrivalPattern::new(&workload.arrival, (job, workload.jobs), workload.seed)),
            pace: None,
            aside: None,
            data: DataPattern::new(&workload.data, workload.seed, job),
            operations: workload.length.operations.map_or(u64::MAX, |all| all / u64::from(workload.jobs)),
            bytes: u64::MAX,
            counts_process: false,
        })
        .collect();
    let stop = AtomicBool::new(false);
    let open = workload.arrival.is_open();
    let plan = CrewPlan {
        jobs,
        length: &workload.length,
        open,
        punctual: true,
        reach: Reach::default(),
        conduct: JobConduct::until(&stop),
    };
    let stack = Stack::new(decorators, workload.seed, PreciseSleep::default());
    let build = |plan: &JobPlan| Ok(stack.around(Box::new(build(plan)?), (plan.job, plan.buffers()), clock));
    run_simulated(plan, clock, &build).unwrap()
}

fn run(decorators: &Decorators, workload: &Workload) -> Measurement {
    let clock = VirtualClock::new();
    run_on(decorators, workload, &clock, |plan| Null::new(plan.depth, 4096, clock.clone()))
}

#[track_caller]
fn near(value: f64, truth: f64, share: f64, what: &str) {
    assert!((value - truth).abs() <= truth * share, "{what}: {value} against {truth}");
}

/// Mean in-flight and rate times latency over the measured window.
fn littles_law(measured: &Measurement) -> (f64, f64) {
    let window = measured.window_ns as f64;
    let service = &measured.total.directions[0].service;
    (measured.total.in_flight_integral_ns as f64 / window, service.sum() as f64 / window)
}

const DELAYS: [&str; 5] = [
    "constant:100us",
    "uniform:50us-150us",
    "exponential:100us",
    "lognormal:100us/0.5",
    "bimodal:100us/1ms/2%",
];

/// Enough draws that the 99.9th percentile of the widest of them scatters by 0.7 %.
const DRAWS: u64 = 400_000;

#[test]
fn every_distribution_is_measured_at_every_depth_closed_and_open() {
    for text in DELAYS {
        let truth = text.parse::<DelayPlan>().unwrap().distribution;
        for depth in [1, 2, 32, 1024] {
            // Open arrivals at a third of what the depth serves: the cap is not reached, but for one at a time.
            let rate_per_s = f64::from(depth) / 3.0 / truth.mean_ns() * 1e9;
            for arrival in [Arrival::Closed, Arrival::Constant { rate_per_s }] {
                let at = format!("{text} at depth {depth}, {arrival:?}");
                let plan = workload(1, depth, arrival.clone(), operations(DRAWS));
                let measured = run(&decorators(text, ""), &plan);
                let counts = &measured.total.directions[0];
                assert_eq!(counts.service.count(), DRAWS, "{at}");
                near(counts.service.mean().unwrap(), truth.mean_ns(), 0.005, &at);
                for (q, share) in [(0.5, 0.01), (0.99, 0.02), (0.999, 0.02)] {
                    let found = counts.service.quantile(q).unwrap() as f64;
                    near(found, truth.quantile_ns(q), share, &format!("{at}: q {q}"));
                    if arrival.is_open() && depth > 2 {
                        let response = counts.response.quantile(q).unwrap() as f64;
                        near(response, truth.quantile_ns(q), share, &format!("{at}: response q {q}"));
                    }
                }
                let (in_flight, derived) = littles_law(&measured);
                near(derived, in_flight, 1e-9, &format!("{at}: Little's law"));
            }
        }
    }
}

#[test]
fn a_closed_loop_keeps_its_depth_in_flight_exactly() {
    for (jobs, depth) in [(1, 1), (1, 32), (4, 8), (2, 1024)] {
        let plan = workload(jobs, depth, Arrival::Closed, seconds(0.05));
        for delay in DELAYS {
            let (in_flight, _) = littles_law(&run(&decorators(delay, ""), &plan));
            near(in_flight, f64::from(jobs * depth), 1e-9, delay);
        }
    }
}

/// Truths of a constant delay with stalls over whole periods. The delay is shorter than a stall and than
/// the time between two, and the engine underneath takes no time.
struct StallTruth {
    /// The delay outside stalls.
    delay_ns: u64,
    /// The stalls.
    stalls: Stalls,
}

impl StallTruth {
    /// I/Os that each slot of a closed loop ends in a period. All slots start again together when a stall
    /// ends, so the last one of each is the one that falls due in the next stall.
    fn closed_count(&self) -> u64 {
        (self.stalls.every_ns - self.stalls.length_ns).div_ceil(self.delay_ns)
    }

    /// Share of a closed loop's I/Os that a stall holds, whatever the depth.
    fn closed_share(&self) -> f64 {
        1.0 / self.closed_count() as f64
    }

    /// Service latency of an I/O of a closed loop that a stall holds: what the others leave of a period.
    fn closed_held_ns(&self) -> u64 {
        self.stalls.every_ns - (self.closed_count() - 1) * self.delay_ns
    }

    /// Quantile of order `q` of the service latency of a closed loop.
    fn closed_quantile_ns(&self, q: f64) -> f64 {
        (if q <= 1.0 - self.closed_share() { self.delay_ns } else { self.closed_held_ns() }) as f64
    }

    /// Share of open arrivals at a constant rate that a stall holds.
    fn open_share(&self) -> f64 {
        self.stalls.length_ns as f64 / self.stalls.every_ns as f64
    }

    /// Quantile of order `q` of the response latency of open arrivals at a constant rate, without a cap on
    /// what is in flight: those held wait for any part of the stall alike.
    fn open_quantile_ns(&self, q: f64) -> f64 {
        let share = self.open_share();
        let rank = ((q - (1.0 - share)) / share).max(0.0);
        self.delay_ns as f64 + self.stalls.length_ns as f64 * rank
    }
}

#[test]
fn stalls_are_seen_as_they_were_by_a_closed_loop_and_by_open_arrivals() {
    let text = "constant:1ms,stall-every=1s,stall-length=30ms";
    let plan: DelayPlan = text.parse().unwrap();
    let truth = StallTruth { delay_ns: 1_000_000, stalls: plan.stalls.unwrap() };
    assert_eq!((truth.closed_held_ns(), truth.closed_share()), (31_000_000, 1.0 / 970.0));
    for depth in [1, 32] {
        let closed = run(&decorators(text, ""), &workload(1, depth, Arrival::Closed, seconds(120.0)));
        let service = &closed.total.directions[0].service;
        for q in [0.5, 0.99, 0.9985, 0.9995] {
            near(
                service.quantile(q).unwrap() as f64,
                truth.closed_quantile_ns(q),
                0.02,
                &format!("closed {q}"),
            );
        }
        let held = service.count_above(2_000_000) as f64 / service.count() as f64;
        near(held, truth.closed_share(), 0.02, "closed share");
    }
    for jobs in [1, 3] {
        let rate_per_s = 10_000.0;
        let open = workload(jobs, 1024, Arrival::Constant { rate_per_s }, seconds(120.0));
        let open = run(&decorators(text, ""), &open);
        assert_eq!(open.total.delayed, 0);
        let response = &open.total.directions[0].response;
        for q in [0.5, 0.96, 0.975, 0.98, 0.99, 0.999, 0.9999] {
            near(response.quantile(q).unwrap() as f64, truth.open_quantile_ns(q), 0.02, &format!("open {q}"));
        }
        near(response.max().unwrap() as f64, 31_000_000.0, 0.005, "open max");
    }
}

#[test]
fn the_first_stall_comes_at_its_phase() {
    let text = "constant:1ms,stall-every=10s,stall-length=1s,stall-phase=2s";
    let measured = run(&decorators(text, ""), &workload(2, 4, Arrival::Closed, seconds(5.0)));
    let rates: Vec<u64> = measured.intervals.iter().map(|second| second.operations()).collect();
    assert_eq!(rates, [7992, 8000, 0, 8000, 8000]);
}

#[test]
fn a_throttle_sustains_its_rate_whatever_the_depth_and_the_jobs() {
    for (throttle, rate) in [
        ("iops=2999", 2999.0),
        ("throughput=10MB/s", 1e7 / 4096.0),
        ("iops=3000,throughput=4096kB/s", 1000.0),
    ] {
        for (jobs, depth) in [(1, 1), (1, 2), (1, 32), (3, 7), (1, 1024)] {
            let plan = workload(jobs, depth, Arrival::Closed, seconds(20.0));
            let measured = run(&decorators("", throttle), &plan);
            near(measured.total.operations() as f64 / 20.0, rate, 0.001, throttle);
            let (in_flight, derived) = littles_law(&measured);
            near(in_flight, f64::from(jobs * depth), 0.001, "in-flight");
            // I/Os in flight at the window's end are in one of the two sides only.
            near(derived, in_flight, 0.04, "Little's law");
        }
    }
}

#[test]
fn a_burst_lasts_as_long_as_its_bucket_and_spends_it_to_the_last_token() {
    // 32 in flight for 4 ms each: 8,000 a second, of which 1,000 are earned.
    let (bucket, sustained, demand) = (35_000.0, 1000.0, 8000.0);
    let burst_s = ThrottlePlan::burst_s(bucket, sustained, demand);
    assert_eq!(burst_s, 5.0);
    let decorators = decorators("constant:4ms", "iops=1000,iops-bucket=35000");
    let served = |s: f64| {
        let measured = run(&decorators, &workload(1, 32, Arrival::Closed, seconds(s)));
        measured.whole.operations() as f64
    };
    near(served(4.9), 4.9 * demand, 0.001, "while the burst lasts");
    near(served(10.0), burst_s * demand + 5.0 * sustained, 0.001, "long after");
    // A peak paces the spending of credits.
    let peaked = self::decorators("", "iops=1000,iops-peak=4000,iops-bucket=15000");
    let measured = run(&peaked, &workload(1, 32, Arrival::Closed, seconds(10.0)));
    near(measured.intervals[2].operations() as f64, 4000.0, 0.001, "at the peak");
    near(measured.intervals[8].operations() as f64, 1000.0, 0.001, "after it");
    near(measured.total.operations() as f64, 25_000.0, 0.001, "bucket and earnings");
}

#[test]
fn the_same_seed_replays_the_same_delays_and_jobs_differ() {
    let plan = workload(2, 4, Arrival::Closed, operations(1000));
    let twice = [(); 2].map(|()| run(&decorators("exponential:100us", ""), &plan).intervals);
    assert_eq!(twice[0], twice[1]);
    let other = Workload { seed: 4, ..plan };
    assert_ne!(twice[0], run(&decorators("exponential:100us", ""), &other).intervals);
}

#[test]
fn a_delay_is_added_to_the_time_of_the_device() {
    // `ideal` serves 8 at a time for exactly 100 us each.
    let clock = VirtualClock::new();
    let device = Arc::new(std::sync::Mutex::new(SimDevice::new(parse("ideal").unwrap()).unwrap()));
    let build =
        |plan: &JobPlan| SimEngine::new(Arc::clone(&device), plan.depth, 4096, clock.clone(), Mode::Virtual);
    let plan = workload(1, 4, Arrival::Closed, seconds(0.1));
    let measured = run_on(&decorators("constant:50us", ""), &plan, &clock, build);
    let service = &measured.total.directions[0].service;
    assert_eq!((service.min(), service.max()), (Some(150_000), Some(150_000)));
    assert!(measured.engine.features.iter().any(|f| f.name == "delay" && f.used));
    assert!(!measured.engine.completes_inline);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_stack_keeps_its_promises(
        jobs in 1u32..4, depth in 1u32..40, mean_us in 1u64..2000, iops in 1u64..200_000, bucket in 0u64..500,
        kind in 0..4, stalled: bool, throttled: bool, open: bool, bytes_per_s in 1_000_000u64..1_000_000_000,
    ) {
        let mut delay = match kind {
            0 => format!("constant:{mean_us}us"),
            1 => format!("uniform:0-{mean_us}us"),
            2 => format!("lognormal:{mean_us}us/1"),
            _ => format!("bimodal:{mean_us}us/{}us/10%", mean_us * 7),
        };
        if stalled {
            delay += ",stall-every=7ms,stall-length=2ms,stall-phase=3ms";
        }
        let throttle = format!("iops={iops},iops-bucket={bucket},throughput={bytes_per_s}B/s");
        let throttle = if throttled { throttle.as_str() } else { "" };
        let rate_per_s = 20_000.0;
        let arrival = if open { Arrival::Poisson { rate_per_s } } else { Arrival::Closed };
        let count = 400 * u64::from(jobs);
        let measured = run(&decorators(&delay, throttle), &workload(jobs, depth, arrival, operations(count)));
        // Each I/O comes out once, and in-flight is the sum of the latencies.
        prop_assert_eq!(measured.whole.operations(), count);
        let (in_flight, derived) = littles_law(&measured);
        prop_assert!((in_flight - derived).abs() <= 1e-9 * in_flight, "{} {}", in_flight, derived);
        prop_assert!(in_flight <= f64::from(jobs * depth) * (1.0 + 1e-9));
        if throttled {
            let window_s = measured.window_ns as f64 / 1e9;
            let passed = count as f64;
            prop_assert!(passed <= bucket as f64 + 2.0 + iops as f64 * window_s);
            prop_assert!((passed - 2.0) * BYTES as f64 <= bytes_per_s as f64 * window_s);
        }
    }
}
