//! Linux: looked at before the runtime starts, which opens `/dev/null` in the place of a stream that is closed
//! (`fathom ... >&-`), so that results would vanish and nobody would know. A shell's own `> /dev/null` is meant.
#![allow(
    unsafe_code,
    reason = "only a function that the linker has called before main sees the stream as it was"
)]

use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether the program was started with stdout closed.
pub fn was_closed() -> bool {
    WAS_CLOSED.load(Ordering::Relaxed)
}

// SAFETY: the section holds pointers to functions that the C library calls once each, before `main` and on one
// thread; this one needs nothing that is set up later.
#[unsafe(link_section = ".init_array")]
#[used]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    // SAFETY: nothing else runs yet that could open or close it; the call only asks, and fails if it is closed.
    let stdout = unsafe { BorrowedFd::borrow_raw(1) };
    WAS_CLOSED.store(rustix::io::fcntl_getfd(stdout).is_err(), Ordering::Relaxed);
}
