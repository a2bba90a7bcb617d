//! Shares that are drawn, numbers that the kernel gets, and counts that are kept apart.

use fathom_measure::WallClock;

use fathom_record::options::PriorityRule;

use super::super::settle_thread;
use super::*;
use crate::null::Null;

/// An engine that takes the priorities down.
struct Noted<E> {
    engine: E,
    numbers: Vec<u16>,
}

impl<E: Engine> Engine for Noted<E> {
    fn facts(&self) -> &EngineFacts {
        self.engine.facts()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.engine.buffer(slot)
    }

    fn submit(&mut self, io: Io) -> Submission {
        self.engine.submit(io)
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        self.engine.reap(wait, done)
    }
}

impl<E: Engine> PrioritySetter for Noted<E> {
    fn set_priority(&mut self, number: u16) {
        self.numbers.push(number);
    }
}

const HIGH: Priority = Priority { class: 1, level: 0, hint: 0 };
const LOW: Priority = Priority { class: 3, level: 2, hint: 0 };

#[test]
fn shares_are_those_of_the_rules_and_each_priority_is_counted_apart() {
    let rule = |direction, bytes, percent, priority| PriorityRule { direction, bytes, percent, priority };
    let priorities = Priorities {
        of_jobs: Priority::default(),
        rules: vec![
            rule(Direction::Read, Some(4096), 25, HIGH),
            rule(Direction::Read, Some(4096), 75, LOW),
            rule(Direction::Write, None, 20, HIGH),
        ],
    };
    let tallies = Arc::new(Tallies::default());
    let engine = Null::new(1, 8192, WallClock::start().0).unwrap();
    let noted = Noted { engine, numbers: Vec::new() };
    let mut single = PrioritizedEngine::new(noted, &priorities, 1, (7, 0), Arc::clone(&tallies));
    const EACH: usize = 20_000;
    for (direction, bytes) in
        [(Direction::Read, 4096), (Direction::Read, 8192), (Direction::Write, 8192), (Direction::Flush, 0)]
    {
        for _ in 0..EACH {
            single.submit(Io { slot: 0, direction, offset: 0, bytes });
        }
    }
    let numbers = std::mem::take(&mut single.engine.numbers);
    let share = |of: &[u16], number: u16| {
        of.iter().filter(|found| **found == number).count() as f64 / of.len() as f64
    };
    let by_kind: Vec<&[u16]> = numbers.chunks(EACH).collect();
    // Four standard deviations of a share of 20000.
    let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 0.013, "{found} {wanted}");
    near(share(by_kind[0], 1 << 13), 0.25);
    near(share(by_kind[0], 3 << 13 | 2), 0.75);
    assert_eq!(share(by_kind[1], 0), 1.0, "no rule is about this size");
    near(share(by_kind[2], 1 << 13), 0.2);
    assert_eq!(share(by_kind[3], 0), 1.0, "a flush has no priority of its own");
    drop(single);
    let counted = tallies.take();
    let count = |direction, priority| {
        let of = counted.iter().filter(|tally| (tally.direction, tally.priority) == (direction, priority));
        of.map(|tally| tally.service.count()).sum::<u64>() as usize
    };
    assert_eq!(count(Direction::Read, HIGH) + count(Direction::Read, LOW), EACH);
    assert_eq!(count(Direction::Read, Priority::default()), EACH);
    let high = by_kind[2].iter().filter(|number| **number != 0).count();
    assert_eq!(count(Direction::Write, HIGH), high);
    assert_eq!(counted.len(), 5, "what no I/O had is left out: {counted:?}");
}

#[test]
fn numbers_are_the_kernels_and_a_thread_takes_what_it_may() {
    assert_eq!(number(HIGH), 0x2000);
    assert_eq!(number(Priority { class: 2, level: 7, hint: 1 }), 0x400f);
    let idle = Priorities { of_jobs: LOW, rules: Vec::new() };
    std::thread::spawn(move || settle_thread(&idle).unwrap()).join().unwrap();
    settle_thread(&Priorities::default()).unwrap();
}
