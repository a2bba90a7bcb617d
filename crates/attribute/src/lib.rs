//! Pure attribution: from measured cells, known limits and answers of experiments to a verdict that says what
//! binds, how probably, and which experiment would tell more.
//!
//! A pattern's cells and telemetry become symptoms, each a figure on a stated scale with a sentence
//! ([`symptoms`]). The evidence table (`evidence.toml`) says what each cause shows of each symptom and what each
//! experiment does to it ([`evidence`]). Heavy-tailed densities, a temperature and an unlisted cause give the
//! posterior ([`posterior`]); failed checks and short runs only ever take confidence away ([`restraint`]); the
//! next experiment is the one with the highest expected fall of entropy for its time ([`choice`]).
//!
//! Source of the scheme and of its measured error rates: docs/attribution.md.

mod ceilings;
pub mod choice;
mod disputed;
pub mod evidence;
pub mod experiments;
mod input;
mod nearness;
pub mod posterior;
pub mod printed;
pub mod restraint;
mod shape;
pub mod symptoms;
mod thresholds;
mod verdict;

pub use ceilings::{Bound, Kind as BoundKind, in_words as ceiling_in_words, limit_of};
pub use experiments::{Before, Manner, Trial, Way, Where};
pub use input::{
    Answer, CellTelemetry, Connections, ExperimentResources, InferredAnswer, Pattern, TargetCores,
};
pub use nearness::{Nearness, ReachedBound};
pub use verdict::{Conclusion, Subject, attribute, conclude};
