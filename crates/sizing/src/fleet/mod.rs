//! A fleet's volumes, one by one: how each one's requirement grew, and what to buy for it at what risk.
//!
//! Each is a pure function of one volume's demand, so that a fleet of any size is judged volume by volume,
//! in any order and on any machine.

mod class;
mod growth;
mod headroom;
mod history;
mod row;
mod sample;
mod verdict;

pub use class::Class;
pub use growth::{HISTORY_OF_THREE, growth, horizon_s};
pub use headroom::{headroom, risk_of};
pub use history::{Growth, History};
pub use row::{row, unjudged};
pub use sample::{Sample, SampleSize, hash, is_sampled};
pub use verdict::{Outcome, SizingPolicy, Standing, Verdict, Volume, verdict};
