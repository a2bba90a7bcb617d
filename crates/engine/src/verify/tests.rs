//! Verification against targets that lose, misplace, tear and alter: all of it is found, and an honest
//! target is never accused.

use std::collections::HashMap;

use super::test_engine::{Media, TestEngine};
use super::*;
use crate::fault::{Effect, Fault, FaultPlan, FaultTrigger};
use crate::pattern::Geometry;
use crate::pattern::test_workload::plain;
use fathom_record::Direction::{Flush, Read, Trim, Write};
use proptest::prelude::*;

const BLOCK: u32 = 4096;
const BLOCKS: u64 = 16;
const DEPTH: u32 = 4;

type Stack = Verify<Fault<TestEngine>>;

fn table(block_bytes: u32, tag: u64) -> Arc<VerifyTable> {
    Arc::new(VerifyTable::new(0, BLOCKS * u64::from(BLOCK), block_bytes, tag).unwrap())
}

fn stack(media: &Media, table: &Arc<VerifyTable>, plan: FaultPlan) -> Stack {
    let largest = 4 * BLOCK;
    let engine = Fault::new(TestEngine::new(media, DEPTH, largest as usize), plan, DEPTH);
    Verify::new(engine, Arc::clone(table), DEPTH, largest).unwrap()
}

fn fresh(plan: FaultPlan) -> (Media, Stack) {
    let media = TestEngine::media((BLOCKS * u64::from(BLOCK)) as usize);
    let engine = stack(&media, &table(BLOCK, 77), plan);
    (media, engine)
}

fn io(slot: u32, direction: Direction, block: u64, blocks: u32) -> Io {
    Io { slot, direction, offset: block * u64::from(BLOCK), bytes: blocks * BLOCK }
}

fn submit(engine: &mut impl Engine, io: Io) {
    if io.direction == Write {
        let content = (io.offset ^ 0x5a) as u8 ^ io.slot as u8;
        engine.buffer(io.slot)[..io.bytes as usize].fill(content);
    }
    assert_eq!(engine.submit(io), Submission::Queued);
}

fn reap(engine: &mut impl Engine) -> Vec<i32> {
    let mut done = Vec::new();
    engine.reap(Wait::No, &mut done).unwrap();
    done.iter().map(|completion| completion.result).collect()
}

fn run(engine: &mut impl Engine, io: Io) -> i32 {
    submit(engine, io);
    reap(engine)[0]
}

/// Blocks whose content a failed write, a trim or an unfinished I/O left open.
fn uncertain_blocks<E: Engine>(engine: &Verify<E>) -> u64 {
    let open = |index: &usize| {
        let state = engine.table().state(*index);
        !state.is_untouched() && !state.is_settled()
    };
    (0..BLOCKS as usize).filter(open).count() as u64
}

fn damages(engine: &Stack) -> Vec<(u64, Damage)> {
    let block = |finding: &Finding| (finding.offset / u64::from(BLOCK), finding.damage);
    engine.report().findings.iter().map(block).collect()
}

#[test]
fn what_was_written_reads_back_as_good() {
    let (_, mut engine) = fresh(FaultPlan::default());
    for round in 0..3 {
        assert_eq!(run(&mut engine, io(0, Write, 2, 4)), 4 * BLOCK as i32);
        run(&mut engine, io(1, Write, 3, 1));
        run(&mut engine, io(2, Flush, 0, 0));
        run(&mut engine, io(2, Read, round, 4));
    }
    let report = engine.report();
    // Rounds read blocks 0..4, 1..5 and 2..6, of which 2..6 were written.
    assert_eq!((report.checked, report.not_stamped), (2 + 3 + 4, 2 + 1));
    assert_eq!((report.corrupt, report.uncertain, report.partial), (0, 0, 0));
    assert!(engine.facts().features.iter().any(|feature| feature.name == "verify" && feature.used));
}

#[test]
fn altered_content_is_found_and_named() {
    let flip = FaultPlan::one(FaultTrigger::Touching(8192..8193), Some(Read), Effect::FlipByte(3000));
    let (_, mut engine) = fresh(flip);
    run(&mut engine, io(0, Write, 1, 3));
    run(&mut engine, io(1, Read, 2, 1));
    assert_eq!(damages(&engine), [(2, Damage::Checksum)]);
    // The same block again, its stamp hit this time: no magic is left.
    let (media, mut engine) = fresh(FaultPlan::default());
    run(&mut engine, io(0, Write, 2, 1));
    media.lock().unwrap()[8192] ^= 1;
    run(&mut engine, io(1, Read, 2, 1));
    assert_eq!(damages(&engine), [(2, Damage::StampGone)]);
    assert!(engine.report().findings[0].to_string().starts_with("block at byte 8192: "));
}

#[test]
fn misplaced_writes_are_found_at_both_places() {
    let plan = FaultPlan::one(FaultTrigger::Nth(2), None, Effect::Misplace(5 * u64::from(BLOCK)));
    let (_, mut engine) = fresh(plan);
    run(&mut engine, io(0, Write, 1, 1));
    run(&mut engine, io(0, Write, 5, 1));
    run(&mut engine, io(0, Write, 1, 1));
    run(&mut engine, io(1, Read, 0, 4));
    run(&mut engine, io(1, Read, 4, 4));
    let lost = Damage::Stale { found: 1, expected: 2, other_run: false };
    assert_eq!(damages(&engine), [(1, lost), (5, Damage::Misplaced { belongs_at: 4096 })]);
}

#[test]
fn lost_writes_are_found_whatever_lay_there_before() {
    let lose = |nth| FaultPlan::one(FaultTrigger::Nth(nth), None, Effect::Lose);
    // Over nothing.
    let (_, mut engine) = fresh(lose(0));
    assert_eq!(run(&mut engine, io(0, Write, 1, 1)), BLOCK as i32);
    run(&mut engine, io(1, Read, 1, 1));
    assert_eq!(damages(&engine), [(1, Damage::StampGone)]);
    // Over this run's own earlier content.
    let (media, mut engine) = fresh(lose(1));
    run(&mut engine, io(0, Write, 1, 1));
    run(&mut engine, io(0, Write, 1, 1));
    run(&mut engine, io(1, Read, 1, 1));
    assert_eq!(damages(&engine), [(1, Damage::Stale { found: 1, expected: 2, other_run: false })]);
    // Over an earlier run's.
    let mut later = stack(&media, &table(BLOCK, 78), lose(0));
    run(&mut later, io(0, Write, 1, 1));
    run(&mut later, io(1, Read, 1, 1));
    assert_eq!(damages(&later), [(1, Damage::Stale { found: 1, expected: 1, other_run: true })]);
}

#[test]
fn a_block_whose_write_failed_is_uncertain_until_it_is_written_again() {
    for effect in [Effect::Fail(5), Effect::CarryOutAndFail(5), Effect::Short(BLOCK), Effect::Short(100)] {
        let (_, mut engine) = fresh(FaultPlan::one(FaultTrigger::Nth(1), None, effect));
        run(&mut engine, io(0, Write, 0, 4));
        run(&mut engine, io(0, Write, 0, 2));
        run(&mut engine, io(1, Read, 0, 4));
        let certain = if effect == Effect::Short(BLOCK) { 3 } else { 2 };
        assert_eq!(
            (engine.report().checked, engine.report().uncertain),
            (certain, 4 - certain),
            "{effect:?}"
        );
        assert_eq!(uncertain_blocks(&engine), 4 - certain);
        run(&mut engine, io(0, Write, 0, 4));
        run(&mut engine, io(1, Read, 0, 4));
        assert_eq!((engine.report().checked, engine.report().uncertain), (certain + 4, 4 - certain));
        assert_eq!(engine.report().corrupt, 0, "{effect:?}");
    }
}

#[test]
fn a_trim_leaves_the_content_open() {
    let (_, mut engine) = fresh(FaultPlan::default());
    run(&mut engine, io(0, Write, 0, 2));
    run(&mut engine, io(0, Trim, 1, 1));
    run(&mut engine, io(1, Read, 0, 2));
    assert_eq!((engine.report().checked, engine.report().uncertain, engine.report().corrupt), (1, 1, 0));
    assert_eq!(engine.table().written(1 << 20).collect::<Vec<_>>(), [(0, BLOCK)]);
}

/// Two jobs on one medium: one reads block 1 while the other writes it. Either may be submitted first,
/// and the write may end before the read does or after.
fn overlap(read_first: bool, write_ends_first: bool, tear: bool) -> VerifyReport {
    let media = TestEngine::media((BLOCKS * u64::from(BLOCK)) as usize);
    let shared = table(BLOCK, 5);
    let job = || {
        let engine = TestEngine::new(&media, DEPTH, BLOCK as usize);
        Verify::new(engine, Arc::clone(&shared), DEPTH, BLOCK).unwrap()
    };
    let (mut writer, mut reader) = (job(), job());
    run(&mut writer, io(0, Write, 1, 1));
    if read_first {
        submit(&mut reader, io(0, Read, 1, 1));
        submit(&mut writer, io(0, Write, 1, 1));
    } else {
        submit(&mut writer, io(0, Write, 1, 1));
        submit(&mut reader, io(0, Read, 1, 1));
    }
    if write_ends_first {
        reap(&mut writer);
    }
    if tear {
        media.lock().unwrap()[4096 + 2048..8192].fill(9);
    }
    reap(&mut reader);
    reader.report().clone()
}

#[test]
fn a_block_that_is_written_while_it_is_read_is_not_called_corrupt() {
    for (read_first, write_ends_first) in [(false, false), (false, true), (true, false), (true, true)] {
        let case = format!("read first: {read_first}, write ends first: {write_ends_first}");
        let whole = overlap(read_first, write_ends_first, false);
        assert_eq!((whole.checked, whole.uncertain, whole.corrupt), (1, 0, 0), "{case}");
        let torn = overlap(read_first, write_ends_first, true);
        assert_eq!((torn.checked, torn.uncertain, torn.corrupt), (0, 1, 0), "{case}");
    }
}

#[test]
fn overlapping_writes_may_land_in_any_order_but_no_older_one_may_stay() {
    let (_, mut engine) = fresh(FaultPlan::one(FaultTrigger::FromNth(1), Some(Write), Effect::Lose));
    run(&mut engine, io(0, Write, 1, 1));
    // Both are acknowledged and both are lost: generation 1 is older than either.
    submit(&mut engine, io(0, Write, 1, 1));
    submit(&mut engine, io(1, Write, 1, 1));
    reap(&mut engine);
    run(&mut engine, io(2, Read, 1, 1));
    assert_eq!(damages(&engine), [(1, Damage::Stale { found: 1, expected: 3, other_run: false })]);
    // One of two is lost: the other one is as good as both.
    for lost in [1, 2] {
        let (_, mut engine) = fresh(FaultPlan::one(FaultTrigger::Nth(lost), None, Effect::Lose));
        run(&mut engine, io(0, Write, 1, 1));
        submit(&mut engine, io(0, Write, 1, 1));
        submit(&mut engine, io(1, Write, 1, 1));
        reap(&mut engine);
        run(&mut engine, io(2, Read, 1, 1));
        assert_eq!((engine.report().checked, engine.report().corrupt), (1, 0));
    }
}

#[test]
fn a_mixture_is_open_after_writes_that_overlapped_and_corrupt_after_a_lone_one() {
    for (writes, expected) in [(2, (1, 0)), (1, (0, 1))] {
        let (media, mut engine) = fresh(FaultPlan::default());
        for slot in 0..writes {
            submit(&mut engine, io(slot, Write, 1, 1));
        }
        reap(&mut engine);
        let block = BLOCK as usize;
        media.lock().unwrap()[block + block / 2..2 * block].fill(block as u8 ^ 0x5a);
        media.lock().unwrap()[2 * block - 1] ^= 1;
        run(&mut engine, io(2, Read, 1, 1));
        assert_eq!((engine.report().uncertain, engine.report().corrupt), expected);
    }
}

#[test]
fn a_submission_that_found_the_engine_full_changes_nothing() {
    let media = TestEngine::media((BLOCKS * u64::from(BLOCK)) as usize);
    let mut inner = TestEngine::new(&media, DEPTH, BLOCK as usize);
    inner.refuse = 1;
    let mut engine = Verify::new(inner, table(BLOCK, 5), DEPTH, BLOCK).unwrap();
    assert_eq!(engine.submit(io(0, Write, 1, 1)), Submission::Full);
    assert_eq!(uncertain_blocks(&engine), 0);
    run(&mut engine, io(1, Read, 1, 1));
    assert_eq!(engine.report().not_stamped, 1);
    run(&mut engine, io(0, Write, 1, 1));
    run(&mut engine, io(1, Read, 1, 1));
    assert_eq!((engine.report().checked, engine.report().corrupt), (1, 0));
}

#[test]
fn a_later_run_checks_what_an_earlier_one_left_in_blocks_of_any_size() {
    let (media, mut engine) = fresh(FaultPlan::default());
    (0..4).for_each(|part| assert!(run(&mut engine, io(0, Write, part * 4, 4)) > 0));
    for block_bytes in [512, 1024, 4096, 16384] {
        let mut later = stack(&media, &table(block_bytes, 9), FaultPlan::default());
        run(&mut later, io(0, Read, 0, 4));
        assert_eq!((later.report().checked, later.report().corrupt), (4, 0), "{block_bytes}");
    }
    media.lock().unwrap()[4096 + 100] ^= 1;
    media.lock().unwrap().copy_within(0..4096, 8192);
    for block_bytes in [512, 4096, 16384] {
        let mut later = stack(&media, &table(block_bytes, 9), FaultPlan::default());
        run(&mut later, io(0, Read, 0, 4));
        let found = [(1, Damage::AlteredSince), (2, Damage::Misplaced { belongs_at: 0 })];
        assert_eq!(damages(&later), found, "{block_bytes}");
    }
}

/// A file that was copied to another place, and one that was written over without stamps.
#[test]
fn a_run_that_writes_does_not_answer_for_what_became_of_an_earlier_ones_blocks() {
    for writes in [true, false] {
        let (media, mut engine) = fresh(FaultPlan::default());
        run(&mut engine, io(0, Write, 0, 4));
        media.lock().unwrap()[100] ^= 1;
        media.lock().unwrap().copy_within(3 * 4096..4 * 4096, 4096);
        let mut workload = plain();
        workload.mix.read_share = if writes { 0.5 } else { 1.0 };
        let geometry = Geometry::of(&workload, BLOCKS * u64::from(BLOCK)).unwrap();
        let table = Arc::new(VerifyTable::of(&workload, &geometry, 9).unwrap());
        let mut later =
            stack(&media, &table, FaultPlan::one(FaultTrigger::Nth(1), None, Effect::Misplace(9 * 4096)));
        run(&mut later, io(0, Read, 0, 4));
        let report = later.report();
        let (judged, corrupt) = if writes { (2, 0) } else { (4, 2) };
        assert_eq!((report.checked, report.corrupt, report.partial), (judged, corrupt, 4 - judged));
        if writes {
            // Its own write, put where it has written nothing.
            run(&mut later, io(0, Write, 2, 1));
            run(&mut later, io(0, Read, 9, 1));
            assert_eq!(damages(&later), [(9, Damage::Misplaced { belongs_at: 8192 })]);
        }
    }
}

#[test]
fn a_larger_block_that_was_overwritten_in_part_is_not_called_corrupt() {
    let media = TestEngine::media((BLOCKS * u64::from(BLOCK)) as usize);
    let mut first = stack(&media, &table(4 * BLOCK, 1), FaultPlan::default());
    run(&mut first, io(0, Write, 0, 4));
    let mut second = stack(&media, &table(BLOCK, 2), FaultPlan::default());
    run(&mut second, io(0, Write, 2, 1));
    run(&mut second, io(1, Read, 0, 4));
    assert_eq!((second.report().partial, second.report().checked, second.report().corrupt), (1, 1, 0));
    run(&mut second, io(1, Read, 0, 1));
    assert_eq!(second.report().partial, 2, "only the start of the larger block was read");
    let mut third = stack(&media, &table(4 * BLOCK, 3), FaultPlan::default());
    run(&mut third, io(1, Read, 0, 4));
    assert_eq!((third.report().partial, third.report().corrupt), (1, 0));
}

#[test]
fn failed_reads_are_counted_and_io_beyond_the_table_is_not_judged() {
    let (_, mut engine) = fresh(FaultPlan::one(FaultTrigger::FromNth(1), Some(Read), Effect::Fail(5)));
    run(&mut engine, io(0, Write, 0, 1));
    assert_eq!(run(&mut engine, io(1, Read, 0, 1)), -5);
    assert_eq!(engine.report(), &VerifyReport { unread: 1, ..VerifyReport::default() });
    let (_, mut engine) = fresh(FaultPlan::one(FaultTrigger::Always, Some(Read), Effect::Short(BLOCK + 100)));
    run(&mut engine, io(0, Write, 0, 4));
    run(&mut engine, io(1, Read, 0, 4));
    assert_eq!((engine.report().checked, engine.report().unread, engine.report().corrupt), (1, 3, 0));
    let narrow = Arc::new(VerifyTable::new(4096, 4096, 4096, 1).unwrap());
    let media = TestEngine::media((BLOCKS * u64::from(BLOCK)) as usize);
    let mut engine = stack(&media, &narrow, FaultPlan::default());
    run(&mut engine, io(0, Write, 0, 4));
    run(&mut engine, io(0, Read, 0, 4));
    run(&mut engine, io(0, Write, 8, 1));
    assert_eq!((engine.report().checked, engine.report().corrupt), (0, 0));
}

#[test]
fn tables_that_cannot_be_are_refused_with_a_remedy() {
    let error = VerifyTable::new(0, 1 << 50, 4096, 1).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
    assert!(error.remedy.contains("512GiB"), "{error}");
    assert_eq!(VerifyTable::new(0, 4096, 32, 1).unwrap_err().kind, ErrorKind::Plan);
    assert_eq!(VerifyTable::new(512, 8192, 4096, 1).unwrap_err().kind, ErrorKind::Plan);
    let media = TestEngine::media(0);
    let largest = 1 << 26;
    let wide = Verify::new(TestEngine::new(&media, 1, 0), table(512, 1), 32_768, largest);
    assert_eq!(wide.unwrap_err().kind, ErrorKind::Unsupported);
}

#[test]
fn what_was_written_is_listed_in_stretches() {
    let (_, mut engine) = fresh(FaultPlan::one(FaultTrigger::Nth(3), None, Effect::Fail(5)));
    run(&mut engine, io(0, Write, 1, 4));
    run(&mut engine, io(0, Write, 5, 2));
    run(&mut engine, io(0, Write, 15, 1));
    run(&mut engine, io(0, Write, 3, 1));
    let listed = |most: u32| -> Vec<(u64, u32)> {
        let blocks = |(offset, bytes)| (offset / u64::from(BLOCK), bytes / BLOCK);
        engine.table().written(most).map(blocks).collect()
    };
    assert_eq!(listed(u32::MAX), [(1, 2), (4, 3), (15, 1)]);
    assert_eq!(listed(2 * BLOCK), [(1, 2), (4, 2), (6, 1), (15, 1)]);
    assert_eq!(listed(1).len(), 6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A target that does what it says is never called corrupt, whatever fails, overlaps or is trimmed,
    /// and in whatever order I/Os end.
    #[test]
    fn an_honest_target_is_never_accused(
        steps in prop::collection::vec((0u32..DEPTH, 0u8..10, 0u64..BLOCKS, 1u32..4, any::<bool>()), 1..200),
        failing in prop::collection::vec(0u64..200, 0..20),
    ) {
        let effect = |nth: &u64| match nth % 4 {
            0 => Effect::Fail(5),
            1 => Effect::CarryOutAndFail(5),
            2 => Effect::Short(BLOCK),
            _ => Effect::Short(1000),
        };
        let rule = |nth: &u64| crate::fault::FaultRule { when: FaultTrigger::Nth(*nth), direction: None, effect: effect(nth) };
        let plan = FaultPlan { rules: failing.iter().map(rule).collect() };
        let media = TestEngine::media((BLOCKS * u64::from(BLOCK)) as usize);
        let shared = table(BLOCK, 3);
        let mut engine = stack(&media, &shared, plan);
        let mut busy: HashMap<u32, ()> = HashMap::new();
        for (slot, kind, block, blocks, wait) in steps {
            let direction = match kind { 0..4 => Read, 4..8 => Write, 8 => Trim, _ => Flush };
            if busy.insert(slot, ()).is_none() {
                let blocks = blocks.min((BLOCKS - block) as u32);
                submit(&mut engine, io(slot, direction, block, if direction == Flush { 0 } else { blocks }));
            }
            if wait {
                let mut done = Vec::new();
                engine.reap(Wait::No, &mut done).unwrap();
                done.iter().for_each(|completion| { busy.remove(&completion.slot); });
            }
        }
        reap(&mut engine);
        prop_assert_eq!(engine.report().corrupt, 0, "{:?}", engine.report());
        for (offset, bytes) in shared.written(4 * BLOCK).collect::<Vec<_>>() {
            let before = engine.report().checked;
            run(&mut engine, Io { slot: 0, direction: Read, offset, bytes });
            if engine.inner().faults() == 0 {
                prop_assert_eq!(engine.report().checked - before, u64::from(bytes / BLOCK));
            }
        }
        prop_assert_eq!(engine.report().corrupt, 0, "{:?}", engine.report());
    }
}
