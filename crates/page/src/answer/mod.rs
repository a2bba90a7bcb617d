//! Answers to requests: functions of what the stores hold and what was asked, and of nothing else.

mod analysis_answer;
mod binary_columns;
mod campaigns;
mod comparison_answer;
mod facets;
mod fleets;
mod heat;
mod hello;
mod history_answer;
mod listing;
mod query_parameters;
mod run_answer;
mod search_query;
mod second;
mod second_columns;
mod series_answer;
pub(crate) mod telemetry_charts;
#[cfg(test)]
pub(crate) mod tests;
mod trends;

use std::sync::Arc;

use fathom_store::{Store, StoreError, StoreErrorKind};
use serde::Serialize;

use crate::deadline::Deadline;
use crate::fleet_table::FleetTable;
use crate::shelf::Shelf;
pub(crate) use query_parameters::QueryParameters;

pub(crate) use listing::RUNS_MAX;
pub(crate) use second_columns::{IntervalRange, Seconds};
pub(crate) use trends::{LEAST, metric};

/// Largest answer.
const BYTES_MAX: usize = 32 << 20;

/// An answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// A JSON document.
    Json(Vec<u8>),
    /// A JSON header and columns of numbers behind it.
    Columns(Vec<u8>),
}

/// Why there is no answer, as every document of fathom says it. Its own type: it is that document, with HTTP's status.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Refusal {
    /// HTTP's status.
    #[serde(skip)]
    pub(crate) status: u16,
    format: &'static str,
    version: u32,
    kind: &'static str,
    place: String,
    cause: String,
    remedy: String,
}

impl Refusal {
    pub(crate) fn new(status: u16, kind: &'static str, cause: impl Into<String>) -> Self {
        let (place, remedy) = (String::new(), String::new());
        Self { status, format: "fathom.error", version: 1, kind, place, cause: cause.into(), remedy }
    }

    /// The same with where it was.
    pub(crate) fn at(self, place: impl Into<String>) -> Self {
        Self { place: place.into(), ..self }
    }

    /// The same with what to do.
    pub(crate) fn with_remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: remedy.into(), ..self }
    }

    /// Something that was asked and makes no sense.
    pub(crate) fn usage(place: &str, cause: impl Into<String>) -> Self {
        Self { place: place.to_owned(), ..Self::new(400, "usage", cause) }
    }

    pub(crate) fn no_such(what: impl Into<String>) -> Self {
        Self::new(404, "not_found", what)
    }

    /// The same as a document.
    pub(crate) fn document(&self) -> Vec<u8> {
        fathom_json::bytes(self).unwrap_or_default()
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        if error.kind == StoreErrorKind::Interrupted {
            let cause = format!("reading took longer than {} s", Deadline::QUERY_TIME.as_secs());
            let remedy = "ask for less: a narrower search, a shorter stretch, fewer runs";
            return Self::new(503, "too_long", cause).at(error.place).with_remedy(remedy);
        }
        let (status, kind) = match error.kind {
            // The page shows how to begin in place of a failure.
            StoreErrorKind::NoStore => (404, "no_store"),
            StoreErrorKind::NotFound => (404, "not_found"),
            StoreErrorKind::Ambiguous => (400, "usage"),
            StoreErrorKind::Stale => (409, "stale"),
            StoreErrorKind::Locked => (503, "store"),
            _ => (500, "store"),
        };
        Self { place: error.place, remedy: error.remedy, ..Self::new(status, kind, error.cause) }
    }
}

impl From<fathom_tools::Refusal> for Refusal {
    fn from(refusal: fathom_tools::Refusal) -> Self {
        let place = refusal.full_place();
        Self { place, remedy: refusal.remedy, ..Self::new(422, "foreign", refusal.cause) }
    }
}

/// What is asked of runs by a path below `/api`, e.g. `runs/ID/heat`, and a query behind `?`.
///
/// # Errors
/// When nothing is there, the query makes no sense, or the store cannot be read.
pub(crate) fn answer(shelf: &mut Shelf, path: &str, query: &str) -> Result<Answer, Refusal> {
    let mut parameters = QueryParameters::of(query)?;
    let parts: Vec<&str> = path.split('/').collect();
    let given = match parts.as_slice() {
        ["hello"] => hello::answer(shelf, parameters),
        ["facets"] => facets::answer(shelf, parameters),
        ["runs"] => listing::answer(store(shelf, &mut parameters)?, parameters),
        ["runs", id] => run_answer::answer(store(shelf, &mut parameters)?, id, parameters),
        ["runs", id, "analysis"] => analysis_answer::answer(shelf, id, parameters),
        ["runs", id, "heat"] => heat::answer(shelf, id, parameters),
        ["runs", id, "series"] => series_answer::answer(shelf, id, parameters),
        ["runs", id, "second", number] => {
            second::answer(store(shelf, &mut parameters)?, id, number, parameters)
        }
        ["runs", id, "said"] => history_answer::answer(store(shelf, &mut parameters)?, id, parameters),
        ["campaigns"] => campaigns::list(store(shelf, &mut parameters)?, parameters),
        ["campaigns", id] => campaigns::answer(store(shelf, &mut parameters)?, id, parameters),
        ["marks"] => history_answer::marks(store(shelf, &mut parameters)?, parameters),
        ["fleets", number] => fleets::summary(fleet(shelf, number)?, parameters),
        ["fleets", number, "rows"] => fleets::rows(fleet(shelf, number)?, parameters),
        ["fleets", number, "volumes", at] => fleets::volume(fleet(shelf, number)?, at, parameters),
        ["trend"] => trends::answer(store(shelf, &mut parameters)?, parameters),
        ["compare"] => comparison_answer::answer(store(shelf, &mut parameters)?, parameters),
        _ => Err(Refusal::no_such("nothing is served at that path")),
    }?;
    let (Answer::Json(bytes) | Answer::Columns(bytes)) = &given;
    if bytes.len() > BYTES_MAX {
        return Err(Refusal::new(413, "too_large", "the answer is larger than 32 MiB: ask for less"));
    }
    Ok(given)
}

/// The number of the store that is asked: 0 where nothing says another.
fn store_number(parameters: &mut QueryParameters) -> Result<usize, Refusal> {
    Ok(parameters.number("store", 0..=u64::from(u16::MAX))?.unwrap_or(0) as usize)
}

/// The store that is asked.
fn store<'a>(shelf: &'a mut Shelf, parameters: &mut QueryParameters) -> Result<&'a Store, Refusal> {
    numbered(shelf, store_number(parameters)?)
}

/// The store of that number.
fn numbered(shelf: &mut Shelf, number: usize) -> Result<&Store, Refusal> {
    Ok(shelf.store(number).ok_or_else(|| unserved(number))??)
}

/// The seconds of a run in the store of that number.
fn seconds(shelf: &mut Shelf, number: usize, id: &str, cut: IntervalRange) -> Result<Arc<Seconds>, Refusal> {
    shelf.seconds(number, id, cut).ok_or_else(|| unserved(number))?
}

fn unserved(number: usize) -> Refusal {
    Refusal::no_such(format!("no store {number} is served"))
}

/// The fleet of that number.
fn fleet<'a>(shelf: &'a mut Shelf, number: &str) -> Result<&'a FleetTable, Refusal> {
    let unknown = || Refusal::no_such(format!("no fleet {number} is served"));
    let at = number.parse().map_err(|_| unknown())?;
    shelf.fleet(at).ok_or_else(unknown)?
}

/// A document as an answer.
pub(crate) fn json(document: &impl Serialize) -> Result<Answer, Refusal> {
    let bytes = fathom_json::bytes(document);
    bytes.map(Answer::Json).map_err(|error| Refusal::new(500, "system", error.to_string()))
}
