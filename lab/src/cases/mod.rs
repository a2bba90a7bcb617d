//! `cargo lab cases`: asks fathom what limits cases whose answer is known, simulated, on this machine
//! and in a virtual machine, and scores how often it is right and whether it knows.

mod ask;
mod case;
mod case_options;
mod examples;
mod explain_answer;
mod local_machine;
mod published_cases;
mod score;
mod score_report;
mod sim;
mod vm;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Outcome;
use super::guest_programs;
use super::stop::Stop;
pub use ask::{Asker, Question};
use case::{Case, Place};
pub use case_options::Options;
pub use explain_answer::NamedCause;
use score::JudgedCase;

/// Asks all that are wanted.
///
/// # Errors
/// A build that fails, or a file that cannot be written.
pub fn run(root: &Path, options: Options) -> Result<Outcome, String> {
    let seed = options.seed.unwrap_or_else(new_seed);
    let simulated = simulated(&options, seed);
    if options.list {
        list(&options, &simulated);
        return Ok(Outcome::Passed);
    }
    let fathom = program(root, &options)?;
    if let Some(keep) = &options.keep {
        std::fs::create_dir_all(keep).map_err(|error| format!("{}: {error}", keep.display()))?;
    }
    let stop = Stop::listen()?;
    let asker = Asker {
        fathom: &fathom,
        experiments: options.experiments,
        seconds: options.run_seconds(),
        keep: options.keep.as_deref(),
        stop: &stop,
    };
    println!("seed of the fresh cases: {seed} (--seed {seed} draws them again)");
    let mut judged = ask_simulated(&simulated, &asker);
    if options.wants(Place::Machine) {
        judged.extend(on_this_machine(&options, &asker));
    }
    if options.wants(Place::Vm) && !stop.is_asked() {
        judged.extend(in_a_virtual_machine(&options, &fathom)?);
    }
    if stop.is_asked() {
        return Err("stopped: what was set up is taken down, and nothing is scored".to_owned());
    }
    if judged.is_empty() {
        return Ok(Outcome::Missing("no case that is wanted can be set up here".to_owned()));
    }
    let score = score::score(&judged);
    let figures = score::judge(&score);
    println!("{} cases", judged.len());
    print!("{}", score_report::summary(&score, &figures));
    write(options.markdown.as_deref(), &score_report::markdown(&score, &figures))?;
    write(options.picture.as_deref(), &score_report::picture(&score))?;
    if let Some(path) = options.examples.as_deref() {
        let earlier = std::fs::read_to_string(path).unwrap_or_default();
        write(
            Some(path),
            &examples::page(&judged, &earlier, &|is_wanted| published_cases::shown(root, &fathom, is_wanted)),
        )?;
    }
    write(options.json.as_deref(), &format!("{:#}\n", score_report::data(seed, &judged, &figures)))?;
    let passed = figures.iter().all(|figure| figure.holds);
    Ok(if passed { Outcome::Passed } else { Outcome::Failed })
}

/// The program to ask, by a path that holds in any folder.
fn program(root: &Path, options: &Options) -> Result<PathBuf, String> {
    let path = match &options.fathom {
        Some(path) => path.clone(),
        None => guest_programs::fathom(root)?,
    };
    path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))
}

/// So many fresh simulated cases that something binds: each with its name, the causes that are right, and what is asked.
pub fn fresh_simulated(count: usize, seed: u64) -> Vec<(String, Vec<&'static str>, Vec<String>)> {
    let right = |truth: &case::Truth| match truth {
        case::Truth::Binds(causes) => causes.clone(),
        case::Truth::Nothing => vec![case::DEMAND],
        case::Truth::Outside(_) => Vec::new(),
    };
    let cases = sim::fresh(count, seed).into_iter();
    cases.map(|case| (case.id.clone(), right(&case.truth), case.arguments)).collect()
}

fn simulated(options: &Options, seed: u64) -> Vec<Case> {
    if !options.wants(Place::Sim) {
        return Vec::new();
    }
    let mut cases = if options.short { sim::short() } else { sim::fixed() };
    cases.extend(sim::fresh(options.fresh_count(), seed));
    cases.retain(|case| options.takes(&case.id, &case.truth.to_string()));
    cases
}

fn recipes(options: &Options) -> Vec<local_machine::Recipe> {
    let mut recipes = local_machine::all();
    recipes.retain(|recipe| {
        options.takes(&local_machine::id(recipe), &recipe.truth.to_string())
            && (recipe.short || !options.short)
    });
    recipes
}

fn list(options: &Options, simulated: &[Case]) {
    for case in simulated {
        println!("{:<28} {:<40} {}", case.id, case.truth, case.arguments.join(" "));
    }
    if options.wants(Place::Machine) {
        for recipe in recipes(options) {
            println!("{:<28} {}", local_machine::id(&recipe), recipe.truth);
        }
    }
    if options.wants(Place::Vm) {
        for (id, truth) in vm::listed(options) {
            println!("{id:<28} {truth}");
        }
    }
}

/// Simulated time does not mind company, so that all processors work.
fn ask_simulated(cases: &[Case], asker: &Asker<'_>) -> Vec<JudgedCase> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..workers.min(cases.len()) {
            scope.spawn(|| {
                while let Some((index, case)) = take(&next, cases) {
                    if asker.stop.is_asked() {
                        return;
                    }
                    let judged = JudgedCase {
                        id: case.id.clone(),
                        truth: case.truth.clone(),
                        place: case.place,
                        arguments: case.arguments.clone(),
                        answer: ask_one(case, asker),
                    };
                    println!("{}", score_report::line(&judged));
                    done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, judged));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, judged)| judged).collect()
}

fn take<'a>(next: &AtomicUsize, cases: &'a [Case]) -> Option<(usize, &'a Case)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    cases.get(index).map(|case| (index, case))
}

fn ask_one(case: &Case, asker: &Asker<'_>) -> Result<explain_answer::Answer, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no folder: {error}"))?;
    asker.ask(&Question { id: &case.id, arguments: &case.arguments, groups: &[], folder: folder.path() })
}

fn on_this_machine(options: &Options, asker: &Asker<'_>) -> Vec<JudgedCase> {
    let mut judged = Vec::new();
    let is_root = local_machine::is_root();
    for recipe in recipes(options) {
        if asker.stop.is_asked() {
            break;
        }
        let outcome = if recipe.needs_root && !is_root {
            Err("it needs root".to_owned())
        } else {
            local_machine::try_one(&recipe, asker)
        };
        match outcome {
            Ok(case) => {
                println!("{}", score_report::line(&case));
                judged.push(case);
            }
            Err(reason) => println!("skip   {:<34} {reason}", local_machine::id(&recipe)),
        }
    }
    judged
}

fn in_a_virtual_machine(options: &Options, fathom: &Path) -> Result<Vec<JudgedCase>, String> {
    match vm::run(options, fathom)? {
        vm::Outcome::Missing(reason) => {
            println!("skip   {:<34} {reason}", "vm");
            Ok(Vec::new())
        }
        vm::Outcome::Ran { judged, skipped } => {
            judged.iter().for_each(|case| println!("{}", score_report::line(case)));
            skipped.iter().for_each(|(id, reason)| println!("skip   {id:<34} {reason}"));
            Ok(judged)
        }
    }
}

fn write(path: Option<&Path>, text: &str) -> Result<(), String> {
    let Some(path) = path else { return Ok(()) };
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

#[allow(clippy::disallowed_methods, reason = "a seed that is new each time, and is printed")]
fn new_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |since| since.as_nanos() as u64 % 1_000_000)
}
