//! The project's own tasks: `cargo xtask tidy` checks the house rules, `cargo xtask licences` the
//! licences of everything that is built in, `cargo xtask statistics` measures the error rates of the statistics,
//! `cargo xtask bpf` builds the programs of the block-layer witness, `cargo xtask catalog` refreshes the catalogue,
//! `cargo xtask page` makes the page of `fathom serve`, `cargo xtask dist` packs a release, `cargo xtask zip` one for Windows.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the terminal")]

mod bpf;
mod catalog;
mod dist;
mod finding;
mod licences;
mod manifest;
mod modules;
mod page;
mod rules;
mod scan;
mod schema;
mod spdx;
mod statistics;
mod tree;
mod wheel;
mod zip;

use std::path::Path;
use std::process::ExitCode;

use finding::Finding;
use tree::Tree;

const USAGE: &str = "\
cargo xtask tidy           check the house rules; lists file:line and what to do
cargo xtask licences       check licences and forbidden crates against deny.toml
cargo xtask bpf            rebuild the programs that watch the block layer; --check compares them
cargo xtask schema         write the JSON Schemas of plans and records anew; --check compares them
cargo xtask statistics     error rates of the statistics on simulated truth; `--help` for more
cargo xtask dist           build a release and pack it: archive, .deb, OCI image, SBOM, checksums; `--help` for more
cargo xtask page           make the page of fathom serve, with npm; `--help` for more
cargo xtask wheel          build the Python package as a wheel; `--help` for more
cargo xtask zip            build the program for Windows and pack it; `--help` for more
cargo xtask catalog        bring the catalogue up to date from the cloud's API; `--help` for more

cargo lab                  try fathom where the truth is known, and in virtual machines; `--help` for more
cargo benches              measure fathom beside its peers, and count an I/O's instructions; `--help` for more";

fn main() -> ExitCode {
    // The manifest's folder is known when this is built; the workspace is one above it.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let task = std::env::args().nth(1);
    let outcome = match task.as_deref() {
        Some("tidy") => tidy(root),
        Some("licences") => licences::check(root),
        Some("statistics") => {
            return statistics::run(root, std::env::args().skip(2)).unwrap_or_else(|error| {
                eprintln!("xtask: {error}");
                ExitCode::FAILURE
            });
        }
        Some("schema") => {
            return schema::run(root, std::env::args().skip(2)).unwrap_or_else(|error| {
                eprintln!("xtask: {error}");
                ExitCode::FAILURE
            });
        }
        Some("dist") => return talking(dist::USAGE, |more| dist::run(root, more)),
        Some("page") => return talking(page::USAGE, |more| page::run(root, more)),
        Some("wheel") => return talking(wheel::USAGE, |more| wheel::run(root, more)),
        Some("zip") => return talking(zip::USAGE, |more| zip::run(root, more)),
        Some("catalog") => return talking(catalog::USAGE, |more| catalog::run(root, more)),
        Some("bpf") => match std::env::args().nth(2).as_deref() {
            None => bpf::run(root, false),
            Some("--check") => bpf::run(root, true),
            Some(_) => {
                println!("{}", bpf::USAGE);
                return ExitCode::SUCCESS;
            }
        },
        Some("help" | "--help" | "-h") => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(findings) if findings.is_empty() => ExitCode::SUCCESS,
        Ok(mut findings) => {
            findings.sort();
            findings.iter().for_each(|finding| println!("{finding}"));
            println!("{} to put right", findings.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn tidy(root: &Path) -> Result<Vec<Finding>, String> {
    let tree = Tree::read(root)?;
    let findings = rules::check(&tree);
    let mut lengths: Vec<usize> = tree.rust().map(|file| file.text.lines().count()).collect();
    lengths.sort_unstable();
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
    let largest = lengths.last().copied().unwrap_or(0);
    println!("tidy: {} Rust files, median {median} lines, largest {largest}", lengths.len());
    Ok(findings)
}

/// A task with options, which prints what it finds itself.
fn talking(usage: &str, task: impl FnOnce(Vec<String>) -> Result<(), String>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        println!("{usage}");
        return ExitCode::SUCCESS;
    }
    match task(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
