//! `runs/ID`: the record of a run as `fathom show --json` has it, without its series.

use fathom_store::Store;

use super::asked::Asked;
use super::{Answer, Refusal, json};

pub(super) fn answer(store: &Store, id: &str, asked: Asked) -> Result<Answer, Refusal> {
    asked.end()?;
    json(&store.run_without_series(id)?)
}
