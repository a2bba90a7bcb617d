//! `cargo lab independent`: verdicts on independent cases. Simulated set-ups are drawn from wide ranges, from the documentation
//! alone, and labelled by the stage that lets least through; then fathom is asked what limits each.

mod device_setup;
mod generate;
mod score;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use clap::Args;

use super::Outcome;
use super::cases::{Asker, Question};
use super::guest_programs;
use super::stop::Stop;
pub use device_setup::Setup;
use generate::Case;
use score::AnsweredCase;

/// What was typed.
#[derive(Args, Debug)]
pub struct Options {
    /// Seeds of the cases, as A,B,C.
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', default_value = "1")]
    seeds: Vec<u64>,
    /// Cases of each seed.
    #[arg(long, value_name = "NUMBER", default_value_t = 200)]
    cases: usize,
    /// Program to ask. Default: built from this tree.
    #[arg(long, value_name = "PATH")]
    fathom: Option<PathBuf>,
    /// Write the score there too.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write a line for each case there.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Draws the cases, asks fathom about each on two threads, and prints the score.
///
/// # Errors
/// A build that fails, or a file that cannot be written.
pub fn run(root: &Path, options: Options) -> Result<Outcome, String> {
    let fathom = options.fathom.clone().map_or_else(|| guest_programs::fathom(root), Ok)?;
    let fathom = fathom.canonicalize().map_err(|error| format!("{}: {error}", fathom.display()))?;
    let (mut cases, mut close) = (Vec::new(), 0);
    for seed in &options.seeds {
        let (drawn, left_out) = generate::cases(*seed, options.cases);
        cases.extend(drawn);
        close += left_out;
    }
    let asked = ask_all(&fathom, cases)?;
    let text = score::markdown(&asked, close);
    println!("{text}");
    let write = |path: &Option<PathBuf>, content: &[u8]| {
        let Some(path) = path else { return Ok(()) };
        std::fs::write(path, content).map_err(|error| format!("{}: {error}", path.display()))
    };
    write(&options.markdown, text.as_bytes())?;
    write(&options.csv, &score::csv(&asked)?)?;
    Ok(if asked.iter().any(|one| one.named.is_empty()) { Outcome::Failed } else { Outcome::Passed })
}

/// Cases that were asked before somebody ended it, in their order.
fn ask_all(fathom: &Path, cases: Vec<Case>) -> Result<Vec<AnsweredCase>, String> {
    let stop = Stop::listen()?;
    let asker = Asker { fathom, experiments: 5, seconds: 8, keep: None, stop: &stop };
    let (waiting, done) = (Mutex::new(cases.into_iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.is_asked() {
                    let Some(case) = waiting.lock().ok().and_then(|mut cases| cases.next()) else { break };
                    let one = ask(&asker, case);
                    if let Ok(mut done) = done.lock() {
                        done.push(one);
                    }
                }
            });
        }
    });
    let mut asked = done.into_inner().map_err(|_| "a thread ended early".to_owned())?;
    asked.sort_by_key(|one: &AnsweredCase| (one.case.seed, one.case.number));
    Ok(asked)
}

fn ask(asker: &Asker<'_>, case: Case) -> AnsweredCase {
    let arguments = case.setup.arguments();
    let answer = tempfile::tempdir().map_err(|error| error.to_string()).and_then(|folder| {
        asker.ask(&Question { id: "independent", arguments: &arguments, groups: &[], folder: folder.path() })
    });
    let named = answer.map(|answer| answer.active).unwrap_or_else(|error| {
        println!("no answer, seed {} case {}: {error}", case.seed, case.number);
        Vec::new()
    });
    AnsweredCase { case, named }
}
