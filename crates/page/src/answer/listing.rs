//! `runs`: the runs that a search finds, as columns whose words stand in dictionaries.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fathom_store::{Labels, Note, RunPlace, RunRow, Store};
use serde::Serialize;

use super::query_parameters::QueryParameters;
use super::{Answer, Refusal, json, search_query};

/// Most runs of one answer.
pub(crate) const RUNS_MAX: u32 = 10_000;
/// Runs where nothing says how many.
const RUNS: u64 = 200;

#[derive(Serialize)]
struct Listing {
    format: &'static str,
    version: u32,
    /// Runs that the search finds in the whole store.
    total: u64,
    /// What `after` is for the runs behind these; absent at the end.
    next: Option<String>,
    /// Each column of words: its words, once each.
    words: BTreeMap<&'static str, Vec<String>>,
    columns: Columns,
}

/// A value a run, newest first. Words are places in their dictionary.
#[derive(Default, Serialize)]
struct Columns {
    id: Vec<String>,
    started_at: Vec<String>,
    target: Vec<u32>,
    device: Vec<Option<u32>>,
    pattern: Vec<u32>,
    tool: Vec<u32>,
    ending: Vec<u32>,
    campaign: Vec<Option<u32>>,
    jobs: Vec<u32>,
    depth: Vec<u32>,
    operations_per_s: Vec<Option<f64>>,
    throughput_bytes_per_s: Vec<Option<f64>>,
    p50_ns: Vec<Option<u64>>,
    p99_ns: Vec<Option<u64>>,
    /// Which latency these percentiles are of.
    latency: Vec<Option<u32>>,
    valid: Vec<bool>,
    /// Words that people put on it.
    tags: Vec<Vec<u32>>,
    /// Notes that people wrote about it.
    notes: Vec<u32>,
    /// Whether it is the baseline of its workload on its target.
    baseline: Vec<bool>,
}

/// What people say of runs, by their ids.
struct PeopleNotes {
    labels: Labels,
    notes: BTreeMap<String, Vec<Note>>,
    baselines: BTreeSet<String>,
}

impl PeopleNotes {
    fn read(store: &Store) -> Result<Self, Refusal> {
        let baselines = store.baselines()?.into_iter().map(|baseline| baseline.run).collect();
        Ok(Self { labels: store.labels()?, notes: store.notes_of_runs()?, baselines })
    }
}

/// Words of a column, each once.
#[derive(Default)]
struct Dictionary {
    words: Vec<String>,
    places: HashMap<String, u32>,
}

impl Dictionary {
    fn place(&mut self, word: &str) -> u32 {
        if let Some(place) = self.places.get(word) {
            return *place;
        }
        let place = self.words.len() as u32;
        self.words.push(word.to_owned());
        self.places.insert(word.to_owned(), place);
        place
    }
}

/// The dictionaries, in the order of [`NAMES`].
type Dictionaries = [Dictionary; 8];
const NAMES: [&str; 8] = ["target", "device", "pattern", "tool", "ending", "campaign", "latency", "tags"];

pub(super) fn answer(store: &Store, mut parameters: QueryParameters) -> Result<Answer, Refusal> {
    let conditions = search_query::conditions(&parameters.text("q")?.unwrap_or_default())?;
    let limit = parameters.number("limit", 1..=u64::from(RUNS_MAX))?.unwrap_or(RUNS) as u32;
    let after = parameters.text("after")?.map(|text| place(&text)).transpose()?;
    parameters.end()?;
    let page = store.search_runs(&conditions, after.as_ref(), limit)?;
    let (mut dictionaries, mut columns) = (Dictionaries::default(), Columns::default());
    let said = PeopleNotes::read(store)?;
    page.rows.iter().for_each(|row| columns.push(row, &said, &mut dictionaries));
    json(&Listing {
        format: "fathom.page.runs",
        version: 1,
        total: page.total,
        next: page.next.map(|RunPlace { started_at, id }| format!("{started_at}/{id}")),
        words: NAMES.into_iter().zip(dictionaries.map(|dictionary| dictionary.words)).collect(),
        columns,
    })
}

fn place(text: &str) -> Result<RunPlace, Refusal> {
    let refuse = || Refusal::usage("after", "it is not what `next` of an answer says");
    let (started_at, id) = text.split_once('/').ok_or_else(refuse)?;
    Ok(RunPlace { started_at: started_at.to_owned(), id: id.to_owned() })
}

impl Columns {
    fn push(&mut self, row: &RunRow, said: &PeopleNotes, dictionaries: &mut Dictionaries) {
        let [target, device, pattern, tool, ending, campaign, latency, tags] = dictionaries;
        self.id.push(row.id.clone());
        self.started_at.push(row.started_at.clone());
        self.target.push(target.place(&row.target));
        self.device.push(row.device.as_ref().map(|word| device.place(word)));
        self.pattern.push(pattern.place(&row.pattern));
        self.tool.push(tool.place(&row.tool));
        self.ending.push(ending.place(&row.ending));
        self.campaign.push(row.campaign.as_ref().map(|word| campaign.place(word)));
        self.jobs.push(row.jobs);
        self.depth.push(row.depth);
        self.operations_per_s.push(known(row, row.operations_per_s));
        self.throughput_bytes_per_s.push(known(row, row.throughput_bytes_per_s));
        let kinds = [
            ("response", row.response_p50_ns, row.response_p99_ns),
            ("service", row.service_p50_ns, row.service_p99_ns),
            ("completion", row.completion_p50_ns, row.completion_p99_ns),
        ];
        let kind = kinds.into_iter().find(|(_, p50, p99)| p50.is_some() || p99.is_some());
        self.p50_ns.push(kind.and_then(|(_, p50, _)| p50));
        self.p99_ns.push(kind.and_then(|(_, _, p99)| p99));
        self.latency.push(kind.map(|(name, ..)| latency.place(name)));
        self.valid.push(row.valid);
        let words = said.labels.runs.get(&row.id).into_iter().flatten();
        self.tags.push(words.map(|word| tags.place(word)).collect());
        self.notes.push(said.notes.get(&row.id).map_or(0, |notes| notes.len() as u32));
        self.baseline.push(said.baselines.contains(&row.id));
    }
}

/// A rate, where the run has any I/O.
fn known(row: &RunRow, rate: f64) -> Option<f64> {
    Some(rate).filter(|rate| row.has_io && rate.is_finite())
}
