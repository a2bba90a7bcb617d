//! Keeps run records and campaign journals in one SQLite file, crash-safe.
//!
//! ```text
//! environment 1 ──── n run 1 ──── 1 run_header      JSON: all of the record but series and environment
//!                       │  1 ──── n run_series      binary, compressed, checksummed (see `blob`)
//!                       n
//!                    journal n ──── 1 campaign      plan, progress and result as JSON
//!
//! label, note, baseline, mark, finding                what people say of runs, campaigns and trends
//! ```
//!
//! What a method has returned from is on the disk: every change is one transaction, synced before
//! the method returns. A file that is not a sound store of a known version is refused and left as it
//! is. Nothing here reads a clock or makes an id: both come with the records.

mod blob;
mod campaign;
mod checked_json;
mod create;
mod error;
mod history;
mod location;
mod open;
mod platform;
mod query;
mod resolve;
mod run;
mod schema;

pub use campaign::{
    Campaign, CampaignDevice, CampaignRow, CampaignState, FinishedStep, JournalEntry, NewCampaign, StepState,
};
pub use error::{StoreError, StoreErrorKind};
pub use history::{
    Baseline, Deleted, Deletion, DeletionChoice, Finding, FindingKey, KeptItem, Labels, Mark, MarkText, Note,
    WORD_CHARACTERS_MAX, check_note, check_title, check_word,
};
pub use location::default_path;
pub use open::{Store, raw_folder};
pub use resolve::StoredId;
pub use run::{
    ImportRow, Relation, RunCondition, RunFacets, RunFilter, RunNumber, RunPage, RunPlace, RunRow, RunText,
    Surroundings, pattern_text,
};
