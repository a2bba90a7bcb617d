//! Prints the results in fio's forms, and writes the logs that were asked for.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;

use fathom_interop::fio::cmdline::Globals;
use fathom_interop::fio::job::Job;
use fathom_interop::fio::map::{Doer, Mapped};
use fathom_interop::fio::output::{self as forms, Entry};
use fathom_record::{CheckName, Outcome, RunRecord};
use jiff::Timestamp;

use super::beside::require_folder;
use crate::failure::Failure;
use crate::output;

/// Where results go.
pub struct Destination(Option<PathBuf>);

impl Destination {
    /// A file is only replaced when fathom or fio wrote it.
    ///
    /// # Errors
    /// When somebody else's would be.
    pub fn prepare(globals: &Globals) -> Result<Self, Failure> {
        let Some(name) = &globals.output else { return Ok(Self(None)) };
        let path = PathBuf::from(name);
        require_folder(&path)?;
        let file = match fs::metadata(&path) {
            Ok(meta) if meta.file_type().is_block_device() => {
                let cause = "it is a block device";
                return Err(Failure::output(&path, cause, "name a file"));
            }
            Ok(meta) => meta.is_file(),
            Err(_) => false,
        };
        // What is not text is nobody's results.
        let text = if file {
            fs::read(&path).map_err(|error| Failure::output(&path, error, "name another file"))?
        } else {
            Vec::new()
        };
        let text = String::from_utf8_lossy(&text);
        if !text.is_empty() && !is_of_fathom(&text) && !is_of_fio(&text) {
            let cause = "there is a file that neither fathom nor fio wrote";
            return Err(Failure::output(&path, cause, "name another file, or move that one away"));
        }
        Ok(Self(Some(path)))
    }

    /// Prints a result, or puts it in its file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        match &self.0 {
            None => output::result(text),
            Some(path) => {
                fs::write(path, text).map_err(|error| Failure::output(path, error, "name another file"))
            }
        }
    }
}

/// Prints and writes everything; whether all of it could be.
///
/// # Errors
/// When the results cannot be written.
pub fn deliver(
    jobs: &[Job],
    mapped: &[Mapped],
    records: &[Vec<RunRecord>],
    destination: &Destination,
    globals: &Globals,
) -> Result<bool, Failure> {
    let entries = entries(jobs, mapped, records);
    let version = env!("CARGO_PKG_VERSION");
    let last = records.iter().flatten().map(|record| record.started_at.as_str()).max().unwrap_or_default();
    let started: Option<Timestamp> = last.parse().ok();
    let now_ms = started.map_or(0, |time| time.as_millisecond().unsigned_abs());
    let time =
        started.map_or_else(|| last.to_owned(), |time| time.strftime("%a %b %e %H:%M:%S %Y").to_string());
    let wanted = globals.wanted();
    let mut text = String::new();
    if wanted.json || wanted.json_plus {
        let document = forms::document(&entries, version, (now_ms, &time), wanted.json_plus);
        text += &output::json(&document);
    }
    if wanted.normal {
        text += &forms::text(&entries, version, &time);
    }
    destination.write(&text)?;
    Ok(write_logs(mapped, records))
}

/// Tells of content that was to be checked and could not be; whether there was any.
pub fn tell_unverified(records: &[Vec<RunRecord>]) -> bool {
    let mut any = false;
    let checks = records.iter().flatten().flat_map(|record| &record.checks);
    for check in
        checks.filter(|check| check.name == CheckName::Verification && check.outcome == Outcome::Caution)
    {
        output::message(&check.explanation);
        any = true;
    }
    any
}

/// Logs, one a run; a file that cannot be written is told and keeps nothing from the others.
fn write_logs(mapped: &[Mapped], records: &[Vec<RunRecord>]) -> bool {
    let mut number = 0;
    let mut all = true;
    for (mapped, records) in mapped.iter().zip(records) {
        for record in records {
            number += 1;
            let started: Option<Timestamp> = record.started_at.parse().ok();
            let epoch_ms = started.map_or(0, |time| time.as_millisecond().unsigned_abs());
            for file in forms::log_files(record, &mapped.reporting, number, epoch_ms) {
                if let Err(error) = fs::write(&file.name, &file.text) {
                    Failure::output(file.name.as_ref(), error, "make its folder first").warn();
                    all = false;
                }
            }
        }
    }
    all
}

/// One entry a job, or one for all jobs of a group that are reported together.
fn entries<'a>(jobs: &'a [Job], mapped: &'a [Mapped], records: &'a [Vec<RunRecord>]) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'a>> = Vec::new();
    let mut group = 0;
    for (place, (job, mapped)) in jobs.iter().zip(mapped).enumerate() {
        let stonewalls = job.after_file || job.flag("stonewall", false).unwrap_or(false);
        if place > 0 && (stonewalls || mapped.reporting.new_group) {
            group += 1;
        }
        if records[place].is_empty() {
            continue;
        }
        let of_group =
            |entry: &&mut Entry<'a>| entry.group == group && entry.reporting.group && mapped.reporting.group;
        if let Some(entry) = entries.last_mut().filter(of_group) {
            entry.records.extend(&records[place]);
            entry.clones += mapped.clones;
            continue;
        }
        let depth = match &mapped.doer {
            Doer::Fathom(native) => native.runs.first().map_or(1, |run| run.workload.depth),
            Doer::Burner(_) | Doer::Fio(_) => 1,
        };
        entries.push(Entry {
            name: &mapped.name,
            group,
            clones: mapped.clones,
            depth,
            title: title(job),
            reporting: &mapped.reporting,
            records: records[place].iter().collect(),
        });
    }
    entries
}

fn title(job: &Job) -> String {
    let bs = job.text("bssplit").or(job.text("bsrange")).or(job.text("bs")).unwrap_or("4096B");
    let (rw, engine) = (job.text("rw").unwrap_or("read"), job.text("ioengine").unwrap_or("psync"));
    format!("rw={rw}, bs={bs}, ioengine={engine}")
}

/// Whether a text is a result of fathom in one of fio's forms.
fn is_of_fathom(text: &str) -> bool {
    names_version(text, concat!("fathom-", env!("CARGO_PKG_VERSION")))
}

/// Whether a text is a result of fio.
fn is_of_fio(text: &str) -> bool {
    names_version(text, "fio-")
}

/// Whether a text names a version in a line of its own, or as fio's JSON does.
fn names_version(text: &str, version: &str) -> bool {
    let of_line = |line: &str| {
        let line = line.trim();
        let value = line.strip_prefix("\"fio version\"").map(|rest| rest.trim_start_matches([' ', ':', '"']));
        value.unwrap_or(line).starts_with(version)
    };
    text.lines().take(1000).any(of_line)
}
