//! `runs/ID`: the record of a run as `fathom show --json` has it, without its series, and with the command that older
//! records do not keep.

use fathom_plan::run_line;
use fathom_store::Store;

use super::query_parameters::QueryParameters;
use super::{Answer, Refusal, json};

pub(super) fn answer(store: &Store, id: &str, parameters: QueryParameters) -> Result<Answer, Refusal> {
    parameters.end()?;
    let mut record = store.run_without_series(id)?;
    record.command = run_line(&record).ok();
    json(&record)
}
