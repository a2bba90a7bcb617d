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
mod checked_json;
mod create;
mod error;
mod history;
mod id_lookup;
mod location;
mod private_files;
mod query;
mod saved_campaigns;
mod saved_runs;
mod schema_migrations;
mod store_file;

pub use error::{StoreError, StoreErrorKind};
pub use history::{
    Baseline, Deletion, DeletionChoice, DeletionResult, Finding, FindingKey, KeptItem, Labels, Mark,
    MarkText, Note, WORD_CHARACTERS_MAX, check_note, check_title, check_word,
};
pub use id_lookup::StoredId;
pub use location::default_path;
pub use saved_campaigns::{
    Campaign, CampaignDevice, CampaignRow, CampaignState, FinishedStep, JournalEntry, NewCampaign, StepState,
};
pub use saved_runs::{
    ImportRow, Relation, RunCondition, RunFacets, RunFilter, RunNumber, RunPage, RunPlace, RunRow, RunText,
    Surroundings, pattern_text,
};
pub use store_file::{Store, raw_folder};
