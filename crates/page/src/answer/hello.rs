//! `hello`: who answers, and what there is to ask.

use serde::Serialize;

use super::asked::Asked;
use super::{Answer, Refusal, json};
use crate::shelf::Shelf;

#[derive(Serialize)]
struct Hello {
    format: &'static str,
    version: u32,
    fathom: &'static str,
    stores: Vec<StoreFacts>,
    runs_max: u32,
    width_max: u64,
}

#[derive(Serialize)]
struct StoreFacts {
    number: usize,
    /// The file's name without folders, which are nobody else's business.
    name: String,
}

pub(super) fn answer(shelf: &Shelf, asked: Asked) -> Result<Answer, Refusal> {
    asked.end()?;
    let name = |path: &std::path::Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    json(&Hello {
        format: "fathom.page.hello",
        version: 1,
        fathom: env!("CARGO_PKG_VERSION"),
        stores: shelf
            .paths()
            .enumerate()
            .map(|(number, path)| StoreFacts { number, name: name(path) })
            .collect(),
        runs_max: super::listing::RUNS_MAX,
        width_max: super::seconds_of::WIDTH_MAX,
    })
}
