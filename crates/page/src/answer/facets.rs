//! `facets`: which values the runs that a search finds have, each with how many runs: of all of them, however many a list
//! shows.

use std::collections::BTreeMap;

use fathom_store::{RunFacets, RunText};
use serde::Serialize;

use super::query_parameters::QueryParameters;
use super::{Answer, Refusal, json, search_query, store};
use crate::shelf::Shelf;

/// Values of a column at most.
const VALUES_MAX: usize = 100;

#[derive(Serialize)]
struct Facets<'a> {
    format: &'static str,
    version: u32,
    total: u64,
    facets: BTreeMap<&'static str, Facet<'a>>,
}

#[derive(Serialize)]
struct Facet<'a> {
    /// How many values there are.
    values: usize,
    /// The most frequent, each with its runs.
    most: &'a [(String, u64)],
}

pub(super) fn answer(shelf: &mut Shelf, mut parameters: QueryParameters) -> Result<Answer, Refusal> {
    let conditions = search_query::conditions(&parameters.text("q")?.unwrap_or_default())?;
    if conditions.is_empty() {
        let number = parameters.number("store", 0..=u64::from(u16::MAX))?.unwrap_or(0);
        parameters.end()?;
        let facets = shelf.facets(number as usize);
        return document(&facets.ok_or_else(|| Refusal::no_such(format!("no store {number} is served")))??);
    }
    let store = store(shelf, &mut parameters)?;
    parameters.end()?;
    document(&store.run_facets(&conditions)?)
}

fn document(found: &RunFacets) -> Result<Answer, Refusal> {
    let name = |column: RunText| match column {
        RunText::Target => Some("target"),
        RunText::Pattern => Some("pattern"),
        RunText::Device => Some("device"),
        RunText::Tool => Some("tool"),
        RunText::Tags => Some("tags"),
        RunText::Kernel => Some("kernel"),
        RunText::Campaign | RunText::Id => None,
    };
    let facets = found.columns.iter().filter_map(|(column, values)| {
        let most = &values[..values.len().min(VALUES_MAX)];
        Some((name(*column)?, Facet { values: values.len(), most }))
    });
    let mut facets: BTreeMap<_, _> = facets.collect();
    let outcomes =
        [("valid".to_owned(), found.valid), ("invalid".to_owned(), found.total.saturating_sub(found.valid))];
    let some: Vec<(String, u64)> = outcomes.into_iter().filter(|(_, runs)| *runs > 0).collect();
    facets.insert("valid", Facet { values: some.len(), most: &some });
    json(&Facets { format: "fathom.page.facets", version: 1, total: found.total, facets })
}
