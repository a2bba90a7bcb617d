//! `fathom explain`: what limits a finished result, or a workload by experiments.

use std::io::Read;
use std::path::Path;

use fathom_campaign::{explain, explain_finished, other_target};
use fathom_plan::{PlanSource, RawPlan};
use fathom_published::{explain_published, explained_patterns, remarks, unrated};
use fathom_record::campaign::ExplainRecord;
use fathom_record::facts::TargetKind;
use fathom_record::{CampaignRecord, KnownCeiling, RunRecord, parse_campaign};
use fathom_report::{html, terminal};
use fathom_tools::result_import::{Context, FileOutcome, ImportedItem, KnownFiles, alone, read_file};

use super::campaign_continuation::{Permits, to_continue};
use super::delivery::Delivery;
use super::fresh_seed::new_seed;
use super::published_file::{self, is_table};
use super::record_json;
use super::store_access::{StorePlace, StoredItem, find, runs_of};
use crate::arguments::ExplainArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::progress_display::Screen;
use crate::{interrupt, output};

/// Where a campaign's record says that it is one, behind its result in short.
const HEAD_BYTES: u64 = 1 << 20;

/// Explains.
///
/// # Errors
/// When there is nothing to explain, or what was asked for cannot be measured.
pub fn perform(place: &StorePlace, arguments: ExplainArguments) -> Result<Status, Failure> {
    if arguments.explain.experiments {
        return by_experiments(place, arguments);
    }
    let Some(subject) = arguments.subject.as_deref() else {
        return Err(Failure::usage(
            "explaining".to_owned(),
            "nothing was named",
            "name a run, a campaign or a file, as fathom explain last; or measure: fathom explain --experiments TARGET",
        ));
    };
    let delivery = Delivery::prepare(&arguments.outputs)?;
    let path = Path::new(subject);
    if path.is_file() && is_table(path) {
        let record = of_table(path, arguments.explain.known()?)?;
        return Ok(Status::of_measurement(hand_over(&delivery, record, &[])));
    }
    let ceilings = arguments.explain.known()?;
    let (record, runs) = match finished(place, subject)? {
        ExplainSubject::Explained(record, _) if !ceilings.is_empty() => {
            return Err(Failure::usage(
                format!("explaining {subject}"),
                "its experiments were chosen for the limits that were given when it was made",
                format!("explain a run of it with other limits: fathom runs --campaign {}", record.id),
            ));
        }
        ExplainSubject::Explained(record, runs) => (*record, runs),
        ExplainSubject::Runs(id, runs) => {
            let runs = without_series(subject, runs)?;
            let subject = id.as_deref().unwrap_or(subject);
            (explain_finished(subject, &runs, &ceilings), runs)
        }
    };
    let decided = !record.patterns.is_empty();
    let handed_over = hand_over(&delivery, record, &runs);
    Ok(Status::of_measurement(decided && handed_over))
}

/// What a name or a file stands for.
enum ExplainSubject {
    /// Runs to be explained, and the id of the run or campaign that they are, where they are in the store.
    Runs(Option<String>, Vec<RunRecord>),
    /// An explanation that was made by experiments, and its runs.
    Explained(Box<ExplainRecord>, Vec<RunRecord>),
}

/// Whether a subject names a target that is no file.
fn is_no_file(subject: &str) -> bool {
    subject.split_once(':').is_some_and(|(scheme, _)| TargetKind::of_scheme(scheme).is_some())
}

fn finished(place: &StorePlace, subject: &str) -> Result<ExplainSubject, Failure> {
    let path = Path::new(subject);
    if path.is_file() {
        return match campaign_in(path) {
            Some(record) => of_campaign(path, record),
            None => of_file(path).map(|runs| ExplainSubject::Runs(None, runs)),
        };
    }
    if path.exists() || is_no_file(subject) {
        return Err(Failure::usage(
            format!("explaining {subject}"),
            "it is a target, and only results are explained without measuring",
            format!("to measure it type: fathom explain --experiments {subject}"),
        ));
    }
    match find(place, subject)? {
        (StoredItem::Run(run), _) => Ok(ExplainSubject::Runs(Some(run.id.clone()), vec![*run])),
        (StoredItem::Campaign(campaign), store) => {
            let runs = runs_of(&store, &campaign)?;
            Ok(match *campaign {
                CampaignRecord::Explain(record) => ExplainSubject::Explained(record, runs),
                other => ExplainSubject::Runs(Some(other.id().to_owned()), runs),
            })
        }
    }
}

/// The runs without records of telemetry and of logs of means, which hold none whose limit could be found.
fn without_series(subject: &str, mut runs: Vec<RunRecord>) -> Result<Vec<RunRecord>, Failure> {
    let tool = runs.first().map_or_else(String::new, |run| format!(" of {}", run.tool.name));
    let before = runs.len();
    runs.retain(|run| !(run.is_imported() && run.summary.directions.is_empty()));
    if !runs.is_empty() || before == 0 {
        return Ok(runs);
    }
    Err(Failure {
        kind: "no_run",
        ..Failure::usage(
            format!("explaining {subject}"),
            format!("only series over time{tool} are in it, and no run"),
            "explain the benchmark's own result; to see telemetry next to it: fathom import TELEMETRY --beside RUN",
        )
    })
}

/// The campaign record that a file holds, if it holds one. A file of gigabytes without the format's name in its first MiB
/// is not read for it.
fn campaign_in(path: &Path) -> Option<CampaignRecord> {
    let mut file = std::fs::File::open(path).ok()?;
    let mut bytes = Vec::new();
    (&file).take(HEAD_BYTES).read_to_end(&mut bytes).ok()?;
    let name = CampaignRecord::FORMAT.as_bytes();
    bytes.windows(name.len()).find(|window| *window == name)?;
    file.read_to_end(&mut bytes).ok()?;
    parse_campaign(&bytes).ok()
}

/// An explanation is shown again; other campaigns name their runs and do not hold them.
fn of_campaign(path: &Path, record: CampaignRecord) -> Result<ExplainSubject, Failure> {
    match record {
        CampaignRecord::Explain(record) => Ok(ExplainSubject::Explained(record, Vec::new())),
        other => Err(Failure::usage(
            format!("explaining {}", path.display()),
            "a campaign's record names its runs and does not hold them",
            format!("where they were saved type: fathom explain {}", other.id()),
        )),
    }
}

fn of_file(path: &Path) -> Result<Vec<RunRecord>, Failure> {
    let refused = |cause: String| {
        let about = format!("explaining {}", path.display());
        Failure {
            kind: "unreadable",
            ..Failure::usage(
                about,
                cause,
                format!(
                    "fathom import --help says what is read; to measure it: fathom explain --experiments {}",
                    path.display()
                ),
            )
        }
    };
    match read_file(path, None, &KnownFiles::default(), fathom_demand::what) {
        FileOutcome::Read { found, .. } => {
            let context = Context::default();
            let run = |imported| match imported {
                ImportedItem::Run(run) => *run,
                ImportedItem::Telemetry(found) => alone(*found, &context),
            };
            Ok(found.into_iter().map(run).collect())
        }
        FileOutcome::Refused { refusal, .. } => Err(refused(refusal.to_string()).with_source(refusal)),
        FileOutcome::Failed(error) => Err(refused(error.to_string()).with_source(error)),
        FileOutcome::Unrecognised(fault) => Err(refused(fault.in_one_line()).with_source(fault)),
        FileOutcome::Known => Ok(Vec::new()),
    }
}

/// A published table, and limits that were given beside it.
fn of_table(path: &Path, given: Vec<KnownCeiling>) -> Result<ExplainRecord, Failure> {
    let refused = |cause: String| Failure {
        kind: "unreadable",
        ..Failure::usage(
            format!("explaining {}", path.display()),
            cause,
            "docs/published.md says what a table of published results holds",
        )
    };
    let mut table = published_file::read(path)
        .map_err(|failure| Failure { source: failure.source, ..refused(failure.cause) })?;
    let mut record = explain_finished(&path.display().to_string(), &[], &given);
    table.given = given;
    record.patterns = explained_patterns(&table, explain_published(&table));
    if record.patterns.is_empty() {
        return Err(refused(format!("there is no rate to explain. {}", unrated(&table).join(" "))));
    }
    record.notes.extend(remarks(&table));
    Ok(record)
}

fn by_experiments(place: &StorePlace, arguments: ExplainArguments) -> Result<Status, Failure> {
    let mut flags = arguments.flags;
    if let Some(target) = arguments.subject {
        flags = RawPlan { target: Some(flags.target.unwrap_or_else(|| vec![target])), ..flags };
    }
    let source = PlanSource::from_flags(flags);
    let (serials, check_empty) = source.permits();
    let options = arguments.explain.resolve(&source, new_seed())?;
    if let Some(second) = &options.plan.second_target {
        other_target(second, &options.base.targets)?;
    }
    let delivery = Delivery::prepare(&arguments.outputs)?;
    let store = place.open()?;
    let mut screen = Screen::new(arguments.outputs.quiet, None);
    let stop = interrupt::watch(screen.voice())?;
    delivery.follow(&mut screen, "explain", &stop);
    let found = explain(&options, &store, &mut screen, &stop)?;
    drop(screen);
    let holds = found.record.patterns.iter().flat_map(|p| &p.cells).all(|cell| cell.failed_checks.is_empty());
    let (id, decided) = (found.record.id.clone(), !found.record.patterns.is_empty());
    let command = found.record.command.clone();
    let handed_over = hand_over(&delivery, found.record, &found.runs);
    if found.interrupted {
        let permits = Permits { serials: &serials, check_empty };
        output::message(&to_continue(command.as_deref(), permits, place));
    } else if !delivery.has_report() && !delivery.machine.takes_stdout() {
        output::message(&format!("\nas a page: fathom report {id} --html report.html{}", place.flag()));
    }
    Ok(Status::of_measurement(decided && holds && !found.interrupted && handed_over))
}

fn hand_over(delivery: &Delivery, record: ExplainRecord, runs: &[RunRecord]) -> bool {
    let record = CampaignRecord::from(record);
    delivery.hand_over(
        |shape| record_json::campaign(&record, &[], shape),
        || terminal::campaign(&record, output::style()),
        || html::campaign(&record, runs),
    )
}
