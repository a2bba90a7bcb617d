//! What a tool left behind, as a run record with fathom's own account around it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::Bytes;
use fathom_record::environment_facts::Environment;
use fathom_record::facts::TargetFacts;
use fathom_record::run_record::{IoGroup, RunEnding};
use fathom_record::telemetry::Telemetry;
use fathom_record::workload::Arrival;
use fathom_record::{RunRecord, Standstill, Workload};
use fathom_tools::result_import::{Context, HEAD_BYTES, Head, ImportedItem, recognise};

use super::child::ChildEnd;
use super::tool::ToolEngine;
use super::tool_drivers::ToolDriver;
use crate::checks::{self, Stillness};
use crate::error::CampaignError;

/// What fathom knows around a tool's result.
pub struct ToolRunContext<'a> {
    pub id: String,
    pub started_at: String,
    pub external: &'a ToolEngine,
    /// As it was asked for here; absent where the tool was given a command of its own.
    pub workload: Option<&'a Workload>,
    /// As it was opened here; absent where the result names it.
    pub target: Option<TargetFacts>,
    pub environment: Environment,
    pub telemetry: Telemetry,
    pub words: &'a [OsString],
    pub folder: &'a Path,
    /// What makes the same run again; absent where no line does.
    pub command: Option<String>,
    pub notes: Vec<String>,
}

/// All results in a tool's output.
///
/// # Errors
/// When it failed, or printed nothing that can be read.
pub fn read_all(tool: &str, result: &Path, ended: &ChildEnd) -> Result<Vec<RunRecord>, CampaignError> {
    let place = || format!("reading what {tool} printed ({})", ended.words());
    let failed = |cause: String| {
        let mut remedy = ended.last_words();
        if !remedy.is_empty() {
            remedy.insert_str(0, "its last words:\n");
        }
        EngineError::new(ErrorKind::System, place(), cause).with_remedy(remedy)
    };
    let place_of =
        |error: std::io::Error| failed(format!("{}: {error}", result.display())).with_source(error);
    let mut file = File::open(result).map_err(place_of)?;
    let mut head = Vec::new();
    (&mut file).take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(place_of)?;
    let file_name = result.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let importer = recognise(&Head { bytes: &head, file_name: &file_name }, fathom_demand::what)
        .map_err(|fault| failed(format!("no result: {}", fault.in_one_line())).with_source(fault))?;
    let context = Context { file_name: file_name.clone(), changed_at: String::new() };
    let mut whole = BufReader::new(head.as_slice().chain(file));
    let found = importer
        .read(&mut whole, &context)
        .map_err(|refusal| failed(format!("no result: {refusal}")).with_source(refusal))?;
    let runs = found.into_iter().filter_map(|imported| match imported {
        ImportedItem::Run(run) => Some(*run),
        ImportedItem::Telemetry(_) => None,
    });
    let mut runs: Vec<RunRecord> = runs.collect();
    for origin in runs.iter_mut().filter_map(|run| run.origin.as_mut()) {
        origin.file.clone_from(&file_name);
    }
    if runs.is_empty() {
        return Err(failed("no result in it".to_owned()).into());
    }
    Ok(runs)
}

/// The one result in a tool's output; of several the last, which is of all together where a tool prints both.
///
/// # Errors
/// As [`read_all`].
pub fn read_result(tool: &str, result: &Path, ended: &ChildEnd) -> Result<RunRecord, CampaignError> {
    let mut runs = read_all(tool, result, ended)?;
    let last = runs.pop().expect("a list of results is not empty");
    Ok(last)
}

/// Parts of a record that fathom knows itself when it starts the tool.
const KNOWN_HERE: [&str; 2] = ["environment", "started_at"];
/// The same where it wrote the workload and opened the target.
const KNOWN_OF_PLAN: [&str; 3] = ["workload", "target", "ledger.span_bytes"];

/// Puts fathom's account around a tool's result.
pub fn finish(mut record: RunRecord, ended: &ChildEnd, around: ToolRunContext<'_>) -> RunRecord {
    record.id = around.id;
    record.started_at = around.started_at;
    forget(&mut record, &KNOWN_HERE);
    if let Some(workload) = around.workload {
        fill_plan(&mut record, workload, around.target, around.external.driver);
    }
    record.environment = around.environment;
    record.command = around.command;
    record.telemetry = around.telemetry;
    if record.tool.version == "unknown"
        && let Some(version) = ended.spdk_version()
    {
        record.tool.version = version;
    }
    note_standstills(&mut record, ended);
    record.wall = ended.wall.clone().map(Box::new);
    let name = around.external.program_name();
    if ended.interrupted {
        record.ending = RunEnding::Interrupted;
    } else if !ended.status.success() && record.ending == RunEnding::Complete {
        record.ending = RunEnding::Failed { error: format!("{name} ended with {}", ended.words()) };
    }
    if let Some(error) = around.workload.and_then(|workload| short_reads(&record, workload)) {
        record.ending = RunEnding::Failed { error };
    }
    let words: Vec<_> = around.words.iter().map(|word| word.to_string_lossy()).collect();
    record.notes.push(format!("Run by fathom as: {}", words.join(" ")));
    record.notes.push(format!("What it was given and what it printed: {}", around.folder.display()));
    record.notes.extend(around.notes);
    record
}

/// Why reads that a tool counts were none: they moved less than the least that one of them is to move. A file that this
/// machine cannot look at may be shorter than the plan, and behind its end a read ends well and moves nothing.
fn short_reads(record: &RunRecord, workload: &Workload) -> Option<String> {
    let read = record.summary.directions.iter().find(|summary| summary.direction == IoGroup::Read)?;
    let (operations, bytes) = (read.operations?, read.bytes?);
    // What was in flight when a tool was stopped may be counted and not have moved.
    let in_flight = u64::from(workload.jobs) * u64::from(workload.depth);
    let ended = operations.saturating_sub(in_flight);
    let least = u128::from(ended) * u128::from(workload.sizes.read.min_bytes());
    (u128::from(bytes) < least).then(|| {
        let moved = Bytes(bytes);
        format!(
            "{operations} reads moved {moved} only, as behind the end of a target that is shorter than the plan; give its \
             size with --size"
        )
    })
}

/// Where this process stood still the tool most likely did too; its own result cannot tell.
fn note_standstills(record: &mut RunRecord, ended: &ChildEnd) {
    if ended.standstills.is_empty() {
        return;
    }
    record.standstills.clone_from(&ended.standstills);
    // The tool starts its window when it is ready, so the length alone is known: all of it counts.
    let all_ns = ended.standstills.iter().map(|still| still.duration_ns).sum();
    let whole = [Standstill { at_ns: 0, duration_ns: all_ns }];
    let window_ns = 0..record.summary.duration_ns.max(1);
    let stillness = Stillness { standstills: &whole, window_ns, stolen_share: None };
    record.checks.insert(0, checks::standstill(&stillness));
}

/// What the plan says, which the tool's result need not.
fn fill_plan(
    record: &mut RunRecord,
    workload: &Workload,
    target: Option<TargetFacts>,
    driver: &dyn ToolDriver,
) {
    forget(record, &KNOWN_OF_PLAN);
    record.workload = workload.clone();
    driver.leave_out(&mut record.workload);
    if workload.arrival == Arrival::Closed {
        record.summary.in_flight_requested = Some(f64::from(workload.jobs) * f64::from(workload.depth));
    }
    let Some(target) = target else { return };
    let spans = target.members.len().max(1) as u64;
    let rest = || Some(target.size_bytes.saturating_sub(workload.offset_bytes)).filter(|bytes| *bytes > 0);
    record.ledger.span_bytes = workload.span_bytes.map(|span| span.saturating_mul(spans)).or_else(rest);
    record.target = target;
}

/// Takes back that fields are absent which are filled in now.
fn forget(record: &mut RunRecord, known: &[&str]) {
    let Some(origin) = &mut record.origin else { return };
    let below = |field: &str, known: &str| {
        field.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    origin.absent.retain(|absent| !known.iter().any(|known| below(&absent.field, known)));
}
