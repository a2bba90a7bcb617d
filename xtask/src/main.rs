//! The project's own tasks: `cargo xtask tidy` checks the house rules, `cargo xtask licences` the
//! licences of everything that is built in, `cargo xtask statistics` measures the error rates of the statistics,
//! `cargo xtask bpf` builds the programs of the block-layer witness, `cargo xtask catalog` refreshes the catalogue,
//! `cargo xtask page` makes the page of `fathom serve`, `cargo xtask dist` packs a release, `cargo xtask zip` one for Windows.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the terminal")]

mod bpf_objects;
mod catalog;
mod dist;
mod finding;
mod licences;
mod manifest;
mod modules;
mod rules;
mod schema_generation;
mod source_scan;
mod statistics;
mod tree;
mod web_page;
mod wheel;
mod zip;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use finding::Finding;
use tree::Tree;

/// The project's own tasks.
#[derive(Parser)]
#[command(
    bin_name = "cargo xtask",
    after_help = "cargo lab ...      try fathom where the truth is known, and in virtual machines\n\
                  cargo benches ...  measure fathom next to its peers, and count an I/O's instructions"
)]
struct XtaskArguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Check the house rules; lists file:line and what to do.
    Tidy,
    /// Check licences and forbidden crates against deny.toml.
    Licences,
    /// Rebuild the programs that watch the block layer.
    ///
    /// Needs clang 14.0.6 and llvm-strip (Debian 12: apt-get install clang llvm); with another compiler nothing is
    /// compared.
    Bpf {
        /// Compare the committed objects with fresh ones, byte for byte.
        #[arg(long)]
        check: bool,
    },
    /// Write the JSON Schemas of plans and records anew.
    Schema {
        /// Compare them with what the types say.
        #[arg(long)]
        check: bool,
    },
    /// Error rates of the statistics on simulated truth; `--help` for more.
    #[command(disable_help_flag = true)]
    Statistics {
        /// What their own program takes.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Build a release and pack it: archive, .deb, OCI image, SBOM and checksums.
    Dist(dist::DistArguments),
    /// Make the page of fathom serve; the next build of the program takes it in.
    ///
    /// Needs npm, and for --test a Chromium (Debian: apt-get install npm chromium).
    Page {
        /// Instead: walk through the page that this program serves, in a browser without a window.
        #[arg(long, value_name = "PROGRAM")]
        test: Option<PathBuf>,
    },
    /// Build the Python package as a wheel, for Python 3.9 and later; nothing of Python is needed.
    Wheel(wheel::WheelArguments),
    /// Build the program for Windows and pack it, with SHA256SUMS next to it.
    Zip(zip::ZipArguments),
    /// Bring the catalogue up to date from the cloud's API; without --write the changes are only shown.
    Catalog(catalog::CatalogArguments),
}

fn main() -> ExitCode {
    // The manifest's folder is known when this is built; the workspace is one above it.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let outcome = match XtaskArguments::parse().task {
        Task::Tidy => tidy(root).map(listed),
        Task::Licences => licences::check(root).map(listed),
        Task::Bpf { check } => bpf_objects::run(root, check).map(listed),
        Task::Schema { check } => schema_generation::run(root, check),
        Task::Statistics { words } => statistics::run(root, words),
        Task::Dist(asked) => dist::run(root, asked).map(done),
        Task::Page { test: None } => web_page::make(root).map(done),
        Task::Page { test: Some(program) } => web_page::walk(root, &program).map(done),
        Task::Wheel(asked) => wheel::run(root, &asked).map(done),
        Task::Zip(asked) => zip::run(root, &asked).map(done),
        Task::Catalog(asked) => catalog::run(root, &asked).map(done),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("xtask: {error}");
        ExitCode::FAILURE
    })
}

fn done((): ()) -> ExitCode {
    ExitCode::SUCCESS
}

/// Prints what breaks the rules.
fn listed(mut findings: Vec<Finding>) -> ExitCode {
    if findings.is_empty() {
        return ExitCode::SUCCESS;
    }
    findings.sort();
    findings.iter().for_each(|finding| println!("{finding}"));
    println!("{} to put right", findings.len());
    ExitCode::FAILURE
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn tasks_and_their_options_do_not_contradict_each_other() {
        super::XtaskArguments::command().debug_assert();
    }
}
