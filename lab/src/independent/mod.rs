//! `cargo lab independent`: verdicts on independent cases. Simulated set-ups are drawn from wide ranges, from the documentation
//! alone, and labelled by the stage that lets least through; then fathom is asked what limits each.

mod device;
mod generate;
mod score;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::Outcome;
use super::cases::{Asker, Question};
use super::programs;
use super::stop::Stop;
pub use device::Setup;
use generate::Case;
use score::Asked;

pub const USAGE: &str = "\
cargo lab independent [OPTIONS]    verdicts on simulated cases that were made from the documentation alone

  --seeds A,B,C       seeds of the cases. Default: 1
  --cases NUMBER      cases of each seed. Default: 200
  --fathom PATH       program to ask. Default: built from this tree
  --markdown FILE     write the score there too
  --csv FILE          write a line for each case there";

struct Options {
    seeds: Vec<u64>,
    cases: usize,
    fathom: Option<PathBuf>,
    markdown: Option<PathBuf>,
    csv: Option<PathBuf>,
}

impl Options {
    fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { seeds: vec![1], cases: 200, fathom: None, markdown: None, csv: None };
        let mut arguments = arguments.into_iter();
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value\n\n{USAGE}"))?;
            let wrong = |_| format!("{name}: `{value}` is no number");
            match name.as_str() {
                "--seeds" => {
                    options.seeds =
                        value.split(',').map(str::parse).collect::<Result<_, _>>().map_err(wrong)?;
                }
                "--cases" => options.cases = value.parse().map_err(wrong)?,
                "--fathom" => options.fathom = Some(value.into()),
                "--markdown" => options.markdown = Some(value.into()),
                "--csv" => options.csv = Some(value.into()),
                _ => return Err(format!("`{name}` is no option of lab independent\n\n{USAGE}")),
            }
        }
        Ok(options)
    }
}

/// Draws the cases, asks fathom about each on two threads, and prints the score.
///
/// # Errors
/// Arguments without sense, a build that fails, or a file that cannot be written.
pub fn run(root: &Path, arguments: impl IntoIterator<Item = String>) -> Result<Outcome, String> {
    let options = Options::read(arguments)?;
    let fathom = options.fathom.clone().map_or_else(|| programs::fathom(root), Ok)?;
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
fn ask_all(fathom: &Path, cases: Vec<Case>) -> Result<Vec<Asked>, String> {
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
    asked.sort_by_key(|one: &Asked| (one.case.seed, one.case.number));
    Ok(asked)
}

fn ask(asker: &Asker<'_>, case: Case) -> Asked {
    let arguments = case.setup.arguments();
    let answer = tempfile::tempdir().map_err(|error| error.to_string()).and_then(|folder| {
        asker.ask(&Question { id: "independent", arguments: &arguments, groups: &[], folder: folder.path() })
    });
    let named = answer.map(|answer| answer.active).unwrap_or_else(|error| {
        println!("no answer, seed {} case {}: {error}", case.seed, case.number);
        Vec::new()
    });
    Asked { case, named }
}
