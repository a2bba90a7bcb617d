//! `cargo lab doors`: pairs of a victim and a door are drawn from a seed. A victim is a device, file or
//! folder that holds something, idle or in use; a door is a way in: a command or option that names something.
//! fathom is run, and every byte that was there before is compared with what is there after.
//!
//! A victim is named when it stands on the command line as a target, together with exactly the words that
//! permit its loss. Then it alone may change, and only if nobody else relies on it: what is mounted, swapped
//! to, under another device, mapped, served, or held open for writing stays as it is even then. An export with
//! `--force` may replace a plain file, and an empty file may be filled where a result is to go to it. In all other cases nothing may change but what fathom makes itself: new
//! names, its store and the folder beside it.
//!
//! *Changed*: a byte, a size, a name, a right or a time of change of anything else is different. *Admitted*:
//! nothing changed, but a command that was to be refused was carried out: it ended with 0, or with 1 after its
//! run was saved. *Odd*: it panicked, was ended by a signal, or did not end by itself in 20 seconds.

mod crafted_images;
mod door;
mod door_options;
mod door_report;
mod masters;
mod pair;
mod scene;
mod snapshot;
mod sparse;
pub mod timed_process;
mod victim_states;
mod victims;
mod ways;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Outcome;
use super::draw::Draw;
use super::guest_programs;
use super::stop::Stop;
use super::teardown::tool;
use door::Door;
pub use door_options::Options;
use door_report::Report;
use masters::Masters;
use pair::Bench;

/// A whole run has so many pairs, and tries each door at least so often.
const PAIRS: usize = 20_000;
const LEAST_PER_DOOR: usize = 100;
const SHORT: Duration = Duration::from_secs(120);

/// Tries all pairs that are wanted.
///
/// # Errors
/// A build that fails, or a folder that cannot be made.
pub fn run(root: &Path, options: Options) -> Result<Outcome, String> {
    let seed = options.seed.unwrap_or_else(new_seed);
    let doors = shuffled(wanted(&options), seed);
    if options.list {
        doors.iter().for_each(|door| println!("{:<40} {:?} {:?}", door.name, door.kind, door.on));
        victims::KINDS.iter().for_each(|kind| println!("{:<40} {:?}", kind.name, kind.class));
        return Ok(Outcome::Passed);
    }
    if doors.is_empty() {
        return Err("no door has that in its name".to_owned());
    }
    if let Some(reason) = missing() {
        return Ok(Outcome::Missing(reason));
    }
    let fathom = match &options.fathom {
        Some(path) => path.clone(),
        None => guest_programs::fathom(root)?,
    };
    let fathom = fathom.canonicalize().map_err(|error| format!("{}: {error}", fathom.display()))?;
    let stop = Stop::listen_patiently()?;
    let folder = own_folder(&options)?;
    let masters = Masters::make(folder.path().join("masters"), &fathom, seed)?;
    println!("seed {seed}: {} doors, {} kinds of victims", doors.len(), masters.kinds.len());
    masters.skipped.iter().for_each(|(kind, reason)| println!("skip   {kind}: {reason}"));
    let bench = Bench {
        fathom: &fathom,
        folder: folder.path(),
        masters: &masters,
        seed,
        without_landlock: options.without_landlock,
    };
    let report = try_all(&options, &bench, &doors, &stop);
    let all = report.all();
    println!("{}", report.table());
    println!(
        "seed {seed}: {} pairs tried, {} with a change to what was not named, {} admitted without a change, {} odd \
         endings, {} not set up",
        all.tried, all.changed, all.admitted, all.odd, all.skipped
    );
    if stop.is_asked() {
        return Err("stopped: what was set up is taken down".to_owned());
    }
    Ok(if all.changed == 0 && all.tried > 0 { Outcome::Passed } else { Outcome::Failed })
}

fn missing() -> Option<String> {
    let is_root = tool("id", &["-u"]).is_ok_and(|id| id == "0");
    if !is_root {
        return Some("the lab of doors needs root, for loop devices and mounts".to_owned());
    }
    tool("losetup", &["--find"]).err().map(|error| format!("the lab of doors needs loop devices: {error}"))
}

fn own_folder(options: &Options) -> Result<tempfile::TempDir, String> {
    let within = options.folder.clone().unwrap_or_else(std::env::temp_dir);
    let within: PathBuf = within.canonicalize().map_err(|error| format!("{}: {error}", within.display()))?;
    let made = tempfile::Builder::new().prefix("fathom-doors-").tempdir_in(&within);
    made.map_err(|error| format!("{}: {error}", within.display()))
}

fn wanted(options: &Options) -> Vec<Door> {
    let mut doors = ways::all();
    doors.retain(|door| options.filter.as_ref().is_none_or(|word| door.name.contains(word.as_str())));
    doors.retain(|door| door.unnamed || !options.landlock_alone);
    doors
}

/// The doors in the order in which they are tried, again and again.
fn shuffled(mut doors: Vec<Door>, seed: u64) -> Vec<Door> {
    let mut draw = Draw::new(seed, 0);
    for last in (1..doors.len()).rev() {
        doors.swap(last, draw.below(last + 1));
    }
    doors
}

fn try_all(options: &Options, bench: &Bench<'_>, doors: &[Door], stop: &Stop) -> Report {
    let numbers = match options.only_pair {
        Some(only) => only..only + 1,
        None if options.short => 0..usize::MAX,
        None => 0..options.pairs.unwrap_or(PAIRS.max(LEAST_PER_DOOR * doors.len())),
    };
    let (next, report) = (AtomicUsize::new(numbers.start), Mutex::new(Report::default()));
    let until = options.short.then(|| now() + SHORT);
    let workers = if options.only_pair.is_some() { 1 } else { options.workers };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while !stop.is_asked() && until.is_none_or(|until| now() < until) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if !numbers.contains(&number) {
                        return;
                    }
                    let door = &doors[number % doors.len()];
                    let outcome = pair::try_pair(bench, number, door);
                    if stop.is_asked() {
                        return;
                    }
                    tell(options, bench, number, door, &outcome);
                    let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
                    report.add(&door.name, &outcome);
                }
            });
        }
    });
    report.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn tell(
    options: &Options,
    bench: &Bench<'_>,
    number: usize,
    door: &Door,
    outcome: &Result<pair::PairResult, String>,
) {
    let only = options.only_pair.is_some();
    let again = format!("cargo lab doors --only-pair {number} --seed {}{}", bench.seed, options.again());
    match outcome {
        Ok(tried) => {
            if let Some(lines) = door_report::lines(number, &door.name, tried, &again, only) {
                print!("{lines}");
            }
        }
        Err(reason) if only => println!("not set up: {reason}"),
        Err(_) => {}
    }
}

#[allow(clippy::disallowed_methods, reason = "a budget of wall time")]
fn now() -> Instant {
    Instant::now()
}

#[allow(clippy::disallowed_methods, reason = "a seed that is new each time, and is printed")]
fn new_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |since| since.as_nanos() as u64 % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doors_come_in_an_order_of_the_seed() {
        let names = |seed| shuffled(ways::all(), seed).into_iter().map(|door| door.name).collect::<Vec<_>>();
        assert_eq!(names(5), names(5));
        assert_ne!(names(5), names(6));
    }

    #[test]
    fn the_wall_alone_is_tried_where_no_target_leads_to_the_victim() {
        let doors = wanted(&crate::typed("--landlock-alone --fathom f").unwrap());
        assert!(doors.iter().any(|door| door.name == "run --json"));
        assert!(doors.iter().all(|door| !door.name.starts_with("named")));
        assert!(!doors.iter().any(|door| door.name == "run randwrite"));
    }
}
