//! `campaigns` and `campaigns/ID`: all of them, and one with what it concluded and the runs behind each of its points.

use fathom_plan::campaign_line;
use fathom_record::CampaignRecord;
use fathom_record::campaign::{AssessRecord, CellResult, PatternResult, SweepAxis, SweepCell, SweepRecord};
use fathom_report::terminal::{self, Style};
use fathom_report::{assess_text, sweep_text, table::Table};
use fathom_store::{CampaignRow, CampaignState, Store, StoreErrorKind, StoredId};
use serde::Serialize;

use super::comparison_answer::Comparison;
use super::history_answer::{self, NoteItem as Note};
use super::query_parameters::QueryParameters;
use super::{Answer, Refusal, json};

/// Most campaigns of the list, the newest.
const CAMPAIGNS_MAX: usize = 2000;

#[derive(Serialize)]
struct List {
    format: &'static str,
    version: u32,
    total: usize,
    campaigns: Vec<CampaignItem>,
}

#[derive(Serialize)]
struct CampaignItem {
    id: String,
    target: String,
    started_at: String,
    closed_at: Option<String>,
    state: &'static str,
    runs: u64,
    tags: Vec<String>,
}

/// A table as it is written.
#[derive(Serialize)]
pub(super) struct TableText {
    headings: Vec<&'static str>,
    is_number: Vec<bool>,
    rows: Vec<Vec<String>>,
}

#[derive(Serialize)]
struct CampaignAnswer {
    format: &'static str,
    version: u32,
    #[serde(flatten)]
    row: CampaignItem,
    /// What it is, e.g. `assessment`; absent while nothing of it is saved.
    kind: Option<&'static str>,
    /// What a change of what is said of it names.
    seq: i64,
    notes: Vec<Note>,
    /// What to type to make it again; absent where its record does not hold all of it.
    command: Option<String>,
    /// What was concluded, where it is an assessment.
    assessment: Option<Assessment>,
    /// Where it is a sweep.
    sweep: Option<Sweep>,
    /// Where it is a comparison.
    comparison: Option<Comparison>,
    /// What the terminal says of another kind.
    text: Option<String>,
}

#[derive(Serialize)]
struct Assessment {
    failures: Vec<String>,
    patterns: Vec<Pattern>,
    points: TableText,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Pattern {
    title: String,
    reached: String,
    limited_by: String,
    cells: Vec<Cell>,
}

/// A grid of plans.
#[derive(Serialize)]
struct Sweep {
    failures: Vec<String>,
    /// The best of it, as sentences.
    extremes: Vec<String>,
    axes: Vec<SweepAxis>,
    places: Vec<SweepPlace>,
    notes: Vec<String>,
}

/// One place of it.
#[derive(Serialize)]
struct SweepPlace {
    /// Index of its value on each axis.
    place: Vec<usize>,
    cell: Option<Cell>,
    /// Why there is none.
    missing: Option<String>,
}

/// Jobs and depth, and what was measured there.
#[derive(Serialize)]
struct Cell {
    jobs: u32,
    depth: u32,
    runs: Vec<String>,
    operations_per_s: f64,
    interval_share: Option<f64>,
    service_p50_ns: u64,
    service_p99_ns: Option<u64>,
    failed: bool,
    /// Which operating points it is, e.g. `peak`.
    points: Vec<&'static str>,
}

impl TableText {
    pub(super) fn of(table: Table) -> Self {
        Self {
            headings: table.columns.iter().map(|column| column.name).collect(),
            is_number: table.columns.iter().map(|column| column.number).collect(),
            rows: table.rows,
        }
    }
}

pub(super) fn list(store: &Store, parameters: QueryParameters) -> Result<Answer, Refusal> {
    parameters.end()?;
    let (rows, mut labels) = (store.campaigns()?, store.labels()?);
    let total = rows.len();
    let listed = rows.into_iter().take(CAMPAIGNS_MAX).map(|row| {
        let tags = labels.campaigns.remove(&row.id).unwrap_or_default();
        CampaignItem::of(row, tags)
    });
    json(&List { format: "fathom.page.campaigns", version: 1, total, campaigns: listed.collect() })
}

pub(super) fn answer(store: &Store, id: &str, parameters: QueryParameters) -> Result<Answer, Refusal> {
    parameters.end()?;
    let seq = store.said_sequence()?;
    let row = store.campaigns()?.into_iter().find(|row| row.id == id);
    let row = row.ok_or_else(|| Refusal::no_such(format!("no campaign {id}")))?;
    let record = match store.campaign(id) {
        Ok(record) => Some(record),
        // It began, and nothing of it is saved yet.
        Err(error) if error.kind == StoreErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    let (mut assessment, mut sweep, mut comparison) = (None, None, None);
    match &record {
        Some(CampaignRecord::Assess(record)) => assessment = Some(Assessment::of(record)),
        Some(CampaignRecord::Sweep(record)) => sweep = Some(Sweep::of(record)),
        Some(CampaignRecord::Compare(record)) => comparison = Some(Comparison::of(record, None)),
        _ => {}
    }
    let style = Style { width: 110, ..Style::default() };
    let is_drawn = assessment.is_some() || sweep.is_some() || comparison.is_some();
    let text = record.as_ref().filter(|_| !is_drawn).map(|record| terminal::campaign(record, style));
    let tags = store.labels()?.campaigns.remove(id).unwrap_or_default();
    json(&CampaignAnswer {
        format: "fathom.page.campaign",
        version: 2,
        row: CampaignItem::of(row, tags),
        kind: record.as_ref().map(kind),
        seq,
        notes: history_answer::notes(store, &StoredId::Campaign(id.to_owned()))?,
        command: record.as_ref().and_then(campaign_line),
        assessment,
        sweep,
        comparison,
        text,
    })
}

fn kind(record: &CampaignRecord) -> &'static str {
    fathom_campaign::StoredSide::kind_of(record).unwrap_or("comparison")
}

impl CampaignItem {
    fn of(row: CampaignRow, tags: Vec<String>) -> Self {
        Self {
            state: match row.state {
                CampaignState::Unfinished => "unfinished",
                CampaignState::Finished => "finished",
                CampaignState::GivenUp => "given up",
            },
            id: row.id,
            target: row.target,
            started_at: row.started_at,
            closed_at: row.closed_at,
            runs: row.runs,
            tags,
        }
    }
}

impl Assessment {
    fn of(record: &AssessRecord) -> Self {
        Self {
            failures: assess_text::failures(record),
            patterns: record.patterns.iter().map(Pattern::of).collect(),
            points: TableText::of(assess_text::points(record)),
            notes: record.notes.clone(),
        }
    }
}

impl Sweep {
    fn of(record: &SweepRecord) -> Self {
        let place = |cell: &SweepCell| SweepPlace {
            place: cell.place.clone(),
            cell: cell.result.as_ref().map(|result| Cell::of(result, Vec::new())),
            missing: cell.missing.clone(),
        };
        Self {
            failures: sweep_text::failures(record),
            extremes: sweep_text::extremes(record),
            axes: record.plan.axes.clone(),
            places: record.cells.iter().map(place).collect(),
            notes: record.notes.clone(),
        }
    }
}

impl Pattern {
    fn of(pattern: &PatternResult) -> Self {
        let cells = pattern.cells.iter().enumerate();
        Self {
            title: pattern.title.clone(),
            reached: assess_text::reached(pattern),
            limited_by: assess_text::limited_by(pattern),
            cells: cells.map(|(at, cell)| Cell::of(cell, points_at(pattern, at))).collect(),
        }
    }
}

fn points_at(pattern: &PatternResult, at: usize) -> Vec<&'static str> {
    let chosen = pattern.operating_points.iter().filter(|point| point.cell == at);
    chosen.map(|point| point.kind.name()).collect()
}

impl Cell {
    fn of(cell: &CellResult, points: Vec<&'static str>) -> Self {
        Self {
            jobs: cell.jobs,
            depth: cell.depth,
            runs: cell.runs.clone(),
            operations_per_s: cell.operations_per_s,
            interval_share: cell.interval_share,
            service_p50_ns: cell.service_p50_ns,
            service_p99_ns: cell.service_p99_ns,
            failed: !cell.failed_checks.is_empty(),
            points,
        }
    }
}
