//! Symptoms: what a pattern's cells and telemetry show, as figures on the evidence table's scales, each with
//! the sentence that a reader gets.

mod answers;
mod blocks;
mod bound_proximity;
mod connections;
mod curve;
mod jobs;
mod processor_symptoms;
mod rest_recovery;
mod shared_symptoms;
mod storage;

pub use shared_symptoms::{
    BoundKey, BusyShares, ComparedRow, Difference, RateRatio, STATED_RATIO_ERROR, is_lone, tightest,
};

use crate::curve_shape::CurveShape;
use crate::evidence::{CausePrecondition, Feature};
use crate::input::MeasuredPattern;
use crate::posterior::FeatureFigure;
use crate::rate_bounds::{Bound, mean_bytes};
use fathom_record::CeilingScope;
use fathom_record::facts::TargetKind;

/// One figure and what it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Symptom {
    /// On the table's scale.
    pub figure: FeatureFigure,
    /// A sentence with the figure in the reader's units.
    pub text: String,
}

impl Symptom {
    /// A figure that was measured with an error, both on the table's scale; `None` where it is no number.
    pub fn new(feature: Feature, value: f64, error: f64, text: impl Into<String>) -> Option<Self> {
        let error = if error.is_finite() { error.abs() } else { 0.0 };
        let figure = FeatureFigure { feature, value, error, at_least: None };
        value.is_finite().then(|| Self { figure, text: text.into() })
    }
}

/// Everything that a pattern shows, experiments' answers included; one figure a feature.
pub fn seen(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>, bounds: &[Bound]) -> Vec<Symptom> {
    let mut all = answers::seen(pattern, shape, mean_bytes(pattern, shape));
    all.extend(curve::seen(pattern, shape));
    all.extend(bound_proximity::seen(pattern, shape, bounds));
    all.extend(processor_symptoms::seen(shape));
    all.extend(storage::seen(pattern, shape));
    all.extend(connections::seen(shape));
    // An experiment that was made on purpose is better than what a grid happens to hold.
    let mut kept: Vec<Symptom> = Vec::new();
    for seen in all {
        if kept.iter().all(|earlier| earlier.figure.feature != seen.figure.feature) {
            kept.push(seen);
        }
    }
    kept
}

/// What is so of a pattern, for the causes that need it.
pub fn met(
    pattern: &MeasuredPattern<'_>,
    shape: &CurveShape<'_>,
    bounds: &[Bound],
) -> Vec<CausePrecondition> {
    let is_storage = !matches!(pattern.target.kind, TargetKind::Null | TargetKind::Memory);
    let is_limited = pattern.target.decorated.is_some() || !pattern.known.is_empty();
    let has_link = pattern.known.iter().any(|known| known.scope == CeilingScope::Link);
    let mix = &pattern.workload.mix;
    [
        (is_storage || is_limited, CausePrecondition::Device),
        (is_limited || !pattern.is_drive, CausePrecondition::Provisioned),
        (!shape.telemetry.simulated_time, CausePrecondition::Processors),
        (is_storage && mix.write_share() > 0.0, CausePrecondition::Writes),
        (pattern.target.kind == TargetKind::File, CausePrecondition::File),
        (pattern.workload.arrival.is_open(), CausePrecondition::Rate),
        (pattern.queue_tags.is_some(), CausePrecondition::Tags),
        (has_link || !pattern.is_drive, CausePrecondition::Link),
        (shape.telemetry.target_cores.is_some(), CausePrecondition::Server),
        (shape.telemetry.connections.is_some(), CausePrecondition::Sockets),
        (shape.telemetry.connections.is_some(), CausePrecondition::Connections),
        (pattern.flushes_per_write().is_some_and(|flushes| flushes > 0.0), CausePrecondition::Flushes),
        (pattern.means.other_node_cpus.is_some(), CausePrecondition::Node),
        (bound_proximity::is_on_credits(bounds), CausePrecondition::Burst),
    ]
    .into_iter()
    .filter_map(|(is_met, need)| is_met.then_some(need))
    .collect()
}
