//! `fathom fio --engine=fio`: the installed fio runs the command, behind the guard, and its results are kept as runs.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use fathom_campaign::external::{self, External, Given, GivenResult, run_given};
use fathom_interop::fio::cmdline::{self, Forms, Globals, Invocation};
use fathom_interop::fio::job::Job;
use fathom_interop::fio::map;
use fathom_record::RunRecord;

use super::read;
use super::results::Destination;
use crate::commands::saving::Saving;
use crate::commands::stored::StorePlace;
use crate::failure::Failure;
use crate::output::Machine;
use crate::progress::Screen;
use crate::status::Status;
use crate::{interrupt, output};

/// Gives the whole command to the installed fio, if it would destroy nothing.
///
/// # Errors
/// When the guard refuses, there is no fio, or it leaves no result.
pub fn perform(place: &StorePlace, invocation: &Invocation, words: &[String]) -> Result<Status, Failure> {
    let globals = &invocation.globals;
    for job in read(invocation)? {
        guard(&job, globals)?;
    }
    let destination = Destination::prepare(globals)?;
    if leaves_no_result(globals) {
        return plainly(words);
    }
    let folder =
        env::current_dir().map_err(|error| Failure::system("finding the folder to run in", error))?;
    let arguments: Vec<OsString> = fios_own(words, true).into_iter().map(OsString::from).collect();
    let external = External::of("fio").expect("fio is a tool that is driven");
    let given = Given {
        external: &external,
        arguments: &arguments,
        runs_in: Some(&folder),
        forms: &forms(globals.wanted()),
        // Each job was judged by itself.
        targets: &[],
        writes: false,
        permits: &[],
        check_empty: false,
        limit_ns: None,
    };
    let mut screen = Screen::new(globals.quiet || globals.wanted().json_plus, None);
    let stop = interrupt::watch(screen.voice())?;
    let result = run_given(&given, &place.raw_folder()?, &mut screen, &stop)?;
    drop(screen);
    let mut saving = Saving::open(place);
    result.records.iter().for_each(|record| saving.put(record));
    destination.write(&printed(&result, globals.wanted())?)?;
    let said = fs::read_to_string(&result.stderr).unwrap_or_default();
    if !said.trim().is_empty() {
        output::message(said.trim_end());
    }
    let saved = saving.finish(&Machine::Off);
    Ok(Status::of_measurement(saved && result.records.iter().all(RunRecord::is_valid)))
}

/// Whether fio is asked for something else than a measurement, or for one that it does not report here.
fn leaves_no_result(globals: &Globals) -> bool {
    globals.question.is_some() || globals.parse_only || globals.show_command || !globals.reasons.is_empty()
}

/// Runs fio with this process's own streams.
fn plainly(words: &[String]) -> Result<Status, Failure> {
    let status = Command::new("fio").args(fios_own(words, false)).status().map_err(|error| {
        Failure::usage("running fio", error.to_string(), "install fio, or leave --engine=fio out")
    })?;
    Ok(if status.success() { Status::Done } else { Status::Invalid })
}

/// The words that fio knows; without what says where and how it prints, where fathom says that.
fn fios_own(words: &[String], without_output: bool) -> Vec<String> {
    const OURS: [&str; 6] = ["engine", "destroy", "check-empty", "force", "store", "quiet"];
    const OUTPUT: [&str; 4] = ["output", "output-format", "minimal", "append-terse"];
    let mut rest = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let bare = word.trim_start_matches('-');
        let (name, value) = bare.split_once('=').map_or((bare, None), |(name, value)| (name, Some(value)));
        let hyphens = word.len() - bare.len();
        let row = (hyphens > 0).then(|| cmdline::global_option(name, hyphens == 1)).flatten();
        match row {
            Some(row) if OURS.contains(&row.name) || without_output && OUTPUT.contains(&row.name) => {
                if row.takes_value && value.is_none() {
                    words.next();
                }
            }
            _ => rest.push(word.clone()),
        }
    }
    rest
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
fn printed(result: &GivenResult, wanted: Forms) -> Result<String, Failure> {
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

/// Judges what a job names and what is there; fio's own names are for files that it makes.
fn guard(job: &Job, globals: &Globals) -> Result<(), Failure> {
    let writes = job.text("rw").is_some_and(|rw| !matches!(rw.split(':').next(), Some("read" | "randread")));
    if !writes {
        return Ok(());
    }
    let named = map::named_targets(job).into_iter();
    let there: Vec<String> = named.filter(|name| Path::new(name).exists()).collect();
    Ok(external::admit(&there, writes, &globals.destroy, globals.check_empty)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn fio_is_told_all_but_fathoms_own_words() {
        let typed =
            words("--engine fio -o out.txt --name=a -output-format=json --destroy=x --filename=x --quiet");
        assert_eq!(fios_own(&typed, true), words("--name=a --filename=x"));
        assert_eq!(fios_own(&typed, false), words("-o out.txt --name=a -output-format=json --filename=x"));
    }

    #[test]
    fn json_that_nobody_asked_for_is_left_out() {
        assert_eq!(without_json("fio-3.33\n{\n  \"a\" : {\n  }\n}\n\nj: (g=0)\n"), "fio-3.33\n\nj: (g=0)\n");
        let wanted = |normal, json| Forms { normal, json, ..Forms::default() };
        assert_eq!(forms(wanted(true, false)), "normal,json+");
        assert_eq!(forms(wanted(false, true)), "json");
    }
}
