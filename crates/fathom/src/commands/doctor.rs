//! `fathom doctor`: what this machine lets fathom do, and what will be missing from results, with what to type.

use std::path::Path;

use fathom_engine::uring;
use fathom_record::environment::Severity;
use fathom_record::telemetry::AbsentSource;
use fathom_target::wall;
use fathom_telemetry::{Collector, SamplerPlan, environment};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::process::{Resource, geteuid, getrlimit};
use serde::Serialize;

use super::stored::StorePlace;
use crate::arguments::DoctorArguments;
use crate::failure::Failure;
use crate::status::Status;
use crate::{layout, output};

/// Width of the names' column.
const NAMES: usize = 16;
/// Sources of telemetry that are about a target's device.
const OF_DEVICES: [&str; 2] = ["disk", "nvme"];
/// Open files that many jobs on many targets need at most.
const FILES: u64 = 1024;

/// What was found, for programs.
#[derive(Serialize)]
struct Report {
    format: &'static str,
    version: u32,
    /// Whether something can be measured here, and kept.
    usable: bool,
    findings: Vec<Finding>,
}

/// One thing that was looked at.
#[derive(Serialize)]
struct Finding {
    subject: String,
    state: State,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

/// What follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// Nothing is in the way.
    Good,
    /// fathom works, with less.
    Missing,
    /// Results are distorted.
    Distorts,
    /// fathom does not work.
    Fails,
}

impl Finding {
    fn new(subject: &str, state: State, found: impl Into<String>) -> Self {
        Self { subject: subject.to_owned(), state, found: found.into(), remedy: None }
    }

    fn or(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()).filter(|remedy: &String| !remedy.is_empty()), ..self }
    }
}

/// Looks, and prints what it found.
///
/// # Errors
/// When stdout cannot be written.
pub fn perform(place: &StorePlace, arguments: &DoctorArguments) -> Result<Status, Failure> {
    let mut findings = vec![rights(), io_uring(), memory_limit(), files_limit(), kernel_wall()];
    findings.push(direct(&arguments.path));
    findings.push(store(place));
    findings.extend(telemetry());
    findings.extend(settings(&arguments.path));
    let usable = findings.iter().all(|finding| finding.state != State::Fails);
    let report = Report { format: "fathom.doctor", version: 1, usable, findings };
    output::result(&if arguments.json { output::json(&report) } else { text(&report) })?;
    Ok(Status::of_measurement(usable))
}

fn rights() -> Finding {
    const SUBJECT: &str = "rights";
    if geteuid().is_root() {
        return Finding::new(
            SUBJECT,
            State::Good,
            "root: devices, NVMe commands and the block layer's account are open",
        );
    }
    let found = "not root: files can be measured; devices need their group's rights, --witness and NVMe commands root";
    Finding::new(SUBJECT, State::Missing, found).or("sudo fathom ...")
}

fn io_uring() -> Finding {
    match uring::available() {
        Ok(()) => Finding::new("io_uring", State::Good, "can be used"),
        Err(error) => {
            let found = format!("{}; engines aio and sync take its place", error.cause);
            Finding::new("io_uring", State::Missing, found).or(error.remedy)
        }
    }
}

fn memory_limit() -> Finding {
    const ENOUGH: u64 = 64 << 20;
    match getrlimit(Resource::Memlock).current {
        Some(bytes) if bytes < ENOUGH && !geteuid().is_root() => {
            let found = format!(
                "{} may be locked: many jobs keep no registered buffers",
                fathom_measure::Bytes(bytes)
            );
            Finding::new("locked memory", State::Missing, found).or("ulimit -l unlimited")
        }
        _ => Finding::new("locked memory", State::Good, "enough for registered buffers"),
    }
}

fn files_limit() -> Finding {
    match getrlimit(Resource::Nofile).current {
        Some(files) if files < FILES => {
            let found = format!("{files} at once: many jobs on many targets need more");
            Finding::new("open files", State::Missing, found).or(format!("ulimit -n {FILES}"))
        }
        _ => Finding::new("open files", State::Good, "enough"),
    }
}

fn kernel_wall() -> Finding {
    let facts = wall::facts();
    match (&facts.missing, facts.abi) {
        (None, Some(abi)) => {
            let open = match facts.leaves_open.as_slice() {
                [] => String::new(),
                open => format!("; it leaves open: {}", open.join(", ")),
            };
            Finding::new(
                "Landlock",
                State::Good,
                format!("ABI {abi} keeps runs from what was not named{open}"),
            )
        }
        (missing, _) => {
            let why = missing.as_deref().unwrap_or("it is not known");
            Finding::new(
                "Landlock",
                State::Missing,
                format!("{why}; fathom's own checks alone keep runs from other data"),
            )
            .or("a kernel from 5.13 on with Landlock among its lsm=")
        }
    }
}

/// Whether the storage under a path takes I/O past the page cache.
fn direct(path: &Path) -> Finding {
    const SUBJECT: &str = "direct I/O";
    let shown = path.display();
    let opened = |flags: OFlags| open(path, flags | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR).map(drop);
    let Ok(facts) = std::fs::metadata(path) else {
        return Finding::new(SUBJECT, State::Fails, format!("{shown} is not there"))
            .or("name a folder or a file that is");
    };
    // In a folder a file without a name stands for those that runs make.
    let kind = if facts.is_dir() { OFlags::TMPFILE | OFlags::RDWR } else { OFlags::RDONLY };
    match (opened(kind | OFlags::DIRECT), opened(kind)) {
        (Ok(()), _) => Finding::new(SUBJECT, State::Good, format!("{shown} takes it")),
        (Err(Errno::INVAL), Ok(())) => {
            Finding::new(SUBJECT, State::Missing, format!("{shown} takes buffered I/O alone"))
                .or("name a folder on a disk, or measure the page cache with --buffered")
        }
        (Err(Errno::OPNOTSUPP), _) => {
            Finding::new(SUBJECT, State::Missing, format!("not tried: {shown} takes no files without names"))
                .or("name a file on it")
        }
        (Err(error), _) => Finding::new(SUBJECT, State::Fails, format!("{shown} cannot be opened: {error}"))
            .or("name one that you may use"),
    }
}

fn store(place: &StorePlace) -> Finding {
    const SUBJECT: &str = "run store";
    let path = place.path().map(|path| path.display().to_string()).unwrap_or_default();
    match place.open_existing() {
        Ok(Some(_)) => Finding::new(SUBJECT, State::Good, path),
        Ok(None) => Finding::new(SUBJECT, State::Good, format!("{path}, which the first run makes")),
        Err(error) => {
            Finding::new(SUBJECT, State::Fails, format!("{}: {}", error.place, error.cause)).or(error.remedy)
        }
    }
}

/// What results will lack, source by source.
fn telemetry() -> Vec<Finding> {
    const SECOND_NS: u64 = 1_000_000_000;
    let mut collector = Collector::new(&SamplerPlan::default());
    collector.tick(0);
    collector.tick(SECOND_NS);
    // What belongs to a target's device is known when there is one.
    let mut absent = collector.finish(0, None).absent;
    absent.retain(|absent| !OF_DEVICES.contains(&absent.source.as_str()));
    if absent.is_empty() {
        return vec![Finding::new("telemetry", State::Good, "every source can be read")];
    }
    let finding = |absent: AbsentSource| Finding::new(&absent.source, State::Missing, absent.reason);
    absent.into_iter().map(finding).collect()
}

/// Settings of the machine that distort results.
fn settings(path: &Path) -> Vec<Finding> {
    let environment = environment::collect(&[], Some(path));
    let warnings = environment.preflight.into_iter().filter(|setting| setting.severity == Severity::Warning);
    let finding = |setting: fathom_record::environment::Preflight| {
        let found = format!("{} {}: {}", setting.setting, setting.value, setting.effect);
        Finding::new("distorts", State::Distorts, found).or(setting.remedy.unwrap_or_default())
    };
    warnings.map(finding).collect()
}

fn text(report: &Report) -> String {
    let width = output::width_of_sentences();
    let mut lines: Vec<String> = Vec::new();
    for finding in &report.findings {
        let mark = match finding.state {
            State::Good => "ok",
            State::Missing => "less",
            State::Distorts => "care",
            State::Fails => "FAIL",
        };
        let head = format!("{mark:<5}{:<NAMES$}", finding.subject);
        let indent = " ".repeat(5 + NAMES);
        lines.extend(layout::wrapped(&head, &finding.found, &indent, width));
        // What is to be typed stays on one line.
        lines.extend(finding.remedy.iter().map(|remedy| format!("{indent}-> {}", layout::plain(remedy))));
    }
    lines.push(String::new());
    lines.push(match report.usable {
        true => "fathom can measure here: fathom assess .".to_owned(),
        false => "fathom cannot measure here; see FAIL above".to_owned(),
    });
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_fails_and_a_folder_does_not() {
        assert_eq!(direct(Path::new("/nowhere/at/all")).state, State::Fails);
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a folder");
        assert_ne!(direct(folder.path()).state, State::Fails);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
