//! `cargo benches`: fathom beside its peers on the same target and processor, as ratios of random
//! pairs; and the figures that fathom has alone. It reports and judges no build: timings are no tests.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the terminal")]

mod acceptance_bounds;
mod accuracy;
mod alone;
mod bare;
mod bdevperf_contender;
mod comparisons;
mod contender_pairs;
mod distributed_load;
mod fathom_contender;
mod fio;
mod gaps;
mod import_rates;
mod initiator_overhead;
mod instructions;
mod live_overhead;
mod markdown_table;
mod measured_load;
mod nvmet_overhead;
mod program_run;
mod programs;
mod ratio_statistics;
mod reanalysis_cost;
mod release;
mod sizing_throughput;
mod t_io_uring;
mod task_options;
mod testbed;
mod watched;
mod watched_turns;
mod witness_cost;

use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use markdown_table::ComparisonRuns;
use measured_load::{Interface, Load};
use programs::Programs;
use task_options::{BenchCommandLine, Options, Task};

/// Size of every I/O.
const BLOCK_BYTES: u32 = 4096;

fn main() -> ExitCode {
    // The manifest's folder is known when this is built; the workspace is one above it.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let BenchCommandLine { task, peers } = BenchCommandLine::parse();
    let outcome = match task {
        Some(Task::Clients(options)) => distributed_load::run(root, &options),
        Some(Task::Fabrics(options)) => nvmet_overhead::run(root, &options),
        Some(Task::Gaps(options)) => {
            gaps::run(&options);
            Ok(())
        }
        Some(Task::Instructions(options)) => instructions::run(root, &options),
        Some(Task::Network(options)) => initiator_overhead::run(root, options),
        Some(Task::NetworkBare(options)) => initiator_overhead::bare_loop(&options),
        None => beside_peers(root, peers),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("benches: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures what the arguments ask for and prints it; a case that cannot be measured is named with its
/// reason, and the others go on.
///
/// # Errors
/// A build that fails, or a program that was named and is not there.
fn beside_peers(root: &Path, options: Options) -> Result<(), String> {
    if options.list {
        comparisons::names().chain(alone::NAMES).for_each(|name| println!("{name}"));
        return Ok(());
    }
    let programs = Programs::find(&options, root)?;
    let options = options.with_absolute_target();
    let folder = tempfile::tempdir().map_err(|error| format!("no folder for results: {error}"))?;
    bdevperf_contender::configure(folder.path(), &options.target)?;
    // Hashing nothing with the process's own random keys.
    let seed = options.seed.unwrap_or_else(|| RandomState::new().hash_one(()) >> 32);
    let mut facts = testbed::describe(&options, &programs.fathom, root);
    let length = format!("{} pairs of {} s each, order from seed {seed}", options.pairs, options.seconds);
    facts.push(("comparisons".to_owned(), length));

    let (comparisons, mut skipped) = comparisons::list(&options, &programs);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut results: Vec<ComparisonRuns> = Vec::new();
    for comparison in comparisons {
        let [ours, theirs] = &comparison.sides;
        eprintln!("{}: {} and {} ...", comparison.case, ours.label, theirs.label);
        match contender_pairs::measure(&comparison.sides, options.pairs, &mut random, folder.path()) {
            Ok(pairs) => results.push((comparison, pairs)),
            Err(error) => skipped.push(format!("{}: {error}", comparison.case)),
        }
    }
    let mut findings = Vec::new();
    for (case, found) in alone::measure(&options, &programs, folder.path(), &mut random) {
        match found {
            Ok(found) => findings.extend(found),
            Err(error) => skipped.push(format!("{case}: {error}")),
        }
    }
    facts.push(("load average at the end".to_owned(), testbed::load_now()));
    let text = section(&facts, &results, &findings, &skipped);
    println!("{text}");
    match &options.markdown {
        Some(path) => std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display())),
        None => Ok(()),
    }
}

fn section(
    facts: &[(String, String)],
    results: &[ComparisonRuns],
    findings: &[alone::Finding],
    skipped: &[String],
) -> String {
    let mut text = markdown_table::machine(facts);
    if !results.is_empty() {
        let (ratios, time) = (markdown_table::ratios(results), markdown_table::processor_time(results));
        let _ = write!(text, "\n{ratios}\nCPU time of each I/O, medians:\n\n{time}");
    }
    if !findings.is_empty() {
        let _ = write!(text, "\nfathom alone, medians:\n\n{}", markdown_table::alone(findings));
    }
    if !skipped.is_empty() {
        text.push_str("\nNot measured:\n\n");
        skipped.iter().for_each(|reason| {
            let _ = writeln!(text, "- {reason}");
        });
    }
    text
}

impl Options {
    fn load(&self, interface: Interface, depth: u32) -> Load {
        Load { interface, target: self.target.clone(), depth, seconds: self.seconds }
    }

    /// A processor beside the one that is bound to.
    fn other_cpu(&self) -> Option<usize> {
        (0..testbed::processors()).find(|cpu| *cpu != self.cpu)
    }

    /// Every side runs in a folder of its own, so a file must be named from the root.
    fn with_absolute_target(mut self) -> Self {
        if let Ok(path) = Path::new(&self.target).canonicalize() {
            self.target = path.to_string_lossy().into_owned();
        }
        self
    }
}
