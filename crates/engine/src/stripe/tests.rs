//! The decorator over an engine whose parts end when and as the test says.

use std::collections::VecDeque;

use fathom_measure::{Clock, VirtualClock};

use super::*;
use crate::Arena;

const CHUNK: u64 = 4096;

/// Keeps parts until they are told to end, in any order.
struct Scripted {
    arena: Arena,
    facts: EngineFacts,
    parts: Vec<Part>,
    /// What the next looks find.
    looks: VecDeque<Vec<Completion>>,
    waits: Vec<Wait>,
    inline: bool,
}

impl Scripted {
    fn stripe(inline: bool) -> Stripe<Self, VirtualClock> {
        let layout = Layout::new(&[16 * CHUNK; 3], CHUNK, 512).unwrap();
        let shape = Shape::new(&layout, 2, (4 * CHUNK as u32, CHUNK), true).unwrap();
        assert_eq!(shape.slots(), Slots { buffers: 2, parts: 8, numbers: 8 });
        let facts = EngineFacts {
            name: "scripted".to_owned(),
            version: 1,
            features: Vec::new(),
            completes_inline: inline,
            returned_stamp: "as told".to_owned(),
        };
        let arena = Arena::new(2, 4 * CHUNK).unwrap();
        let inner =
            Self { arena, facts, parts: Vec::new(), looks: VecDeque::new(), waits: Vec::new(), inline };
        Stripe::new(inner, layout, shape, VirtualClock::new())
    }
}

impl Engine for Scripted {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }
    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.arena.slice(slot)
    }
    fn submit(&mut self, _: Io) -> Submission {
        unreachable!("a stripe submits parts")
    }
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        self.waits.push(wait);
        done.extend(self.looks.pop_front().unwrap_or_default());
        Ok(())
    }
}

impl Carrier for Scripted {
    fn submit_part(&mut self, part: Part) -> Submission {
        self.parts.push(part);
        let now = self.parts.len() as u64;
        if self.inline { Submission::Done(end(&part, part.io.bytes as i32, now)) } else { Submission::Queued }
    }
}

/// Submitted at, returned 10 later, reaped 100 later.
fn end(part: &Part, result: i32, at_ns: u64) -> Completion {
    let stamps = Stamps { submitted_ns: at_ns, returned_ns: at_ns + 10, reaped_ns: at_ns + 100 };
    Completion { slot: part.io.slot, result, stamps }
}

fn read(slot: u32, offset: u64, bytes: u64) -> Io {
    Io { slot, direction: Direction::Read, offset, bytes: bytes as u32 }
}

#[test]
fn an_io_ends_when_all_of_its_parts_have_and_the_wait_goes_on_until_then() {
    let mut stripe = Scripted::stripe(false);
    assert_eq!(stripe.submit(read(1, 2 * CHUNK, 3 * CHUNK)), Submission::Queued);
    let parts = stripe.inner.parts.clone();
    let seen: Vec<_> =
        parts.iter().map(|part| (part.member, part.io.offset, part.buffer, part.skip_bytes)).collect();
    assert_eq!(seen, [(2, 0, 1, 0), (0, CHUNK, 1, 4096), (1, CHUNK, 1, 8192)]);
    let own: Vec<u32> = parts.iter().map(|part| part.io.slot).collect();
    assert_eq!(own, [4, 5, 6], "slots of the I/O's own");
    let one = CHUNK as i32;
    stripe.inner.looks =
        [vec![end(&parts[2], one, 7)], vec![end(&parts[0], one, 5), end(&parts[1], one, 30)]].into();
    let mut done = Vec::new();
    // Without a wait one look is all.
    stripe.reap(Wait::No, &mut done).unwrap();
    assert!(done.is_empty());
    stripe.reap(Wait::Until(500), &mut done).unwrap();
    let stamps = Stamps { submitted_ns: 5, returned_ns: 40, reaped_ns: 130 };
    assert_eq!(done, [Completion { slot: 1, result: 3 * one, stamps }]);

    // With one, looks go on until an I/O is whole, and end when nothing more comes.
    stripe.submit(read(1, 0, 2 * CHUNK));
    let parts = stripe.inner.parts.split_off(3);
    stripe.inner.looks = [vec![end(&parts[1], one, 50)], vec![end(&parts[0], one, 50)]].into();
    (stripe.inner.waits, done) = (Vec::new(), Vec::new());
    stripe.reap(Wait::Until(500), &mut done).unwrap();
    assert_eq!((done.len(), stripe.inner.waits.len()), (1, 2));
    stripe.reap(Wait::Until(500), &mut done).unwrap();
    assert_eq!((done.len(), stripe.inner.waits.len()), (1, 3), "the time is over");
}

#[test]
fn a_failure_near_the_start_counts_before_others_and_a_gap_ends_what_was_moved() {
    let one = CHUNK as i32;
    let cases = [
        ([one, -libc::EIO, -libc::ENODEV], -libc::EIO),
        ([-libc::ENODEV, one, -libc::EIO], -libc::ENODEV),
        ([512, one, -libc::EIO], -libc::EIO),
        ([one, 1024, one], one + 1024),
        ([0, one, one], 0),
        ([one, one, 512], 2 * one + 512),
    ];
    for order in [[0, 1, 2], [2, 1, 0]] {
        for (results, expected) in cases {
            let mut stripe = Scripted::stripe(false);
            stripe.submit(read(0, 0, 3 * CHUNK));
            let parts = stripe.inner.parts.clone();
            stripe.inner.looks = order.map(|at| vec![end(&parts[at], results[at], 1)]).into();
            let mut done = Vec::new();
            stripe.reap(Wait::Until(500), &mut done).unwrap();
            assert_eq!(done[0].result, expected, "{results:?} in order {order:?}");
        }
    }
}

#[test]
fn parts_that_end_inside_their_submission_make_an_io_that_does() {
    let mut stripe = Scripted::stripe(true);
    let stamps = Stamps { submitted_ns: 1, returned_ns: 12, reaped_ns: 102 };
    let whole = Completion { slot: 0, result: 2 * CHUNK as i32, stamps };
    assert_eq!(stripe.submit(read(0, CHUNK, 2 * CHUNK)), Submission::Done(whole));
    // A flush goes to every member once.
    stripe.inner.parts.clear();
    let flush = Io { slot: 1, direction: Direction::Flush, offset: 0, bytes: 0 };
    assert!(matches!(stripe.submit(flush), Submission::Done(end) if end.result == 0));
    let members: Vec<u32> = stripe.inner.parts.iter().map(|part| part.member).collect();
    assert_eq!(members, [0, 1, 2]);
}

#[test]
fn what_would_reach_beyond_the_end_or_its_slots_is_refused_whole() {
    let mut stripe = Scripted::stripe(false);
    let size = stripe.layout.size_bytes();
    for (offset, bytes) in [(size, CHUNK), (size - 512, CHUNK), (u64::MAX, CHUNK), (0, 0), (512, 4 * CHUNK)] {
        let outcome = stripe.submit(read(0, offset, bytes));
        assert!(matches!(outcome, Submission::Done(end) if end.errno() == Some(EINVAL)), "{offset} {bytes}");
    }
    assert!(stripe.inner.parts.is_empty());
    let layout = stripe.layout;
    assert!(Shape::new(&layout, u32::MAX, (8192, 4096), false).unwrap_err().remedy.contains("--depth"));
    assert!(
        stripe.clock.now_ns() == 0 && stripe.facts().features.iter().any(|feature| feature.name == FEATURE)
    );
}
