//! `fathom fio --engine=fio`: the installed fio runs the command, behind the guard, and its results are kept as runs.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use fathom_campaign::external::{RawCommand, RawResult, ToolEngine, run_given};
use fathom_record::tool_engines::CommandGrammar;
use fathom_tools::fio::cmdline::{Forms, Globals, Invocation};
use fathom_tools::fio::handover::{LOGS, hand_over};
use fathom_tools::fio::job_expansion;

use super::result_delivery::Destination;
use super::{holds, job_environment, read, refused, screen};
use crate::commands::conditions::{self, Conditions};
use crate::commands::saving::RunSaver;
use crate::commands::store_access::StorePlace;
use crate::commands::wear;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output::Machine;
use crate::output_file::{Content, OutputFile};
use crate::{interrupt, output};

/// Gives the jobs to the installed fio: what it is passed on was judged option by option, and its targets are judged
/// just before it starts.
///
/// # Errors
/// When an option is not passed on, the guard refuses, there is no fio, or it leaves no result.
pub fn perform(place: &StorePlace, invocation: &Invocation) -> Result<Status, Failure> {
    let globals = &invocation.globals;
    if let Some(question) = question(globals)? {
        return ask(&question, None);
    }
    let jobs = read(invocation)?;
    if globals.show_command {
        output::result(&(job_expansion::command_line(&jobs) + "\n"))?;
        return Ok(Status::Done);
    }
    let folder =
        env::current_dir().map_err(|error| Failure::system("finding the folder to run in", error))?;
    let Some(folder) = folder.to_str() else {
        let cause = "the path of the folder to run in is not valid UTF-8";
        return Err(Failure::usage("fio command", cause, "run fathom in another folder"));
    };
    let made = hand_over(&jobs, globals, folder, &job_environment::target_bytes).map_err(refused)?;
    if globals.parse_only {
        return ask(&["--parse-only".to_owned(), "-".to_owned()], Some(&made.job_file));
    }
    let destination = Destination::prepare(globals)?;
    let job_file = "job.fio";
    let arguments: Vec<OsString> =
        made.words.iter().map(OsString::from).chain([OsString::from(job_file)]).collect();
    let external = ToolEngine::taking(CommandGrammar::Fio).expect("fio is a tool that is driven");
    let given = RawCommand {
        external: &external,
        arguments: &arguments,
        files: &[(job_file, &made.job_file)],
        folders: &[LOGS],
        forms: &forms(globals.wanted()),
        targets: &made.targets,
        permits: &globals.destroy,
        check_empty: globals.check_empty,
        limit_ns: None,
    };
    let conditions = Conditions::of_runs(&globals.fail_if, place, &[])?;
    wear::begin(globals.wear_limit.as_deref())?;
    let mut screen = screen(globals);
    let stop = interrupt::watch(screen.voice())?;
    let result = run_given(&given, &place.raw_folder()?, &mut screen, &stop)?;
    drop(screen);
    let mut saving = RunSaver::open(place);
    result.records.iter().for_each(|record| saving.put(record));
    let judged = conditions.judge_runs(&result.records.iter().collect::<Vec<_>>()).concat();
    conditions::tell_failing(&judged);
    destination.write(&printed(&result, globals.wanted())?)?;
    let said = fs::read_to_string(&result.stderr).unwrap_or_default();
    if !said.trim().is_empty() {
        output::message(said.trim_end());
    }
    let delivered = deliver_logs(&made.logs, &result.folder.join(LOGS), globals.force);
    let saved = saving.finish(&Machine::Off);
    let valid = result.records.iter().all(|record| holds(record, globals.strict));
    Ok(Status::of_measurement(saved && delivered && valid).or_of(&judged))
}

/// The words of a question that fio answers without any I/O.
fn question(globals: &Globals) -> Result<Option<Vec<String>>, Failure> {
    const QUESTIONS: [&str; 7] =
        ["version", "help", "cmdhelp", "enghelp", "crctest", "cpuclock-test", "memcpytest"];
    let Some((name, value)) = globals.given.iter().find(|(name, _)| QUESTIONS.contains(name)) else {
        return Ok(None);
    };
    let is_name = |value: &String| value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    match value {
        None => Ok(Some(vec![format!("--{name}")])),
        // An engine with a path would be loaded and run.
        Some(value) if is_name(value) => Ok(Some(vec![format!("--{name}={value}")])),
        Some(value) => {
            let cause = format!("`{value}` is not the name of an option, an engine or a test");
            Err(Failure::usage(format!("--{name}"), cause, format!("ask with a plain name: --{name}=NAME")))
        }
    }
}

/// Asks fio something, with this process's own streams or a job file as its input.
fn ask(words: &[String], input: Option<&str>) -> Result<Status, Failure> {
    let failed = |error: io::Error| {
        Failure::usage("running fio", error.to_string(), "install fio, or leave --engine=fio out")
            .with_source(error)
    };
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    let mut child = Command::new("fio").args(words).stdin(stdin).spawn().map_err(failed)?;
    if let (Some(mut stdin), Some(text)) = (child.stdin.take(), input) {
        // fio that does not read it says why itself.
        let _ = stdin.write_all(text.as_bytes());
    }
    let status = child.wait().map_err(failed)?;
    Ok(if status.success() { Status::Done } else { Status::Invalid })
}

/// Takes logs from the run's folder to where they were asked for; what is there already stays, but for `--force`.
fn deliver_logs(logs: &[(String, String)], folder: &Path, force: bool) -> bool {
    let mut names: Vec<OsString> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    let mut all = true;
    for name in names {
        let text = name.to_string_lossy();
        // The longest name that it begins with: `run` and `run2` may both be asked for.
        let asked = logs.iter().filter(|(log, _)| text.starts_with(log.as_str()));
        let Some((_, to)) = asked.max_by_key(|(log, _)| log.len()) else { continue };
        let (from, to) = (folder.join(&name), Path::new(to).join(&name));
        let copied = OutputFile::check(&to, Content::Foreign { force })
            .and_then(|file| file.fill(|mut copy| io::copy(&mut File::open(&from)?, &mut copy).map(drop)));
        if let Err(failure) = copied {
            failure.warn();
            output::message(&format!("the log of this run is {}", from.display()));
            all = false;
        }
    }
    all
}

/// What fio is asked for, so that there is something to read: JSON beside the other forms.
fn forms(wanted: Forms) -> String {
    let mut forms = Vec::new();
    if wanted.terse {
        forms.push("terse");
    }
    if wanted.normal {
        forms.push("normal");
    }
    forms.push(if wanted.json && !wanted.json_plus { "json" } else { "json+" });
    forms.join(",")
}

/// What fio printed, without the JSON that only fathom asked for.
fn printed(result: &RawResult, wanted: Forms) -> Result<String, Failure> {
    let text = fs::read_to_string(&result.result).map_err(|error| {
        Failure::system(format!("reading fio's result {}", result.result.display()), error)
    })?;
    Ok(if wanted.json || wanted.json_plus { text } else { without_json(&text) })
}

/// The lines outside of JSON documents, which begin with a lone `{` and end with a lone `}`.
fn without_json(text: &str) -> String {
    let mut within = false;
    let outside = text.split_inclusive('\n').filter(|line| match line.trim_end() {
        "{" => {
            within = true;
            false
        }
        "}" if within => {
            within = false;
            false
        }
        _ => !within,
    });
    outside.collect()
}

#[cfg(test)]
mod tests {
    use fathom_tools::fio::cmdline;

    use super::*;

    fn asked(words: &str) -> Option<Vec<String>> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        question(&cmdline::parse(&words).unwrap().globals).ok().flatten()
    }

    #[test]
    fn only_questions_without_io_are_asked_as_they_stand() {
        assert_eq!(asked("--engine=fio --enghelp=libaio"), Some(vec!["--enghelp=libaio".to_owned()]));
        assert_eq!(asked("--version --name=a --rw=write"), Some(vec!["--version".to_owned()]));
        for not_asked in ["--enghelp=external:/tmp/x.so", "--enghelp=/tmp/x.so", "--server", "--name=a"] {
            assert_eq!(asked(not_asked), None, "{not_asked}");
        }
    }

    #[test]
    fn logs_go_where_they_were_asked_for_and_replace_nothing() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in ["run_bw.1.log", "run2_bw.1.log", "agg-read_bw.log"] {
            fs::write(from.path().join(name), name).unwrap();
        }
        fs::write(to.path().join("run2_bw.1.log"), "precious").unwrap();
        let folder = to.path().to_str().unwrap().to_owned();
        let logs = [("run".to_owned(), folder.clone()), ("run2".to_owned(), folder)];
        assert!(!deliver_logs(&logs, from.path(), false), "one was there");
        let text = |name: &str| fs::read_to_string(to.path().join(name)).ok();
        assert_eq!(text("run_bw.1.log").as_deref(), Some("run_bw.1.log"));
        assert_eq!(text("run2_bw.1.log").as_deref(), Some("precious"));
        assert_eq!(text("agg-read_bw.log"), None);
    }

    #[test]
    fn json_that_nobody_asked_for_is_left_out() {
        assert_eq!(without_json("fio-3.33\n{\n  \"a\" : {\n  }\n}\n\nj: (g=0)\n"), "fio-3.33\n\nj: (g=0)\n");
        let wanted = |normal, json| Forms { normal, json, ..Forms::default() };
        assert_eq!(forms(wanted(true, false)), "normal,json+");
        assert_eq!(forms(wanted(false, true)), "json");
    }
}
