//! `hello`: who answers, and what there is to ask.

use serde::Serialize;

use super::query_parameters::QueryParameters;
use super::{Answer, Refusal, json};
use crate::shelf::Shelf;

#[derive(Serialize)]
struct Hello {
    format: &'static str,
    version: u32,
    fathom: &'static str,
    stores: Vec<StoreFacts>,
    /// Rows of fleets, by number.
    fleets: Vec<StoreFacts>,
    /// Whether what people say may be changed.
    edit: bool,
    runs_max: u32,
    width_max: u64,
}

#[derive(Serialize)]
struct StoreFacts {
    number: usize,
    /// The file's name without folders, which are nobody else's business.
    name: String,
}

pub(super) fn answer(shelf: &Shelf, parameters: QueryParameters) -> Result<Answer, Refusal> {
    parameters.end()?;
    let name = |path: &std::path::Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let facts = |(number, path)| StoreFacts { number, name: name(path) };
    json(&Hello {
        format: "fathom.page.hello",
        version: 1,
        fathom: env!("CARGO_PKG_VERSION"),
        stores: shelf.paths().enumerate().map(facts).collect(),
        fleets: shelf.fleet_paths().enumerate().map(facts).collect(),
        edit: shelf.is_editable(),
        runs_max: super::listing::RUNS_MAX,
        width_max: super::second_columns::WIDTH_MAX,
    })
}
