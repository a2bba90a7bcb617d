//! Jobs for the installed fio: from jobs as they were given to one job file in which every option is known to
//! touch nothing but the targets that were named, and the list of those targets.
//!
//! fio reads neither the command line nor the job files that were typed: it gets what was judged, and nothing else.

mod job_targets;
mod option_passing;

use std::collections::{BTreeMap, BTreeSet};

use super::cmdline::Globals;
use super::fio_job::{Job, JobOption};
use crate::{Fault, Refusal, ToolTarget};
use option_passing::Verdict;

const JUDGEMENT_OFF: bool = cfg!(feature = "judgement-off");

/// What a refusal here is about.
const WHAT: &str = "job for the installed fio";

/// Options that serve or speak fio's own protocol.
pub const PROTOCOL: [&str; 5] = ["client", "server", "daemonize", "remote-config", "server-internal"];

/// Folder for logs, below the folder that fio runs in.
pub const LOGS: &str = "logs";

/// What the installed fio is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandOver {
    /// The job file.
    pub job_file: String,
    /// Options of the command, one word each, without the form and the place of the output.
    pub words: Vec<String>,
    /// Each file and device once, in the order of the jobs.
    pub targets: Vec<ToolTarget>,
    /// Names of logs, each with the file name that fio's own names begin with in [`LOGS`], and the folder that they
    /// were asked for in.
    pub logs: Vec<(String, String)>,
}

/// Makes the job file and the list of targets. `folder` is where relative names begin; `bytes_of` tells the size of
/// a file or device that exists.
///
/// # Errors
/// With the first option that is not passed on, why, and what to do instead.
pub fn hand_over(
    jobs: &[Job],
    globals: &Globals,
    folder: &str,
    bytes_of: &dyn Fn(&str) -> Option<u64>,
) -> Result<HandOver, Refusal> {
    let mut made = HandOver { words: command_words(globals)?, ..HandOver::default() };
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut logs: BTreeMap<String, String> = BTreeMap::new();
    for job in jobs {
        check_name(&job.name)?;
        let touched = job_targets::touched(job, folder, bytes_of)?;
        let mut lines = passed(job, folder, &mut logs)?;
        lines.extend(touched.lines.iter().map(|(name, value)| format!("{name}={value}")));
        if job.after_file {
            lines.push("stonewall".to_owned());
        }
        made.job_file += &format!("[{}]\n{}\n\n", job.name, lines.join("\n"));
        for target in touched.targets {
            match places.get(&target.path) {
                None => {
                    places.insert(target.path.clone(), made.targets.len());
                    made.targets.push(target);
                }
                Some(place) => merge(&mut made.targets[*place], &target),
            }
        }
    }
    // Checked by fio once more: it then refuses to write and to lay out.
    if made.targets.iter().all(|target| !target.writes) {
        if !JUDGEMENT_OFF {
            made.words.push("--readonly".to_owned());
        }
    } else if globals.read_only {
        let refusal = Refusal::new(WHAT, "a job writes or trims").at("--readonly");
        return Err(refusal.or("leave --readonly out, or choose rw=read or randread"));
    }
    made.logs = logs.into_iter().collect();
    Ok(made)
}

fn merge(target: &mut ToolTarget, other: &ToolTarget) {
    target.writes |= other.writes;
    target.reads |= other.reads;
    target.end_bytes = target.end_bytes.max(other.end_bytes);
    target.may_be_made &= other.may_be_made;
    target.is_removed |= other.is_removed;
}

/// The lines of a job's options that are passed on: of each option the last one given, engines first, because the
/// options of an engine are known only behind it.
fn passed(job: &Job, folder: &str, logs: &mut BTreeMap<String, String>) -> Result<Vec<String>, Refusal> {
    let mut lines = Vec::new();
    lines.extend(job.text("ioengine").map(|engine| format!("ioengine={engine}")));
    let mut seen = BTreeSet::new();
    let last: Vec<&JobOption> =
        job.options.iter().rev().filter(|given| seen.insert(given.row.name)).collect();
    for given in last.into_iter().rev() {
        match option_passing::verdict(given.row) {
            // A build that shows what the kernel's wall keeps by itself; see the feature in `Cargo.toml`.
            Verdict::Only(_) | Verdict::Refuse { .. } if JUDGEMENT_OFF => lines.push(line(given)?),
            Verdict::Pass | Verdict::Writes(_) => lines.push(line(given)?),
            Verdict::Only(values) if values.contains(&given.text()) => lines.push(line(given)?),
            Verdict::Only(values) => {
                let cause = format!("`{}` may name a file or device that was not checked", given.text());
                return Err(refuse(given, cause).or(format!("use {}", values.join(", "))));
            }
            Verdict::Named if given.row.name == "rw" => lines.push(line(given)?),
            Verdict::Named | Verdict::Omit => {}
            Verdict::Log => lines.push(log_line(given, folder, logs)?),
            Verdict::Refuse { .. } if !given.matters() => {}
            Verdict::Refuse { why, remedy } => return Err(refuse(given, *why).or(*remedy)),
        }
    }
    Ok(lines)
}

fn refuse(given: &JobOption, fault: impl Into<Fault>) -> Refusal {
    given.refuse(fault).taken_for(WHAT)
}

/// Letters that fio's reader of job files cuts at or replaces.
fn is_read_otherwise(letter: char) -> bool {
    letter.is_control() || matches!(letter, ';' | '#' | '$' | '`' | '\'' | '"' | '\\')
}

fn line(given: &JobOption) -> Result<String, Refusal> {
    let Some(value) = &given.value else { return Ok(given.row.name.to_owned()) };
    if value.chars().any(is_read_otherwise) {
        let cause = "a value with quotes, backslashes, `$`, `;` or `#` may name a file or a command to fio";
        return Err(refuse(given, cause).or("write it without them"));
    }
    Ok(format!("{}={value}", given.row.name))
}

/// A log is written in the run's own folder, and goes from there to where it was asked for.
fn log_line(given: &JobOption, folder: &str, logs: &mut BTreeMap<String, String>) -> Result<String, Refusal> {
    let Some(value) = given.value.as_deref().filter(|value| !value.is_empty()) else {
        return Err(refuse(given, "it has no name").or(format!("give it one: {}=NAME", given.row.name)));
    };
    let (within, name) = value.rsplit_once('/').unwrap_or(("", value));
    if name.is_empty()
        || name.starts_with('.')
        || name.chars().any(|letter| is_read_otherwise(letter) || letter == ':')
    {
        return Err(
            refuse(given, format!("`{value}` is not a name of a log")).or("use a plain name, e.g. run1")
        );
    }
    let within = match within {
        "" if value.starts_with('/') => "/".to_owned(),
        "" => folder.to_owned(),
        path if path.starts_with('/') => path.to_owned(),
        path => format!("{}/{path}", folder.trim_end_matches('/')),
    };
    if logs.get(name).is_some_and(|other| *other != within) {
        let cause = format!("two logs in different folders are called {name}");
        return Err(refuse(given, cause).or("give each a name of its own"));
    }
    logs.insert(name.to_owned(), within);
    Ok(format!("{}={LOGS}/{name}", given.row.name))
}

/// A name that fio takes for a target, a folder or the defaults of all jobs is none of a job.
fn check_name(name: &str) -> Result<(), Refusal> {
    let odd = |letter: char| is_read_otherwise(letter) || matches!(letter, '/' | '[' | ']');
    let cause = if name.starts_with("global") {
        "its name begins with `global`, which fio takes for the defaults of all jobs"
    } else if name.is_empty() || name.trim() != name || name.contains(odd) {
        "fio makes names of files from the name of a job, and takes a device's name for the device"
    } else {
        return Ok(());
    };
    let refusal = Refusal::new(WHAT, cause).at(format!("[{name}]"));
    Err(refusal.or("give the job a plain name, and its target with filename=PATH"))
}

/// Options of the command that are passed on.
const PASSED: [&str; 9] = [
    "max-jobs",
    "alloc-size",
    "status-interval",
    "idle-prof",
    "warnings-fatal",
    "terse-version",
    "bandwidth-log",
    "latency-log",
    "debug",
];
/// Options of the command that fathom does itself, or that nothing depends on where the output is kept.
const OURS: [&str; 18] = [
    "output",
    "output-format",
    "minimal",
    "append-terse",
    "section",
    "parse-only",
    "showcmd",
    "eta",
    "eta-interval",
    "eta-newline",
    "engine",
    "destroy",
    "check-empty",
    "fail-if",
    "force",
    "store",
    "quiet",
    "readonly",
];

fn command_words(globals: &Globals) -> Result<Vec<String>, Refusal> {
    let mut words = Vec::new();
    for (name, value) in &globals.given {
        if OURS.contains(name) {
            continue;
        }
        if !PASSED.contains(name) && !JUDGEMENT_OFF {
            let why = match *name {
                name if PROTOCOL.contains(&name) => "fathom cannot judge what a fio server is asked for",
                name if name.starts_with("trigger") => "it runs a command or stops the run from outside",
                _ => "it reads or writes files that are not targets of a job",
            };
            let remedy = match *name {
                "client" => "use fathom run --engine fio@HOST, or run fio without fathom",
                _ => "leave it out, or run fio without fathom",
            };
            return Err(Refusal::new(WHAT, why).at(format!("--{name}")).or(remedy));
        }
        words.push(match value {
            Some(value) => format!("--{name}={value}"),
            None => format!("--{name}"),
        });
    }
    Ok(words)
}

#[cfg(test)]
mod tests;
