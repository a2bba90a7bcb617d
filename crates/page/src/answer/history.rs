//! `runs/ID/said`: what people say of a run, and the baseline that it is held against.

use fathom_store::{Resolved, Store};
use serde::Serialize;

use super::asked::Asked;
use super::{Answer, Refusal, json};

#[derive(Serialize)]
struct Said {
    format: &'static str,
    version: u32,
    tags: Vec<String>,
    notes: Vec<Written>,
    /// The baseline of its workload on its target; itself where it is that.
    baseline: Option<String>,
}

#[derive(Serialize)]
struct Written {
    text: String,
    author: Option<String>,
    at: String,
}

pub(super) fn answer(store: &Store, id: &str, asked: Asked) -> Result<Answer, Refusal> {
    asked.end()?;
    let row = store.run_row(id)?;
    let notes = store.notes(&Resolved::Run(id.to_owned()))?.into_iter();
    let is_of = |baseline: &fathom_store::Baseline| {
        (&baseline.target, &baseline.pattern, baseline.jobs, baseline.depth, &baseline.tool)
            == (&row.target, &row.pattern, row.jobs, row.depth, &row.tool)
    };
    json(&Said {
        format: "fathom.page.said",
        version: 1,
        tags: store.labels()?.runs.remove(id).unwrap_or_default(),
        notes: notes.map(|note| Written { text: note.text, author: note.author, at: note.at }).collect(),
        baseline: store.baselines()?.into_iter().find(is_of).map(|baseline| baseline.run),
    })
}
