//! One form for everything that can go wrong, and its one printer.

use std::error::Error as StdError;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fathom_campaign::CampaignError;
use fathom_engine::{EngineError, ErrorKind};
use fathom_plan::{PlanError, PlanErrorKind};
use fathom_record::error::Error;
use fathom_record::workload::WorkloadError;
use fathom_report::ReportError;
use fathom_report::layout;
use fathom_store::{StoreError, StoreErrorKind};
use fathom_tools::Refusal;
use serde::Serialize;

use crate::exit_status::Status;
use crate::output::{self, Machine};

/// What a failure came from, beyond what is told of it.
pub type Source = Arc<dyn StdError + Send + Sync>;

/// What went wrong, where, why, and what to type.
#[derive(Clone, Debug)]
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
    /// The error that it came from, as one of the operating system with its number.
    pub source: Option<Source>,
    /// The output file that it is about, if it is about one; boxed, since a result is as large as its failure.
    pub file: Option<Box<PathBuf>>,
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
    /// From a room's error, with the status and the kind that its own kind comes to.
    pub fn of<K>(status: Status, kind: &'static str, mut error: Error<K>) -> Self {
        let source = error.take_source().map(Source::from);
        let Error { place, cause, remedy, .. } = error;
        Self { status, kind, place, cause, remedy, source, file: None }
    }

    /// Something that was typed and makes no sense.
    pub fn usage(place: impl Into<String>, cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (place, cause, remedy) = (place.into(), cause.into(), remedy.into());
        Self { status: Status::Usage, kind: "usage", place, cause, remedy, source: None, file: None }
    }

    /// An output file that cannot be written; the cause is a text, or the error itself.
    pub fn output(
        path: &Path,
        cause: impl Into<Box<dyn StdError + Send + Sync>>,
        remedy: impl Into<String>,
    ) -> Self {
        let failure = Self::system(format!("writing {}", path.display()), cause);
        Self { kind: "output", remedy: remedy.into(), file: Some(Box::new(path.to_owned())), ..failure }
    }

    /// Something of the operating system that has nothing to do with the target; the cause is a text, or the error itself.
    pub fn system(place: impl Into<String>, cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let source: Source = cause.into().into();
        Self {
            status: Status::Invalid,
            kind: "system",
            place: place.into(),
            cause: source.to_string(),
            remedy: String::new(),
            source: Some(source),
            file: None,
        }
    }

    /// The same with the error that its cause is of.
    pub fn with_source(self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { source: Some(source.into().into()), ..self }
    }

    /// Tells it on stderr and, where JSON was asked for, there; gives the status to end with.
    pub fn tell(&self, machine: &Machine) -> Status {
        self.warn();
        // A document that did not fit its file leaves the one that was there, be it larger than this one.
        let is_about_file = matches!(machine, Machine::File(path) if self.file.as_deref() == Some(path));
        let written = match machine {
            _ if is_about_file => output::result(&self.document()),
            Machine::Lines => output::result(&self.line()),
            _ => machine.write_failure(&self.document()),
        };
        // The failure to write a failure changes nothing about it, and stderr has it.
        let _ = written;
        self.status
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

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl StdError for Failure {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
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
        Self::of(Status::Usage, kind, error)
    }
}

impl From<WorkloadError> for Failure {
    fn from(error: WorkloadError) -> Self {
        Self::of(Status::Usage, "value", error)
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
        Self::of(status, kind, error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let place = refusal.full_place();
        Self::of(Status::Usage, "foreign", refusal.at(place))
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        const ELSEWHERE: &str = "to use another store, add --store FILE";
        let (kind, status) = match error.kind {
            StoreErrorKind::NoStore | StoreErrorKind::NotFound => ("not_found", Status::Usage),
            StoreErrorKind::Ambiguous => ("ambiguous", Status::Usage),
            StoreErrorKind::Needed => ("needed", Status::Usage),
            StoreErrorKind::Text => ("usage", Status::Usage),
            StoreErrorKind::CampaignBusy => ("campaign_busy", Status::Invalid),
            StoreErrorKind::BadRecord => ("bad_record", Status::Invalid),
            StoreErrorKind::OutOfFiles => ("system", Status::Invalid),
            _ => ("store", Status::Invalid),
        };
        // What the others are told names another place already.
        let names_another = matches!(
            error.kind,
            StoreErrorKind::Permission
                | StoreErrorKind::Full
                | StoreErrorKind::System
                | StoreErrorKind::Newer
                | StoreErrorKind::NotAFile
        );
        let mut failure = Self::of(status, kind, error);
        if kind == "store" && !names_another {
            if !failure.remedy.is_empty() {
                failure.remedy.push('\n');
            }
            failure.remedy.push_str(ELSEWHERE);
        }
        failure
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        Self::of(Status::Invalid, "report", error)
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
        }
    }
}
