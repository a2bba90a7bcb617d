//! Addresses held against the law of each pattern: coverage, order, shares and replay.

use std::collections::HashSet;

use super::permutation::Permutation;
use super::*;
use crate::pattern::random_of;
use crate::pattern::seed::Purpose;
use fathom_record::workload::{HotSpot, Zone};
use proptest::prelude::*;

const BLOCK: u64 = 4096;

fn cursor() -> Arc<AtomicU64> {
    Arc::default()
}

/// `blocks` blocks of 4 KiB, I/Os of one block.
fn grid(blocks: u64) -> Geometry {
    Geometry::new(0, blocks * BLOCK, BLOCK, (BLOCK as u32, BLOCK as u32)).unwrap()
}

fn pattern(addresses: &Addresses, blocks: u64, seed: u64) -> AddressPattern {
    AddressPattern::new(addresses, &grid(blocks), (0, 1), seed, &cursor())
}

/// The next `count` block numbers.
fn draw(pattern: &mut AddressPattern, count: usize) -> Vec<u64> {
    (0..count).map(|_| pattern.next(BLOCK as u32) / BLOCK).collect()
}

fn counts(addresses: &Addresses, blocks: u64, draws: usize) -> Vec<f64> {
    let mut counts = vec![0.0; blocks as usize];
    draw(&mut pattern(addresses, blocks, 11), draws)
        .into_iter()
        .for_each(|block| counts[block as usize] += 1.0);
    counts
}

/// Deviation of counts from a uniform distribution, in standard deviations of chi-square.
fn unevenness(counts: &[f64]) -> f64 {
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    let chi_square: f64 = counts.iter().map(|count| (count - mean).powi(2) / mean).sum();
    let freedom = counts.len() as f64 - 1.0;
    (chi_square - freedom) / (2.0 * freedom).sqrt()
}

fn all_patterns() -> Vec<Addresses> {
    let zone = |access_share, span_share| Zone { access_share, span_share };
    vec![
        Addresses::RandomCycle,
        Addresses::RandomIndependent,
        Addresses::Sequential,
        Addresses::Interlocked,
        Addresses::Strided { stride_bytes: 3 * BLOCK },
        Addresses::Strided { stride_bytes: 1 << 40 },
        Addresses::Backwards { step_bytes: BLOCK },
        Addresses::Backwards { step_bytes: 1 << 40 },
        Addresses::Parts { part_bytes: 3 * BLOCK, gap_bytes: 5 * BLOCK },
        Addresses::Parts { part_bytes: 1 << 40, gap_bytes: 1 << 40 },
        Addresses::Laps { step_bytes: None, apart_bytes: 3 * BLOCK, jump_share: 0.3 },
        Addresses::Zipf { exponent: 0.99 },
        Addresses::Zipf { exponent: 1.0 },
        Addresses::Zipf { exponent: 10.0 },
        Addresses::Pareto { skew: 0.2 },
        Addresses::Normal { deviation: 0.01 },
        Addresses::Normal { deviation: 1.0 },
        Addresses::HotSpot(HotSpot { span_share: 0.001, access_share: 0.9 }),
        Addresses::Zoned { zones: vec![zone(0.5, 0.1), zone(0.0, 0.2), zone(0.5, 0.7)] },
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_io_is_aligned_and_inside(
        block in prop_oneof![Just(512u64), Just(1536), Just(4096), Just(4608), Just(1 << 20)],
        first in 0u64..1 << 41,
        extra_blocks in prop_oneof![0u64..5, 0u64..1000, 0u64..1 << 28],
        ragged in 0u64..4096,
        sizes in prop::collection::vec(1u32..300, 1..5),
        (job, more_jobs) in (0u32..8, 0u32..8),
        seed: u64,
    ) {
        let sizes: Vec<u32> = sizes.iter().map(|sectors| sectors * 512).collect();
        let (smallest, largest) = (*sizes.iter().min().unwrap(), *sizes.iter().max().unwrap());
        // Room to move the first byte up to a block.
        let span = u64::from(largest) + (extra_blocks + 1) * block + ragged;
        let geometry = Geometry::new(first, span, block, (smallest, largest)).unwrap();
        prop_assert!(geometry.first_byte >= first);
        prop_assert_eq!(geometry.first_byte + geometry.span_bytes, first + span);
        for addresses in all_patterns() {
            let place = (job, job + 1 + more_jobs);
            let mut pattern = AddressPattern::new(&addresses, &geometry, place, seed, &cursor());
            for turn in 0..200 {
                let bytes = sizes[turn % sizes.len()];
                let offset = pattern.next(bytes);
                prop_assert!(offset.is_multiple_of(block), "{addresses:?}: {offset} not on {block}");
                prop_assert!(offset >= geometry.first_byte, "{addresses:?}: {offset} before the span");
                prop_assert!(offset + u64::from(bytes) <= first + span, "{addresses:?}: {offset} beyond the span");
            }
        }
    }

    #[test]
    fn a_permutation_is_a_bijection(bound in 1u64..5000, seed: u64) {
        let permutation = Permutation::new(bound, &mut random_of(seed, Purpose::Layout, 0));
        let by_index: HashSet<u64> = (0..bound).map(|index| permutation.at(index)).collect();
        prop_assert_eq!(by_index.len() as u64, bound);
        prop_assert!(by_index.iter().all(|&number| number < bound));
        let mut place = Default::default();
        let mut by_step = HashSet::new();
        let mut batch = [0; 7];
        loop {
            let given = permutation.fill(&mut place, &mut batch);
            for number in &batch[..given] {
                prop_assert!(by_step.insert(*number), "{} twice", number);
            }
            if given < batch.len() {
                break;
            }
        }
        prop_assert_eq!(by_step, by_index);
    }
}

#[test]
fn a_cycle_visits_every_block_once_and_then_again_in_another_order() {
    for blocks in (1..200).chain([4096, 4097, 65_535, 100_003]) {
        let mut cycle = pattern(&Addresses::RandomCycle, blocks, blocks);
        let mut orders = Vec::new();
        for _ in 0..3 {
            let order = draw(&mut cycle, blocks as usize);
            assert_eq!(order.iter().collect::<HashSet<_>>().len() as u64, blocks, "of {blocks} blocks");
            orders.push(order);
        }
        assert!(blocks < 20 || orders[0] != orders[1] && orders[1] != orders[2], "{blocks} blocks repeat");
    }
}

#[test]
fn a_cycle_of_large_ios_covers_the_span_without_overlap() {
    let geometry = Geometry::new(1 << 20, 100 << 16, 4096, (1 << 16, 1 << 16)).unwrap();
    let mut cycle = AddressPattern::new(&Addresses::RandomCycle, &geometry, (0, 1), 1, &cursor());
    let mut offsets: Vec<u64> = (0..100).map(|_| cycle.next(1 << 16)).collect();
    offsets.sort_unstable();
    assert!(offsets.iter().enumerate().all(|(index, offset)| *offset == (1 << 20) + ((index as u64) << 16)));
}

/// A cycle's order must look like chance: where it starts, where it goes next, and how the start of a
/// long one is spread.
#[test]
fn a_cycle_is_in_random_order() {
    for blocks in [61u64, 64, 1000] {
        let (mut starts, mut steps) = (vec![0.0; blocks as usize], vec![0.0; blocks as usize]);
        let mut cycle = pattern(&Addresses::RandomCycle, blocks, 3);
        for _ in 0..40_000 / blocks * 10 {
            let order = draw(&mut cycle, blocks as usize);
            starts[order[0] as usize] += 1.0;
            order.windows(2).for_each(|pair| steps[((pair[1] + blocks - pair[0]) % blocks) as usize] += 1.0);
        }
        assert_eq!(steps.remove(0), 0.0, "no block follows itself");
        assert!(unevenness(&starts).abs() < 4.5, "{blocks}: starts {}", unevenness(&starts));
        assert!(unevenness(&steps).abs() < 4.5, "{blocks}: steps {}", unevenness(&steps));
    }
}

/// Orders that are computed: no table of places, pairs or steps may stand out, nor what is left of them
/// within a row of the computation's own grid.
#[test]
fn a_computed_cycle_is_in_random_order() {
    for (blocks, seed) in [(65_537u64, 1), (1 << 18, 2), (10_000_019, 3), ((1 << 30) + 7, 4), (1 << 51, 5)] {
        let grid = blocks.isqrt();
        let bin = |value: u64| (u128::from(value) * 64 / u128::from(blocks)) as usize;
        let (mut places, mut pairs) = (vec![0.0; 64], vec![0.0; 64 * 64]);
        let (mut steps, mut columns) = (vec![0.0; 64], vec![0.0; 64]);
        for run in 0..8 {
            let order = draw(&mut pattern(&Addresses::RandomCycle, blocks, seed * 100 + run), 50_000);
            for pair in order.windows(2) {
                let step = (pair[1] + blocks - pair[0]) % blocks;
                places[bin(pair[0])] += 1.0;
                pairs[bin(pair[0]) * 64 + bin(pair[1])] += 1.0;
                steps[bin(step)] += 1.0;
                columns[(step % grid * 64 / grid) as usize] += 1.0;
            }
        }
        // A cycle that is nearly over is more even than chance.
        for (name, counts) in [("places", &places), ("pairs", &pairs), ("steps", &steps)] {
            assert!(unevenness(counts) < 4.5, "{blocks}: {name} {}", unevenness(counts));
        }
        assert!(blocks < 1 << 20 || unevenness(&columns) < 4.5, "{blocks}: {}", unevenness(&columns));
    }
}

#[test]
fn independent_choices_are_uniform_and_independent() {
    for blocks in [1, 100, 1023] {
        let counts = counts(&Addresses::RandomIndependent, blocks, 400_000);
        assert!(blocks == 1 || unevenness(&counts).abs() < 4.5, "{blocks}: {}", unevenness(&counts));
    }
    let order = draw(&mut pattern(&Addresses::RandomIndependent, 32, 1), 400_000);
    let mut pairs = vec![0.0; 32 * 32];
    order.windows(2).for_each(|pair| pairs[(pair[0] * 32 + pair[1]) as usize] += 1.0);
    assert!(unevenness(&pairs).abs() < 4.5, "{}", unevenness(&pairs));
}

#[test]
fn independent_choices_of_every_size_reach_the_last_start() {
    let geometry = Geometry::new(0, 10 * BLOCK, BLOCK, (BLOCK as u32, 4 * BLOCK as u32)).unwrap();
    let mut random = AddressPattern::new(&Addresses::RandomIndependent, &geometry, (0, 1), 9, &cursor());
    for blocks in [1u64, 4, 2] {
        let starts: HashSet<u64> = (0..1000).map(|_| random.next((blocks * BLOCK) as u32) / BLOCK).collect();
        assert_eq!(starts, (0..=10 - blocks).collect(), "{blocks} blocks");
    }
}

#[test]
fn zipf_follows_its_law_by_rank() {
    const BLOCKS: u64 = 1000;
    const DRAWS: usize = 1_000_000;
    for exponent in [0.5, 0.99, 1.0, 1.3] {
        let mut counts = counts(&Addresses::Zipf { exponent }, BLOCKS, DRAWS);
        let hottest = counts.iter().position(|&count| count == counts.iter().copied().fold(0.0, f64::max));
        assert_ne!(hottest, Some(0), "ranks are scattered");
        counts.sort_by(|a, b| b.total_cmp(a));
        let whole: f64 = (1..=BLOCKS).map(|rank| (rank as f64).powf(-exponent)).sum();
        for top in [1, 10, 100] {
            let expected = (1..=top).map(|rank| (rank as f64).powf(-exponent)).sum::<f64>() / whole;
            let found = counts[..top].iter().sum::<f64>() / DRAWS as f64;
            assert!((found / expected - 1.0).abs() < 0.02, "{exponent}, top {top}: {found} for {expected}");
        }
    }
}

#[test]
fn pareto_gives_the_large_share_to_the_small_one_again_and_again() {
    for skew in [0.1, 0.2, 0.4] {
        let mut counts = counts(&Addresses::Pareto { skew }, 1000, 500_000);
        counts.sort_by(|a, b| b.total_cmp(a));
        for (span, accesses) in [(skew, 1.0 - skew), (skew * skew, (1.0 - skew) * (1.0 - skew))] {
            let found = counts[..(span * 1000.0) as usize].iter().sum::<f64>() / 500_000.0;
            assert!((found - accesses).abs() < 0.01, "{skew}: {found} for {accesses}");
        }
    }
}

#[test]
fn the_popular_blocks_are_the_same_for_all_jobs() {
    for addresses in [Addresses::Zipf { exponent: 1.5 }, Addresses::Pareto { skew: 0.05 }] {
        let hottest: HashSet<u64> = (0..4)
            .map(|job| {
                let mut pattern = AddressPattern::new(&addresses, &grid(1000), (job, 4), 8, &cursor());
                let mut counts = vec![0; 1000];
                draw(&mut pattern, 20_000).into_iter().for_each(|block| counts[block as usize] += 1);
                (0..1000).max_by_key(|&block| counts[block as usize]).unwrap()
            })
            .collect();
        assert_eq!(hottest.len(), 1, "{addresses:?}");
    }
}

#[test]
fn normal_is_centred_with_its_deviation_and_truncated() {
    let share = |deviation: f64, within: f64| {
        let counts = counts(&Addresses::Normal { deviation }, 10_000, 500_000);
        let inside = |place: usize| ((place as f64 + 0.5) / 10_000.0 - 0.5).abs() < within;
        let below: f64 = counts[..5000].iter().sum();
        assert!((below / 500_000.0 - 0.5).abs() < 0.005, "{deviation}: {below} below the middle");
        (0..10_000).filter(|&place| inside(place)).map(|place| counts[place]).sum::<f64>() / 500_000.0
    };
    // Standard normal: 68.27 % within one deviation, 95.45 % within two.
    assert!((share(0.1, 0.1) - 0.6827).abs() < 0.003);
    assert!((share(0.1, 0.2) - 0.9545).abs() < 0.003);
    // A deviation of the whole span: 19.74 % of the normal lie within a quarter, 38.29 % in the span.
    assert!((share(1.0, 0.25) - 0.1974 / 0.3829).abs() < 0.003);
}

#[test]
fn zones_and_hot_spots_take_their_shares_evenly() {
    let counts_of = |addresses| counts(&addresses, 1000, 400_000);
    let hot = counts_of(Addresses::HotSpot(HotSpot { span_share: 0.1, access_share: 0.75 }));
    let share = |counts: &[f64]| counts.iter().sum::<f64>() / 400_000.0;
    assert!((share(&hot[..100]) - 0.75).abs() < 0.004);
    assert!(unevenness(&hot[..100]).abs() < 4.5 && unevenness(&hot[100..]).abs() < 4.5);
    let zone = |access_share, span_share| Zone { access_share, span_share };
    let zones = vec![zone(0.6, 0.2), zone(0.0, 0.3), zone(0.4, 0.5)];
    let zoned = counts_of(Addresses::Zoned { zones });
    assert!((share(&zoned[..200]) - 0.6).abs() < 0.004);
    assert_eq!(share(&zoned[200..500]), 0.0);
    assert!(unevenness(&zoned[..200]).abs() < 4.5 && unevenness(&zoned[500..]).abs() < 4.5);
}

#[test]
fn sequential_jobs_tile_the_span_and_wrap() {
    let geometry = grid(10);
    let parts: Vec<Vec<u64>> = (0..3)
        .map(|job| {
            draw(&mut AddressPattern::new(&Addresses::Sequential, &geometry, (job, 3), 0, &cursor()), 5)
        })
        .collect();
    assert_eq!(parts, [[0, 1, 2, 0, 1], [3, 4, 5, 3, 4], [6, 7, 8, 9, 6]]);
    // More jobs than blocks: every job still has a place.
    let crowded =
        AddressPattern::new(&Addresses::Sequential, &grid(2), (4, 5), 0, &cursor()).next(BLOCK as u32);
    assert_eq!(crowded, BLOCK);
}

#[test]
fn strides_leave_nothing_out() {
    let stride = |blocks| Addresses::Strided { stride_bytes: blocks * BLOCK };
    let order = draw(&mut pattern(&stride(4), 10, 0), 12);
    assert_eq!(order, [0, 4, 8, 1, 5, 9, 2, 6, 3, 7, 0, 4]);
    assert_eq!(draw(&mut pattern(&stride(100), 3, 0), 4), [0, 1, 2, 0]);
}

#[test]
fn laps_go_over_the_whole_span_from_each_jobs_start() {
    let laps = |step: Option<u64>, apart: u64, jump_share| Addresses::Laps {
        step_bytes: step.map(|blocks| blocks * BLOCK),
        apart_bytes: apart * BLOCK,
        jump_share,
    };
    assert_eq!(draw(&mut pattern(&laps(None, 0, 0.0), 4, 1), 6), [0, 1, 2, 3, 0, 1], "no start of its own");
    assert_eq!(draw(&mut pattern(&laps(Some(3), 0, 0.0), 7, 0), 5), [0, 3, 6, 0, 3]);
    let third = |addresses| AddressPattern::new(&addresses, &grid(10), (2, 3), 7, &cursor());
    assert_eq!(draw(&mut third(laps(None, 4, 0.0)), 4), [8, 9, 0, 1]);
    let order =
        draw(&mut AddressPattern::new(&laps(None, 0, 0.25), &grid(5000), (0, 1), 7, &cursor()), 20_000);
    let follows = order.windows(2).filter(|pair| pair[1] == pair[0] + 1).count() as f64;
    assert!((follows / 20_000.0 - 0.75).abs() < 0.02, "{follows}");
}

#[test]
fn interlocked_jobs_share_one_position() {
    let shared = cursor();
    let geometry = Geometry::new(0, 10 * BLOCK + 512, BLOCK, (BLOCK as u32, BLOCK as u32)).unwrap();
    let mut jobs: Vec<AddressPattern> = (0..3)
        .map(|job| AddressPattern::new(&Addresses::Interlocked, &geometry, (job, 3), 0, &shared))
        .collect();
    let order: Vec<u64> = (0..25).map(|turn| jobs[turn * turn % 3].next(BLOCK as u32) / BLOCK).collect();
    assert_eq!(order, (0..25).map(|turn| turn % 10).collect::<Vec<_>>());
}

#[test]
fn interlocked_threads_take_every_block_equally_often() {
    let shared = cursor();
    let threads: Vec<_> = (0..4)
        .map(|job| {
            let mut pattern = AddressPattern::new(&Addresses::Interlocked, &grid(7), (job, 4), 0, &shared);
            std::thread::spawn(move || draw(&mut pattern, 7000))
        })
        .collect();
    let mut counts = [0; 7];
    for thread in threads {
        thread.join().unwrap().into_iter().for_each(|block| counts[block as usize] += 1);
    }
    assert_eq!(counts, [4000; 7]);
}

#[test]
fn the_same_seed_replays_and_another_does_not() {
    for addresses in all_patterns() {
        let order = |seed, job| {
            let mut pattern = AddressPattern::new(&addresses, &grid(5000), (job, 2), seed, &cursor());
            draw(&mut pattern, 500)
        };
        assert_eq!(order(7, 0), order(7, 0), "{addresses:?}");
        let chance = !has_position(&addresses) && addresses != Addresses::Interlocked;
        // With this exponent nearly every access is to the most popular block.
        if chance && addresses != (Addresses::Zipf { exponent: 10.0 }) {
            assert_ne!(order(7, 0), order(8, 0), "{addresses:?}");
            assert_ne!(order(7, 0), order(7, 1), "{addresses:?}");
        }
    }
}

#[test]
fn backwards_goes_down_and_again_from_the_end_and_parts_leave_gaps() {
    let back = Addresses::Backwards { step_bytes: 2 * BLOCK };
    // As fio with rw=read:-12k on 16 blocks of 4 KiB, behind its first I/O.
    let expected = [13, 11, 9, 7, 5, 3, 1, 13, 11];
    assert_eq!(draw(&mut pattern(&back, 16, 1), 9), expected);
    let parts = Addresses::Parts { part_bytes: 2 * BLOCK, gap_bytes: 3 * BLOCK };
    assert_eq!(draw(&mut pattern(&parts, 12, 1), 8), [0, 1, 5, 6, 10, 11, 0, 1]);
}
