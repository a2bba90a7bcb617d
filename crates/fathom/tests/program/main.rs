//! The program as it is typed: what it prints where, and what it ends with.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail by panicking")]

mod commands;
mod failures;
mod interrupted;
mod outputs;
mod typed;
