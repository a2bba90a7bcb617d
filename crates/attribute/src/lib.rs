//! Pure attribution: from measured cells, known limits and answers of experiments to a verdict that says what
//! binds, how probably, and which experiment would tell more.
//!
//! A pattern's cells and telemetry become symptoms, each a figure on a stated scale with a sentence
//! ([`symptoms`]). The evidence table (`evidence.toml`) says what each cause shows of each symptom and what each
//! experiment does to it ([`evidence`]). Heavy-tailed densities, a temperature and an unlisted cause give the
//! posterior ([`posterior`]); failed checks and short runs only ever take confidence away ([`restraint`]); the
//! next experiment is the one with the highest expected fall of entropy for its time ([`experiment_choice`]).
//!
//! Source of the scheme and of its measured error rates: docs/attribution.md.

mod curve_shape;
pub mod evidence;
pub mod experiment_choice;
pub mod experiments;
mod input;
mod limit_conflicts;
mod nearness;
pub mod posterior;
pub mod printed;
mod ranked_claims;
mod rate_bounds;
pub mod restraint;
pub mod symptoms;
mod thresholds;

pub use experiments::{ExperimentConditions, ExperimentTrial, TargetHandling, TrialPreparation, TrialTarget};
pub use input::{
    CellTelemetry, Connections, ExperimentAnswer, ExperimentResources, InferredAnswer, MeasuredPattern,
    TargetCores,
};
pub use nearness::{Nearness, ReachedBound};
pub use ranked_claims::{Conclusion, VerdictWording, attribute, conclude};
pub use rate_bounds::{Bound, Kind as BoundKind, in_words as ceiling_in_words, limit_of};
