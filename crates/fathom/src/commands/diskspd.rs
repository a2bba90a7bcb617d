//! `fathom diskspd`: a command line of diskspd, run by the engines here, with diskspd's result on stdout.

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_campaign::external::{RawCommand, ToolEngine, run_given};
use fathom_campaign::run_once;
use fathom_campaign::tool_jobs::{SpanRun, diskspd_plan, diskspd_results};
use fathom_record::RunRecord;
use fathom_record::condition::ConditionOutcome;
use fathom_record::tool_engines::CommandGrammar;
use fathom_report::html;
use fathom_tools::diskspd::{
    Command, Drives, MappedSpan, Profile, drive_mapping, handed_over, map, print_text, print_xml,
    profile_xml, read_command,
};

use super::conditions::{self, Conditions};
use super::delivery::Delivery;
use super::fresh_seed::new_seed;
use super::record_json;
use super::saving::RunSaver;
use super::store_access::StorePlace;
use super::trial::Trial;
use crate::arguments::DiskspdArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::progress_display::Screen;
use crate::small_text::read_small_text;
use crate::{interrupt, output};

/// Folders that stand for drives, as `D:=/mnt/d;E:=/mnt/e`.
const DRIVES: &str = "FATHOM_DRIVES";
/// Profiles beyond this are something else.
const PROFILE_BYTES_MAX: u64 = 16 << 20;

/// Measures what the command line asks for, time span by time span.
///
/// # Errors
/// When nothing was measured.
pub fn perform(place: &StorePlace, arguments: &DiskspdArguments) -> Result<Status, Failure> {
    let profile = profile(&words(&arguments.command)?)?;
    if profile.profile_only {
        output::result(&if profile.xml_results {
            profile_xml::print_profile(&profile)
        } else {
            print_text::input(&profile)
        })?;
        return Ok(Status::Done);
    }
    if let Some(external) = arguments.engine.as_deref().and_then(ToolEngine::of) {
        return itself(place, arguments, &profile, &external);
    }
    let drives = known_drives(&arguments.drive)?;
    let mut mappings = mapped(&profile, &drives)?;
    if let Some(trial) = Trial::from_environment()? {
        trial.shorten_spans(&mut mappings);
    }
    if arguments.outputs.report.is_some() && mappings.len() > 1 {
        return Err(Failure::usage(
            "--report",
            "a page is of one run, and the profile has several time spans",
            "leave it out, and make each page afterwards: fathom report last-1 --html span1.html",
        ));
    }
    let delivery = Delivery::prepare(&arguments.outputs)?;
    let workloads: Vec<_> = mappings.iter().map(|mapping| &mapping.run.workload).collect();
    let conditions = Conditions::of_runs(&arguments.conditions.fail_if, place, &workloads)?;
    let mut saving = RunSaver::open(place);
    let ran = measure(arguments, &mappings, &mut saving, &delivery)?;
    let records: Vec<&RunRecord> = ran.iter().map(|span| &span.record).collect();
    let judged = conditions.judge_runs(&records);
    conditions::tell(&judged.concat());
    let results = diskspd_results(&profile, &ran, std::fs::read_to_string("/etc/hostname").ok().map(trimmed));
    let printed = || {
        if profile.xml_results { print_xml::print(&results) } else { print_text::print(&results) }
    };
    let handed_over = hand_over(&delivery, &records, &judged, printed);
    let complete = ran.len() == mappings.len();
    let saved = saving.finish(&delivery.machine);
    let valid = ran.iter().all(|span| span.record.is_valid());
    Ok(Status::of_measurement(complete && handed_over && saved && valid).or_of(&judged.concat()))
}

/// One run as a document, and several as a list.
fn hand_over(
    delivery: &Delivery,
    records: &[&RunRecord],
    judged: &[Vec<ConditionOutcome>],
    printed: impl FnOnce() -> String,
) -> bool {
    let document = |shape| match records {
        [one] => record_json::run(one, &judged.concat(), shape),
        several => record_json::runs(several, judged, shape),
    };
    delivery.hand_over(document, printed, || html::run(records[0]))
}

/// Has diskspd itself run the command line, where it is; prints what it printed.
fn itself(
    place: &StorePlace,
    arguments: &DiskspdArguments,
    profile: &Profile,
    external: &ToolEngine,
) -> Result<Status, Failure> {
    if external.entry.grammar != Some(CommandGrammar::Diskspd) {
        let cause = format!("{} does not take diskspd's command lines", external.program_name());
        return Err(Failure::usage(
            "--engine",
            cause,
            "use 'diskspd:ssh HOST diskspd.exe', or an engine of fathom",
        ));
    }
    let given = RawCommand {
        external,
        arguments: &arguments.command,
        files: &[],
        folders: &[],
        forms: "",
        targets: &handed_over(&words(&arguments.command)?, profile)?,
        permits: &arguments.destroy,
        check_empty: arguments.check_empty,
        limit_ns: None,
    };
    let delivery = Delivery::prepare(&arguments.outputs)?;
    let conditions = Conditions::of_runs(&arguments.conditions.fail_if, place, &[])?;
    let mut screen = Screen::new(arguments.outputs.quiet, None);
    let stop = interrupt::watch(screen.voice())?;
    delivery.follow(&mut screen, "diskspd", &stop);
    let result = run_given(&given, &place.raw_folder()?, &mut screen, &stop)?;
    drop(screen);
    let mut saving = RunSaver::open(place);
    result.records.iter().for_each(|record| saving.put(record));
    let records: Vec<&RunRecord> = result.records.iter().collect();
    let judged = conditions.judge_runs(&records);
    conditions::tell(&judged.concat());
    let printed = || std::fs::read_to_string(&result.stdout).unwrap_or_default();
    let handed_over = hand_over(&delivery, &records, &judged, printed);
    let saved = saving.finish(&delivery.machine);
    let valid = result.records.iter().all(RunRecord::is_valid);
    Ok(Status::of_measurement(handed_over && saved && valid).or_of(&judged.concat()))
}

fn trimmed(text: String) -> String {
    text.trim().to_owned()
}

/// Runs one time span after the other until one is stopped.
fn measure(
    arguments: &DiskspdArguments,
    mappings: &[MappedSpan],
    saving: &mut RunSaver,
    delivery: &Delivery,
) -> Result<Vec<SpanRun>, Failure> {
    let total_ns = match mappings {
        [one] => one.run.workload.length.time_ns.map(|ns| ns + one.run.workload.length.warmup_ns),
        _ => None,
    };
    let mut screen = Screen::new(arguments.outputs.quiet, total_ns);
    let voice = screen.voice();
    let stop = interrupt::watch(screen.voice())?;
    delivery.follow(&mut screen, "diskspd", &stop);
    let mut ran = Vec::new();
    for mapping in mappings {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let mut notes = mapping.notes.clone();
        notes.extend(of_files(mapping)?);
        notes.iter().for_each(|note| voice.say(&format!("note: {note}")));
        let record = measure_one(arguments, mapping, notes, &mut screen, &stop)?;
        saving.put(&record);
        ran.push(SpanRun { record, paths: mapping.paths.clone() });
    }
    Ok(ran)
}

fn measure_one(
    arguments: &DiskspdArguments,
    mapping: &MappedSpan,
    notes: Vec<String>,
    screen: &mut Screen,
    stop: &AtomicBool,
) -> Result<RunRecord, Failure> {
    let engine = arguments.engine.as_deref();
    let plan = diskspd_plan(mapping, engine, &arguments.destroy, arguments.check_empty, arguments.keep);
    let mut record = run_once(&plan, screen, stop)?;
    let line: Vec<_> = arguments.command.iter().map(|word| word.to_string_lossy()).collect();
    record.notes.push(format!("Asked for as: diskspd {}", line.join(" ")));
    record.notes.extend(notes);
    Ok(record)
}

fn words(command: &[OsString]) -> Result<Vec<String>, Failure> {
    let word = |word: &OsString| {
        word.to_str().map(str::to_owned).ok_or_else(|| {
            let place = word.to_string_lossy().into_owned();
            Failure::usage(place, "it is not UTF-8 text", "name the file by a path that is UTF-8")
        })
    };
    command.iter().map(word).collect()
}

fn profile(words: &[String]) -> Result<Profile, Failure> {
    let run = match read_command(words, new_seed() & 0xffff_ffff)? {
        Command::Run(profile) => return Ok(*profile),
        Command::Xml(run) => run,
    };
    let place = format!("reading the profile {}", run.file);
    let unreadable =
        |cause: String| Failure::usage(place.clone(), cause, "name a profile that exists: -Xprofile.xml");
    let text = read_small_text(Path::new(&run.file), PROFILE_BYTES_MAX, "a profile", unreadable)?;
    let mut profile = run.apply(profile_xml::read_profile(&text)?)?;
    profile_xml::check_profile(&profile)?;
    profile.command_line = format!("diskspd {}", words.join(" "));
    Ok(profile)
}

fn known_drives(given: &[String]) -> Result<Drives, Failure> {
    let of_environment = std::env::var(DRIVES).unwrap_or_default();
    let entries = of_environment.split(';').chain(given.iter().map(String::as_str));
    Ok(Drives::read(entries)?)
}

fn mapped(profile: &Profile, drives: &Drives) -> Result<Vec<MappedSpan>, Failure> {
    let size_of = |path: &str| {
        let facts = std::fs::metadata(path).ok()?;
        facts.is_file().then_some(facts.len())
    };
    profile.spans.iter().map(|span| Ok(map(span, drives, &size_of)?)).collect()
}

/// What there is to say of files that are made, or are there already.
fn of_files(mapping: &MappedSpan) -> Result<Vec<String>, Failure> {
    let mut notes = Vec::new();
    let paths = mapping
        .run
        .targets
        .iter()
        .zip(&mapping.paths)
        .filter(|(target, _)| !drive_mapping::is_virtual(target));
    for (target, path) in paths {
        let place = || format!("target {path}");
        match (std::fs::metadata(target), mapping.create_bytes) {
            (Err(_), Some(_)) if Path::new(target).parent().is_some_and(|folder| !folder.is_dir()) => {
                let cause = format!("there is no folder for {target}");
                return Err(Failure::usage(
                    place(),
                    cause,
                    "make it, or name another: --drive D:=/mnt/scratch",
                ));
            }
            (Err(_), None) => {
                let cause = format!("there is no file or device {target}");
                return Err(Failure::usage(place(), cause, "to have a file made, add its size: -c1G"));
            }
            (Ok(facts), Some(bytes)) if facts.is_file() && facts.len() < bytes => {
                let cause = format!(
                    "{target} is there and has {} bytes, fewer than -c asks for; no file is made over another",
                    facts.len()
                );
                return Err(Failure::usage(
                    place(),
                    cause,
                    "remove it, name another, or ask for a smaller -c",
                ));
            }
            (Ok(facts), Some(_)) if facts.is_file() => {
                notes.push(format!(
                    "-c: {target} was there already; it was used as it is, and no file was made."
                ));
            }
            _ => {}
        }
    }
    Ok(notes)
}
