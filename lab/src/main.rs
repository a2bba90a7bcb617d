//! `cargo lab`: small virtual machines with the kernel's own drivers, for what this machine has no
//! device or right for. A lab builds a guest of a kernel, a shell and fathom, boots it in QEMU, and reads
//! its results from the serial console. `cargo lab cases` asks fathom what limits cases whose answer
//! is known, there and elsewhere; `cargo lab fabrics` has it and the kernel speak NVMe over TCP, `cargo lab doors` tries to have it change what nobody named, `cargo lab arm` runs it on Linux on Arm,
//! `cargo lab fio` holds its front end of fio against fio, `cargo lab imports` what it reads of other tools
//! against the files, `cargo lab kills` kills it at drawn moments, and `cargo lab sizing` holds what it would
//! buy against a slow simulator of volumes.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the terminal")]

mod arm;
mod cases;
mod console;
mod cpio;
#[cfg(target_os = "linux")]
mod doors;
#[cfg(not(target_os = "linux"))]
#[path = "doors_elsewhere.rs"]
mod doors;
mod draw;
mod fabrics;
#[cfg(target_os = "linux")]
mod fio;
#[cfg(not(target_os = "linux"))]
#[path = "fio_elsewhere.rs"]
mod fio;
mod fit;
mod guest;
mod held;
mod imports;
mod independent;
mod kernel;
#[cfg(target_os = "linux")]
mod kills;
#[cfg(not(target_os = "linux"))]
#[path = "kills_elsewhere.rs"]
mod kills;
mod loop_device;
mod modules;
mod options;
mod passthrough;
mod programs;
mod sizing;
mod stop;
mod vm;

use std::path::Path;
use std::process::ExitCode;

use console::Verdict;
use options::{Lab, Options};
use vm::Board;

fn main() -> ExitCode {
    // The manifest's folder is known when this is built; the workspace is one above it.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        println!("{}", usage(&arguments));
        return ExitCode::SUCCESS;
    }
    match run(root, arguments) {
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

/// What to type, for the lab that the arguments name.
fn usage(arguments: &[String]) -> String {
    match arguments.first().map(String::as_str) {
        Some("cases") => cases::USAGE.to_owned(),
        Some("doors") => doors::USAGE.to_owned(),
        Some("fio") => fio::USAGE.to_owned(),
        Some("imports") => imports::USAGE.to_owned(),
        Some("kills") => kills::USAGE.to_owned(),
        Some("fit") => fit::USAGE.to_owned(),
        Some("independent") => independent::USAGE.to_owned(),
        Some("sizing") => sizing::USAGE.to_owned(),
        Some("passthrough" | "fabrics" | "arm") => options::USAGE.to_owned(),
        _ => {
            let all = [
                cases::USAGE,
                doors::USAGE,
                fio::USAGE,
                imports::USAGE,
                kills::USAGE,
                independent::USAGE,
                fit::USAGE,
                sizing::USAGE,
                options::USAGE,
            ];
            all.join("\n\n")
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

/// Runs the lab that the arguments name, and prints its results.
///
/// # Errors
/// Arguments without sense, a build that fails, or a guest that cannot be made.
fn run(root: &Path, arguments: impl IntoIterator<Item = String>) -> Result<Outcome, String> {
    let mut arguments = arguments.into_iter().peekable();
    if arguments.next_if(|lab| lab == "cases").is_some() {
        return cases::run(root, arguments);
    }
    if arguments.next_if(|lab| lab == "doors").is_some() {
        return doors::run(root, arguments);
    }
    if arguments.next_if(|lab| lab == "imports").is_some() {
        return imports::run(root, arguments);
    }
    if arguments.next_if(|lab| lab == "kills").is_some() {
        return kills::run(root, arguments);
    }
    if arguments.next_if(|lab| lab == "independent").is_some() {
        return independent::run(root, arguments);
    }
    if arguments.next_if(|lab| lab == "fit").is_some() {
        return fit::run(root, arguments);
    }
    if arguments.next_if(|lab| lab == "sizing").is_some() {
        return sizing::run(root, arguments);
    }
    if arguments.next_if(|lab| lab == "fio").is_some() {
        return fio::run(root, arguments);
    }
    let options = Options::read(arguments)?;
    let missing = match options.lab {
        Lab::Arm => vm::missing(Board::Arm).or_else(|| arm::missing(&options)),
        Lab::Passthrough | Lab::Fabrics => vm::missing(Board::X86).or_else(guest::missing),
    };
    let kernel = match (missing, kernel::find(&options.kernel_root)) {
        (Some(reason), _) | (None, Err(reason)) => return Ok(Outcome::Missing(reason)),
        (None, Ok(kernel)) => kernel,
    };
    let folder = tempfile::tempdir().map_err(|error| format!("no folder for the guest: {error}"))?;
    let case = match options.lab {
        Lab::Passthrough => passthrough::lab(&kernel, &programs::build(root, &options)?, folder.path())?,
        Lab::Arm => arm::lab(root, &kernel, &options, folder.path())?,
        Lab::Fabrics => match fabrics::missing() {
            Some(reason) => return Ok(Outcome::Missing(reason)),
            None => fabrics::lab(&kernel, &programs::one(root, &options)?, options.short)?,
        },
    };
    let seconds = options.seconds;
    let seen = vm::boot(&kernel, &case, seconds, folder.path())?;
    if let Some(path) = &options.console {
        std::fs::write(path, &seen.text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(report(&console::read(&seen.text), &seen))
}

fn report(results: &console::Results, seen: &vm::Seen) -> Outcome {
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
