//! `fathom doctor --self-test`: what can be tried on a machine without a device, and a file of what it answered.
//!
//! ```text
//! commands of this program, as they are typed ─► status, documents, files ─► passed, failed or skipped, with a reason
//!         in a folder of their own, which is removed                   └──► all of it in one archive, to send back
//! ```
//!
//! Each check types commands of this very program, so that one that crashes or hangs loses no other.

mod bundle;
#[cfg(target_os = "linux")]
#[path = "here_linux.rs"]
mod here;
#[cfg(windows)]
#[path = "here_windows.rs"]
mod here;
#[cfg(feature = "page")]
mod redacting;
#[cfg(not(feature = "page"))]
#[path = "redacting_absent.rs"]
mod redacting;
mod self_test_steps;
mod typist;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use fathom_report::layout;

use crate::arguments::DoctorArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output_file::{Content, OutputFile};
use crate::progress_display::Screen;
use crate::{interrupt, output};
use self_test_steps::{CHECKS, Desk};
use typist::{Answer, CommandRunner};

/// Width of the checks' names.
const NAMES: usize = 34;

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome", content = "reason")]
pub enum Outcome {
    Passed(String),
    Failed(String),
    /// It says nothing, and why.
    Skipped(String),
}

impl Outcome {
    fn reason(&self) -> &str {
        match self {
            Self::Passed(reason) | Self::Failed(reason) | Self::Skipped(reason) => reason,
        }
    }
}

/// One check, and all that was said in it.
#[derive(Debug, Serialize)]
pub struct CheckResult {
    name: String,
    #[serde(flatten)]
    outcome: Outcome,
    #[serde(skip)]
    answers: Vec<Answer>,
}

/// All of them, for programs.
#[derive(Serialize)]
pub struct Report<'a> {
    format: &'static str,
    version: u32,
    /// Of this program.
    program: &'static str,
    system: &'static str,
    architecture: &'static str,
    passed: usize,
    failed: usize,
    skipped: usize,
    checks: &'a [CheckResult],
}

/// Tries everything, and prints what came of it.
///
/// # Errors
/// When there is no folder to try it in, or the archive cannot be written.
pub fn perform(arguments: &DoctorArguments) -> Result<Status, Failure> {
    let folder = folder_of(&arguments.path)?;
    // Before anything takes its time.
    let archive =
        arguments.zip.as_ref().map(|path| OutputFile::check(path, Content::Foreign { force: false }));
    let archive = archive.transpose()?;
    let hidden = redacting::HiddenParts::of(&arguments.redact)?;
    let scratch = tempfile::Builder::new().prefix("fathom-self-test-").tempdir_in(&folder);
    let failed = |error: std::io::Error| Failure {
        remedy: "name a folder that you may write to: fathom doctor --self-test FOLDER".to_owned(),
        ..Failure::system(format!("making a folder in {}", folder.display()), error)
    };
    let scratch = scratch.map_err(failed)?;
    let stop = interrupt::watch(Screen::new(true, None).voice())?;
    let program = std::env::current_exe().map_err(|error| Failure::system("finding this program", error))?;
    let typist = CommandRunner::new(program, scratch.path()).map_err(failed)?;
    let checked = try_all(Desk::new(typist), &stop, !arguments.json);
    let report = Report::of(&checked);
    output::result(&if arguments.json { output::json(&report) } else { report.counted() })?;
    if let Some(archive) = archive {
        let held = bundle::Bundle::of(&report, &checked, hidden)?;
        output::message(&held.list(archive.name()));
        held.write(&archive)?;
    }
    Ok(Status::of_measurement(report.failed == 0))
}

/// The folder that is tried: the one that was named, or that of the file.
fn folder_of(path: &Path) -> Result<PathBuf, Failure> {
    let place = || format!("trying {}", path.display());
    let facts = std::fs::metadata(path).map_err(|error| Failure {
        remedy: "name a folder on the storage that is to be measured".to_owned(),
        ..Failure::system(place(), error)
    })?;
    let folder = if facts.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // The commands are typed in a folder below it.
    std::path::absolute(folder).map_err(|error| Failure::system(place(), error))
}

/// Each check in turn, said as it is done.
fn try_all(mut desk: Desk, stop: &AtomicBool, aloud: bool) -> Vec<CheckResult> {
    let width = output::width_of_sentences();
    for check in CHECKS {
        let from = desk.checked.len();
        if stop.load(Ordering::Relaxed) {
            desk.skip(check.name, "it was stopped before");
        } else {
            (check.perform)(&mut desk);
        }
        for checked in desk.checked[from..].iter().filter(|_| aloud) {
            // Where nobody listens any more the summary says so.
            let _ = output::result(&line(checked, width));
        }
    }
    desk.checked
}

fn line(checked: &CheckResult, width: usize) -> String {
    let mark = match checked.outcome {
        Outcome::Passed(_) => "ok",
        Outcome::Failed(_) => "FAIL",
        Outcome::Skipped(_) => "skip",
    };
    let name = format!("{mark:<5}{}", checked.name);
    layout::named(&name, 5 + NAMES, checked.outcome.reason(), width).join("\n") + "\n"
}

impl<'a> Report<'a> {
    fn of(checks: &'a [CheckResult]) -> Self {
        let count = |is: fn(&Outcome) -> bool| checks.iter().filter(|check| is(&check.outcome)).count();
        Self {
            format: "fathom.self_test",
            version: 1,
            program: env!("CARGO_PKG_VERSION"),
            system: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
            passed: count(|outcome| matches!(outcome, Outcome::Passed(_))),
            failed: count(|outcome| matches!(outcome, Outcome::Failed(_))),
            skipped: count(|outcome| matches!(outcome, Outcome::Skipped(_))),
            checks,
        }
    }

    fn counted(&self) -> String {
        let Self { passed, failed, skipped, .. } = self;
        format!("\n{passed} passed, {failed} failed, {skipped} skipped\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(outcome: Outcome) -> CheckResult {
        CheckResult { name: "engine uring".to_owned(), outcome, answers: Vec::new() }
    }

    #[test]
    fn what_came_of_each_is_counted_and_said() {
        let checks = [
            checked(Outcome::Passed("2000 I/Os".to_owned())),
            checked(Outcome::Failed("no\u{1b}[31m".to_owned())),
            checked(Outcome::Skipped("not here".to_owned())),
        ];
        let report = Report::of(&checks);
        assert_eq!((report.passed, report.failed, report.skipped), (1, 1, 1));
        let value = serde_json::to_value(&report).unwrap();
        assert_eq!(
            (&value["checks"][1]["outcome"], &value["checks"][2]["reason"]),
            (&"failed".into(), &"not here".into())
        );
        assert!(
            line(&checks[1], 80).starts_with("FAIL engine uring") && !line(&checks[1], 80).contains('\u{1b}')
        );
    }

    #[test]
    fn a_file_stands_for_its_folder() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(folder_of(&manifest.join("Cargo.toml")).unwrap(), manifest);
        assert_eq!(folder_of(manifest).unwrap(), manifest);
        assert!(folder_of(&manifest.join("nowhere")).unwrap_err().remedy.contains("folder"));
    }
}
