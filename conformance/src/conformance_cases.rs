//! The promises that hold for every engine, whatever it does with data.

use std::collections::BTreeSet;

use fathom_engine::{Completion, Engine, Io, Submission, Wait};
use fathom_record::Direction;

use crate::{BUFFER_BYTES, Load, Subject, TARGET_BYTES};

/// Submits everything and reaps until all of it is back.
pub fn carry<E: Engine>(subject: &Subject<'_, E>, engine: &mut E, ios: &[Io]) -> Vec<Completion> {
    let mut done = Vec::with_capacity(ios.len());
    for io in ios {
        match engine.submit(*io) {
            Submission::Queued => {}
            Submission::Done(completion) => done.push(completion),
            Submission::Full => panic!("{}: full with a free slot", subject.name),
        }
    }
    let mut rounds = 0;
    while done.len() < ios.len() {
        let wait = match (subject.advance_to, engine.next_due_ns()) {
            (Some(advance), Some(due)) => {
                advance(due);
                Wait::No
            }
            (Some(_), None) => Wait::No,
            (None, _) => Wait::Until((subject.now_ns)() + 1_000_000_000),
        };
        engine.reap(wait, &mut done).unwrap_or_else(|error| panic!("{}: {error}", subject.name));
        rounds += 1;
        assert!(
            rounds < 10_000,
            "{}: {} of {} I/Os never came back",
            subject.name,
            ios.len() - done.len(),
            ios.len()
        );
    }
    done
}

fn blocks(load: Load, direction: Direction, round: u64) -> Vec<Io> {
    let Load { depth, io_bytes } = load;
    let count = TARGET_BYTES / u64::from(io_bytes);
    let place = |slot: u32| (u64::from(slot) * 37 + round * 11) % count * u64::from(io_bytes);
    (0..depth).map(|slot| Io { slot, direction, offset: place(slot), bytes: io_bytes }).collect()
}

pub fn buffers_are_apart_and_stay<E: Engine>(subject: &Subject<'_, E>, load: Load) {
    let mut engine = (subject.make)(load.depth);
    let places: Vec<_> = (0..load.depth)
        .map(|slot| {
            let buffer = engine.buffer(slot);
            assert!(buffer.len() as u64 >= BUFFER_BYTES, "{}: a buffer is too small", subject.name);
            assert_eq!(buffer.as_ptr() as usize % 512, 0, "{}: a buffer is not aligned", subject.name);
            buffer.fill(slot as u8 + 1);
            buffer.as_ptr() as usize
        })
        .collect();
    for slot in 0..load.depth {
        let buffer = engine.buffer(slot);
        assert!(buffer.iter().all(|byte| *byte == slot as u8 + 1), "{}: buffers overlap", subject.name);
    }
    carry(subject, &mut engine, &blocks(load, Direction::Write, 0));
    for slot in 0..load.depth {
        assert_eq!(
            engine.buffer(slot).as_ptr() as usize,
            places[slot as usize],
            "{}: a buffer moved",
            subject.name
        );
    }
}

pub fn each_io_comes_out_once<E: Engine>(subject: &Subject<'_, E>, load: Load) {
    let mut engine = (subject.make)(load.depth);
    for round in 0..50 {
        let done = carry(subject, &mut engine, &blocks(load, Direction::Write, round));
        let slots: BTreeSet<u32> = done.iter().map(|completion| completion.slot).collect();
        assert_eq!(done.len(), load.depth as usize, "{}: too many completions", subject.name);
        assert_eq!(slots, (0..load.depth).collect(), "{}: a slot came out twice", subject.name);
        for completion in &done {
            assert_eq!(completion.bytes(), u64::from(load.io_bytes), "{}: {completion:?}", subject.name);
        }
        let mut more = Vec::with_capacity(load.depth as usize);
        engine.reap(Wait::No, &mut more).unwrap_or_else(|error| panic!("{}: {error}", subject.name));
        assert!(more.is_empty(), "{}: a completion that nobody asked for", subject.name);
    }
}

pub fn stamps_are_ordered_and_of_the_clock<E: Engine>(subject: &Subject<'_, E>, load: Load) {
    let mut engine = (subject.make)(load.depth);
    for round in 0..20 {
        let before = (subject.now_ns)();
        let done = carry(subject, &mut engine, &blocks(load, Direction::Read, round));
        let after = (subject.now_ns)();
        for Completion { stamps, .. } in done {
            let ordered = before <= stamps.submitted_ns
                && stamps.submitted_ns <= stamps.returned_ns
                && stamps.returned_ns <= stamps.reaped_ns
                && stamps.reaped_ns <= after;
            assert!(ordered, "{}: {before} {stamps:?} {after}", subject.name);
        }
    }
}

pub fn all_directions_end<E: Engine>(subject: &Subject<'_, E>, load: Load) {
    let mut engine = (subject.make)(load.depth);
    for direction in Direction::ALL {
        let mut ios = blocks(load, direction, 3);
        if direction == Direction::Flush {
            ios.iter_mut().for_each(|io| (io.offset, io.bytes) = (0, 0));
        }
        for completion in carry(subject, &mut engine, &ios) {
            let expected = if direction == Direction::Flush { 0 } else { u64::from(load.io_bytes) };
            let may_fail =
                direction == Direction::Trim || direction == Direction::Read && subject.traits.writes_only;
            let unsupported = may_fail && completion.errno().is_some();
            assert!(
                unsupported || completion.bytes() == expected,
                "{}: {direction:?} {completion:?}",
                subject.name
            );
        }
    }
}

pub fn bad_ranges_fail_and_do_no_harm<E: Engine>(subject: &Subject<'_, E>, load: Load) {
    if !subject.traits.knows_its_end {
        return;
    }
    let mut engine = (subject.make)(load.depth);
    let beyond = Io { slot: 0, direction: Direction::Read, offset: TARGET_BYTES * 4, bytes: load.io_bytes };
    let done = carry(subject, &mut engine, &[beyond]);
    assert_eq!(done[0].bytes(), 0, "{}: read data from beyond the end", subject.name);
    let done = carry(subject, &mut engine, &blocks(load, Direction::Read, 0));
    assert!(
        done.iter().all(|completion| completion.bytes() == u64::from(load.io_bytes)),
        "{}: broken by a bad range",
        subject.name
    );
}

pub fn dropping_with_io_in_flight_is_safe<E: Engine>(subject: &Subject<'_, E>, load: Load) {
    for round in 0..10 {
        let mut engine = (subject.make)(load.depth);
        for io in blocks(load, Direction::Read, round) {
            engine.submit(io);
        }
        let mut done = Vec::with_capacity(load.depth as usize);
        engine.reap(Wait::No, &mut done).unwrap_or_else(|error| panic!("{}: {error}", subject.name));
    }
}

pub fn nothing_in_flight_does_not_wait<E: Engine>(subject: &Subject<'_, E>) {
    let mut engine = (subject.make)(4);
    let before = (subject.now_ns)();
    let mut done = Vec::new();
    let far = before + 60_000_000_000;
    engine.reap(Wait::Until(far), &mut done).unwrap_or_else(|error| panic!("{}: {error}", subject.name));
    assert!((subject.now_ns)() < far && done.is_empty(), "{}: waited for nothing", subject.name);
}

pub fn facts_do_not_change<E: Engine>(subject: &Subject<'_, E>) {
    let mut engine = (subject.make)(4);
    let facts = engine.facts().clone();
    assert!(!facts.name.is_empty() && facts.version > 0 && !facts.returned_stamp.is_empty());
    carry(subject, &mut engine, &blocks(Load { depth: 4, io_bytes: 4096 }, Direction::Write, 0));
    assert_eq!(engine.facts(), &facts, "{}: facts changed", subject.name);
}
