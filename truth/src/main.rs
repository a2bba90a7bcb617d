//! Runs the suites and prints a table of their figures; fails when a bound is not kept.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program talks to the terminal")]

use std::process::ExitCode;

use fathom_truth::{Effort, Figure, SUITES, Suite, figure};

const USAGE: &str = "\
cargo xtask statistics [--short] [SUITE ...]   error rates of the statistics on simulated truth
  --short   few trials, as in the ordinary tests
  --list    the suites
Without a suite all of them run. The exit status is 1 when a bound is not kept.";

fn main() -> ExitCode {
    let mut effort = Effort::Full;
    let mut chosen: Vec<Suite> = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--short" => effort = Effort::Short,
            "--list" => {
                SUITES.iter().for_each(|suite| println!("{:<14}{}", suite.name, suite.summary));
                return ExitCode::SUCCESS;
            }
            "--help" | "-h" => {
                println!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            name => match SUITES.iter().find(|suite| suite.name == name) {
                Some(suite) => chosen.push(*suite),
                None => {
                    eprintln!("no suite `{name}`: see `cargo xtask statistics --list`");
                    return ExitCode::from(2);
                }
            },
        }
    }
    if chosen.is_empty() {
        chosen.extend(SUITES);
    }
    let mut broken: Vec<Figure> = Vec::new();
    for suite in chosen {
        let figures = (suite.run)(effort);
        println!("{}: {}\n\n{}", suite.name, suite.summary, figure::table(&figures));
        broken.extend(figures.into_iter().filter(|figure| !figure.met()));
    }
    match broken.len() {
        0 => ExitCode::SUCCESS,
        count => {
            println!("{count} not met");
            ExitCode::FAILURE
        }
    }
}
