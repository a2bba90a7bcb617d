//! Records as JSON documents: the result in front, indented or in one line.

use fathom_record::condition::ConditionOutcome;
use fathom_record::telemetry::Telemetry;
use fathom_record::{CampaignRecord, RunRecord};
use serde::Serialize;

use crate::output;

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// On many lines, with everything.
    Indented,
    /// On one line, without the seconds of runs.
    Compact,
}

impl Shape {
    fn text<T: Serialize>(self, document: &T) -> String {
        match self {
            Self::Indented => output::json(document),
            Self::Compact => output::json_line(document),
        }
    }
}

/// A run's document.
pub fn run(record: &RunRecord, conditions: &[ConditionOutcome], shape: Shape) -> String {
    match shape {
        Shape::Indented => shape.text(&record.document(conditions.to_vec())),
        Shape::Compact => shape.text(&without_seconds(record).document(conditions.to_vec())),
    }
}

/// A list of runs' documents, each with what became of the conditions on it.
pub fn runs(records: &[&RunRecord], conditions: &[Vec<ConditionOutcome>], shape: Shape) -> String {
    let of_run = |at: usize| conditions.get(at).cloned().unwrap_or_default();
    let shortened: Vec<RunRecord> = match shape {
        Shape::Indented => Vec::new(),
        Shape::Compact => records.iter().map(|record| without_seconds(record)).collect(),
    };
    let records = if shape == Shape::Compact { shortened.iter().collect() } else { records.to_vec() };
    let documents = records.iter().enumerate().map(|(at, record)| record.document(of_run(at)));
    shape.text(&documents.collect::<Vec<_>>())
}

/// A campaign's document.
pub fn campaign(record: &CampaignRecord, conditions: &[ConditionOutcome], shape: Shape) -> String {
    shape.text(&record.document(conditions.to_vec()))
}

/// The record without its series: a fraction of its size, and a record like any other.
fn without_seconds(record: &RunRecord) -> RunRecord {
    let telemetry = Telemetry { at_ns: Vec::new(), series: Vec::new(), ..record.telemetry.clone() };
    RunRecord { intervals: Vec::new(), telemetry, ..record.clone() }
}
