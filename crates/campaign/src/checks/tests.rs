//! Each check on evidence that it must pass, and on evidence that it must not.

use fathom_engine::verify::VerifyReport;
use fathom_measure::Histogram;
use fathom_record::facts::{ClockRecord, DeviceFacts, EngineFacts, TargetFacts, TargetKind};
use fathom_record::latency::{LatencySummary, SparseHistogram};
use fathom_record::run_record::{DirectionSummary, Summary};
use fathom_record::workload::Arrival;
use fathom_record::{Check, CheckName, CheckOutcome, Direction, EngineBreaches, Standstill, Workload};
use fathom_telemetry::other_programs::OthersUse;
use fathom_telemetry::traffic::Program;

use super::{CheckEvidence, HungEdges, Stillness, all};
use crate::single_run::ForeignTraffic;
use fathom_plan::patterns;

struct Case {
    workload: Workload,
    summary: Summary,
    target: TargetFacts,
    engine: EngineFacts,
    clock: ClockRecord,
    verified: Option<VerifyReport>,
    errors: u64,
    short: u64,
    extended: u64,
    processors: usize,
    hung: HungEdges,
    standstills: Vec<Standstill>,
    stolen: Option<f64>,
    foreign: Result<ForeignTraffic, String>,
    others: Result<OthersUse, String>,
}

/// Ten seconds of 32 reads in flight at 100 us each: everything agrees.
fn good() -> Case {
    let mut service = Histogram::new();
    (0..3_200_000 / 100).for_each(|_| service.record(100_000));
    let read = DirectionSummary {
        direction: Direction::Read.into(),
        operations: Some(3_200_000),
        bytes: Some(3_200_000 * 4096),
        errors: Some(0),
        operations_per_s: 320_000.0,
        throughput_bytes_per_s: 320_000.0 * 4096.0,
        service: LatencySummary::of(&service),
        response: None,
        submit: None,
        service_histogram: Some(SparseHistogram::from(&service)),
        response_histogram: None,
        completion: None,
        completion_histogram: None,
    };
    Case {
        workload: Workload { depth: 32, ..patterns()[0].workload.clone() },
        summary: Summary {
            duration_ns: 10_000_000_000,
            directions: vec![read],
            in_flight_mean: Some(32.0),
            in_flight_requested: Some(32.0),
            generator_busy_share: Some(0.3),
            breaches: Some(Box::default()),
            ..Summary::default()
        },
        target: TargetFacts {
            size_bytes: 1 << 30,
            logical_block_bytes: 512,
            direct: true,
            written_share: Some(1.0),
            ..TargetFacts::named("/dev/x", TargetKind::BlockDevice)
        },
        engine: EngineFacts {
            name: "uring".to_owned(),
            version: 1,
            features: Vec::new(),
            completes_inline: false,
            returned_stamp: "the call".to_owned(),
        },
        clock: ClockRecord {
            source: "tsc".to_owned(),
            fallback_reason: None,
            read_cost_ns: 10.0,
            resolution_ns: 1,
            calibration_error_ppm: 1.0,
            drift_ppm: Some(2.0),
            bucket_width_share: 0.0078,
        },
        verified: None,
        errors: 0,
        short: 0,
        extended: 0,
        processors: 2,
        hung: HungEdges::default(),
        standstills: Vec::new(),
        stolen: Some(0.001),
        foreign: Ok(ForeignTraffic {
            devices: vec!["x".to_owned()],
            read_bytes: 1 << 20,
            write_bytes: Some(0),
            own_bytes: 3_200_000 * 4096,
            seconds: 10.0,
            busiest: None,
        }),
        others: Ok(OthersUse { used_ns: 200_000_000, all_ns: 20_000_000_000 }),
    }
}

impl Case {
    fn checks(&self) -> Vec<Check> {
        all(&CheckEvidence {
            workload: &self.workload,
            summary: &self.summary,
            target: &self.target,
            engine: &self.engine,
            clock: &self.clock,
            simulated: false,
            short: self.short,
            errors: self.errors,
            first_failures: &[],
            extended_intervals: self.extended,
            verified: self.verified.as_ref(),
            cached_share: None,
            processors: Some(self.processors),
            hung: self.hung,
            stillness: Some(Stillness {
                standstills: &self.standstills,
                window_ns: 1_000_000_000..11_000_000_000,
                stolen_share: self.stolen,
            }),
            foreign: &self.foreign,
            others: &self.others,
            wire: None,
        })
    }

    fn outcome(&self, name: CheckName) -> CheckOutcome {
        self.checks().into_iter().find(|check| check.name == name).expect("every check is there").outcome
    }
}

/// The outcome of one check after a change to the good case.
fn after(name: CheckName, change: impl FnOnce(&mut Case)) -> CheckOutcome {
    let mut case = good();
    change(&mut case);
    case.outcome(name)
}

#[test]
fn a_good_run_passes_everything_that_applies() {
    for check in good().checks() {
        assert!(matches!(check.outcome, CheckOutcome::Pass | CheckOutcome::NotApplicable), "{check:?}");
        assert!(check.explanation.ends_with('.'), "{check:?}");
    }
}

#[test]
fn each_flaw_fails_its_own_check_and_comes_first() {
    type Flaw = fn(&mut Case);
    let flaws: [(CheckName, Flaw); 11] = [
        (CheckName::InFlight, |case| {
            case.summary.in_flight_mean = Some(31.0);
            case.summary.directions[0].operations_per_s = 310_000.0;
        }),
        (CheckName::LittlesLaw, |case| case.summary.directions[0].operations_per_s = 315_000.0),
        (CheckName::EngineContract, |case| breaches(case).stamps_out_of_order = 1),
        (CheckName::EngineContract, |case| breaches(case).unknown_completions = 1),
        (CheckName::EngineContract, |case| breaches(case).refused_submissions = 1),
        (CheckName::EngineContract, |case| breaches(case).above_depth = 1),
        (CheckName::Clock, |case| case.clock.drift_ppm = Some(-150.0)),
        (CheckName::Standstill, |case| case.standstills = still(4_000, 101)),
        (CheckName::Errors, |case| case.errors = 1),
        (CheckName::ShortTransfers, |case| case.short = 1),
        (CheckName::Verification, |case| {
            case.verified = Some(VerifyReport { checked: 5, corrupt: 1, ..VerifyReport::default() });
        }),
    ];
    for (name, flaw) in flaws {
        let mut case = good();
        flaw(&mut case);
        let checks = case.checks();
        assert_eq!((checks[0].name, checks[0].outcome), (name, CheckOutcome::Fail), "{checks:?}");
    }
    assert_eq!(
        after(CheckName::Verification, |case| {
            case.verified = Some(VerifyReport { checked: 5, unread: 1, ..VerifyReport::default() });
        }),
        CheckOutcome::Fail
    );
}

/// Of 512 that were asked for a disk took 256: it, and not the generator, set how many were in flight.
#[test]
fn a_full_queue_of_the_disk_is_no_fault_of_the_generator() {
    let outcome = |in_flight: f64, requests: u64| {
        let mut case = good();
        (case.workload.jobs, case.workload.depth) = (2, 256);
        (case.summary.in_flight_requested, case.summary.in_flight_mean) = (Some(512.0), Some(in_flight));
        case.target.devices = vec![DeviceFacts {
            name: "vda".to_owned(),
            layer: "disk".to_owned(),
            queue_requests: Some(requests),
            hardware_queues: Some(1),
            ..DeviceFacts::default()
        }];
        let checks = case.checks();
        let check = checks.into_iter().find(|check| check.name == CheckName::InFlight);
        let check = check.expect("every check is there");
        (check.outcome, check.explanation)
    };
    let (full, text) = outcome(281.0, 256);
    assert!(full == CheckOutcome::Caution && text.contains("vda takes 256 at a time"), "{full:?} {text}");
    assert_eq!(outcome(200.0, 256).0, CheckOutcome::Fail);
    assert_eq!(outcome(281.0, 1023).0, CheckOutcome::Fail);
}

fn breaches(case: &mut Case) -> &mut EngineBreaches {
    case.summary.breaches.as_mut().expect("the good case counts them")
}

#[test]
fn more_in_flight_than_asked_is_no_shortfall() {
    let mut case = good();
    case.summary.in_flight_mean = Some(33.0);
    let checks = case.checks();
    let check = checks.iter().find(|check| check.name == CheckName::InFlight).expect("every check is there");
    assert!(check.outcome == CheckOutcome::Fail && !check.explanation.contains("Only"), "{check:?}");
    case.summary.breaches = None;
    assert_eq!(case.outcome(CheckName::EngineContract), CheckOutcome::NotApplicable);
}

#[test]
fn what_any_program_takes_between_two_ios_is_not_held_against_a_fast_target() {
    // One I/O at a time: 5 % of the time nothing is in flight.
    let alone = |rate: f64| {
        after(CheckName::InFlight, |case| {
            case.summary.in_flight_requested = Some(1.0);
            case.summary.in_flight_mean = Some(0.95);
            case.summary.directions[0].operations_per_s = rate;
        })
    };
    assert_eq!(alone(200_000.0), CheckOutcome::Caution, "250 ns between two");
    assert_eq!(alone(90_000.0), CheckOutcome::Fail, "556 ns between two");
}

#[test]
fn a_busy_machine_is_named_from_a_tenth_on() {
    let others = |share: f64| {
        after(CheckName::OtherPrograms, |case| {
            case.others = Ok(OthersUse { used_ns: (share * 2e10) as u64, all_ns: 20_000_000_000 });
        })
    };
    assert_eq!((others(0.09), others(0.62)), (CheckOutcome::Pass, CheckOutcome::Caution));
    let mut case = good();
    case.others = Ok(OthersUse { used_ns: 12_400_000_000, all_ns: 20_000_000_000 });
    let checks = case.checks();
    assert!(checks.iter().any(|check| check.explanation.starts_with("Other programs used 62 % of the CPU")));
    case.others = Err("Nobody knows.".to_owned());
    assert_eq!(case.outcome(CheckName::OtherPrograms), CheckOutcome::NotApplicable);
}

/// One standstill, in milliseconds from the run's start, of which the first second is warm-up.
fn still(at_ms: u64, duration_ms: u64) -> Vec<Standstill> {
    vec![Standstill { at_ns: at_ms * 1_000_000, duration_ns: duration_ms * 1_000_000 }]
}

#[test]
fn a_standstill_counts_by_its_part_of_the_window() {
    let outcome = |at_ms, duration_ms| {
        after(CheckName::Standstill, |case| case.standstills = still(at_ms, duration_ms))
    };
    assert_eq!(outcome(4_000, 99), CheckOutcome::Caution, "1 % of ten seconds is the limit");
    assert_eq!(outcome(4_000, 101), CheckOutcome::Fail);
    assert_eq!(outcome(100, 800), CheckOutcome::Caution, "in the warm-up");
    assert_eq!(outcome(500, 601), CheckOutcome::Fail, "101 ms of it in the window");
    assert_eq!(outcome(10_950, 3_000), CheckOutcome::Caution, "50 ms of it in the window");
    let several = |case: &mut Case| case.standstills = [still(2_000, 60), still(5_000, 60)].concat();
    assert_eq!(after(CheckName::Standstill, several), CheckOutcome::Fail);
    let stolen = |share| after(CheckName::Standstill, |case| case.stolen = share);
    assert_eq!((stolen(None), stolen(Some(0.009))), (CheckOutcome::Pass, CheckOutcome::Pass));
    assert_eq!((stolen(Some(0.05)), stolen(Some(0.11))), (CheckOutcome::Caution, CheckOutcome::Fail));
}

#[test]
fn another_load_is_named_from_a_twentieth_of_the_runs_own_bytes_on() {
    // The run moved 13.1 GB.
    let foreign = |read_bytes: u64, write_bytes: Option<u64>| {
        let mut case = good();
        let known = case.foreign.as_mut().expect("the good case knows");
        (known.read_bytes, known.write_bytes) = (read_bytes, write_bytes);
        known.busiest = Some(Program { process: 71, name: "fathom".to_owned(), bytes: 400_000_000 });
        let checks = case.checks();
        checks.into_iter().find(|check| check.name == CheckName::OtherLoad).expect("every check is there")
    };
    assert_eq!(foreign(600_000_000, Some(0)).outcome, CheckOutcome::Pass);
    assert_eq!(foreign(400_000_000, Some(300_000_000)).outcome, CheckOutcome::Caution);
    assert_eq!(foreign(400_000_000, None).outcome, CheckOutcome::Pass);
    let text = foreign(700_000_000, Some(0)).explanation;
    assert!(text.contains("on x: it read") && text.contains("fathom (process 71)"), "{text}");
    let text = foreign(3_000_000_000, Some(0)).explanation;
    assert!(!text.contains("process 71"), "it moved too little of that: {text}");
    let unknown = |case: &mut Case| case.foreign = Err("Nobody knows.".to_owned());
    assert_eq!(after(CheckName::OtherLoad, unknown), CheckOutcome::NotApplicable);
    // A slow run is not held against what any machine does.
    let slow = |case: &mut Case| {
        let known = case.foreign.as_mut().expect("the good case knows");
        (known.own_bytes, known.read_bytes) = (100_000, 9_000_000);
    };
    assert_eq!(after(CheckName::OtherLoad, slow), CheckOutcome::Pass);
}

#[test]
fn what_weakens_a_number_is_a_caution() {
    assert_eq!(
        after(CheckName::GeneratorBusy, |c| c.summary.generator_busy_share = Some(0.95)),
        CheckOutcome::Caution
    );
    assert_eq!(after(CheckName::GeneratorBusy, |c| c.workload.jobs = 2), CheckOutcome::Pass);
    assert_eq!(after(CheckName::GeneratorBusy, |c| c.workload.jobs = 3), CheckOutcome::Caution);
    assert_eq!(after(CheckName::LostIntervals, |c| c.extended = 2), CheckOutcome::Caution);
    assert_eq!(after(CheckName::UnwrittenData, |c| c.target.written_share = Some(0.5)), CheckOutcome::Fail);
    assert_eq!(after(CheckName::UnwrittenData, |c| c.target.written_share = None), CheckOutcome::Caution);
    assert_eq!(after(CheckName::PageCache, |c| c.target.direct = false), CheckOutcome::Caution);
    assert_eq!(after(CheckName::WriteCache, |c| c.workload.mix.read_share = 0.0), CheckOutcome::Caution);
    assert_eq!(
        after(CheckName::Clock, |c| c.clock.fallback_reason = Some("no".to_owned())),
        CheckOutcome::Caution
    );
}

#[test]
fn content_that_nobody_stamped_is_not_called_verified() {
    let verified = |writes: bool, report: VerifyReport| {
        after(CheckName::Verification, |case| {
            case.workload.mix.read_share = if writes { 0.5 } else { 1.0 };
            case.verified = Some(report);
        })
    };
    let report = |checked, not_stamped| VerifyReport { checked, not_stamped, ..VerifyReport::default() };
    assert_eq!(verified(false, report(5, 0)), CheckOutcome::Pass);
    assert_eq!(verified(false, report(5, 1)), CheckOutcome::Caution);
    assert_eq!(verified(true, report(5, 1)), CheckOutcome::Pass);
    assert_eq!(verified(true, report(0, 1)), CheckOutcome::Caution);
    assert_eq!(verified(true, report(0, 0)), CheckOutcome::NotApplicable);
}

#[test]
fn waiting_for_the_last_ios_is_no_lack_of_concurrency() {
    // The longest latency is 100 us: a thirtieth of this window.
    let short = |case: &mut Case, in_flight: f64| {
        case.summary.duration_ns = 3_000_000;
        case.summary.in_flight_mean = Some(in_flight);
    };
    let counted = |case: &mut Case| case.workload.length.operations = Some(960);
    assert_eq!(after(CheckName::InFlight, |c| short(c, 31.0)), CheckOutcome::Fail, "ended by time");
    let ended_by_count = |in_flight| {
        after(CheckName::InFlight, |case| {
            short(case, in_flight);
            counted(case);
        })
    };
    assert_eq!(ended_by_count(31.0), CheckOutcome::Pass);
    assert_eq!(ended_by_count(30.0), CheckOutcome::Fail);
}

#[test]
fn one_long_io_over_the_edge_of_the_window_does_not_break_littles_law() {
    let straddled = |longest_ns: u64| {
        after(CheckName::LittlesLaw, |case| {
            case.engine.completes_inline = true;
            case.summary.in_flight_mean = Some(0.2);
            case.summary.directions[0].operations_per_s = 0.215 / 100e-6;
            case.summary.directions[0].service.as_mut().expect("a latency").max_ns = Some(longest_ns);
        })
    };
    assert_eq!(
        straddled(160_000_000),
        CheckOutcome::Pass,
        "0.016 I/Os of the window at most, and 0.015 differ"
    );
    assert_eq!(straddled(100_000), CheckOutcome::Fail);
}

#[test]
fn a_window_that_ends_or_starts_in_a_stall_does_not_blame_the_generator() {
    // Nine seconds at the full rate, and one in which nothing ended.
    let ends = |rate: f64| {
        let mut case = good();
        case.summary.directions[0].operations_per_s = rate;
        case.hung = HungEdges { tail_ns: 1_000_000_000, tail_share: 0.2, ..HungEdges::default() };
        case.checks().into_iter().find(|check| check.name == CheckName::LittlesLaw).expect("a check")
    };
    let stalled = ends(288_000.0);
    assert_eq!(stalled.outcome, CheckOutcome::Caution);
    assert!(stalled.explanation.contains("target stalled"), "{}", stalled.explanation);
    assert!(!stalled.explanation.contains("generator"), "{}", stalled.explanation);
    assert_eq!(ends(240_000.0).outcome, CheckOutcome::Fail, "more is missing than hung");
    let starts = after(CheckName::LittlesLaw, |case| {
        case.summary.directions[0].operations_per_s = 335_000.0;
        case.summary.directions[0].service.as_mut().expect("a latency").max_ns = Some(1_000_000_000);
        case.hung = HungEdges { head_ns: 1_000_000_000, head_in_flight: 32.0, ..HungEdges::default() };
    });
    assert_eq!(starts, CheckOutcome::Caution);
}

#[test]
fn open_arrivals_are_held_to_their_schedule() {
    let lag = |ns: u64| {
        let mut histogram = Histogram::new();
        (0..10_000).for_each(|_| histogram.record(ns));
        LatencySummary::of(&histogram)
    };
    let open = |case: &mut Case, achieved: f64, lag_ns: u64| {
        case.workload.arrival = Arrival::Constant { rate_per_s: 320_000.0 };
        case.summary.in_flight_requested = None;
        case.summary.offered_per_s = Some(320_000.0);
        case.summary.directions[0].operations_per_s = achieved;
        case.summary.delayed_arrivals = Some(0);
        case.summary.generator_lag = lag(lag_ns);
    };
    // Service latency is 100 us; what the lag adds to it is what is judged.
    let late = |response_ns: u64, lag_ns: u64, delayed: u64| {
        after(CheckName::GeneratorLag, |case| {
            open(case, 320_000.0, lag_ns);
            case.summary.delayed_arrivals = Some(delayed);
            case.summary.directions[0].response = lag(response_ns);
        })
    };
    assert_eq!(late(101_000, 1_000, 0), CheckOutcome::Pass);
    assert_eq!(late(104_000, 4_000, 0), CheckOutcome::Caution);
    assert_eq!(late(115_000, 15_000, 0), CheckOutcome::Fail);
    // A wait for a slot is in the response and not the generator's.
    assert_eq!(late(200_000, 1_000, 9), CheckOutcome::Pass);
    assert_eq!(late(200_000, 40_000, 9), CheckOutcome::Fail);
    // A slow target hides what a fast one shows.
    let slow = |case: &mut Case| {
        open(case, 320_000.0, 60_000);
        case.summary.directions[0].service = lag(10_000_000);
        case.summary.directions[0].response = lag(10_060_000);
    };
    assert_eq!(after(CheckName::GeneratorLag, slow), CheckOutcome::Pass);
    assert_eq!(after(CheckName::OfferedRate, |c| open(c, 319_800.0, 0)), CheckOutcome::Pass);
    assert_eq!(after(CheckName::OfferedRate, |c| open(c, 319_000.0, 0)), CheckOutcome::Fail);
    assert_eq!(after(CheckName::Overload, |c| open(c, 320_000.0, 0)), CheckOutcome::Pass);
    assert_eq!(
        after(CheckName::Overload, |c| {
            open(c, 320_000.0, 0);
            c.summary.delayed_arrivals = Some(3);
        }),
        CheckOutcome::Caution
    );
}

#[test]
fn inline_engines_are_not_held_to_a_depth() {
    let inline = |case: &mut Case| {
        case.engine.completes_inline = true;
        case.summary.in_flight_mean = Some(0.9);
    };
    assert_eq!(after(CheckName::InFlight, inline), CheckOutcome::NotApplicable);
}

/// A shortfall of 5 % and one I/O of a second, in ten seconds.
fn short_with_one_long(case: &mut Case) {
    case.summary.in_flight_mean = Some(30.4);
    case.summary.directions[0].operations_per_s = 304_000.0;
    case.summary.directions[0].service.as_mut().expect("reads were measured").max_ns = Some(1_000_000_000);
}

#[test]
fn only_a_run_that_drains_may_fall_short_by_its_longest_latency() {
    assert_eq!(after(CheckName::InFlight, short_with_one_long), CheckOutcome::Fail);
    let counted = |case: &mut Case| {
        short_with_one_long(case);
        case.workload.length.operations = Some(3_040_000);
    };
    assert_eq!(after(CheckName::InFlight, counted), CheckOutcome::Pass);
}

#[test]
fn littles_law_says_nothing_of_fewer_ios_than_were_in_flight() {
    let ended = |operations: u64| {
        after(CheckName::LittlesLaw, |case| {
            case.summary.in_flight_mean = Some(32.0);
            case.summary.directions[0].operations = Some(operations);
            case.summary.directions[0].operations_per_s = operations as f64 / 10.0;
        })
    };
    assert_eq!((ended(31), ended(32)), (CheckOutcome::NotApplicable, CheckOutcome::Fail));
}

#[test]
fn littles_law_forgives_one_straddling_io_and_no_more() {
    let off_by = |share: f64| {
        after(CheckName::LittlesLaw, |case| {
            case.summary.directions[0].operations_per_s = 320_000.0 * (1.0 - share);
            // One of 32 I/Os across a tenth of the window: 0.3 % of the in-flight integral.
            case.summary.directions[0].service.as_mut().expect("reads were measured").max_ns =
                Some(1_000_000_000);
        })
    };
    assert_eq!((off_by(0.009), off_by(0.012)), (CheckOutcome::Pass, CheckOutcome::Fail));
}
