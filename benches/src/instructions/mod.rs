//! `cargo benches instructions`: what an I/O costs in instructions, held against a committed baseline.
//!
//! Instructions do not depend on how fast or how busy the machine is, so unlike a timing they may fail a
//! build. A case runs twice under valgrind, for some number of I/Os and for twice as many; the difference
//! is free of start and end.

mod baseline_comparison;
mod callgrind;
mod instruction_baseline;

use std::path::Path;
use std::process::Command;

use clap::Args;

use crate::release;
use instruction_baseline::{Baseline, Cost};

/// The package that is counted.
const PACKAGE: &str = "fathom-instructions";
const BASELINE: &str = "benches/instructions/baseline.toml";

/// Counts all cases and prints them beside the baseline.
///
/// # Errors
/// Where a case costs more than the baseline allows, or cannot be counted.
pub fn run(root: &Path, options: &Options) -> Result<(), String> {
    if !callgrind::is_there() {
        return Err("valgrind counts the instructions, and is not installed: apt install valgrind".to_owned());
    }
    let path = root.join(BASELINE);
    let before = match std::fs::read_to_string(&path) {
        Ok(text) => Some(Baseline::read(&text).map_err(|error| format!("{BASELINE}: {error}"))?),
        Err(_) if options.accept => None,
        Err(error) => {
            return Err(format!("{BASELINE}: {error}; make one with `cargo benches instructions --accept`"));
        }
    };
    let (toolchain, host) = toolchain()?;
    if let Some(other) = before.as_ref().filter(|b| b.host != host && !options.accept) {
        println!("not counted: the baseline is of {}, and this is {host}", other.host);
        return Ok(());
    }
    let program = release::build(root, PACKAGE, "counted")?;
    let folder = tempfile::tempdir().map_err(|error| format!("no folder for profiles: {error}"))?;
    let mut now = Baseline { toolchain, host, ..Baseline::default() };
    for (case, operations) in callgrind::cases(&program)? {
        if options.wants(&case) {
            let cost = callgrind::count(&program, (&case, operations), folder.path(), root)?;
            now.cases.insert(case, cost);
        }
    }
    if options.accept {
        let kept = before.map(|before| before.cases).unwrap_or_default();
        if !options.cases.is_empty() {
            kept.into_iter().filter(|(case, _)| !options.wants(case)).for_each(|(case, cost)| {
                now.cases.insert(case, cost);
            });
        }
        std::fs::write(&path, now.write()).map_err(|error| format!("{BASELINE}: {error}"))?;
        now.cases.iter().for_each(|(case, cost)| println!("{case:<16} {:9.1}", cost.instructions));
        println!("{BASELINE} written");
        return Ok(());
    }
    let mut before = before.unwrap_or_default();
    before.cases.retain(|case, _| options.wants(case));
    let judged = baseline_comparison::judge(&before, &now);
    print!("{}", judged.text);
    if judged.failures > 0 { Err(format!("{} of the cases failed", judged.failures)) } else { Ok(()) }
}

/// What was typed after the task's name.
#[derive(Args, Debug, PartialEq, Eq)]
pub struct Options {
    /// Write what is counted as the new baseline.
    #[arg(long)]
    accept: bool,
    /// Only these cases, or all whose name starts so. Default: all.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    cases: Vec<String>,
}

impl Options {
    /// Whether a case is to be counted.
    pub fn wants(&self, case: &str) -> bool {
        self.cases.is_empty() || self.cases.iter().any(|prefix| case.starts_with(prefix.as_str()))
    }
}

/// Version of the compiler, and what it compiles for.
fn toolchain() -> Result<(String, String), String> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(&rustc).arg("-vV").output().map_err(|error| format!("{rustc}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    match (text.lines().next(), host) {
        (Some(version), Some(host)) => Ok((version.to_owned(), host.to_owned())),
        _ => Err(format!("`{rustc} -vV` does not say what it is")),
    }
}

/// The instructions of one I/O of a case: all of them, and by place in the source.
fn per_operation(once: &callgrind::Profile, twice: &callgrind::Profile, operations: u64) -> Cost {
    let each = |once: u64, twice: u64| (twice as f64 - once as f64) / operations as f64;
    let places = twice.iter().map(|(place, &count)| {
        let before = once.get(place).copied().unwrap_or(0);
        (place.clone(), each(before, count))
    });
    Cost {
        instructions: each(once.values().sum(), twice.values().sum()),
        places: places.filter(|(_, cost)| *cost >= instruction_baseline::SMALLEST).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_and_end_fall_out_of_the_difference() {
        let profile = |loop_count, start| {
            callgrind::Profile::from([("loop".to_owned(), loop_count), ("start".to_owned(), start)])
        };
        let cost = per_operation(&profile(4_050, 777), &profile(8_050, 777), 100);
        assert_eq!(cost, Cost { instructions: 40.0, places: [("loop".to_owned(), 40.0)].into() });
    }
}
