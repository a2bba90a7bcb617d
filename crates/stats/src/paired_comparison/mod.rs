//! Comparison of two sides: from pairs of runs to ratios with intervals and one of four verdicts.
//!
//! Sides run in pairs, back to back, in random order within each pair, so that drift slower than a pair
//! cancels and periodic disturbance cannot take a side. Everything is decided on `ln(B/A)`, one value a
//! pair: seconds inside a run are not independent, pairs are. Looks at the data are planned and share
//! the error.
//!
//! The next step is a pure function of the pairs so far: a campaign resumes by replaying them.

mod comparability;
mod comparison_progress;
mod control;
mod decision_rules;
mod family;
mod judge;
mod looks;
mod order;
mod power;
mod ratios;
mod shift;
mod unpaired_comparison;

pub use comparability::{
    Conditions, MAX_IN_FLIGHT_DIFFERENCE, in_flight_comparable, latencies_comparable, workloads_comparable,
};
pub use comparison_progress::{CampaignStep, Comparison, ComparisonEnd, Metric, Pair, Progress};
pub use control::{Control, order_effect, pairs_of_one_side};
pub use decision_rules::{Rules, RulesError, RulesErrorKind};
pub use family::{benjamini_hochberg, holm_levels};
pub use order::first_side;
pub use power::{equivalence_pairs, minimum_detectable, pairs_for, power};
pub use ratios::{LogRatios, exchange_p_value};
pub use shift::{QuantilePair, SHIFT_QUANTILES, shift_function};
pub use unpaired_comparison::{ASSUMED_SESSION_DEVIATION, Runs, unpaired};
