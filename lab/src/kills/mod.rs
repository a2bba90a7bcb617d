//! `cargo lab kills`: fathom is killed at drawn moments, and the same command is typed again. What was
//! reported as saved has to be there after every kill, and the command has to come to its end.
//!
//! *Lost*: a run that `fathom runs` listed before is not listed any more, or cannot be shown. *Unreadable*: the store
//! cannot be listed. *Not continued*: the same command ended with something else than 0 or 1 (a self-check of a busy
//! machine), or began another campaign although one was unfinished.

mod scenes;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::Args;

use super::Outcome;
use super::draw::Draw;
use super::guest_programs;
use super::stop::Stop;
use scenes::{KINDS, Kind, Scene};

/// A command that was not killed has to end within this time, even beside others.
const PATIENCE: Duration = Duration::from_secs(120);
const TICK: Duration = Duration::from_millis(5);
/// Kills of one command, one after the other.
const MOST_IN_A_ROW: usize = 5;
/// Attempts at a device that another program has open for a moment.
const AGAIN: usize = 20;
/// Runs of each command that are read in the end.
const SHOWN: usize = 4;

/// What was typed.
#[derive(Args, Debug)]
pub struct Options {
    /// So many kills. Default: 1000; 40 with --short.
    #[arg(long, value_name = "NUMBER")]
    kills: Option<usize>,
    /// 40 kills.
    #[arg(long, conflicts_with = "kills")]
    short: bool,
    /// Draws the same moments again.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Commands at the same time.
    #[arg(long, value_name = "NUMBER", default_value = "4", value_parser = crate::workers)]
    workers: usize,
    /// Program to try. Default: built from this tree.
    #[arg(long, value_name = "PATH")]
    fathom: Option<PathBuf>,
    /// Only kinds whose name contains it.
    #[arg(long, value_name = "WORD", default_value = "", hide_default_value = true)]
    filter: String,
}

/// What the kills of one kind came to.
#[derive(Clone, Debug, Default)]
struct Tally {
    commands: usize,
    kills: usize,
    lost: usize,
    unreadable: usize,
    not_continued: usize,
    left_behind: usize,
    invalid: usize,
    skipped: Option<String>,
}

/// Kills until the number is reached.
///
/// # Errors
/// A build that fails.
pub fn run(root: &Path, options: Options) -> Result<Outcome, String> {
    let fathom = match &options.fathom {
        Some(path) => path.clone(),
        None => guest_programs::fathom(root)?,
    };
    let fathom = fathom.canonicalize().map_err(|error| format!("{}: {error}", fathom.display()))?;
    let kinds: Vec<&Kind> = KINDS.iter().filter(|kind| kind.name.contains(&options.filter)).collect();
    if kinds.is_empty() {
        return Err("no kind has that in its name".to_owned());
    }
    let wanted = options.kills.unwrap_or(if options.short { 40 } else { 1000 });
    let stop = Stop::listen()?;
    let tallies = Mutex::new(vec![Tally::default(); kinds.len()]);
    let (next, kills) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..options.workers {
            scope.spawn(|| {
                while kills.load(Ordering::Relaxed) < wanted && !stop.is_asked() {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    if turn > 10 * (wanted + kinds.len()) {
                        break;
                    }
                    let at = turn % kinds.len();
                    let mut draw = Draw::new(options.seed, turn as u64);
                    let mut tally = Tally::default();
                    if let Err(reason) = one(&fathom, kinds[at], &mut draw, &mut tally) {
                        tally.skipped = Some(reason);
                    }
                    kills.fetch_add(tally.kills, Ordering::Relaxed);
                    add(&mut tallies.lock().unwrap_or_else(PoisonError::into_inner)[at], tally);
                }
            });
        }
    });
    let tallies = tallies.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(report(options.seed, &kinds, &tallies))
}

fn add(sum: &mut Tally, tally: Tally) {
    sum.commands += tally.commands;
    sum.kills += tally.kills;
    sum.lost += tally.lost;
    sum.unreadable += tally.unreadable;
    sum.not_continued += tally.not_continued;
    sum.left_behind += tally.left_behind;
    sum.invalid += tally.invalid;
    sum.skipped = sum.skipped.take().or(tally.skipped);
}

fn report(seed: u64, kinds: &[&Kind], tallies: &[Tally]) -> Outcome {
    println!(
        "kind               commands  kills  lost  unreadable  not continued  left behind  ended with 1"
    );
    let mut sum = Tally::default();
    for (kind, tally) in kinds.iter().zip(tallies) {
        println!("{:<18} {}", kind.name, row(tally));
        if let Some(reason) = &tally.skipped {
            println!("    not set up: {reason}");
        }
        add(&mut sum, Tally { skipped: None, ..tally.clone() });
    }
    println!("{:<18} {}\n\nseed {seed}", "all", row(&sum));
    let tried = tallies.iter().all(|tally| tally.kills > 0);
    let holds = tried && sum.lost + sum.unreadable + sum.not_continued + sum.left_behind == 0;
    if holds { Outcome::Passed } else { Outcome::Failed }
}

fn row(tally: &Tally) -> String {
    format!(
        "{:>8}  {:>5}  {:>4}  {:>10}  {:>13}  {:>11}  {:>12}",
        tally.commands,
        tally.kills,
        tally.lost,
        tally.unreadable,
        tally.not_continued,
        tally.left_behind,
        tally.invalid
    )
}

/// One command: killed some times in a row, then left to end.
fn one(fathom: &Path, kind: &Kind, draw: &mut Draw, tally: &mut Tally) -> Result<(), String> {
    let scene = Scene::make(kind, draw)?;
    let in_a_row = 1 + draw.below(MOST_IN_A_ROW);
    let mut known = BTreeSet::new();
    let mut unfinished: BTreeSet<String> = BTreeSet::new();
    tally.commands += 1;
    for turn in 0..=in_a_row {
        let is_last = turn == in_a_row;
        let after =
            if is_last { PATIENCE } else { Duration::from_secs_f64(draw.between(0.0, kind.length_s)) };
        let mut ended = command(fathom, &scene, after)?;
        // The lab's own search for free loop devices opens those of its other workers for a moment.
        for _ in 0..AGAIN {
            if ended.is_none() || !scene.output()?.contains("(losetup)") {
                break;
            }
            std::thread::sleep(TICK);
            ended = command(fathom, &scene, after)?;
        }
        known.extend(scene.reported()?);
        let Some(runs) = listed(fathom, &scene) else {
            tally.unreadable += 1;
            complain(kind, &scene, "the store cannot be listed");
            return Ok(());
        };
        tally.lost += lost(kind, &scene, &known, &runs);
        known.extend(runs.iter().map(|run| run.id.clone()));
        let campaigns: BTreeSet<String> = runs.into_iter().filter_map(|run| run.campaign).collect();
        if !unfinished.is_empty() && campaigns != unfinished {
            tally.not_continued += 1;
            complain(
                kind,
                &scene,
                &format!("{unfinished:?} was unfinished, and now there are {campaigns:?}"),
            );
        }
        if ended.is_some() || is_last {
            check_end(kind, &scene, ended, tally)?;
            break;
        }
        tally.kills += 1;
        if campaigns.iter().any(|campaign| is_shown(fathom, &scene, campaign)) {
            // Killed behind its last step: the same command would begin another one.
            break;
        }
        unfinished = campaigns;
    }
    // A few of them: each is read as a whole.
    let known: Vec<String> = known.into_iter().collect();
    for _ in 0..known.len().min(SHOWN) {
        let id = &known[draw.below(known.len())];
        if !is_shown(fathom, &scene, id) {
            tally.lost += 1;
            complain(kind, &scene, &format!("{id} is listed and cannot be shown"));
        }
    }
    Ok(())
}

fn check_end(kind: &Kind, scene: &Scene, ended: Option<ExitStatus>, tally: &mut Tally) -> Result<(), String> {
    match ended.and_then(|status| status.code()) {
        Some(0) => {}
        Some(1) => tally.invalid += 1,
        code => {
            tally.not_continued += 1;
            complain(kind, scene, &format!("it ended with {code:?}:\n{}", scene.output()?));
        }
    }
    for name in scene.left_behind()? {
        tally.left_behind += 1;
        complain(kind, scene, &format!("left behind: {name}"));
    }
    Ok(())
}

fn complain(kind: &Kind, scene: &Scene, what: &str) {
    println!("FAIL  {}: fathom {}\n      {what}", kind.name, scene.words.join(" "));
}

fn lost(kind: &Kind, scene: &Scene, known: &BTreeSet<String>, runs: &[Run]) -> usize {
    let gone: Vec<&String> = known.iter().filter(|id| runs.iter().all(|run| run.id != **id)).collect();
    if !gone.is_empty() {
        complain(kind, scene, &format!("lost: {gone:?}"));
    }
    gone.len()
}

/// Runs the command until it ends, or kills it and all its children; its status where it ended by itself.
fn command(fathom: &Path, scene: &Scene, after: Duration) -> Result<Option<ExitStatus>, String> {
    use std::os::unix::process::CommandExt;
    let failed = |error: std::io::Error| format!("fathom cannot be run: {error}");
    let said = std::fs::File::create(scene.folder().join("said")).map_err(failed)?;
    let mut child = Command::new(fathom)
        .args(["--store", "s.sqlite"])
        .args(&scene.words)
        .current_dir(scene.folder().join("here"))
        .stdin(Stdio::null())
        .stdout(said.try_clone().map_err(failed)?)
        .stderr(said)
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    let ticks = (after.as_secs_f64() / TICK.as_secs_f64()) as u64;
    for _ in 0..=ticks {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(Some(status));
        }
        std::thread::sleep(TICK);
    }
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // It may have ended just now.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    child.wait().map_err(failed)?;
    Ok(None)
}

/// Whether a run can be read, or a campaign has its conclusion.
fn is_shown(fathom: &Path, scene: &Scene, id: &str) -> bool {
    Command::new(fathom)
        .args(["--store", "s.sqlite", "show", id, "--json"])
        .current_dir(scene.folder().join("here"))
        .stdin(Stdio::null())
        .output()
        .is_ok_and(|output| output.status.success())
}

struct Run {
    id: String,
    campaign: Option<String>,
}

/// All runs in the store; none where it cannot be listed. No store is an empty one.
fn listed(fathom: &Path, scene: &Scene) -> Option<Vec<Run>> {
    let output = Command::new(fathom)
        .args(["--store", "s.sqlite", "runs", "--all", "--json", "--limit", "100000"])
        .current_dir(scene.folder().join("here"))
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    let text = |run: &serde_json::Value, key: &str| run[key].as_str().map(str::to_owned);
    let runs = value["runs"].as_array()?.iter();
    let runs = runs.map(|run| Some(Run { id: text(run, "id")?, campaign: text(run, "campaign") }));
    output.status.success().then(|| runs.collect()).flatten()
}
