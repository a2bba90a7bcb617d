//! One form for everything that can go wrong, and its one printer.

use std::fmt::Display;
use std::path::Path;

use fathom_campaign::CampaignError;
use fathom_engine::{EngineError, ErrorKind};
use fathom_plan::{PlanError, PlanErrorKind};
use fathom_record::workload::WorkloadError;
use fathom_report::ReportError;
use fathom_report::layout;
use fathom_store::{StoreError, StoreErrorKind};
use fathom_tools::Refusal;
use serde::Serialize;

use crate::output::{self, Machine};
use crate::status::Status;

/// What went wrong, where, why, and what to type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What the program ends with.
    pub status: Status,
    /// In snake case, for programs.
    pub kind: &'static str,
    /// The argument, the file, or what was being done to what; may be empty.
    pub place: String,
    /// What happened.
    pub cause: String,
    /// What to do about it; may be empty.
    pub remedy: String,
}

/// The same as a JSON document.
#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    kind: &'a str,
    place: &'a str,
    cause: &'a str,
    remedy: &'a str,
}

impl Failure {
    /// Something that was typed and makes no sense.
    pub fn usage(place: impl Into<String>, cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (place, cause, remedy) = (place.into(), cause.into(), remedy.into());
        Self { status: Status::Usage, kind: "usage", place, cause, remedy }
    }

    /// An output file that cannot be written.
    pub fn output(path: &Path, cause: impl Display, remedy: impl Into<String>) -> Self {
        let (cause, remedy) = (cause.to_string(), remedy.into());
        let place = Self::place_of(path);
        Self { status: Status::Invalid, kind: "output", place, cause, remedy }
    }

    /// Something of the operating system that has nothing to do with the target.
    pub fn system(place: impl Into<String>, cause: impl Display) -> Self {
        let (place, cause) = (place.into(), cause.to_string());
        Self { status: Status::Invalid, kind: "system", place, cause, remedy: String::new() }
    }

    /// Tells it on stderr and, where JSON was asked for, there; gives the status to end with.
    pub fn tell(&self, machine: &Machine) -> Status {
        self.warn();
        // A document that did not fit its file leaves the one that was there, be it larger than this one.
        let is_about_file = matches!(machine, Machine::File(path) if self.place == Self::place_of(path));
        let written = match machine {
            _ if is_about_file => output::result(&self.document()),
            Machine::Lines => output::result(&self.line()),
            _ => machine.write_failure(&self.document()),
        };
        // The failure to write a failure changes nothing about it, and stderr has it.
        let _ = written;
        self.status
    }

    /// Where a failure to write a file happened.
    fn place_of(path: &Path) -> String {
        format!("writing {}", path.display())
    }

    /// Tells it on stderr alone, where the result itself is not lost.
    pub fn warn(&self) {
        output::message(&self.text());
    }

    fn as_document(&self) -> Document<'_> {
        Document {
            format: "fathom.error",
            version: 1,
            kind: self.kind,
            place: &self.place,
            cause: &self.cause,
            remedy: &self.remedy,
        }
    }

    fn document(&self) -> String {
        output::json(&self.as_document())
    }

    fn line(&self) -> String {
        output::json_line(&self.as_document())
    }

    fn text(&self) -> String {
        // What kind of failure it is serves programs; people read where, and what happened.
        let mut text = "fathom: ".to_owned();
        if !self.place.is_empty() {
            text += &format!("{}: ", self.place);
        }
        text += &self.cause;
        let width = output::width_of_messages();
        let mut lines: Vec<String> =
            text.split('\n').flat_map(|line| layout::wrapped(indent(line), line, "    ", width)).collect();
        // What is to be typed stays on one line, so that it can be copied.
        let remedies = self.remedy.split('\n').filter(|line| !line.is_empty());
        lines.extend(remedies.map(|line| format!("  {}", layout::plain(line))));
        lines.join("\n")
    }
}

/// The spaces that a line starts with.
fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(' ').len()]
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        let kind = match error.kind {
            PlanErrorKind::Syntax => "plan_syntax",
            PlanErrorKind::UnknownName => "unknown_name",
            PlanErrorKind::Value => "value",
            PlanErrorKind::Missing => "missing",
            PlanErrorKind::Contradiction => "contradiction",
            PlanErrorKind::Pasted => "pasted",
            _ => "plan",
        };
        Self { kind, ..Self::usage(error.place.to_string(), error.cause, "") }
    }
}

impl From<WorkloadError> for Failure {
    fn from(error: WorkloadError) -> Self {
        Self { kind: "value", ..Self::usage(error.field, error.problem, "") }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let (kind, status) = match error.kind {
            ErrorKind::Refused => ("refused", Status::Refused),
            ErrorKind::NoSuchTarget => ("no_such_target", Status::Refused),
            ErrorKind::Permission => ("permission", Status::Refused),
            ErrorKind::Unsupported => ("unsupported", Status::Invalid),
            ErrorKind::Plan | ErrorKind::UnknownEngine => ("plan", Status::Usage),
            ErrorKind::Interrupted => ("interrupted", Status::Invalid),
            _ => ("system", Status::Invalid),
        };
        Self { status, kind, place: error.place, cause: error.cause, remedy: error.remedy }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self { kind: "foreign", ..Self::usage(refusal.full_place(), refusal.cause, refusal.remedy) }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        const ELSEWHERE: &str = "to use another store, add --store FILE";
        let (kind, status) = match error.kind {
            StoreErrorKind::NotFound => ("not_found", Status::Usage),
            StoreErrorKind::Ambiguous => ("ambiguous", Status::Usage),
            StoreErrorKind::Needed => ("needed", Status::Usage),
            StoreErrorKind::CampaignBusy => ("campaign_busy", Status::Invalid),
            StoreErrorKind::BadRecord => ("bad_record", Status::Invalid),
            StoreErrorKind::OutOfFiles => ("system", Status::Invalid),
            _ => ("store", Status::Invalid),
        };
        let mut remedy = error.remedy;
        if kind == "store" && !remedy.contains("--store") {
            if !remedy.is_empty() {
                remedy.push('\n');
            }
            remedy.push_str(ELSEWHERE);
        }
        Self { status, kind, place: error.place, cause: error.cause, remedy }
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        Self { kind: "report", ..Self::system("making the report", error) }
    }
}

impl From<CampaignError> for Failure {
    fn from(error: CampaignError) -> Self {
        match error {
            CampaignError::Plan(error) => error.into(),
            CampaignError::Workload(error) => error.into(),
            CampaignError::Engine(error) => error.into(),
            CampaignError::Store(error) => error.into(),
            CampaignError::Foreign(refusal) => refusal.into(),
            other => Self::system("measuring", other),
        }
    }
}
