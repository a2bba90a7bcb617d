//! Faults on a target made of memory: which I/Os they hit, and what they leave on the media.

use super::*;
use crate::verify::test_engine::{Media, TestEngine};
use fathom_record::Direction::{Read, Trim, Write};

const BYTES: u32 = 512;

fn fresh(plan: FaultPlan) -> (Media, Fault<TestEngine>) {
    let media = TestEngine::media(64 * BYTES as usize);
    let engine = TestEngine::new(&media, 2, BYTES as usize);
    (media, Fault::new(engine, plan, 2))
}

fn run(engine: &mut Fault<TestEngine>, direction: Direction, block: u64) -> Completion {
    let io = Io { slot: 1, direction, offset: block * u64::from(BYTES), bytes: BYTES };
    if direction == Write {
        engine.buffer(1).fill(7);
    }
    assert_eq!(engine.submit(io), Submission::Queued);
    let mut done = Vec::new();
    engine.reap(Wait::No, &mut done).unwrap();
    done[0]
}

fn results(plan: FaultPlan, direction: Direction) -> Vec<i32> {
    let (_, mut engine) = fresh(plan);
    (0..5).map(|block| run(&mut engine, direction, block).result).collect()
}

#[test]
fn rules_meet_exactly_the_chosen_ios() {
    let fail = |when| FaultPlan::one(when, None, Effect::Fail(19));
    assert_eq!(results(fail(FaultTrigger::Nth(2)), Read), [512, 512, -19, 512, 512]);
    assert_eq!(results(fail(FaultTrigger::FromNth(3)), Write), [512, 512, 512, -19, -19]);
    assert_eq!(results(fail(FaultTrigger::Touching(1023..1025)), Read), [512, -19, -19, 512, 512]);
    // Every completion takes 10 ns here; the second ends at 20.
    assert_eq!(results(fail(FaultTrigger::FromNs(20)), Trim), [512, 512, -19, -19, -19]);
    let reads = FaultPlan::one(FaultTrigger::Always, Some(Read), Effect::Fail(19));
    assert_eq!(results(reads, Write), [512; 5]);
}

#[test]
fn the_first_rule_decides() {
    let rule = |when, errno| FaultRule { when, direction: None, effect: Effect::Fail(errno) };
    let plan = FaultPlan { rules: vec![rule(FaultTrigger::Nth(1), 5), rule(FaultTrigger::Always, 19)] };
    assert_eq!(results(plan, Read), [-19, -5, -19, -19, -19]);
}

#[test]
fn effects_on_the_media_are_what_they_say() {
    let after_write = |effect| {
        let (media, mut engine) = fresh(FaultPlan::one(FaultTrigger::Always, Some(Write), effect));
        let result = run(&mut engine, Write, 1).result;
        assert_eq!(engine.buffer(1), [7; BYTES as usize], "a write leaves its buffer alone");
        assert_eq!(engine.faults(), 1);
        let media = media.lock().unwrap();
        let at = |block: usize| {
            media[block * BYTES as usize..][..BYTES as usize].iter().filter(|&&b| b == 7).count()
        };
        (result, at(1), at(3))
    };
    assert_eq!(after_write(Effect::Fail(5)), (-5, 0, 0));
    assert_eq!(after_write(Effect::CarryOutAndFail(5)), (-5, 512, 0));
    assert_eq!(after_write(Effect::Lose), (512, 0, 0));
    assert_eq!(after_write(Effect::Misplace(3 * 512)), (512, 0, 512));
    assert_eq!(after_write(Effect::Short(100)), (100, 100, 0));
}

#[test]
fn reads_come_back_altered_or_short() {
    let (_, mut engine) = fresh(FaultPlan::one(FaultTrigger::Always, Some(Read), Effect::FlipByte(9)));
    assert_eq!(run(&mut engine, Read, 0).result, 512);
    let mut expected = [0; BYTES as usize];
    expected[9] = 0xff;
    assert_eq!(engine.buffer(1), expected);
    assert_eq!(results(FaultPlan::one(FaultTrigger::Nth(0), None, Effect::Short(0)), Read)[0], 0);
    assert_eq!(results(FaultPlan::one(FaultTrigger::Always, None, Effect::FlipByte(9999)), Read), [512; 5]);
}

#[test]
fn effects_that_mean_nothing_for_a_direction_leave_it_alone() {
    assert_eq!(results(FaultPlan::one(FaultTrigger::Always, None, Effect::Lose), Read), [512; 5]);
    let (_, mut engine) = fresh(FaultPlan::one(FaultTrigger::Always, None, Effect::Misplace(0)));
    run(&mut engine, Trim, 1);
    assert_eq!(engine.faults(), 0);
    assert!(engine.facts().features.iter().any(|feature| feature.name == "fault"));
}
