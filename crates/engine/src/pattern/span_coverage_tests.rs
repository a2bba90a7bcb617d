//! The formula for distinct blocks held against blocks counted one by one.

use std::sync::Arc;

use super::super::test_workload::plain;
use super::super::{Generator, Geometry};
use super::*;
use fathom_record::Direction;
use fathom_record::workload::{HotSpot, Mix};

const BLOCKS: u64 = 2000;

/// Share of the blocks that the generators themselves touch, the jobs taking turns.
fn counted(workload: &Workload, ios: u64) -> f64 {
    let geometry = Geometry::of(workload, BLOCKS * 4096).unwrap();
    let cursor = Arc::default();
    let mut jobs: Vec<Generator> =
        (0..workload.jobs).map(|job| Generator::new(workload, &geometry, job, &cursor)).collect();
    let mut touched = vec![false; BLOCKS as usize];
    for number in 0..ios {
        let draft = jobs[(number % u64::from(workload.jobs)) as usize].next();
        assert_ne!(draft.direction, Direction::Flush);
        let first = (draft.offset / 4096) as usize;
        touched[first..first + draft.bytes.div_ceil(4096) as usize].fill(true);
    }
    touched.iter().filter(|&&t| t).count() as f64 / BLOCKS as f64
}

fn patterns() -> Vec<Addresses> {
    let zone = |access_share, span_share| Zone { access_share, span_share };
    vec![
        Addresses::RandomCycle,
        Addresses::RandomIndependent,
        Addresses::Sequential,
        Addresses::Interlocked,
        Addresses::Strided { stride_bytes: 64 << 10 },
        Addresses::Backwards { step_bytes: 4096 },
        Addresses::Parts { part_bytes: 64 << 10, gap_bytes: 192 << 10 },
        Addresses::Zipf { exponent: 0.7 },
        Addresses::Zipf { exponent: 0.99 },
        Addresses::Zipf { exponent: 1.0 },
        Addresses::Zipf { exponent: 1.4 },
        Addresses::Pareto { skew: 0.2 },
        Addresses::Normal { deviation: 0.1 },
        Addresses::Normal { deviation: 1.0 },
        Addresses::HotSpot(HotSpot { span_share: 0.1, access_share: 0.9 }),
        Addresses::Zoned { zones: vec![zone(0.5, 0.2), zone(0.1, 0.3), zone(0.4, 0.5)] },
    ]
}

fn compare(workload: &Workload, ios: u64, tolerance: f64) {
    let geometry = Geometry::of(workload, BLOCKS * 4096).unwrap();
    let (share, basis) = expected_touched_share(workload, &geometry, ios);
    let truth = counted(workload, ios);
    let tolerance = if basis == "exact" { 1e-9 } else { tolerance };
    let of = (&workload.addresses, workload.jobs);
    assert!((share - truth).abs() <= tolerance, "{of:?}, {ios} I/Os: {share} ({basis}) against {truth}");
}

#[test]
fn the_formula_agrees_with_the_patterns_themselves() {
    for addresses in patterns() {
        for jobs in [1, 4] {
            let workload = Workload { addresses: addresses.clone(), jobs, ..plain() };
            for ios in [0, 1, 100, 1000, 2000, 5000, 20_000] {
                // Three standard deviations of the count of touched blocks are under 0.034.
                compare(&workload, ios, 0.03);
            }
        }
    }
}

#[test]
fn long_and_mixed_ios_are_estimated() {
    for addresses in patterns() {
        let mut workload = Workload { addresses, alignment_bytes: Some(4096), ..plain() };
        workload.sizes.read = Sizes::Fixed { bytes: 16_384 };
        workload.mix = Mix { read_share: 0.5, trim_share: 0.0, flush_every_writes: 0 };
        [100, 500, 2000].into_iter().for_each(|ios| compare(&workload, ios, 0.06));
    }
}

#[test]
fn what_is_known_exactly_is_said_so() {
    let basis = |addresses: &Addresses, jobs, ios| {
        let workload = Workload { addresses: addresses.clone(), jobs, ..plain() };
        let geometry = Geometry::of(&workload, BLOCKS * 4096).unwrap();
        expected_touched_share(&workload, &geometry, ios)
    };
    assert_eq!(basis(&Addresses::RandomCycle, 1, 500), (0.25, "exact"));
    assert_eq!(basis(&Addresses::Sequential, 1, 500), (0.25, "exact"));
    assert_eq!(basis(&Addresses::Interlocked, 4, 500), (0.25, "exact"));
    assert_eq!(basis(&Addresses::Sequential, 1, 1 << 40), (1.0, "exact"));
    assert_eq!(basis(&Addresses::RandomCycle, 4, 500).1, "expected");
    assert_eq!(basis(&Addresses::RandomIndependent, 1, 500).1, "expected");
    assert_eq!(basis(&Addresses::RandomIndependent, 1, 0), (0.0, "exact"));
}

#[test]
fn huge_spans_take_no_time_and_make_sense() {
    for addresses in patterns() {
        let workload = Workload { addresses, ..plain() };
        let geometry = Geometry::of(&workload, 1 << 50).unwrap();
        let mut last = 0.0;
        for ios in [1u64 << 10, 1 << 20, 1 << 30, 1 << 40] {
            let share = expected_touched_share(&workload, &geometry, ios).0;
            let most = ios as f64 / (1u64 << 38) as f64;
            assert!(share > last && share <= (most * 1.001).min(1.0), "{:?}: {share}", workload.addresses);
            last = share;
            if share >= 1.0 {
                break;
            }
        }
    }
}

#[test]
fn writes_of_what_was_trimmed_touch_nothing_new() {
    for addresses in [Addresses::Sequential, Addresses::RandomCycle] {
        let mut workload = plain();
        workload.addresses = addresses;
        workload.mix = Mix { read_share: 0.0, trim_share: 0.5, flush_every_writes: 0 };
        workload.sizes.rewrites_trimmed = true;
        let geometry = Geometry::of(&workload, BLOCKS * 4096).unwrap();
        let (share, known) = expected_touched_share(&workload, &geometry, BLOCKS);
        assert_eq!((share, known), (0.5, "exact"), "{:?}", workload.addresses);
        assert_eq!(counted(&workload, BLOCKS), 0.5);
    }
}
