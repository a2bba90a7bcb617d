//! Runs of other tools: fathom admits the targets, starts the tool with its own words, watches the machine
//! beside it, keeps what it prints, and reads its result into the same run record.
//!
//! ```text
//!  plan ─► targets admitted and opened here ─► the tool's files and arguments ─► child ─► its output, kept
//!          (or named by the user alone)                                           │
//!                                     telemetry beside it ────────────────────────┴─► importer ─► RunRecord
//! ```

mod child;
mod command_targets;
mod remote_shell_arguments;
pub mod sandbox_access;
mod tool;
mod tool_drivers;
mod tool_folder;
mod tool_invocation;
mod tool_record;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use command_targets::HeldTargets;
use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::{Clock, WallClock};
use fathom_record::environment_facts::Environment;
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::telemetry::{AbsentSource, Telemetry};
use fathom_record::{RunRecord, Workload, shell_word};
use fathom_target::wall::Reach;
use fathom_telemetry::{Sampler, SamplerPlan, environment};
use fathom_tools::ToolTarget;
use tool_folder::make_folder;
use tool_invocation::{NamedTarget, PreparedCommand, prepare};
use tool_record::{ToolRunContext, finish, read_result};

use crate::error::CampaignError;
use crate::process_control::InheritedFile;
use crate::progress::Progress;
use crate::record_ids;
use crate::single_run::{Session, SessionPlan};
pub use child::{ChildEnd, ChildPlan};
use fathom_plan::{RunPlan, exact_command_line};
pub use tool::ToolEngine;

/// Time that a tool may take beyond what it was asked for, to start, to lay files out and to print.
const SLACK_NS: u64 = 600_000_000_000;
/// Longest time of a tool that was given a count and no time.
const UNBOUNDED_NS: u64 = 24 * 3600 * 1_000_000_000;

/// Runs a plan once with another tool. What it was given and what it printed stays in a folder below `raw`
/// that is named by the run's id. The record is returned, not stored.
///
/// Setting `stop` passes an interrupt on to the tool; the record then holds what it printed.
///
/// # Errors
/// When there is nothing to record: a target is refused, the tool cannot do the workload, is not there, or
/// prints no result.
pub fn run_external(
    plan: &RunPlan,
    external: &ToolEngine,
    raw: &Path,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<RunRecord, CampaignError> {
    plan.workload.validate()?;
    external.check_options(plan)?;
    let id = record_ids::new_id("r");
    let folder = make_folder(raw, &id)?;
    if external.works_here(&plan.targets) {
        here(plan, external, (id, &folder), progress, stop)
    } else {
        elsewhere(plan, external, (id, &folder), progress, stop)
    }
}

/// Longest time that a workload may take.
fn limit_ns(workload: &Workload) -> u64 {
    let length = &workload.length;
    length.time_ns.map_or(UNBOUNDED_NS, |time_ns| {
        time_ns.saturating_add(length.warmup_ns).saturating_mul(2).saturating_add(SLACK_NS)
    })
}

/// On targets that this process opens first, so that the guard judges them and holds them.
fn here(
    plan: &RunPlan,
    external: &ToolEngine,
    (id, folder): (String, &Path),
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<RunRecord, CampaignError> {
    let ours = RunPlan { engine: None, ..plan.clone() };
    let session = Session::open(&SessionPlan { marks: false, ..SessionPlan::of(&ours) }, progress, stop)?;
    // Open until the tool has ended.
    let (targets, _inherited) = told(&session, &plan.workload)?;
    let prepared = prepare(external, plan, &targets, folder)?;
    let reach = reach_of(plan, external, &prepared, &targets, folder);
    let clock = *session.clock();
    let started_at = record_ids::now();
    let sampler = session.sampler();
    let origin_ns = clock.now_ns();
    progress.note(&format!("{} runs; its output is kept in {}", external.program_name(), folder.display()));
    session.confirm()?;
    let ended = ChildPlan {
        words: prepared.words.clone(),
        folder,
        limit_ns: limit_ns(&plan.workload),
        install: external.install(),
        reach: Some(reach),
        env: prepared.env.clone(),
    }
    .run(stop, &clock)?;
    let telemetry = sampler.map_or_else(Telemetry::default, |sampler| sampler.finish(origin_ns));
    let imported = read_result(external.program_name(), &prepared.result, &ended)?;
    let mut notes = session.notes();
    notes.extend(prepared.notes.clone());
    let around = ToolRunContext {
        id,
        started_at,
        external,
        workload: Some(&plan.workload),
        target: Some(session.target().clone()),
        environment: session.environment().clone(),
        telemetry,
        words: &prepared.words,
        folder,
        command: exact_command_line(plan),
        notes,
    };
    Ok(RunRecord { ceilings: session.ceilings().to_vec(), ..finish(imported, &ended, around) })
}

/// What the tool has to reach: the targets of the session and its own folder.
fn reach_of(
    plan: &RunPlan,
    external: &ToolEngine,
    prepared: &PreparedCommand,
    targets: &[NamedTarget],
    folder: &Path,
) -> Reach {
    let paths: Vec<PathBuf> = targets.iter().map(|target| PathBuf::from(&target.path)).collect();
    let program = prepared.words.first().cloned().unwrap_or_default();
    let mut reach = sandbox_access::reach_on(&program, &paths, plan.workload.mix.changes_data(), folder);
    reach.below.extend(external.driver.folders());
    reach
}

/// The targets of a session, with paths by which a child reaches the very same files, and what it inherits for that.
fn told(
    session: &Session,
    workload: &Workload,
) -> Result<(Vec<NamedTarget>, Vec<InheritedFile>), EngineError> {
    // Other targets were refused by their names, and a stripe by its flag.
    let handles = session.handles().ok_or_else(|| {
        let cause = "what was opened is neither a file nor a device of this machine";
        EngineError::new(ErrorKind::Plan, "handing the targets to another tool", cause)
    })?;
    let mut inherited = Vec::new();
    let mut told = Vec::with_capacity(handles.len());
    for handle in handles {
        let rest = handle.facts.size_bytes.saturating_sub(workload.offset_bytes);
        let span_bytes = workload.span_bytes.unwrap_or(rest).min(rest);
        inherited.extend(handle.inherited);
        told.push(NamedTarget {
            path: handle.path,
            span_bytes,
            block_bytes: handle.facts.logical_block_bytes,
            whole: span_bytes == handle.facts.size_bytes,
        });
    }
    Ok((told, inherited))
}

/// On targets that nobody here can look at: only reads, unless the user names each for destruction.
fn elsewhere(
    plan: &RunPlan,
    external: &ToolEngine,
    (id, folder): (String, &Path),
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<RunRecord, CampaignError> {
    if plan.workload.mix.changes_data() {
        refuse_unnamed(&plan.targets, &plan.options.permits, external)?;
    }
    let span_bytes = plan.workload.span_bytes.unwrap_or(0);
    let whole = plan.workload.span_bytes.is_none();
    let name = |path: &String| NamedTarget { path: path.clone(), span_bytes, block_bytes: 0, whole };
    let targets: Vec<NamedTarget> = plan.targets.iter().map(name).collect();
    let prepared = prepare(external, plan, &targets, folder)?;
    let clock = WallClock::start_on_system_clock().0;
    let local = external.runs_here();
    let started_at = record_ids::now();
    let sampler = local.then(|| Sampler::start(SamplerPlan::default(), clock));
    let origin_ns = clock.now_ns();
    progress.note(&format!("{} runs; its output is kept in {}", external.program_name(), folder.display()));
    let ended = ChildPlan {
        words: prepared.words.clone(),
        folder,
        limit_ns: limit_ns(&plan.workload),
        install: external.install(),
        // It works on another machine, or by a driver of its own on a device that has no file here.
        reach: None,
        env: prepared.env.clone(),
    }
    .run(stop, &clock)?;
    let telemetry = sampler.map_or_else(of_another_machine, |sampler| sampler.finish(origin_ns));
    let imported = read_result(external.program_name(), &prepared.result, &ended)?;
    Ok(finish(
        imported,
        &ended,
        ToolRunContext {
            id,
            started_at,
            external,
            workload: Some(&plan.workload),
            target: Some(named_target(plan)),
            environment: if local { environment::collect(&[], None) } else { Environment::default() },
            telemetry,
            words: &prepared.words,
            folder,
            command: exact_command_line(plan),
            notes: prepared.notes.clone(),
        },
    ))
}

fn of_another_machine() -> Telemetry {
    let reason =
        "the load ran on another machine, and only that one's telemetry would say something".to_owned();
    Telemetry { absent: vec![AbsentSource { source: "all".to_owned(), reason }], ..Telemetry::default() }
}

fn refuse_unnamed(targets: &[String], permits: &[String], external: &ToolEngine) -> Result<(), EngineError> {
    let Some(target) = targets.iter().find(|target| !permits.contains(target)) else { return Ok(()) };
    let place = format!("writing to {target} with {}", external.program_name());
    let cause = "it cannot be inspected from here, so what would be lost is not known";
    Err(EngineError::new(ErrorKind::Refused, place, cause)
        .with_remedy(format!("if its content may be lost: --destroy={}", shell_word(target))))
}

fn named_target(plan: &RunPlan) -> TargetFacts {
    TargetFacts {
        direct: plan.options.direct,
        ..TargetFacts::named(plan.targets.join(" + "), TargetKind::Unknown)
    }
}

/// A command of a tool's own, whose arguments were judged.
#[derive(Clone, Debug)]
pub struct RawCommand<'a> {
    /// The tool.
    pub external: &'a ToolEngine,
    /// Its arguments, as it takes them; fio's without the format and the place of its output.
    pub arguments: &'a [OsString],
    /// Files that it finds in the folder that it runs in and that keeps its output, by name with their text.
    pub files: &'a [(&'a str, &'a str)],
    /// Folders that it finds there.
    pub folders: &'a [&'a str],
    /// Forms of fio's output, with commas between them, JSON among them; nothing for other tools.
    pub forms: &'a str,
    /// Files and devices that it works on: judged, and made where they are missing, just before it starts.
    pub targets: &'a [ToolTarget],
    /// Names of what may be destroyed.
    pub permits: &'a [String],
    /// Whether a device that only reading can show to be empty is read, however long that takes.
    pub check_empty: bool,
    /// Longest time that it may take, in nanoseconds; absent: a day.
    pub limit_ns: Option<u64>,
}

/// What a given command came to.
#[derive(Clone, Debug)]
pub struct RawResult {
    /// A record for each result in its output.
    pub records: Vec<RunRecord>,
    /// The folder that it ran in, which keeps what it was given and what it left.
    pub folder: PathBuf,
    /// What it printed.
    pub stdout: PathBuf,
    /// The file with its result; for most tools the same.
    pub result: PathBuf,
    /// What it said.
    pub stderr: PathBuf,
}

/// Runs a command of a tool's own. What it printed stays in a folder below `raw`.
///
/// # Errors
/// As [`run_external`].
pub fn run_given(
    given: &RawCommand<'_>,
    raw: &Path,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<RawResult, CampaignError> {
    let external = given.external;
    remote_shell_arguments::check(external, given.arguments.iter().map(OsString::as_os_str))?;
    external.check_given(given.targets.iter().any(|target| target.writes))?;
    let paths: Vec<String> = given.targets.iter().map(|target| target.path.clone()).collect();
    let local = external.works_here(&paths);
    if !local {
        let written: Vec<String> =
            given.targets.iter().filter(|target| target.writes).map(|target| target.path.clone()).collect();
        refuse_unnamed(&written, given.permits, external)?;
    }
    let folder = make_folder(raw, &record_ids::new_id("r"))?;
    fill_folder(&folder, given)?;
    let (result, own) = external.driver.output(&folder, given.forms);
    let program = external.program.iter().map(OsString::from);
    let words: Vec<OsString> =
        program.chain(given.arguments.iter().cloned()).chain(own.into_iter().map(OsString::from)).collect();
    let clock = WallClock::start_on_system_clock().0;
    // Judged last of all, so that nothing lies between the judgement and the start.
    let held = if local {
        Some(HeldTargets::take(given.targets, given.permits, given.check_empty, stop)?)
    } else {
        None
    };
    let started_at = record_ids::now();
    let sampler = local.then(|| Sampler::start(SamplerPlan::default(), clock));
    let origin_ns = clock.now_ns();
    progress.note(&format!("{} runs; its output is kept in {}", external.program_name(), folder.display()));
    let ended = run_on(held, given, &words, &folder, (stop, &clock))?;
    let telemetry = sampler.map_or_else(of_another_machine, |sampler| sampler.finish(origin_ns));
    let environment = if local { environment::collect(&[], None) } else { Environment::default() };
    let found = tool_record::read_all(external.program_name(), &result, &ended)?;
    let records: Vec<RunRecord> = found
        .into_iter()
        .map(|imported| {
            let around = ToolRunContext {
                id: record_ids::new_id("r"),
                started_at: started_at.clone(),
                external,
                workload: None,
                target: None,
                environment: environment.clone(),
                telemetry: telemetry.clone(),
                words: &words,
                folder: &folder,
                command: None,
                notes: Vec::new(),
            };
            finish(imported, &ended, around)
        })
        .collect();
    Ok(RawResult { records, folder, result, stdout: ended.stdout, stderr: ended.stderr })
}

/// Runs the tool on what is held for it, and lets go of that.
fn run_on(
    held: Option<HeldTargets>,
    given: &RawCommand<'_>,
    words: &[OsString],
    folder: &Path,
    (stop, clock): (&AtomicBool, &WallClock),
) -> Result<ChildEnd, EngineError> {
    let reach = held.as_ref().map(|held| Reach {
        writes: held.written.clone(),
        reads: held.read.clone(),
        below: vec![folder.to_owned()],
        starts: vec![sandbox_access::find_program(words.first().map_or(OsStr::new(""), OsString::as_os_str))],
    });
    let plan = ChildPlan {
        words: words.to_vec(),
        folder,
        limit_ns: given.limit_ns.unwrap_or(UNBOUNDED_NS),
        install: given.external.install(),
        reach,
        env: Vec::new(),
    };
    let ended = plan.run(stop, clock);
    if let Some(held) = held {
        held.release(!ended.as_ref().is_ok_and(|ended| ended.status.success() || ended.interrupted));
    }
    ended
}

fn fill_folder(folder: &Path, given: &RawCommand<'_>) -> Result<(), EngineError> {
    for name in given.folders {
        let path = folder.join(name);
        std::fs::create_dir(&path)
            .map_err(|error| EngineError::system(format!("making {}", path.display()), &error))?;
    }
    given.files.iter().try_for_each(|(name, text)| tool_folder::write(&folder.join(name), text))
}

#[cfg(test)]
mod tests;
