//! What people say of what was measured: words and notes on it, marks in time, baselines, and changes that were
//! looked at; and the removal of what is to be kept no longer.

mod acknowledged_change;
mod baseline_run;
mod deletion;
mod label;
mod run_note;
pub(crate) mod sequence;
mod time_mark;

pub use acknowledged_change::{Finding, FindingKey};
pub use baseline_run::Baseline;
pub use deletion::{Deletion, DeletionChoice, DeletionResult, KeptItem};
pub use label::{Labels, WORD_CHARACTERS_MAX, check_word};
pub use run_note::{Note, check_note};
pub use time_mark::{Mark, MarkText, check_title};

use crate::id_lookup::StoredId;

impl StoredId {
    /// The id.
    pub fn id(&self) -> &str {
        match self {
            Self::Run(id) | Self::Campaign(id) => id,
        }
    }

    /// What has it, as the tables say it.
    fn kind(&self) -> &'static str {
        match self {
            Self::Run(_) => "run",
            Self::Campaign(_) => "campaign",
        }
    }
}
