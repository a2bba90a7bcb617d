//! Limits that cannot all be right: two that contradict each other, and one that the rate is above. Whoever gave
//! them may have erred, so they take confidence away.

use fathom_record::verdict::Limit;
use fathom_record::{CeilingRate, CeilingScope, KnownCeiling};

use crate::curve_shape::CurveShape;
use crate::input::MeasuredPattern;
use crate::rate_bounds::{Bound, Kind, in_words, limit_of};
use crate::restraint::ConfidencePenalty;
use crate::thresholds::LIKELY;

/// Most that a probability may be which rests on a disputed limit.
const DISPUTED: f64 = LIKELY - 0.01;
/// Two figures of one limit that differ by less are the same one, rounded.
const ROUNDED: f64 = 0.03;
/// Figures outside of this are no limit of anything, and bound nothing.
const SANE: std::ops::RangeInclusive<f64> = 1e-3..=1e18;
/// Share of the bytes asked for below which a cache carried the rest, so that no limit is disputed.
const DISKS_IDLE: f64 = 0.5;

/// Every reason to doubt a known limit.
pub fn of(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>, bounds: &[Bound]) -> Vec<ConfidencePenalty> {
    contradictions(pattern.known).chain(passed(shape, bounds)).collect()
}

/// Figures of one volume's limit that differ. Several limits of an instance or of links hold side by side, so
/// that the least of them is right; a volume has one.
fn contradictions(known: &[KnownCeiling]) -> impl Iterator<Item = ConfidencePenalty> {
    let volume = |ceiling: &&KnownCeiling| ceiling.scope == CeilingScope::Volume;
    let pairs =
        known.iter().filter(volume).enumerate().flat_map(move |(at, one)| {
            known.iter().filter(volume).skip(at + 1).map(move |other| (one, other))
        });
    pairs.filter(|(one, other)| differ(one, other)).map(|(one, other)| {
        let text = format!(
            "Two limits contradict each other: {} ({}) and {} ({}). Give the right one alone.",
            in_words(one),
            one.source,
            in_words(other),
            other.source
        );
        ConfidencePenalty::new(DISPUTED, text).touching(&[limit_of(one), Limit::BurstCredits])
    })
}

fn differ(one: &KnownCeiling, other: &KnownCeiling) -> bool {
    let figures = match (one.rate, other.rate) {
        (CeilingRate::Iops { operations_per_s: a }, CeilingRate::Iops { operations_per_s: b })
        | (CeilingRate::Throughput { bytes_per_s: a }, CeilingRate::Throughput { bytes_per_s: b }) => (a, b),
        _ => return false,
    };
    let is_same_limit = one.direction == other.direction && one.burst == other.burst;
    let is_sane = SANE.contains(&figures.0) && SANE.contains(&figures.1);
    is_same_limit && is_sane && (figures.0 / figures.1).ln().abs() > ROUNDED
}

/// A sustained limit of a volume or an instance that the rate is above, though no credits are known and the
/// disks were not seen idle: a burst and a cache are then no more likely than a wrong figure.
fn passed(shape: &CurveShape<'_>, bounds: &[Bound]) -> Option<ConfidencePenalty> {
    let disks_idle = shape.telemetry.device_bytes_share.is_some_and(|share| share < DISKS_IDLE);
    let has_burst = bounds.iter().any(|bound| matches!(bound.kind, Kind::Known { burst: true, .. }));
    if disks_idle || has_burst {
        return None;
    }
    let is_passed = |bound: &&Bound| {
        let enforced =
            matches!(bound.kind, Kind::Known { scope: CeilingScope::Volume | CeilingScope::Instance, .. });
        enforced && bound.nearness().is_passed_by(shape.error_share())
    };
    let bound = bounds
        .iter()
        .filter(is_passed)
        .max_by(|a, b| a.ceiling.reached_share.total_cmp(&b.ceiling.reached_share))?;
    let text = format!(
        "The rate is {}, {} ({}): unless a burst or a cache carried it, that limit is not the one in force. Check it.",
        bound.reached(shape).in_words(),
        bound.ceiling.name,
        bound.ceiling.source
    );
    Some(ConfidencePenalty::new(DISPUTED, text).touching(&[Limit::BurstCredits, Limit::CacheArtefact]))
}
