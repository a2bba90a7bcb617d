//! Whole I/Os: their mix, sizes and places together, and that they replay.

use std::collections::HashMap;

use super::super::test_workload::plain;
use super::*;
use fathom_record::workload::{Addresses, Mix, SizeShare, Sizes};
use proptest::prelude::*;

fn generator(workload: &Workload, target_bytes: u64, job: u32) -> Generator {
    let geometry = Geometry::of(workload, target_bytes).unwrap();
    Generator::new(workload, &geometry, job, &Arc::default())
}

fn draw(workload: &Workload, count: usize) -> Vec<Draft> {
    let mut generator = generator(workload, 1 << 30, 0);
    (0..count).map(|_| generator.next()).collect()
}

#[test]
fn directions_come_in_their_shares_and_pure_mixes_stay_pure() {
    for (read_share, trim_share) in
        [(1.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.7, 0.0), (0.5, 0.2), (0.3, 0.7), (0.1 + 0.2, 1.0 - 0.3)]
    {
        let mix = Mix { read_share, trim_share, flush_every_writes: 0 };
        let workload = Workload { mix, ..plain() };
        let mut counts = [0.0; 4];
        draw(&workload, 200_000).iter().for_each(|draft| counts[draft.direction.index()] += 1.0);
        for (index, share) in [read_share, mix.write_share(), trim_share, 0.0].into_iter().enumerate() {
            let found = counts[index] / 200_000.0;
            assert!((found - share).abs() < 0.005, "{mix:?}: {found} for {share}");
            assert!(share > 1e-9 || found == 0.0, "{mix:?}: a direction with no share was drawn");
        }
    }
}

#[test]
fn a_flush_follows_every_so_many_writes() {
    let mix = Mix { read_share: 0.5, trim_share: 0.0, flush_every_writes: 10 };
    let (mut writes, mut flushes) = (0, 0);
    for draft in draw(&Workload { mix, ..plain() }, 10_000) {
        match draft.direction {
            Direction::Write => writes += 1,
            Direction::Flush => {
                assert_eq!((writes, draft.offset, draft.bytes), (10, 0, 0));
                (writes, flushes) = (0, flushes + 1);
            }
            _ => {}
        }
        assert!(writes <= 10);
    }
    assert!(flushes > 400, "{flushes}");
}

#[test]
fn sizes_come_in_their_shares() {
    let share = |bytes, share| SizeShare { bytes, share };
    let split = Sizes::Split {
        shares: vec![share(4096, 0.6), share(65_536, 0.3), share(512, 0.1), share(1024, 0.0)],
    };
    let range = Sizes::Range { min_bytes: 1024, max_bytes: 4096, step_bytes: 1024 };
    let count = |sizes: &Sizes| {
        let mut pattern = SizePattern::new(sizes);
        let mut random = random_of(1, Purpose::Mix, 0);
        let mut counts: HashMap<u32, f64> = HashMap::new();
        (0..200_000).for_each(|_| *counts.entry(pattern.next(&mut random)).or_default() += 1.0 / 200_000.0);
        counts
    };
    let holds = |found: HashMap<u32, f64>, expected: &[(u32, f64)]| {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (bytes, share) in expected {
            assert!((found[bytes] - share).abs() < 0.005, "{bytes}: {found:?}");
        }
    };
    holds(count(&split), &[(4096, 0.6), (65_536, 0.3), (512, 0.1)]);
    holds(count(&range), &[(1024, 0.25), (2048, 0.25), (3072, 0.25), (4096, 0.25)]);
    holds(count(&Sizes::Fixed { bytes: 8192 }), &[(8192, 1.0)]);
}

#[test]
fn each_direction_moves_forward_on_its_own() {
    let mix = Mix { read_share: 0.5, trim_share: 0.0, flush_every_writes: 0 };
    let workload = Workload { mix, addresses: Addresses::Sequential, ..plain() };
    let mut next = [0, 0];
    for draft in draw(&workload, 1000) {
        let position = &mut next[draft.direction.index()];
        assert_eq!(draft.offset, *position, "{:?}", draft.direction);
        *position += 4096;
    }
    assert!(next.iter().all(|position| *position > 400 * 4096));
}

#[test]
fn a_random_cycle_is_shared_by_all_directions() {
    let mix = Mix { read_share: 0.5, trim_share: 0.0, flush_every_writes: 0 };
    let workload = Workload { mix, span_bytes: Some(1 << 20), ..plain() };
    let mut offsets: Vec<u64> = draw(&workload, 256).iter().map(|draft| draft.offset).collect();
    offsets.sort_unstable();
    assert_eq!(offsets, (0..256).map(|block| block * 4096).collect::<Vec<_>>());
}

#[test]
fn sizes_of_directions_that_are_never_drawn_do_not_count() {
    let mut workload = plain();
    workload.sizes.write = Sizes::Fixed { bytes: 1 << 20 };
    workload.sizes.trim = Sizes::Fixed { bytes: 512 };
    let geometry = Geometry::of(&workload, 1 << 19).unwrap();
    assert_eq!((geometry.block_bytes, geometry.largest_io_bytes), (4096, 4096));
    workload.mix.read_share = 0.9;
    assert!(Geometry::of(&workload, 1 << 19).is_err());
    assert_eq!(generator(&workload, 1 << 20, 0).largest_io_bytes(), 1 << 20);
}

#[test]
fn spans_that_cannot_be_are_refused_with_a_remedy() {
    let refuse = |change: &dyn Fn(&mut Workload)| {
        let mut workload = plain();
        change(&mut workload);
        let error = Geometry::of(&workload, 1 << 20).unwrap_err();
        assert_eq!(error.kind, crate::ErrorKind::Plan);
        error.remedy
    };
    assert!(refuse(&|w| w.offset_bytes = 2 << 20).contains("--offset"));
    assert!(refuse(&|w| w.span_bytes = Some((1 << 20) + 1)).contains("--size"));
    assert!(refuse(&|w| w.span_bytes = Some(2048)).contains("--size"));
    assert!(refuse(&|w| w.offset_bytes = (1 << 20) - 4095).contains("--bs"));
    assert!(refuse(&|w| w.addresses = Addresses::Strided { stride_bytes: 6144 }).contains("--align"));
    assert!(refuse(&|w| w.offset_bytes = u64::MAX).contains("--offset"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_run_replays_exactly_and_its_ios_fit(
        read_share in 0.0f64..=1.0, sectors in 1u64..64, more in 0u64..64, flush in 0u64..9,
        offset in 0u64..10_000, seed: u64, job in 0u32..3,
    ) {
        let mut workload = Workload { jobs: 3, seed, offset_bytes: offset, ..plain() };
        workload.mix = Mix { read_share, trim_share: 0.0, flush_every_writes: flush };
        workload.sizes.write = Sizes::Range {
            min_bytes: sectors * 512, max_bytes: (sectors + more) * 512, step_bytes: 512,
        };
        let target_bytes = 1 << 20;
        let (mut first, mut second) = (generator(&workload, target_bytes, job), generator(&workload, target_bytes, job));
        let geometry = Geometry::of(&workload, target_bytes).unwrap();
        for _ in 0..200 {
            let draft = first.next();
            prop_assert_eq!(draft, second.next());
            prop_assert!(draft.direction == Direction::Flush || draft.offset >= offset);
            prop_assert!(draft.offset + u64::from(draft.bytes) <= target_bytes);
            prop_assert!(draft.offset.is_multiple_of(geometry.block_bytes));
            prop_assert!(draft.bytes <= first.largest_io_bytes());
        }
    }
}

#[test]
fn what_was_trimmed_is_written_next() {
    for addresses in [Addresses::Sequential, Addresses::RandomCycle] {
        let mut workload = plain();
        workload.addresses = addresses;
        workload.mix = Mix { read_share: 0.0, trim_share: 0.5, flush_every_writes: 0 };
        workload.sizes.trim = Sizes::Range { min_bytes: 4096, max_bytes: 16384, step_bytes: 4096 };
        workload.sizes.rewrites_trimmed = true;
        workload.validate().unwrap();
        let geometry = Geometry::of(&workload, 16 << 20).unwrap();
        let mut generator = Generator::new(&workload, &geometry, 0, &Arc::default());
        let mut places = std::collections::BTreeSet::new();
        for _ in 0..2000 {
            let (trim, write) = (generator.next(), generator.next());
            assert_eq!(trim.direction, Direction::Trim);
            assert_eq!(write, Draft { direction: Direction::Write, ..trim });
            places.insert((trim.offset, trim.bytes));
        }
        assert!(places.len() > 500, "{} places", places.len());
    }
}

#[test]
fn each_direction_may_have_a_grid_of_its_own() {
    let mut workload = plain();
    workload.mix.read_share = 0.5;
    workload.sizes.read = Sizes::Range { min_bytes: 4096, max_bytes: 16384, step_bytes: 4096 };
    workload.sizes.write = Sizes::Fixed { bytes: 65536 };
    workload.sizes.own_alignment = true;
    workload.offset_bytes = 8192;
    let geometry = Geometry::of(&workload, 8192 + (16 << 20)).unwrap();
    let mut generator = Generator::new(&workload, &geometry, 0, &Arc::default());
    let drafts: Vec<Draft> = (0..4000).map(|_| generator.next()).collect();
    let of = |direction| drafts.iter().filter(move |draft| draft.direction == direction);
    assert!(of(Direction::Write).all(|draft| (draft.offset - 8192) % 65536 == 0));
    assert!(of(Direction::Read).any(|draft| (draft.offset - 8192) % 65536 != 0));
    assert!(
        drafts.iter().all(|draft| geometry.span().contains(&(draft.offset + u64::from(draft.bytes) - 1)))
    );
}
