//! `runs/ID/said`: what people say of a run, and the baseline that it is held against; `marks`: what they say happened.

use fathom_store::{Mark, MarkText, Note, Store, StoredId};
use serde::Serialize;

use super::query_parameters::QueryParameters;
use super::{Answer, Refusal, json};

#[derive(Serialize)]
struct RunHistory {
    format: &'static str,
    version: u32,
    /// What a change of it names, so that nobody changes what he has not seen.
    seq: i64,
    tags: Vec<String>,
    notes: Vec<NoteItem>,
    /// The baseline of its workload on its target; itself where it is that.
    baseline: Option<String>,
}

/// A note.
#[derive(Serialize)]
pub(super) struct NoteItem {
    number: i64,
    text: String,
    author: Option<String>,
    at: String,
}

#[derive(Serialize)]
struct Marks {
    format: &'static str,
    version: u32,
    seq: i64,
    marks: Vec<MarkFacts>,
}

#[derive(Serialize)]
struct MarkFacts {
    number: i64,
    from_at: String,
    until_at: Option<String>,
    title: String,
    target: Option<String>,
    source: Option<String>,
}

/// The notes about a run or a campaign, oldest first.
pub(super) fn notes(store: &Store, about: &StoredId) -> Result<Vec<NoteItem>, Refusal> {
    let written =
        |note: Note| NoteItem { number: note.number, text: note.text, author: note.author, at: note.at };
    Ok(store.notes(about)?.into_iter().map(written).collect())
}

pub(super) fn marks(store: &Store, mut parameters: QueryParameters) -> Result<Answer, Refusal> {
    let target = parameters.text("target")?;
    parameters.end()?;
    let seq = store.said_sequence()?;
    let facts = |Mark { number, text, .. }| {
        let MarkText { from_at, until_at, title, target, source } = text;
        MarkFacts { number, from_at, until_at, title, target, source }
    };
    let marks = store.marks(target.as_deref())?.into_iter().map(facts).collect();
    json(&Marks { format: "fathom.page.marks", version: 1, seq, marks })
}

pub(super) fn answer(store: &Store, id: &str, parameters: QueryParameters) -> Result<Answer, Refusal> {
    parameters.end()?;
    let row = store.run_row(id)?;
    let seq = store.said_sequence()?;
    let is_of = |baseline: &fathom_store::Baseline| {
        (&baseline.target, &baseline.pattern, baseline.jobs, baseline.depth, &baseline.tool)
            == (&row.target, &row.pattern, row.jobs, row.depth, &row.tool)
    };
    json(&RunHistory {
        format: "fathom.page.said",
        version: 1,
        seq,
        tags: store.labels()?.runs.remove(id).unwrap_or_default(),
        notes: notes(store, &StoredId::Run(id.to_owned()))?,
        baseline: store.baselines()?.into_iter().find(is_of).map(|baseline| baseline.run),
    })
}
