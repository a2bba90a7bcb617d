//! One suite that every engine runs: what the contract on `Engine` promises, tried.
//!
//! An engine's test makes a [`Subject`] and calls [`run`]. A case that finds a broken promise panics
//! with the engine's name and the promise.
#![allow(clippy::panic, reason = "this crate is a test: a broken promise is told by a panic")]

pub mod broken;
mod conformance_cases;
mod content_tests;
pub mod served_controller;

use fathom_engine::Engine;

/// An engine under test.
pub struct Subject<'a, E> {
    /// Its name, for messages.
    pub name: &'a str,
    /// Makes one of the given depth, with buffers of [`BUFFER_BYTES`], over a target of [`TARGET_BYTES`].
    /// All that it makes work on the same target.
    pub make: &'a dyn Fn(u32) -> E,
    /// The time of the engine's clock, in nanoseconds.
    pub now_ns: &'a dyn Fn() -> u64,
    /// Moves a virtual clock to a time; `None` on a clock that moves by itself.
    pub advance_to: Option<&'a dyn Fn(u64)>,
    /// What the engine can do.
    pub traits: Traits,
}

/// What may be asked of an engine.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// Reads give back what was written.
    pub keeps_content: bool,
    /// Reads and writes beyond the target's end fail.
    pub knows_its_end: bool,
    /// Reads have no meaning and fail.
    pub writes_only: bool,
}

/// Size of a slot's buffer in the suite.
pub const BUFFER_BYTES: u64 = 8192;
/// Size of the target in the suite.
pub const TARGET_BYTES: u64 = 4 << 20;

/// What a case asks for at once.
#[derive(Clone, Copy, Debug)]
struct Load {
    depth: u32,
    io_bytes: u32,
}

/// Runs every case.
///
/// # Panics
/// At the first promise that the engine breaks.
pub fn run<E: Engine>(subject: &Subject<'_, E>) {
    for depth in [1, 2, 7, 32] {
        // Half of a buffer, and all of it.
        for io_bytes in [4096, BUFFER_BYTES as u32] {
            let load = Load { depth, io_bytes };
            conformance_cases::buffers_are_apart_and_stay(subject, load);
            conformance_cases::each_io_comes_out_once(subject, load);
            conformance_cases::stamps_are_ordered_and_of_the_clock(subject, load);
            conformance_cases::all_directions_end(subject, load);
            conformance_cases::bad_ranges_fail_and_do_no_harm(subject, load);
            conformance_cases::dropping_with_io_in_flight_is_safe(subject, load);
            if subject.traits.keeps_content {
                content_tests::reads_give_back_writes(subject, load);
            }
        }
    }
    conformance_cases::nothing_in_flight_does_not_wait(subject);
    conformance_cases::facts_do_not_change(subject);
}
