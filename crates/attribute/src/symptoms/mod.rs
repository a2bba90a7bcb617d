//! Symptoms: what a pattern's cells and telemetry show, as figures on the evidence table's scales, each with
//! the sentence that a reader gets.

mod answers;
mod blocks;
mod bound_proximity;
mod by_value;
mod connections;
mod curve;
mod earned;
mod jobs;
mod processor_symptoms;
mod storage;

pub use by_value::{
    BoundKey, BusyShares, ComparedRow, Difference, RateRatio, STATED_RATIO_ERROR, is_lone, tightest,
};

use crate::curve_shape::Shape;
use crate::evidence::{Feature, Need};
use crate::input::Pattern;
use crate::posterior::Figure;
use crate::rate_bounds::{Bound, mean_bytes};
use fathom_record::CeilingScope;
use fathom_record::facts::TargetKind;

/// One figure and what it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Symptom {
    /// On the table's scale.
    pub figure: Figure,
    /// A sentence with the figure in the reader's units.
    pub text: String,
}

impl Symptom {
    /// A figure that was measured with an error, both on the table's scale; `None` where it is no number.
    pub fn new(feature: Feature, value: f64, error: f64, text: impl Into<String>) -> Option<Self> {
        let error = if error.is_finite() { error.abs() } else { 0.0 };
        let figure = Figure { feature, value, error, at_least: None };
        value.is_finite().then(|| Self { figure, text: text.into() })
    }
}

/// Everything that a pattern shows, experiments' answers included; one figure a feature.
pub fn seen(pattern: &Pattern<'_>, shape: &Shape<'_>, bounds: &[Bound]) -> Vec<Symptom> {
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
pub fn met(pattern: &Pattern<'_>, shape: &Shape<'_>, bounds: &[Bound]) -> Vec<Need> {
    let is_storage = !matches!(pattern.target.kind, TargetKind::Null | TargetKind::Memory);
    let is_limited = pattern.target.decorated.is_some() || !pattern.known.is_empty();
    let has_link = pattern.known.iter().any(|known| known.scope == CeilingScope::Link);
    let mix = &pattern.workload.mix;
    [
        (is_storage || is_limited, Need::Device),
        (is_limited || !pattern.is_drive, Need::Provisioned),
        (!shape.telemetry.simulated_time, Need::Processors),
        (is_storage && mix.write_share() > 0.0, Need::Writes),
        (pattern.target.kind == TargetKind::File, Need::File),
        (pattern.workload.arrival.is_open(), Need::Rate),
        (pattern.queue_tags.is_some(), Need::Tags),
        (has_link || !pattern.is_drive, Need::Link),
        (shape.telemetry.target_cores.is_some(), Need::Server),
        (shape.telemetry.connections.is_some(), Need::Sockets),
        (shape.telemetry.connections.is_some(), Need::Connections),
        (pattern.flushes_per_write().is_some_and(|flushes| flushes > 0.0), Need::Flushes),
        (pattern.means.other_node_cpus.is_some(), Need::Node),
        (bound_proximity::is_on_credits(bounds), Need::Burst),
    ]
    .into_iter()
    .filter_map(|(is_met, need)| is_met.then_some(need))
    .collect()
}
