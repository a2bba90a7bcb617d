//! How close the rate came to each bound that was known before.

use fathom_record::CeilingScope;
use fathom_record::verdict::Limit;

use crate::ceilings::{Bound, Kind};
use crate::evidence::Feature;
use crate::input::Pattern;
use crate::printed;
use crate::shape::Shape;
use crate::thresholds::AT_BOUND;

use super::Symptom;

/// Share of a sustained limit above which the rate is not held by it.
const ABOVE: f64 = 1.1;

pub fn seen(pattern: &Pattern<'_>, shape: &Shape<'_>, bounds: &[Bound]) -> Vec<Symptom> {
    let error = shape.error_share() / 2.0;
    let features = [
        Feature::VolumeIops,
        Feature::VolumeThroughput,
        Feature::Instance,
        Feature::Sustained,
        Feature::LinkUse,
        Feature::MemoryUse,
        Feature::BusUse,
        Feature::DeviceRate,
    ];
    let mut found: Vec<Symptom> = Vec::new();
    for feature in features {
        let mine = bounds.iter().filter(|bound| answers(bound, bounds, feature));
        // The tightest bound is the one that could bind; of several limits of an instance the nearest.
        let tightest = mine.min_by(|a, b| distance(a, feature).total_cmp(&distance(b, feature)));
        let Some(bound) = tightest else { continue };
        let share = bound.ceiling.reached_share;
        let value = if feature.is_use() { share.min(1.1) } else { share.ln() };
        let text = format!("The rate is {} of \"{}\".", bound.reached(shape), bound.ceiling.name);
        found.extend(Symptom::new(feature, value, error, text));
    }
    found.extend(asked(pattern, shape));
    found
}

/// Whether a rate is above what lasts and not above what credits allow: it is then credits that carry it.
pub fn is_on_credits(bounds: &[Bound]) -> bool {
    let lasts = |bound: &&Bound| answers(bound, bounds, Feature::Sustained);
    let allowed = |lasting: &Bound| {
        let Kind::Known { scope, .. } = lasting.kind else { return false };
        bounds.iter().any(|bound| {
            matches!(bound.kind, Kind::Known { scope: its, burst: true } if its == scope)
                && bound.ceiling.limit == lasting.ceiling.limit
                && bound.ceiling.reached_share <= *AT_BOUND.end()
        })
    };
    bounds.iter().filter(lasts).any(|bound| bound.ceiling.reached_share > ABOVE && allowed(bound))
}

fn distance(bound: &Bound, feature: Feature) -> f64 {
    let share = bound.ceiling.reached_share;
    if feature == Feature::Instance { share.ln().abs() } else { -share }
}

/// Whether a bound is what a feature is about.
fn answers(bound: &Bound, all: &[Bound], feature: Feature) -> bool {
    let Kind::Known { scope, burst } = bound.kind else { return false };
    // Where a faster rate holds for a while, the slower one is what remains without credits.
    let has_burst = all.iter().any(|other| {
        matches!(other.kind, Kind::Known { scope: s, burst: true } if s == scope)
            && other.ceiling.limit == bound.ceiling.limit
    });
    let is_sustained = has_burst && !burst;
    match (scope, bound.ceiling.limit) {
        _ if is_sustained => feature == Feature::Sustained,
        (CeilingScope::Volume, Limit::VolumeThroughput) => feature == Feature::VolumeThroughput,
        (CeilingScope::Volume, _) => feature == Feature::VolumeIops,
        (CeilingScope::Instance, _) => feature == Feature::Instance,
        (CeilingScope::Link, _) => feature == Feature::LinkUse,
        (CeilingScope::Device, _) => feature == Feature::DeviceRate,
        (CeilingScope::Memory, _) => feature == Feature::MemoryUse,
        (CeilingScope::Bus, _) => feature == Feature::BusUse,
    }
}

/// An open loop's rate against the one that was asked for.
fn asked(pattern: &Pattern<'_>, shape: &Shape<'_>) -> Option<Symptom> {
    let share = shape.telemetry.asked_share.filter(|share| *share > 0.0)?;
    if !pattern.workload.arrival.is_open() {
        return None;
    }
    let text = format!("{} of the rate that was asked for was carried.", printed::percent(share));
    Symptom::new(Feature::Asked, share.ln(), 0.002, text)
}
