//! Prints the results in fio's forms, and writes the logs that were asked for.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use fathom_campaign::tool_jobs::fio::CountedRun;
use fathom_record::{CheckName, CheckOutcome, RunRecord};
use fathom_tools::fio::cmdline::Globals;
use fathom_tools::fio::fio_job::Job;
use fathom_tools::fio::map::MappedJob;
use fathom_tools::fio::result_forms::{self as forms, Entry};
use jiff::Timestamp;

use super::job_log_files::Places;
use crate::failure::Failure;
use crate::output;
use crate::output_file::{Content, OutputFile};

/// Where results go.
pub struct Destination {
    file: Option<OutputFile>,
    /// The file once something is in it: what follows goes behind that.
    begun: Mutex<Option<File>>,
    any: AtomicBool,
}

impl Destination {
    /// A file is replaced when fathom wrote it, and any with `--force`.
    ///
    /// # Errors
    /// When somebody else's would be, or it could not be written.
    pub fn prepare(globals: &Globals) -> Result<Self, Failure> {
        let content = Content::FioResult { force: globals.force };
        let check = |name: &String| OutputFile::check(Path::new(name), content);
        let file = globals.output.as_ref().map(check).transpose()?;
        Ok(Self { file, begun: Mutex::default(), any: AtomicBool::new(false) })
    }

    /// Whether anything was printed.
    pub fn is_begun(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    /// Prints a result, or puts it in its file, behind what is there from this command.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        self.any.store(true, Ordering::Relaxed);
        let Some(file) = &self.file else { return output::result(text) };
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        match begun.as_mut() {
            None => *begun = Some(file.begin(text)?),
            Some(open) => {
                open.write_all(text.as_bytes()).map_err(|error| file.failed(error))?;
            }
        }
        Ok(())
    }
}

/// Prints and writes everything; whether all of it could be. What could not be is told, and keeps nothing from
/// the others.
pub fn deliver(
    jobs: &[Job],
    mapped: &[MappedJob],
    counted: &[Vec<CountedRun>],
    differences: &[String],
    (destination, places): (&Destination, &Places),
    globals: &Globals,
) -> bool {
    let runs: Vec<Vec<&CountedRun>> = counted.iter().map(|runs| runs.iter().collect()).collect();
    let text = results((jobs, mapped), &runs, Some(differences), globals, !destination.is_begun());
    let printed = destination.write(&text).map_err(|failure| failure.warn()).is_ok();
    write_logs(mapped, counted, places) && printed
}

/// The results in the forms that were asked for: the last ones with what is not as fio does it and what the devices did,
/// those of jobs that run without either. The first have a head.
pub fn results(
    (jobs, mapped): (&[Job], &[MappedJob]),
    counted: &[Vec<&CountedRun>],
    differences: Option<&[String]>,
    globals: &Globals,
    is_first: bool,
) -> String {
    let entries = entries(jobs, mapped, counted);
    let version = env!("CARGO_PKG_VERSION");
    let starts = counted.iter().flatten().map(|run| run.whole.started_at.as_str());
    let last = starts.max().unwrap_or_default();
    let started: Option<Timestamp> = last.parse().ok();
    let now_ms = started.map_or(0, |time| time.as_millisecond().unsigned_abs());
    let time =
        started.map_or_else(|| last.to_owned(), |time| time.strftime("%a %b %e %H:%M:%S %Y").to_string());
    let wanted = globals.wanted();
    let mut text = String::new();
    let mut devices = forms::Devices::default();
    counted.iter().flatten().filter(|_| differences.is_some()).for_each(|run| devices.add(&run.whole));
    let devices = devices.total();
    let beside = (differences.unwrap_or_default(), devices.as_slice());
    if wanted.terse {
        text +=
            &forms::terse(&entries, &devices, globals.terse_version, &super::fio_self_description::version());
    }
    if wanted.json || wanted.json_plus {
        let document = forms::document(&entries, beside, version, (now_ms, &time), wanted.json_plus);
        text += &output::json(&document);
    }
    if wanted.normal {
        if is_first {
            text += &forms::head(&entries, version);
        }
        text += &forms::text(&entries, beside, &time);
    }
    text
}

/// Tells of content that was to be checked and could not be; whether there was any.
pub fn tell_unverified(records: &[Vec<RunRecord>]) -> bool {
    let mut any = false;
    let checks = records.iter().flatten().flat_map(|record| &record.checks);
    for check in
        checks.filter(|check| check.name == CheckName::Verification && check.outcome == CheckOutcome::Caution)
    {
        output::message(&check.explanation);
        any = true;
    }
    any
}

/// Logs, one a clone, or one of all clones where they share its name.
fn write_logs(mapped: &[MappedJob], counted: &[Vec<CountedRun>], places: &Places) -> bool {
    let mut number = 0;
    let mut logs: BTreeMap<String, String> = BTreeMap::new();
    for (mapped, runs) in mapped.iter().zip(counted) {
        for clone in runs.iter().flat_map(|run| &run.clones) {
            number += 1;
            let started: Option<Timestamp> = clone.record.started_at.parse().ok();
            let epoch_ms = started.map_or(0, |time| time.as_millisecond().unsigned_abs());
            let own = (&clone.record, clone.ios.as_slice());
            for file in forms::log_files(own, &mapped.reporting, number, epoch_ms) {
                logs.entry(file.name).or_default().push_str(&file.text);
            }
        }
    }
    let written = logs.iter().map(|(name, text)| places.write(name, text));
    written.filter_map(Result::err).map(|failure| failure.warn()).count() == 0
}

/// One entry a clone, or one for all jobs of a group that are reported together.
fn entries<'a>(jobs: &'a [Job], mapped: &'a [MappedJob], counted: &[Vec<&'a CountedRun>]) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'a>> = Vec::new();
    let mut group = 0;
    for (place, (job, mapped)) in jobs.iter().zip(mapped).enumerate() {
        let stonewalls = job.after_file || job.flag("stonewall", false).unwrap_or(false);
        if place > 0 && (stonewalls || mapped.reporting.new_group) {
            group += 1;
        }
        let Some(runs) = counted.get(place) else { continue };
        if runs.is_empty() || !mapped.reporting.shown {
            continue;
        }
        let of_group =
            |entry: &&mut Entry<'a>| entry.group == group && entry.reporting.group && mapped.reporting.group;
        if let Some(entry) = entries.last_mut().filter(of_group) {
            entry.records.extend(runs.iter().map(|run| &run.whole));
            entry.clones += mapped.clones;
            entry.titled = Some(entry.clones);
            entry.options = &mapped.reporting.options;
            continue;
        }
        let entry = |clones: u32, titled: Option<u32>, records: Vec<&'a RunRecord>| Entry {
            name: &mapped.name,
            group,
            clones,
            title: title(job),
            titled,
            reporting: &mapped.reporting,
            options: &mapped.reporting.options,
            records,
        };
        if mapped.reporting.group || mapped.clones == 1 {
            let whole = runs.iter().map(|run| &run.whole).collect();
            entries.push(entry(mapped.clones, Some(mapped.clones), whole));
            continue;
        }
        let clones = runs.iter().flat_map(|run| &run.clones).enumerate();
        entries.extend(
            clones.map(|(at, clone)| entry(1, (at == 0).then_some(mapped.clones), vec![&clone.record])),
        );
    }
    entries
}

fn title(job: &Job) -> String {
    let bs = job.text("bssplit").or(job.text("bsrange")).or(job.text("bs")).unwrap_or("4096B");
    let (rw, engine) = (job.text("rw").unwrap_or("read"), job.text("ioengine").unwrap_or("psync"));
    format!("rw={rw}, bs={bs}, ioengine={engine}")
}
