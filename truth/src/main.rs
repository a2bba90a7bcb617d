//! Runs the suites and prints a table of their figures; fails when a bound is not kept.
#![allow(clippy::print_stdout, reason = "a program talks to the terminal")]

use std::process::ExitCode;

use clap::Parser;
use fathom_truth::{Effort, Figure, SUITES, Suite, figure};

/// Error rates of the statistics on simulated truth.
#[derive(Parser)]
#[command(
    bin_name = "cargo xtask statistics",
    after_help = "Without a suite all of them run. The exit status is 1 when a bound is not kept."
)]
struct TruthArguments {
    /// Few trials, as in the ordinary tests.
    #[arg(long)]
    short: bool,
    /// List the suites.
    #[arg(long)]
    list: bool,
    /// Which to run.
    #[arg(value_name = "SUITE", value_parser = suite)]
    suites: Vec<Suite>,
}

fn suite(name: &str) -> Result<Suite, String> {
    let known = SUITES.iter().find(|suite| suite.name == name);
    known.copied().ok_or_else(|| format!("no suite `{name}`: see `cargo xtask statistics --list`"))
}

fn main() -> ExitCode {
    let asked = TruthArguments::parse();
    if asked.list {
        SUITES.iter().for_each(|suite| println!("{:<14}{}", suite.name, suite.summary));
        return ExitCode::SUCCESS;
    }
    let effort = if asked.short { Effort::Short } else { Effort::Full };
    let mut chosen = asked.suites;
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
