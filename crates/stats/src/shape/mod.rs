//! The shape of a latency distribution: cliffs in its tail, and its modes, on 32 bins to a doubling.
//!
//! Nothing is fitted: both look for stretches that are emptier than chance lets them be. On seven smooth
//! families neither raises an alarm.

mod cliff;
mod log_bins;
mod mode;
mod mode_association;

pub use cliff::{MAX_GAP_SHARE, MIN_BEYOND, MIN_GAP_DOUBLINGS, cliffs};
pub use log_bins::{BINS_PER_DOUBLING, LogBins};
pub use mode::{MIN_MASS, MIN_Z, VALLEY_SHARE, modes};
pub use mode_association::{MAX_P, MIN_ASSOCIATION, explain};
