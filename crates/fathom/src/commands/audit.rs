//! `fathom audit`: results held against themselves, of files, of published tables and of stored runs.

use std::path::Path;

use fathom_measure::counted;
use fathom_published::audit_published;
use fathom_record::RunRecord;
use fathom_report::layout;
use fathom_tools::observers;
use fathom_tools::result_audit::{Finding, Weight, audit_run};
use fathom_tools::result_import::{FileOutcome, ForeignTelemetry, ImportedItem, KnownFiles, read_file};
use serde::Serialize;

use super::demand_input;
use super::published_file;
use super::store_access::{StorePlace, StoredItem, find};
use crate::arguments::AuditArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// What was found, for programs.
#[derive(Serialize)]
struct Document {
    format: &'static str,
    version: u32,
    subjects: Vec<AuditResult>,
}

/// One result.
#[derive(Serialize)]
struct AuditResult {
    subject: String,
    findings: Vec<Item>,
}

/// One finding.
#[derive(Serialize)]
struct Item {
    about: String,
    rule: String,
    weight: &'static str,
    text: String,
}

impl From<Finding> for Item {
    fn from(finding: Finding) -> Self {
        Self {
            about: finding.subject,
            rule: finding.rule.name().to_owned(),
            weight: finding.weight.name(),
            text: finding.text,
        }
    }
}

/// Audits what was named.
///
/// # Errors
/// When a subject is neither a file that can be read nor a run.
pub fn perform(place: &StorePlace, arguments: &AuditArguments) -> Result<Status, Failure> {
    let mut subjects = Vec::new();
    for subject in &arguments.subjects {
        let path = Path::new(subject);
        if path.is_file() {
            subjects.extend(of_file(path)?);
        } else {
            match find(place, subject)?.0 {
                StoredItem::Run(run) => subjects.push(of_run(&run.id.clone(), &run)),
                StoredItem::Campaign(campaign) => {
                    return Err(Failure::usage(
                        subject.clone(),
                        format!("{} is a campaign", campaign.id()),
                        format!("audit its runs: fathom runs --campaign {}", campaign.id()),
                    ));
                }
            }
        }
    }
    let consistent =
        !subjects.iter().flat_map(|s| &s.findings).any(|f| f.weight == Weight::Contradiction.name());
    let text = if arguments.switch.json {
        output::json(&Document { format: "fathom.audit", version: 1, subjects })
    } else {
        text(&subjects, output::width_of_sentences())
    };
    output::result(&text)?;
    Ok(Status::of_measurement(consistent))
}

fn of_run(name: &str, run: &RunRecord) -> AuditResult {
    AuditResult { subject: name.to_owned(), findings: audit_run(run).into_iter().map(Item::from).collect() }
}

fn of_file(path: &Path) -> Result<Vec<AuditResult>, Failure> {
    let name = path.display().to_string();
    let refused = |cause: String, remedy: String| Failure {
        kind: "unreadable",
        ..Failure::usage(name.clone(), cause, remedy)
    };
    if published_file::is_table(path) {
        let table =
            published_file::read(path).map_err(|failure| Failure { kind: "unreadable", ..failure })?;
        let findings = audit_published(&table).into_iter().map(Item::from).collect();
        return Ok(vec![AuditResult { subject: format!("{name}: {}", table.title), findings }]);
    }
    let found = match read_file(path, None, &KnownFiles::default(), fathom_demand::what) {
        FileOutcome::Read { found, .. } => found,
        FileOutcome::Refused { refusal, .. } => {
            return Err(refused(refusal.to_string(), refusal.remedy.clone()).with_source(refusal));
        }
        FileOutcome::Failed(error) => {
            return Err(refused(error.to_string(), String::new()).with_source(error));
        }
        FileOutcome::Known => Vec::new(),
        FileOutcome::Unrecognised(fault) => match telemetry(path) {
            Some(audited) => return Ok(vec![audited]),
            None => return Err(refused(fault.cause.clone(), fault.remedy.clone()).with_source(fault)),
        },
    };
    let mut out = Vec::new();
    for imported in &found {
        match imported {
            ImportedItem::Run(run) => {
                let part = run.origin.as_ref().map_or("", |origin| origin.part.as_str());
                let separator = if part.is_empty() { "" } else { ", " };
                out.push(of_run(&format!("{name}{separator}{part}"), run));
            }
            ImportedItem::Telemetry(found) => {
                out.push(telemetry(path).unwrap_or_else(|| of_series(&name, found)))
            }
        }
    }
    Ok(out)
}

/// What a tool's own columns say against each other.
fn telemetry(path: &Path) -> Option<AuditResult> {
    let found = observers::audit(&demand_input::read(path).ok()?)?;
    let finding = |c: fathom_tools::foreign_series::Contradiction| Item {
        about: c.thing,
        rule: c.rule.to_owned(),
        weight: Weight::Contradiction.name(),
        text: format!(
            "{} of {} reports break it; in report {} {} is stated, and the others give {}: {}",
            c.broken, c.checked, c.report, c.stated, c.expected, c.meaning
        ),
    };
    Some(AuditResult {
        subject: path.display().to_string(),
        findings: found.into_iter().map(finding).collect(),
    })
}

/// A log of means: each series stands by itself, and so is named.
fn of_series(name: &str, found: &ForeignTelemetry) -> AuditResult {
    let series = found.telemetry.series.iter().map(|series| {
        let values = series.values.iter().flatten().count();
        format!("{} of {}, {}", series.metric, series.label, counted(values as u64, "value"))
    });
    let series: Vec<String> = series.collect();
    let text = format!("a log of means, with nothing to check it against: {}", series.join("; "));
    let note = Item { about: String::new(), rule: "series".to_owned(), weight: Weight::Note.name(), text };
    AuditResult { subject: name.to_owned(), findings: vec![note] }
}

fn text(subjects: &[AuditResult], width: usize) -> String {
    let mut lines = Vec::new();
    for audited in subjects {
        lines.push(audited.subject.clone());
        for finding in &audited.findings {
            let about = if finding.about.is_empty() { String::new() } else { format!("{}: ", finding.about) };
            let text = format!("{} ({}): {about}{}", finding.weight, finding.rule, finding.text);
            lines.extend(layout::wrapped("  ", &text, "    ", width));
        }
        if audited.findings.is_empty() {
            lines.push("  nothing contradicts itself".to_owned());
        }
    }
    lines.join("\n") + "\n"
}
