//! `compare`: what is said of some runs or a campaign beside others, by the same code and in the same words as
//! `fathom compare` of finished measurements. Nothing is saved.

use fathom_campaign::{StoredSide, compare_sides, stored_plan};
use fathom_record::campaign::{CompareRecord, ComparedPair, ComparedWorkload};
use fathom_record::comparison::{Decision, MetricComparison};
use fathom_report::compare_text;
use fathom_store::{RunFilter, Store, StoredId};
use serde::Serialize;

use super::campaigns::TableText;
use super::query_parameters::QueryParameters;
use super::{Answer, Refusal, json};

/// Names of a side at most.
const NAMES_MAX: usize = 32;

/// What is said of B beside A.
#[derive(Serialize)]
pub(super) struct Comparison {
    format: &'static str,
    version: u32,
    /// A and B in words.
    sides: [String; 2],
    /// What has to be known before the numbers.
    failures: Vec<String>,
    legend: String,
    workloads: Vec<Workload>,
    notes: Vec<String>,
    /// What to type for the same in a terminal; absent where a side is several runs, and of a campaign, which has a
    /// command of its own.
    command: Option<String>,
}

#[derive(Serialize)]
struct Workload {
    title: String,
    decision: Decision,
    sentence: String,
    /// The metrics as they are written.
    table: TableText,
    /// The same as numbers.
    metrics: Vec<MetricComparison>,
    conditions: Vec<String>,
    /// Runs that were made in pairs; none of finished measurements.
    pairs: Vec<ComparedPair>,
}

pub(super) fn answer(store: &Store, mut parameters: QueryParameters) -> Result<Answer, Refusal> {
    let (a, b) = (named(&mut parameters, "a")?, named(&mut parameters, "b")?);
    parameters.end()?;
    let command = match (a.as_slice(), b.as_slice()) {
        ([a], [b]) => Some(format!("fathom compare {a} {b}")),
        _ => None,
    };
    let (a, b) = (side(store, "a", &a)?, side(store, "b", &b)?);
    let refused =
        |error: fathom_campaign::PlanError| Refusal::usage("compare", error.cause).with_remedy(error.remedy);
    let plan = stored_plan(&a.id, &b.id).map_err(refused)?;
    let record = compare_sides(&plan, &a, &b).map_err(refused)?;
    json(&Comparison::of(&record, command))
}

impl Comparison {
    /// The same of a record; `command` shows it in a terminal.
    pub(super) fn of(record: &CompareRecord, command: Option<String>) -> Self {
        Self {
            format: "fathom.page.comparison",
            version: 1,
            sides: compare_text::sides(record),
            failures: compare_text::failures(record),
            legend: compare_text::legend(record),
            workloads: record.workloads.iter().map(Workload::of).collect(),
            notes: record.notes.clone(),
            command,
        }
    }
}

/// The ids of a side, in the order in which they were given.
fn named(parameters: &mut QueryParameters, side: &str) -> Result<Vec<String>, Refusal> {
    let text = parameters.text(side)?.unwrap_or_default();
    let names: Vec<String> = text.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    match names.len() {
        0 => Err(Refusal::usage(side, "required: ids of runs with commas between, or the id of a campaign")),
        1..=NAMES_MAX => Ok(names),
        _ => Err(Refusal::usage(side, format!("a side has {NAMES_MAX} runs at most"))),
    }
}

fn side(store: &Store, place: &str, names: &[String]) -> Result<StoredSide, Refusal> {
    let mut runs = Vec::new();
    let id = names.join(", ");
    for name in names {
        match store.resolve(name)? {
            StoredId::Run(id) => runs.push(store.run_without_series(&id)?),
            StoredId::Campaign(id) if names.len() == 1 => return campaign(store, place, id),
            StoredId::Campaign(_) => {
                return Err(Refusal::usage(place, "a campaign is a side by itself: name it alone"));
            }
        }
    }
    Ok(StoredSide { id, kind: "run", runs })
}

fn campaign(store: &Store, place: &str, id: String) -> Result<StoredSide, Refusal> {
    let kind = StoredSide::kind_of(&store.campaign(&id)?)
        .ok_or_else(|| Refusal::usage(place, format!("{id} is a comparison, which has two sides itself")))?;
    let filter = RunFilter { campaign: Some(id.clone()), ..RunFilter::default() };
    let rows = store.runs(&filter)?;
    let runs = rows.iter().rev().map(|row| store.run_without_series(&row.id)).collect::<Result<_, _>>()?;
    Ok(StoredSide { id, kind, runs })
}

impl Workload {
    fn of(workload: &ComparedWorkload) -> Self {
        Self {
            title: workload.title.clone(),
            decision: workload.decision(),
            sentence: compare_text::sentence(workload),
            table: TableText::of(compare_text::metrics(workload)),
            metrics: workload.metrics.iter().map(|metric| metric.comparison.clone()).collect(),
            conditions: compare_text::conditions(workload),
            pairs: workload.pairs.clone(),
        }
    }
}
