//! Texts that nobody's tool printed, and that somebody may have changed: each parser reads them or refuses them, without
//! a panic, and without holding more than a hundred times their size.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests may fail by panicking"
)]

mod changed;
mod counting;
mod encodings;
mod fio_results;
mod generators;
mod mutations;
mod telemetry;
