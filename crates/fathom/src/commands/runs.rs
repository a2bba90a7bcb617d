//! `fathom runs`: what was measured, newest first.

use std::collections::{BTreeMap, BTreeSet};

use fathom_campaign::calendar_now;
use fathom_report::terminal::{self, RunOutcome, RunRow};
use fathom_store::{CampaignRow, CampaignState, Labels, Note, RunFilter, RunRow as Stored, Store};
use serde::Serialize;

use super::note::NoteLine;
use super::store_access::StorePlace;
use super::typed_moment::since;
use crate::arguments::RunsArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// The list for programs.
#[derive(Default, Serialize)]
struct List {
    format: &'static str,
    version: u32,
    runs: Vec<Run>,
    campaigns: Vec<Campaign>,
}

/// One run of the list.
#[derive(Serialize)]
struct Run {
    id: String,
    started_at: String,
    target: String,
    device: Option<String>,
    pattern: String,
    jobs: u32,
    depth: u32,
    operations_per_s: f64,
    throughput_bytes_per_s: f64,
    service_p50_ns: Option<u64>,
    service_p99_ns: Option<u64>,
    response_p50_ns: Option<u64>,
    response_p99_ns: Option<u64>,
    completion_p50_ns: Option<u64>,
    completion_p99_ns: Option<u64>,
    tool: String,
    has_io: bool,
    valid: bool,
    ending: String,
    campaign: Option<String>,
    step: Option<String>,
    tags: Vec<String>,
    notes: Vec<NoteLine>,
    baseline: bool,
}

/// What people say of what is listed.
#[derive(Default)]
struct PeopleNotes {
    labels: Labels,
    notes: BTreeMap<String, Vec<Note>>,
    baselines: BTreeSet<String>,
}

/// One campaign of the list.
#[derive(Serialize)]
struct Campaign {
    id: String,
    target: String,
    started_at: String,
    closed_at: Option<String>,
    state: &'static str,
    runs: u64,
    tags: Vec<String>,
}

/// Prints the list.
///
/// # Errors
/// When the store cannot be read, or the campaign is unknown.
pub fn perform(place: &StorePlace, arguments: &RunsArguments) -> Result<Status, Failure> {
    let store = place.open_existing()?;
    let (runs, campaigns) = match &store {
        Some(store) => listed(store, arguments)?,
        None => Default::default(),
    };
    let mut said = store.as_ref().map(PeopleNotes::read).transpose()?.unwrap_or_default();
    let text = if arguments.switch.json {
        output::json(&List {
            format: "fathom.runs",
            version: 1,
            runs: runs.into_iter().map(|run| Run::of(run, &mut said)).collect(),
            campaigns: campaigns.into_iter().map(|row| Campaign::of(row, &mut said)).collect(),
        })
    } else {
        let rows: Vec<RunRow> = runs.iter().map(|run| row(store.as_ref(), run, &said)).collect();
        if rows.is_empty() && is_narrowed(arguments) {
            "No run fits. All of them: fathom runs\n".to_owned() + &campaigns_text(&campaigns)
        } else {
            terminal::runs(&rows, output::style()) + &campaigns_text(&campaigns)
        }
    };
    output::result(&text)?;
    Ok(Status::Done)
}

fn is_narrowed(arguments: &RunsArguments) -> bool {
    let by_name = arguments.target.is_some() || arguments.campaign.is_some() || arguments.tag.is_some();
    by_name || arguments.since.is_some() || arguments.valid || arguments.limit == 0
}

/// Runs that pass, and, unless the list is narrowed to one, campaigns of the same target.
fn listed(store: &Store, arguments: &RunsArguments) -> Result<(Vec<Stored>, Vec<CampaignRow>), Failure> {
    let campaign = arguments.campaign.as_deref().map(|name| store.resolve_campaign(name)).transpose()?;
    let target = arguments.target.clone();
    let since = arguments.since.as_deref().map(|text| since(text, &calendar_now())).transpose()?;
    let (mut campaigns, labels) = (store.campaigns()?, store.labels()?);
    let has = |id: &String, tag: &String| labels.campaigns.get(id).is_some_and(|words| words.contains(tag));
    campaigns.retain(|row| {
        arguments.tag.as_ref().is_none_or(|tag| has(&row.id, tag))
            && campaign.as_ref().is_none_or(|id| *id == row.id)
            && target.as_ref().is_none_or(|t| *t == row.target)
            && since.as_ref().is_none_or(|since| row.started_at >= *since)
    });
    campaigns.truncate(usize::try_from(arguments.limit).unwrap_or(usize::MAX));
    let tag = arguments.tag.clone();
    // A test point with the tag was tagged by itself.
    let alone = campaign.is_none() && !arguments.all && tag.is_none();
    let limit = Some(arguments.limit);
    let runs =
        store.runs(&RunFilter { limit, target, campaign, since, valid: arguments.valid, alone, tag })?;
    Ok((runs, campaigns))
}

/// A line of the table. How many checks failed stands in the record alone.
fn row(store: Option<&Store>, run: &Stored, said: &PeopleNotes) -> RunRow {
    let outcome = match (run.ending.as_str(), run.valid) {
        ("interrupted", _) => RunOutcome::Interrupted,
        ("failed", _) => RunOutcome::Failed,
        (_, true) => RunOutcome::Valid,
        (_, false) => {
            let record = store.and_then(|store| store.run_without_series(&run.id).ok());
            RunOutcome::FailedChecks(record.map_or(1, |record| record.failed_checks().count().max(1)))
        }
    };
    RunRow {
        id: run.id.clone(),
        started_at: run.started_at.clone(),
        target: run.target.clone(),
        workload: if run.has_io { run.pattern.clone() } else { format!("telemetry of {}", run.tool) },
        jobs: run.jobs,
        depth: run.depth,
        // What has no I/O has no rate, and is shown as not measured.
        operations_per_s: if run.has_io { run.operations_per_s } else { f64::NAN },
        throughput_bytes_per_s: if run.has_io { run.throughput_bytes_per_s } else { f64::NAN },
        service_p99_ns: run.service_p99_ns,
        outcome,
        tags: said.words(&run.id),
    }
}

impl PeopleNotes {
    fn read(store: &Store) -> Result<Self, Failure> {
        let baselines = store.baselines()?.into_iter().map(|baseline| baseline.run).collect();
        Ok(Self { labels: store.labels()?, notes: store.notes_of_runs()?, baselines })
    }

    /// What is said of a run, in the cell of a table.
    fn words(&self, run: &str) -> String {
        let mut words: Vec<String> = Vec::new();
        words.extend(self.baselines.contains(run).then(|| "baseline".to_owned()));
        words.extend(self.labels.runs.get(run).into_iter().flatten().cloned());
        if let Some(notes) = self.notes.get(run) {
            words.push(fathom_measure::counted(notes.len() as u64, "note"));
        }
        words.join(", ")
    }
}

fn campaigns_text(campaigns: &[CampaignRow]) -> String {
    let rows: Vec<terminal::CampaignRow> = campaigns
        .iter()
        .map(|row| terminal::CampaignRow {
            id: row.id.clone(),
            started_at: row.started_at.clone(),
            target: row.target.clone(),
            runs: row.runs,
            state: state(row.state).replace('_', " "),
        })
        .collect();
    if rows.is_empty() { String::new() } else { format!("\n{}", terminal::campaigns(&rows, output::style())) }
}

fn state(state: CampaignState) -> &'static str {
    match state {
        CampaignState::Unfinished => "unfinished",
        CampaignState::Finished => "finished",
        CampaignState::GivenUp => "given_up",
    }
}

impl Run {
    fn of(row: Stored, said: &mut PeopleNotes) -> Self {
        let notes = said.notes.remove(&row.id).unwrap_or_default();
        Self {
            tags: said.labels.runs.remove(&row.id).unwrap_or_default(),
            notes: notes.into_iter().map(NoteLine::of).collect(),
            baseline: said.baselines.contains(&row.id),
            id: row.id,
            started_at: row.started_at,
            target: row.target,
            device: row.device,
            pattern: row.pattern,
            jobs: row.jobs,
            depth: row.depth,
            operations_per_s: row.operations_per_s,
            throughput_bytes_per_s: row.throughput_bytes_per_s,
            service_p50_ns: row.service_p50_ns,
            service_p99_ns: row.service_p99_ns,
            response_p50_ns: row.response_p50_ns,
            response_p99_ns: row.response_p99_ns,
            completion_p50_ns: row.completion_p50_ns,
            completion_p99_ns: row.completion_p99_ns,
            tool: row.tool,
            has_io: row.has_io,
            valid: row.valid,
            ending: row.ending,
            campaign: row.campaign,
            step: row.step,
        }
    }
}

impl Campaign {
    fn of(row: CampaignRow, said: &mut PeopleNotes) -> Self {
        Self {
            tags: said.labels.campaigns.remove(&row.id).unwrap_or_default(),
            id: row.id,
            target: row.target,
            started_at: row.started_at,
            closed_at: row.closed_at,
            state: state(row.state),
            runs: row.runs,
        }
    }
}
