//! `fathom doctor`: what this machine lets fathom do, and what will be missing from results, with what to type.

mod self_test;
#[cfg(windows)]
#[path = "doctor/windows.rs"]
mod system;
#[cfg(target_os = "linux")]
#[path = "doctor/linux.rs"]
mod system;

use std::path::Path;

use fathom_record::environment_facts::Severity;
use fathom_record::telemetry::AbsentSource;
use fathom_report::layout;
use fathom_telemetry::{Collector, SamplerPlan, environment};
use serde::Serialize;

use super::store_access::StorePlace;
use crate::arguments::DoctorArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// Width of the names' column.
const NAMES: usize = 16;
/// Sources of telemetry that are about a target's device.
const OF_DEVICES: [&str; 2] = ["disk", "nvme"];

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
    if arguments.self_test {
        return self_test::perform(arguments);
    }
    let mut findings = system::findings(&arguments.path);
    findings.push(store(place));
    findings.extend(telemetry());
    findings.extend(settings(&arguments.path));
    let usable = findings.iter().all(|finding| finding.state != State::Fails);
    let report = Report { format: "fathom.doctor", version: 1, usable, findings };
    output::result(&if arguments.json { output::json(&report) } else { text(&report) })?;
    Ok(Status::of_measurement(usable))
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
    let finding = |setting: fathom_record::environment_facts::Preflight| {
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
