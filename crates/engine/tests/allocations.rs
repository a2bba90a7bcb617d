//! What carries I/O takes no memory after its start: counted by an allocator, thread by thread.
#![allow(clippy::unwrap_used, reason = "a test panics when it is wrong")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs;
use std::sync::Arc;

use fathom_engine::sync::Sync as SyncEngine;
use fathom_engine::{Completion, Engine, Io, Submission, Wait};
use fathom_measure::WallClock;
use fathom_record::Direction;
use fathom_target::{Handle, OpenRequest, Target, TargetName};

/// Counts how often a thread asks for memory.
struct Counting;

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

#[allow(unsafe_code, reason = "an allocator is unsafe by its trait")]
// SAFETY: every call goes on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends has no counter any more.
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const BLOCK: u32 = 4096;
const BLOCKS: u64 = 256;
const IOS: u64 = 5_000;

/// A file of blocks, open for reading.
fn target(folder: &tempfile::TempDir) -> Target {
    let path = folder.path().join("there.bin");
    fs::write(&path, vec![0x5a; (u64::from(BLOCK) * BLOCKS) as usize]).unwrap();
    Target::open(&TargetName::Path(path), &OpenRequest::default()).unwrap()
}

fn handle(target: &Target) -> Arc<Handle> {
    Arc::clone(target.file.as_ref().unwrap())
}

/// Reads at a depth until so many have ended, and gives how often this thread asked for memory meanwhile.
fn asked_by<E: Engine>(engine: &mut E, depth: u32) -> u64 {
    let read = |slot: u32, number: u64| Io {
        slot,
        direction: Direction::Read,
        offset: number * 7 % BLOCKS * u64::from(BLOCK),
        bytes: BLOCK,
    };
    let mut done: Vec<Completion> = Vec::with_capacity(2 * depth as usize);
    let mut free: Vec<u32> = (0..depth).collect();
    let (mut begun, mut ended) = (0, 0);
    let before = ASKED.get();
    while ended < IOS {
        while begun < IOS
            && let Some(slot) = free.pop()
        {
            match engine.submit(read(slot, begun)) {
                Submission::Done(completion) => done.push(completion),
                Submission::Queued => {}
                Submission::Full => {
                    free.push(slot);
                    break;
                }
            }
            begun += 1;
        }
        engine.reap(Wait::Until(u64::MAX), &mut done).unwrap();
        for completion in done.drain(..) {
            assert_eq!(completion.result, BLOCK as i32);
            free.push(completion.slot);
            ended += 1;
        }
    }
    ASKED.get() - before
}

#[test]
fn the_counter_counts() {
    let before = ASKED.get();
    let held = std::hint::black_box(vec![0u8; 100]);
    assert!(ASKED.get() > before && held.len() == 100);
}

#[test]
fn sync_takes_no_memory_for_an_io() {
    let folder = tempfile::tempdir().unwrap();
    let target = target(&folder);
    let clock = WallClock::start().0;
    let mut engine = SyncEngine::new(handle(&target), 1, u64::from(BLOCK), clock).unwrap();
    assert_eq!(asked_by(&mut engine, 1), 0);
}

#[cfg(windows)]
#[test]
fn iocp_takes_no_memory_for_an_io() {
    let folder = tempfile::tempdir().unwrap();
    let target = target(&folder);
    let clock = WallClock::start().0;
    for depth in [1, 32] {
        let mut engine =
            fathom_engine::iocp::Iocp::new(&handle(&target), depth, u64::from(BLOCK), clock).unwrap();
        assert_eq!(asked_by(&mut engine, depth), 0, "depth {depth}");
    }
}
