//! How close the rate came to each bound that was known before.

use fathom_record::verdict::Limit;

use crate::curve_shape::CurveShape;
use crate::evidence::Feature;
use crate::input::MeasuredPattern;
use crate::rate_bounds::{Bound, Kind};

use super::{BoundKey, Symptom, tightest};

/// Standard error of the logarithm of a rate over the one that was asked for, both counted.
const COUNT_ERROR: f64 = 0.002;

pub fn seen(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>, bounds: &[Bound]) -> Vec<Symptom> {
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
        let bound = tightest(mine, feature, |bound: &Bound| bound.ceiling.reached_share);
        found.extend(bound.and_then(|bound| Symptom::reached(feature, &bound.reached(shape))));
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
                && !bound.nearness().is_passed()
        })
    };
    bounds.iter().filter(lasts).any(|bound| bound.nearness().is_beyond() && allowed(bound))
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
    let counts_operations = bound.ceiling.limit != Limit::VolumeThroughput;
    BoundKey { scope, counts_operations, is_sustained }.feature() == feature
}

/// An open loop's rate against the one that was asked for.
fn asked(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> Option<Symptom> {
    let share = shape.telemetry.asked_share.filter(|share| *share > 0.0)?;
    if !pattern.workload.arrival.is_open() {
        return None;
    }
    Symptom::asked(share, COUNT_ERROR)
}
