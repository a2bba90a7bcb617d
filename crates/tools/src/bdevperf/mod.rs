//! SPDK's bdevperf: its text of every version, and the JSON of `bdevperf.py perform_tests`.

pub mod workload_as_config;

use std::io::BufRead;

use fathom_record::RecordOrigin;
use serde::Deserialize;

use crate::Refusal;
use crate::result_import::{Confidence, Context, Head, ImportedItem, Importer, text, whole};
use crate::spdk::record::record_of;
use crate::spdk::spdk_tables::JOB_FAILED;
use crate::spdk::{self, Outcome, Row};

/// Reads what bdevperf prints.
pub const TEXT_IMPORTER: Importer = Importer {
    name: "bdevperf-text",
    title: "SPDK bdevperf text output",
    sniff: sniff_text,
    read: read_text,
};

/// Reads what `bdevperf.py perform_tests` gives back.
pub const JSON_IMPORTER: Importer = Importer {
    name: "bdevperf-json",
    title: "SPDK bdevperf JSON result",
    sniff: sniff_json,
    read: read_json,
};

const TEXT: &str = "bdevperf text";
const JSON: &str = "bdevperf JSON";
const TOOL: &str = "bdevperf";

fn sniff_text(head: &Head<'_>) -> Confidence {
    let has = |needle: &str| head.contains(needle);
    let row_head = has("Device Information") && (has("runtime(s)") || has("Fail/s"));
    if row_head {
        Confidence::Certain
    } else if has("Logical core:") && has(" IO/s") || has("bdevperf_construct_job") {
        Confidence::Likely
    } else if has("Job: ") && has("(Core Mask ") {
        Confidence::Possible
    } else {
        Confidence::No
    }
}

fn sniff_json(head: &Head<'_>) -> Confidence {
    let has = |needle: &str| head.contains(needle);
    let begins = head
        .lines()
        .find(|line| !line.trim().is_empty())
        .is_some_and(|line| line.trim_start().starts_with('{'));
    let keys = has("\"results\"") && has("\"core_mask\"") && has("\"mibps\"");
    if begins && keys { Confidence::Certain } else { Confidence::No }
}

fn read_text(input: &mut dyn BufRead, context: &Context) -> Result<Vec<ImportedItem>, Refusal> {
    let bytes = whole(input, TEXT)?;
    let mut origin = RecordOrigin { parser: "bdevperf text".to_owned(), ..RecordOrigin::default() };
    let text = text(&bytes, &mut origin);
    Ok(records(&spdk::read(&text, TEXT)?, &origin, context))
}

fn records(outcomes: &[Outcome], origin: &RecordOrigin, context: &Context) -> Vec<ImportedItem> {
    let record = |(at, outcome): (usize, &Outcome)| {
        let part = if outcomes.len() > 1 { format!("result {}", at + 1) } else { String::new() };
        ImportedItem::Run(Box::new(record_of(
            outcome,
            TOOL,
            RecordOrigin { part, ..origin.clone() },
            context,
        )))
    };
    outcomes.iter().enumerate().map(record).collect()
}

/// The document, as far as it is used.
#[derive(Debug, Deserialize)]
struct Document {
    results: Vec<Entry>,
}

/// One job.
#[derive(Debug, Deserialize)]
struct Entry {
    job: String,
    #[serde(default)]
    workload: Option<String>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    queue_depth: Option<u64>,
    #[serde(default)]
    io_size: Option<u64>,
    runtime: f64,
    iops: f64,
    mibps: f64,
    #[serde(default)]
    percentage: Option<u64>,
    #[serde(default)]
    avg_latency_us: Option<f64>,
    #[serde(default)]
    min_latency_us: Option<f64>,
    #[serde(default)]
    max_latency_us: Option<f64>,
}

fn read_json(input: &mut dyn BufRead, context: &Context) -> Result<Vec<ImportedItem>, Refusal> {
    let bytes = whole(input, JSON)?;
    let mut origin = RecordOrigin { parser: "bdevperf JSON".to_owned(), ..RecordOrigin::default() };
    let text = text(&bytes, &mut origin);
    let outcome = outcome_of_json(&text)?;
    Ok(records(&[outcome], &origin, context))
}

fn outcome_of_json(text: &str) -> Result<Outcome, Refusal> {
    let document: Document = serde_json::from_str(text.trim()).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        Refusal::caused_by(JSON, error).at(place)
    })?;
    let mut outcome = Outcome::default();
    for entry in document.results {
        let sound =
            [entry.runtime, entry.iops, entry.mibps].iter().all(|value| value.is_finite() && *value >= 0.0);
        if !sound {
            return Err(Refusal::new(JSON, "a rate or time is negative").at(format!("job {}", entry.job)));
        }
        let latency = |value: Option<f64>| value.filter(|us| *us < 1e15 && entry.iops > 0.0);
        outcome.rows.push(Row {
            seconds: Some(entry.runtime),
            per_s: entry.iops,
            mib_per_s: entry.mibps,
            failed_per_s: None,
            mean_us: latency(entry.avg_latency_us),
            min_us: latency(entry.min_latency_us),
            max_us: latency(entry.max_latency_us),
            name: entry.job.clone(),
        });
        let asked = &mut outcome.asked;
        let same = asked.workload.is_none() || asked.workload == entry.workload;
        asked.workload = if same { entry.workload } else { Some("mixed".to_owned()) };
        asked.depths.extend(entry.queue_depth);
        asked.io_bytes = entry.io_size.or(asked.io_bytes);
        asked.read_percent = entry.percentage.or(asked.read_percent);
        if entry.status.as_deref().is_some_and(|status| !matches!(status, "finished" | "terminated")) {
            outcome.quirks.push((JOB_FAILED, format!("job {} ended as {:?}", entry.job, entry.status)));
        }
    }
    if outcome.rows.is_empty() {
        return Err(Refusal::new(JSON, "it has no job"));
    }
    Ok(outcome)
}
