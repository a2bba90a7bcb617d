//! `cargo lab`: small virtual machines with the kernel's own drivers, for what this machine has no
//! device or right for. A lab builds a guest of a kernel, a shell and fathom, boots it in QEMU, and reads
//! its results from the serial console. `cargo lab cases` asks fathom what limits cases whose answer
//! is known, there and elsewhere; `cargo lab fabrics` has it and the kernel speak NVMe over TCP, `cargo lab doors` tries to have it change what nobody named,
//! `cargo lab evaluations` repeats the published evaluations on simulated devices, `cargo lab arm` runs it on Linux on Arm,
//! `cargo lab fio` holds its front end of fio against fio, `cargo lab imports` what it reads of other tools
//! against the files, `cargo lab kills` kills it at drawn moments, and `cargo lab sizing` holds what it would
//! buy against a slow simulator of volumes.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the terminal")]

mod arm;
mod boot_kernel;
mod cases;
mod command_line;
mod console;
mod cpio;
#[cfg(target_os = "linux")]
mod doors;
#[cfg(not(target_os = "linux"))]
#[path = "doors_elsewhere.rs"]
mod doors;
mod draw;
mod emulated_nvme;
mod evaluations;
#[cfg(target_os = "linux")]
mod fio;
#[cfg(not(target_os = "linux"))]
#[path = "fio_elsewhere.rs"]
mod fio;
mod fit;
mod guest;
mod guest_programs;
mod imports;
mod independent;
mod kernel_modules;
#[cfg(target_os = "linux")]
mod kills;
#[cfg(not(target_os = "linux"))]
#[path = "kills_elsewhere.rs"]
mod kills;
mod loop_device;
mod sizing;
mod stop;
mod tcp_loopback;
mod teardown;
mod vm;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser as _;

use command_line::{Guest, Lab, LabCommandLine, workers};
use console::Verdict;
use vm::Board;

fn main() -> ExitCode {
    // The manifest's folder is known when this is built; the workspace is one above it.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    match run(root, LabCommandLine::parse().lab) {
        Ok(Outcome::Passed) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::FAILURE,
        Ok(Outcome::Missing(reason)) => {
            println!("not run: {reason}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("lab: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Why no lab was run, or that it was.
enum Outcome {
    /// All cases ended as they should.
    Passed,
    /// At least one did not, or the guest did not come to its end.
    Failed,
    /// A program or package that labs need is not here.
    Missing(String),
}

/// Runs a lab, and prints its results.
///
/// # Errors
/// Options that contradict each other, a build that fails, or a guest that cannot be made.
fn run(root: &Path, lab: Lab) -> Result<Outcome, String> {
    match lab {
        Lab::Cases(options) => cases::run(root, options),
        Lab::Doors(options) => doors::run(root, options),
        Lab::Evaluations(options) => evaluations::run(root, options),
        Lab::Fio(options) => fio::run(root, options),
        Lab::Fit(options) => fit::run(root, options),
        Lab::Imports(options) => imports::run(root, options),
        Lab::Independent(options) => independent::run(root, options),
        Lab::Kills(options) => kills::run(root, options),
        Lab::Sizing(options) => sizing::run(root, options),
        Lab::Arm(options) => {
            let missing = vm::missing(Board::Arm).or_else(|| arm::missing(&options));
            in_a_guest(&options, 900, missing, |kernel, folder| arm::lab(root, kernel, &options, folder))
        }
        Lab::Passthrough(options) => {
            let missing = vm::missing(Board::X86).or_else(guest::missing);
            in_a_guest(&options, 300, missing, |kernel, folder| {
                emulated_nvme::lab(kernel, &guest_programs::build(root, &options)?, folder)
            })
        }
        Lab::Fabrics { short, guest: options } => {
            let missing = vm::missing(Board::X86).or_else(guest::missing).or_else(tcp_loopback::missing);
            in_a_guest(&options, 900, missing, |kernel, _| {
                tcp_loopback::lab(kernel, &guest_programs::one(root, &options)?, short)
            })
        }
    }
}

/// Boots what `case` makes of a kernel and a folder, where nothing is missing.
fn in_a_guest(
    options: &Guest,
    usual_seconds: u64,
    missing: Option<String>,
    case: impl FnOnce(&boot_kernel::Kernel, &Path) -> Result<vm::Machine, String>,
) -> Result<Outcome, String> {
    let kernel = match (missing, boot_kernel::find(&options.kernel_root)) {
        (Some(reason), _) | (None, Err(reason)) => return Ok(Outcome::Missing(reason)),
        (None, Ok(kernel)) => kernel,
    };
    let folder = tempfile::tempdir().map_err(|error| format!("no folder for the guest: {error}"))?;
    let case = case(&kernel, folder.path())?;
    let seconds = options.seconds.unwrap_or(usual_seconds);
    let seen = vm::boot(&kernel, &case, seconds, folder.path())?;
    if let Some(path) = &options.console {
        std::fs::write(path, &seen.text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(report(&console::read(&seen.text), &seen))
}

fn report(results: &console::Results, seen: &vm::BootOutcome) -> Outcome {
    for case in &results.cases {
        match &case.verdict {
            Verdict::Pass => println!("pass  {}", case.name),
            Verdict::Skip => println!("skip  {}: {}", case.name, case.text.trim()),
            Verdict::Fail => println!("FAIL  {}\n{}", case.name, indented(&case.text)),
        }
    }
    let count = |verdict: Verdict| results.cases.iter().filter(|case| case.verdict == verdict).count();
    let (passed, failed, skipped) = (count(Verdict::Pass), count(Verdict::Fail), count(Verdict::Skip));
    println!("lab: {passed} passed, {failed} failed, {skipped} skipped, in {:.0} s", seen.wall.as_secs_f64());
    if !results.complete {
        let last: Vec<&str> = seen.text.lines().rev().take(25).collect();
        println!("the guest did not come to its end; its last lines:");
        last.iter().rev().for_each(|line| println!("  {line}"));
    }
    if failed == 0 && results.complete && passed > 0 { Outcome::Passed } else { Outcome::Failed }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("      {line}")).collect::<Vec<_>>().join("\n")
}

/// What a lab's own arguments come to.
#[cfg(test)]
fn typed<O: clap::Args>(line: &str) -> Result<O, clap::Error> {
    let command = O::augment_args(clap::Command::new("lab").no_binary_name(true));
    O::from_arg_matches(&command.try_get_matches_from(line.split_whitespace())?)
}
