//! What engine `uring` must survive: many rings on one thread, I/Os beyond their buffers, and rings
//! that are dropped while the kernel still works for them.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test panics when it is wrong, and says what it skips"
)]

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;

use fathom_engine::uring::{self, Uring};
use fathom_engine::{Completion, Engine, ErrorKind, Io, Submission, Wait};
use fathom_measure::{Clock, WallClock};
use fathom_record::Direction;

const BLOCK: u32 = 4096;

/// A file of `blocks` blocks, opened past the page cache where the file system can.
fn file(blocks: u64) -> (tempfile::NamedTempFile, Arc<File>) {
    let named = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(named.path(), vec![0x5a; (blocks * u64::from(BLOCK)) as usize]).unwrap();
    let open = |flags| OpenOptions::new().read(true).write(true).custom_flags(flags).open(named.path());
    let file = open(libc::O_DIRECT).or_else(|_| open(0)).unwrap();
    (named, Arc::new(file))
}

fn engine(file: &Arc<File>, depth: u32, clock: WallClock) -> Option<Uring<WallClock>> {
    let options = uring::Options::default();
    Uring::new(Arc::clone(file), depth, u64::from(BLOCK), options, clock)
        .inspect_err(|error| fathom_skips::skipped(error))
        .ok()
}

fn read(slot: u32, offset: u64, bytes: u32) -> Io {
    Io { slot, direction: Direction::Read, offset, bytes }
}

fn all(engine: &mut impl Engine, clock: WallClock, count: usize) -> Vec<Completion> {
    let mut done = Vec::new();
    while done.len() < count {
        engine.reap(Wait::Until(clock.now_ns() + 1_000_000_000), &mut done).unwrap();
    }
    done
}

/// The kernel's table of a thread's registered rings has 16 places; a ring must give its place back.
#[test]
fn the_fortieth_ring_of_a_thread_is_as_good_as_the_first() {
    let (clock, _) = WallClock::start();
    let (_named, file) = file(4);
    let Some(first) = engine(&file, 2, clock) else { return };
    let facts = first.facts().clone();
    drop(first);
    for ring in 2..=40 {
        let mut engine = engine(&file, 2, clock).unwrap();
        assert_eq!(engine.facts(), &facts, "ring {ring}");
        engine.submit(read(0, 0, BLOCK));
        assert_eq!(all(&mut engine, clock, 1)[0].bytes(), u64::from(BLOCK));
    }
}

/// A file in memory takes no I/O without waiting, and each goes to a worker at once: it moves what it says all the same.
#[test]
fn what_goes_to_workers_at_once_is_written_and_read_as_asked() {
    let (clock, _) = WallClock::start();
    let Ok(named) = tempfile::NamedTempFile::new_in("/dev/shm") else {
        fathom_skips::skipped("no file system in memory at /dev/shm");
        return;
    };
    named.as_file().set_len(16 * u64::from(BLOCK)).unwrap();
    let file = Arc::new(named.reopen().unwrap());
    let Some(mut engine) = engine(&file, 4, clock) else { return };
    let tried = engine.facts().features.iter().find(|feature| feature.name == "tried_inline").unwrap();
    if tried.used {
        fathom_skips::skipped("files in memory can be asked without waiting here");
        return;
    }
    let at = |slot: u32| u64::from(3 * slot + 1) * u64::from(BLOCK);
    for slot in 0..4 {
        engine.buffer(slot).fill(slot as u8 + 1);
        engine.submit(Io { direction: Direction::Write, ..read(slot, at(slot), BLOCK) });
    }
    let written = all(&mut engine, clock, 4);
    let held = std::fs::read(named.path()).unwrap();
    for slot in 0..4 {
        engine.buffer(slot).fill(0);
        engine.submit(read(slot, at(slot), BLOCK));
        let bytes = &held[at(slot) as usize..][..BLOCK as usize];
        assert!(bytes.iter().all(|byte| *byte == slot as u8 + 1), "slot {slot}");
    }
    assert_eq!(held.iter().filter(|byte| **byte != 0).count(), 4 * BLOCK as usize);
    let ended = [written, all(&mut engine, clock, 4)].concat();
    assert!(ended.iter().all(|end| end.bytes() == u64::from(BLOCK)), "{ended:?}");
    for slot in 0..4 {
        assert!(engine.buffer(slot).iter().all(|byte| *byte == slot as u8 + 1), "slot {slot}");
    }
    // Behind the end there is nothing to read.
    engine.submit(read(0, 16 * u64::from(BLOCK), BLOCK));
    assert_eq!(all(&mut engine, clock, 1)[0].bytes(), 0);
}

#[test]
fn an_io_beyond_its_buffer_fails_and_touches_no_other() {
    let (clock, _) = WallClock::start();
    let (_named, file) = file(16);
    let Some(mut engine) = engine(&file, 4, clock) else { return };
    (0..4).for_each(|slot| engine.buffer(slot).fill(slot as u8));
    for direction in [Direction::Read, Direction::Write] {
        let outcome = engine.submit(Io { direction, ..read(1, 0, 2 * BLOCK) });
        let Submission::Done(completion) = outcome else { panic!("{outcome:?}") };
        assert_eq!((completion.slot, completion.errno()), (1, Some(libc::EINVAL)));
    }
    engine.submit(read(3, 0, BLOCK));
    let done = all(&mut engine, clock, 1);
    assert_eq!((done[0].slot, done[0].bytes()), (3, u64::from(BLOCK)));
    assert!((0..3).all(|slot| engine.buffer(slot).iter().all(|byte| *byte == slot as u8)));
}

#[test]
fn a_trim_counts_the_bytes_that_it_covers_and_a_read_past_the_end_none() {
    let (clock, _) = WallClock::start();
    let (_named, file) = file(16);
    let Some(mut engine) = engine(&file, 2, clock) else { return };
    // Longer than a buffer: a trim has none.
    engine.submit(Io { direction: Direction::Trim, ..read(0, 0, 8 * BLOCK) });
    engine.submit(read(1, 1 << 30, BLOCK));
    let mut done = all(&mut engine, clock, 2);
    done.sort_by_key(|completion| completion.slot);
    let covered = done[0].errno().is_some() || done[0].bytes() == u64::from(8 * BLOCK);
    assert!(covered, "{:?}", done[0]);
    assert_eq!(done[1].result, 0);
}

/// Flushes and buffered writes go to the kernel's own threads, which write to user addresses: memory
/// that was unmapped early and mapped again by the next engine would show it.
#[test]
fn buffers_outlive_the_io_of_a_dropped_engine() {
    let (clock, _) = WallClock::start();
    let named = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(named.path(), vec![0x5a; 64 * BLOCK as usize]).unwrap();
    let file = Arc::new(OpenOptions::new().read(true).write(true).open(named.path()).unwrap());
    for _ in 0..50 {
        let Some(mut busy) = engine(&file, 32, clock) else { return };
        for slot in 0..32 {
            let direction = if slot % 2 == 0 { Direction::Read } else { Direction::Flush };
            let bytes = if direction == Direction::Read { BLOCK } else { 0 };
            busy.submit(Io { direction, ..read(slot, u64::from(slot) * u64::from(BLOCK), bytes) });
        }
        busy.reap(Wait::No, &mut Vec::new()).unwrap();
        drop(busy);
        let mut next = engine(&file, 32, clock).unwrap();
        assert!((0..32).all(|slot| next.buffer(slot).iter().all(|byte| *byte == 0)));
    }
}

#[test]
fn more_entries_than_a_ring_can_have_are_refused() {
    let (clock, _) = WallClock::start();
    let (_named, file) = file(1);
    let made = Uring::new(file, uring::MAX_DEPTH + 1, 512, uring::Options::default(), clock);
    assert_eq!(made.unwrap_err().kind, ErrorKind::Plan);
}

/// Completions come out in the order of their stamps, and none before its own submission.
#[test]
fn stamps_hold_when_a_batch_is_reaped_in_parts() {
    let (clock, _) = WallClock::start();
    let (_named, file) = file(64);
    let Some(mut engine) = engine(&file, 64, clock) else { return };
    let mut last_reaped_ns = 0;
    for _ in 0..50 {
        let before_ns = clock.now_ns();
        (0..64).for_each(|slot| {
            engine.submit(read(slot, u64::from(slot) * u64::from(BLOCK), BLOCK));
        });
        for completion in all(&mut engine, clock, 64) {
            let stamps = completion.stamps;
            assert!(before_ns <= stamps.submitted_ns && stamps.submitted_ns <= stamps.returned_ns);
            assert!(stamps.returned_ns <= stamps.reaped_ns && last_reaped_ns <= stamps.reaped_ns);
            last_reaped_ns = stamps.reaped_ns;
        }
    }
}
