//! Turns records into what people read: terminal text, HTML, Markdown, and deterministic JSON.
//!
//! Every reader works from [`RunRecord`](fathom_record::RunRecord) and
//! [`CampaignRecord`](fathom_record::CampaignRecord) alone. What a record does not hold is printed as
//! "not measured", never as 0. Text from people or from devices is escaped for its medium.

pub mod assess_text;
pub mod canonical_json;
mod chart;
pub mod compare_text;
mod error;
mod escape;
pub mod html;
mod import_words;
pub mod layout;
mod ledger;
pub mod markdown;
mod merged_histograms;
mod merged_intervals;
mod number;
mod pictures;
mod pictures_of_compare;
mod pictures_of_explain;
mod pictures_of_fleet;
mod pictures_of_profile;
mod pictures_of_repeat;
mod pictures_of_sizing;
mod pictures_of_sweep;
pub mod processor_load;
mod reproduce;
mod sheet;
pub mod sweep_text;
pub mod table;
pub mod terminal;
mod value_words;
mod zoned_moment;

pub use error::{ReportError, ReportErrorKind};
pub use pictures::runs_drawn;
pub use pictures_of_fleet::FleetSpread;
pub use sheet::analysis_sheet::findings as analysis_findings;
pub use zoned_moment::Zone;
