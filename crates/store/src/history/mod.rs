//! What people say of what was measured: words and notes on it, marks in time, baselines, and changes that were
//! looked at; and the removal of what is to be kept no longer.

mod baseline;
mod delete;
mod finding;
mod label;
mod mark;
mod note;
pub(crate) mod sequence;

pub use baseline::Baseline;
pub use delete::{Deleted, Deletion, DeletionChoice, KeptItem};
pub use finding::{Finding, FindingKey};
pub use label::{Labels, WORD_CHARACTERS_MAX, check_word};
pub use mark::{Mark, MarkText, check_title};
pub use note::{Note, check_note};

use crate::resolve::StoredId;

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
