//! Drives the real I/O loop through a known number of I/Os: what `cargo benches instructions` counts.
//!
//! Nothing here depends on the machine's speed: every choice comes from a fixed seed, and the clock
//! moves by its readings alone, so that two runs of a build execute the same instructions.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that talks to the task that runs it"
)]

mod counted_loads;
mod drive;
mod queues;
mod ticking_clock;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["--list"] => {
            counted_loads::CASES.iter().for_each(|case| println!("{} {}", case.name, case.operations));
            Ok(())
        }
        [name, operations] => one(name, operations),
        _ => Err("usage: instructions --list | instructions CASE OPERATIONS".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("instructions: {error}");
            ExitCode::FAILURE
        }
    }
}

fn one(name: &str, operations: &str) -> Result<(), String> {
    let case =
        counted_loads::CASES.iter().find(|case| case.name == name).ok_or(format!("no case `{name}`"))?;
    let operations = operations.parse().map_err(|error| format!("`{operations}`: {error}"))?;
    drive::run(case, operations).map_err(|error| error.to_string())
}
