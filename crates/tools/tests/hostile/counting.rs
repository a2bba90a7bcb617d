//! An allocator that counts what a thread holds, and the promise that is kept with it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what a thread holds, and the most that it held.
struct Counting;

thread_local! {
    static HELD: Cell<i64> = const { Cell::new(0) };
    static MOST: Cell<i64> = const { Cell::new(0) };
}

fn count(bytes: i64) {
    // A thread that ends has no counters any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

#[allow(unsafe_code, reason = "an allocator is unsafe by its trait")]
// SAFETY: every call goes on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What any reading may take, whatever is read: buffers and empty histograms.
const FIXED_BYTES: i64 = 2 << 20;

/// The most bytes that were held at once while a closure ran, beyond those held before it.
pub fn held_by(work: impl FnOnce()) -> i64 {
    let before = HELD.get();
    MOST.set(before);
    work();
    MOST.get() - before
}

/// Reads so many bytes, and fails where more than a hundred times as many are held at once.
pub fn within(bytes: usize, what: &str, read: impl FnOnce()) {
    let most = held_by(read);
    assert!(most <= FIXED_BYTES + 100 * bytes as i64, "{what}: {most} bytes held for {bytes} read");
}
