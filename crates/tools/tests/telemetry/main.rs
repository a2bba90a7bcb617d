//! Telemetry of other tools: published outputs and our own, held against what they state.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests may fail by panicking"
)]

mod own;
mod samples;
