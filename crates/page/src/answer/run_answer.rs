//! `runs/ID`: the record of a run as `fathom show --json` has it, without its series.

use fathom_store::Store;

use super::query_parameters::QueryParameters;
use super::{Answer, Refusal, json};

pub(super) fn answer(store: &Store, id: &str, parameters: QueryParameters) -> Result<Answer, Refusal> {
    parameters.end()?;
    json(&store.run_without_series(id)?)
}
