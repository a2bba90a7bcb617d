//! A fleet's volumes, one by one: how each one's requirement grew, and what to buy for it at what risk.
//!
//! Each is a pure function of one volume's demand, so that a fleet of any size is judged volume by volume,
//! in any order and on any machine.

mod class;
mod fleet_sample;
mod growth;
mod growth_history;
mod headroom;
mod sizing_row;
mod volume_verdict;

pub use class::RequirementClass;
pub use fleet_sample::{Sample, SampleSize, hash, is_sampled};
pub use growth::{HISTORY_OF_THREE, growth, horizon_s};
pub use growth_history::{Growth, History};
pub use headroom::{headroom, risk_of};
pub use sizing_row::{row, unjudged};
pub use volume_verdict::{OfferStatus, SizingOutcome, SizingPolicy, VolumeFacts, VolumeVerdict, verdict};
