//! One pair: a victim is made, the door is tried, and what is no longer as it was is told.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::super::draw::Draw;
use super::door::{Door, Kind as Way, Step, quoted};
use super::masters::Masters;
use super::scene::{Moment, Scene, description};
use super::snapshot;
use super::timed_process::{self, ProgramEnd};
use super::victim_states::{self, State};
use super::victims::{Class, Kind};

/// One state in three is not idle.
const IN_USE: f64 = 0.35;

/// What all pairs share.
pub struct Bench<'a> {
    pub fathom: &'a Path,
    pub folder: &'a Path,
    pub masters: &'a Masters,
    pub seed: u64,
    pub without_landlock: bool,
}

/// What came of a pair.
#[derive(Clone, Debug, Default)]
pub struct PairResult {
    pub victim: String,
    pub commands: Vec<String>,
    /// What changed and was not named.
    pub changed: Vec<String>,
    /// It was named and may have changed.
    pub named: bool,
    /// A command that was to be refused was carried out.
    pub admitted: bool,
    pub odd: Vec<String>,
    /// The last command's output.
    pub said: String,
}

/// Tries the pair with this number; `Err` is why it cannot be set up.
///
/// # Errors
/// The reason.
pub fn try_pair(bench: &Bench<'_>, number: usize, door: &Door) -> Result<PairResult, String> {
    let mut draw = Draw::new(bench.seed, number as u64 + 1);
    let kinds: Vec<&Kind> =
        bench.masters.kinds.iter().copied().filter(|kind| door.on.contains(&kind.class)).collect();
    let kind = kinds.get(draw.below(kinds.len())).ok_or("no victim of this class can be made here")?;
    let states = State::of(kind);
    let state =
        if !door.has_turns() && draw.chance(IN_USE) { states[draw.below(states.len())] } else { State::Idle };
    let folder = Folder(bench.folder.join(format!("pair-{number}")));
    let mut scene = Scene::make(folder.0.clone(), door, kind, bench.masters, &mut draw)?;
    if door.uses("{W}") || door.uses("{X}") {
        let ask = ["run", "-q", "--rw", "randwrite", "--count", "1", "--target"].map(OsString::from);
        let mut words = ask.to_vec();
        words.push(scene.places.plain.clone());
        let said = run(bench, &scene, &words, Duration::from_secs(20))?.said;
        scene.learn_words(&said, &mut draw);
    }
    let swapped = pages_swapped_out();
    let held = victim_states::enter(state, kind, &scene.plain, &scene.folder)?;
    let mut tried = PairResult { victim: description(kind, state, &scene), ..PairResult::default() };
    tried.named = may_change(door, kind, state);
    let outcome = go_through(bench, door, kind, &mut scene, &mut draw, &mut tried);
    timed_process::end_all_in(&scene.folder);
    let lost = scene.lost_names().map_err(|error| format!("the names of devices: {error}"));
    drop(held);
    drop(scene);
    if state == State::SwappedTo && pages_swapped_out() != swapped {
        return Err("the kernel itself swapped to it meanwhile".to_owned());
    }
    tried.changed.extend(lost?.into_iter().map(|name| format!("{name}: the device's name was gone")));
    outcome.map(|()| tried)
}

/// Pages that the kernel has written to swap space since it was started.
fn pages_swapped_out() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/vmstat").ok()?;
    text.lines().find_map(|line| line.strip_prefix("pswpout ")?.trim().parse().ok())
}

/// Whether the victim may change: it stands there as a target with the right words and nobody else relies on
/// it, or it is a plain file and the command was told to replace it.
fn may_change(door: &Door, kind: &Kind, state: State) -> bool {
    match door.kind {
        Way::Named => !state.forbids(),
        Way::Replaced => kind.class == Class::File,
        // Where a result goes to a file that was made empty for it, nothing is lost.
        Way::Output => kind.name == "empty",
        Way::Refused | Way::Read | Way::Aside => false,
    }
}

fn go_through(
    bench: &Bench<'_>,
    door: &Door,
    kind: &Kind,
    scene: &mut Scene,
    draw: &mut Draw,
    tried: &mut PairResult,
) -> Result<(), String> {
    let looked = |error: std::io::Error| format!("it cannot be looked at: {error}");
    let mut before = scene.moment().map_err(looked)?;
    let mut guarded = false;
    for step in &door.steps {
        match step {
            Step::Run(command) | Step::Killed(command, _) => {
                let mut words = scene.places.words(command);
                words.extend(scene.places.words(door.options));
                words.extend(scene.places.words(door.more));
                tried.commands.push(format!("fathom {}", quoted(&words)));
                let patience = match step {
                    Step::Killed(_, ms) => Duration::from_millis(*ms),
                    _ => door.patience,
                };
                let ended = run(bench, scene, &words, patience)?;
                note(door, step, kind, &ended, guarded, tried);
                tried.said = ended.said;
                // What had not begun has nothing to go on with: the same words are then a command of their own.
                if matches!(step, Step::Killed(..)) && !has_begun(&before, &scene.moment().map_err(looked)?) {
                    return Err("it was killed before it wrote anything".to_owned());
                }
            }
            Step::Header => {
                scene.put_header().map_err(looked)?;
                before = scene.moment().map_err(looked)?;
                guarded = true;
            }
            Step::Swap => {
                scene.swap_disk(draw)?;
                before = scene.moment().map_err(looked)?;
                guarded = true;
            }
            Step::Kept if !scene.folder.join("here/header-put").exists() => {
                return Err("the command ended before the header came".to_owned());
            }
            Step::Kept if !scene.header_is_kept().map_err(looked)? => {
                tried.changed.push("the header that came between two runs is gone".to_owned());
            }
            Step::Kept => {}
        }
    }
    let after = scene.moment().map_err(looked)?;
    tried.changed.extend(differences(scene, &before, &after, guarded, tried.named));
    Ok(())
}

fn has_begun(before: &Moment, now: &Moment) -> bool {
    before.device != now.device || before.blank != now.blank
}

/// What is not as it was; of the blank device only once it holds somebody's data.
fn differences(scene: &Scene, before: &Moment, after: &Moment, guarded: bool, named: bool) -> Vec<String> {
    let mut differences: Vec<String> = snapshot::changes(&before.names, &after.names)
        .into_iter()
        .filter(|(path, _)| !(named && scene.own_names.contains(path)))
        .map(|(path, what)| format!("{}: {what}", quoted(&[path.into()])))
        .collect();
    let both = |before, after| match (before, after) {
        (Some(before), Some(after)) => snapshot::content_change(before, after),
        _ => None,
    };
    let device = both(before.device.as_ref(), after.device.as_ref()).filter(|_| !named);
    differences.extend(device.map(|what| format!("{}: {what}", scene.plain.display())));
    let blank = both(before.blank.as_ref(), after.blank.as_ref()).filter(|_| guarded);
    differences.extend(blank.map(|what| format!("{}: {what}", scene.places.blank.display())));
    differences
}

/// Notes what an ending says: carried out where it was to be refused, or an odd end.
fn note(door: &Door, step: &Step, kind: &Kind, ended: &ProgramEnd, guarded: bool, tried: &mut PairResult) {
    let refusal = match door.kind {
        Way::Refused => !door.has_turns() || guarded,
        Way::Output => !tried.named && kind.class != Class::Folder,
        Way::Named => !tried.named,
        Way::Read | Way::Replaced | Way::Aside => false,
    };
    // A short run ends with 1 where a self-check fails, and was carried out all the same.
    let carried_out = match ended.status {
        Some(0) => true,
        Some(1) => door.kind != Way::Output && ended.said.contains("saved; again:"),
        _ => false,
    };
    tried.admitted |= refusal && carried_out;
    tried.odd.extend(ended.oddity());
    let is_long = matches!(step, Step::Killed(..)) || door.patience < Duration::from_secs(20);
    if ended.cut && !is_long {
        tried.odd.push("it did not end".to_owned());
    }
}

fn run(
    bench: &Bench<'_>,
    scene: &Scene,
    words: &[OsString],
    patience: Duration,
) -> Result<ProgramEnd, String> {
    if !scene.is_ours() {
        return Err("a loop device went to somebody else".to_owned());
    }
    let mut command = Command::new(bench.fathom);
    // A door may name a store of its own, which is then the only one.
    if words.first().is_none_or(|word| word != "--store") {
        command.arg("--store").arg(scene.folder.join("store.sqlite"));
    }
    command
        .args(words)
        .current_dir(scene.folder.join("here"))
        .env("HOME", &scene.folder)
        .env("TMPDIR", scene.folder.join("here/tmp"))
        .env_remove("XDG_DATA_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("FATHOM_DRIVES")
        .env_remove("FATHOM_TRIAL");
    if bench.without_landlock {
        timed_process::without_landlock(&mut command);
    }
    timed_process::run(&mut command, &scene.folder, patience)
}

/// A pair's folder, which goes with it.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            eprintln!("left behind: {}: {error}", self.0.display());
        }
    }
}
