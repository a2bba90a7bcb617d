//! Holds what families say of their cases against the closed form of the devices that they draw.

use std::collections::BTreeSet;

use fathom_record::Direction;
use fathom_sim::{Access, Regime, Resource, SimDevice, Truth as DeviceTruth, parse};

use super::super::case::{Case, Truth};
use super::*;

fn value<'a>(case: &'a Case, flag: &str) -> Option<&'a str> {
    let at = case.arguments.iter().position(|argument| argument == flag)?;
    case.arguments.get(at + 1).map(String::as_str)
}

/// Bounds of the device and the load, in operations per second, least first.
struct ExpectedBounds {
    bounds: Vec<(Option<Resource>, f64)>,
    truth: DeviceTruth,
}

fn known(case: &Case, regime: Regime) -> ExpectedBounds {
    let device = parse(&case.arguments[0]).unwrap_or_else(|error| panic!("{}: {error}", case.id));
    let truth = SimDevice::new(device).unwrap_or_else(|error| panic!("{}: {error}", case.id)).truth();
    let bytes: u64 = value(case, "--bs").unwrap().parse().unwrap();
    let number = |flag| value(case, flag).unwrap().parse::<f64>().unwrap();
    let in_flight = number("--jobs") * number("--depth");
    let (directions, access): (&[Direction], _) = match value(case, "--rw").unwrap() {
        "randread" => (&[Direction::Read], Access::Random),
        "randwrite" => (&[Direction::Write], Access::Random),
        "randrw" => (&[Direction::Read, Direction::Write], Access::Random),
        "read" => (&[Direction::Read], Access::Sequential),
        "write" => (&[Direction::Write], Access::Sequential),
        other => panic!("{other}"),
    };
    let mut bounds: Vec<(Option<Resource>, f64)> = Vec::new();
    for direction in directions {
        for bound in truth.bounds(*direction, access, bytes, regime) {
            bounds.push((Some(bound.resource), bound.operations_per_s));
        }
        let waiting = in_flight / truth.unloaded_mean_ns(*direction, access, bytes) * 1e9;
        bounds.push((None, waiting));
    }
    // A mix meets each bound once; reads and writes are alike there.
    bounds.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut seen = Vec::new();
    bounds.retain(|bound| {
        let first = !seen.contains(&bound.0);
        seen.push(bound.0);
        first
    });
    ExpectedBounds { bounds, truth }
}

/// What binds by the closed form, and how far the next bound is above.
fn binding(case: &Case, regime: Regime) -> (Option<Resource>, f64) {
    let bounds = known(case, regime).bounds;
    let next = bounds.iter().find(|bound| bound.0 != bounds[0].0).map_or(f64::INFINITY, |bound| bound.1);
    (bounds[0].0, next / bounds[0].1)
}

fn drawn() -> Vec<Case> {
    fixed().into_iter().chain(fresh(FAMILIES.len() * 20, 77)).collect()
}

fn family(case: &Case) -> &str {
    case.id.split('/').nth(1).unwrap()
}

#[test]
fn the_fixed_part_is_large_and_names_its_cases_apart() {
    let cases = fixed();
    let names: BTreeSet<_> = cases.iter().map(|case| case.id.clone()).collect();
    assert!(cases.len() >= 120, "{}", cases.len());
    assert_eq!(names.len(), cases.len());
    let lines: BTreeSet<_> = cases.iter().map(|case| case.arguments.clone()).collect();
    assert_eq!(lines.len(), cases.len(), "each case is another");
}

#[test]
fn what_binds_is_what_the_closed_form_says() {
    for case in drawn() {
        let (expected, margin): (&[Option<Resource>], f64) = match family(&case) {
            "volume-iops" => (&[Some(Resource::Operations)], 1.6),
            "volume-throughput" => (&[Some(Resource::Throughput)], 1.6),
            "instance" => (&[Some(Resource::InstanceOperations), Some(Resource::InstanceThroughput)], 1.6),
            "credits-gone" => (&[Some(Resource::Operations), Some(Resource::Throughput)], 2.0),
            "credits-running-out" => (&[Some(Resource::Operations), Some(Resource::Throughput)], 2.0),
            "link" => (&[Some(Resource::Link)], 1.6),
            "lock" => (&[Some(Resource::Lock)], 1.6),
            "concurrency" => (&[None], 3.0),
            "parallelism" => (&[Some(Resource::Servers)], 3.0),
            "tags" => (&[Some(Resource::Tags)], 1.6),
            "write-cliff" => (&[Some(Resource::Drain)], 1.9),
            "indirection" => (&[Some(Resource::Servers)], 1.6),
            "interference" => (&[Some(Resource::Servers)], 1.6),
            _ => continue,
        };
        let (resource, found) = binding(&case, Regime::Sustained);
        assert!(expected.contains(&resource) && found >= margin, "{resource:?} by {found}: {case:?}");
    }
}

#[test]
fn more_jobs_slow_the_lock_that_they_contend_for() {
    for case in drawn().into_iter().filter(|case| family(case) == "lock") {
        let truth = known(&case, Regime::Sustained).truth;
        let jobs: u32 = value(&case, "--jobs").unwrap().parse().unwrap();
        let rate = |jobs| truth.lock_per_s(jobs).unwrap();
        assert!(jobs > 1 && rate(2 * jobs) < 0.92 * rate(jobs), "{case:?}");
    }
}

#[test]
fn both_limits_meet_where_both_bind() {
    for case in drawn().into_iter().filter(|case| family(case) == "both-limits") {
        let bounds = known(&case, Regime::Sustained).bounds;
        assert!((bounds[1].1 / bounds[0].1 - 1.0).abs() < 0.001, "{bounds:?}");
        assert!(bounds[2].1 / bounds[0].1 > 1.6, "{bounds:?}");
    }
}

#[test]
fn credits_last_into_the_first_measured_seconds_and_make_a_difference() {
    for case in drawn().into_iter().filter(|case| family(case).starts_with("credits")) {
        let (burst, sustained) = (known(&case, Regime::Burst), known(&case, Regime::Sustained));
        let runs_out = family(&case) == "credits-running-out";
        if runs_out {
            let rate = burst.bounds[0].1;
            assert!(rate > sustained.bounds[0].1 * 2.0, "{case:?}");
            let bytes: f64 = value(&case, "--bs").unwrap().parse().unwrap();
            let lasts =
                burst.truth.operation_burst_s(rate).or_else(|| burst.truth.byte_burst_s(rate * bytes));
            assert!((2.5..5.0).contains(&lasts.unwrap()), "{lasts:?} s: {case:?}");
        }
    }
}

#[test]
fn a_demand_is_below_every_bound() {
    for case in drawn().into_iter().filter(|case| case.truth == Truth::Nothing) {
        let rate: f64 = value(&case, "--rate").unwrap().parse().unwrap();
        let least = known(&case, Regime::Sustained).bounds[0].1;
        assert!(least > 1.5 * rate, "{least}: {case:?}");
    }
}

#[test]
fn small_writes_are_slowed_by_the_mapping_unit_and_by_nothing_else() {
    for case in drawn().into_iter().filter(|case| family(case) == "indirection") {
        let truth = known(&case, Regime::Sustained).truth;
        let bytes: u64 = value(&case, "--bs").unwrap().parse().unwrap();
        let time = |access| truth.server_mean_ns(Direction::Write, access, bytes);
        assert!(time(Access::Random) > 2.0 * time(Access::Sequential), "{case:?}");
    }
}

#[test]
fn every_cause_has_fathom_s_name_for_it() {
    for case in drawn() {
        let (Truth::Binds(causes) | Truth::Outside(causes)) = &case.truth else { continue };
        for cause in causes {
            let limit = serde_json::from_value::<fathom_record::verdict::Limit>((*cause).into());
            assert!(limit.is_ok(), "{cause} of {}", case.id);
        }
    }
}

#[test]
fn a_seed_draws_its_cases_again_and_another_draws_others() {
    assert_eq!(fresh(40, 5), fresh(40, 5));
    assert_ne!(fresh(40, 5), fresh(40, 6));
    assert_eq!(fixed(), fixed());
}
