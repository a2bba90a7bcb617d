//! The command line of fathom: reads what is typed, wires the rooms together, and prints.
//!
//! Results go to stdout, messages to stderr. With `--json` stdout, or the file named, holds one JSON
//! document whatever happens. Exit status: 0 done, 1 a measurement is invalid or the system failed,
//! 2 wrong usage, 3 the target refused, 4 a condition of `--fail-if` was met.

mod arguments;
mod commands;
mod config;
mod exit_status;
mod failure;
mod habit;
mod interrupt;
mod metrics_endpoint;
mod misuse;
mod observer_priority;
mod output;
mod output_file;
mod progress_display;
mod small_text;
mod stdout;

use std::ffi::OsString;
use std::process::ExitCode;

use exit_status::Status;
use output::Machine;

/// What was typed, done and told. A library, whose code is made while the rooms below are still being compiled: a program's
/// would begin when all of them are done.
#[must_use]
pub fn main() -> ExitCode {
    let typed: Vec<OsString> = std::env::args_os().collect();
    let outcome = match arguments::read(&typed) {
        Ok(Some(asked)) => commands::perform(asked),
        Ok(None) => Ok(Status::Done),
        Err(failure) => Err(failure),
    };
    match outcome {
        Ok(status) => status.into(),
        Err(failure) => failure.tell(&Machine::from_arguments(&typed)).into(),
    }
}
