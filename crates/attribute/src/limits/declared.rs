//! A declared limit that the rate sits at.

use fathom_record::CeilingRate;
use fathom_record::verdict::Confidence;
use fathom_stats::plateau::{MAX_VARIATION, MIN_SPAN};

use super::{Case, Finding, against, supports};
use crate::ceilings::{Bound, Kind};
use crate::thresholds::{AT_BOUND, CREEPS, EXCEEDED, FLAT};
use crate::words;

/// Limits that the user declared of the storage.
pub fn findings(case: &Case<'_>) -> Vec<Finding> {
    let declared = case.declared().filter(|bound| matches!(bound.kind, Kind::Declared(_)));
    declared.filter_map(|bound| finding(case, bound)).collect()
}

/// Limits of a throttle that was put before the target.
pub fn throttles(case: &Case<'_>) -> Vec<Finding> {
    let throttles = case.declared().filter(|bound| matches!(bound.kind, Kind::Throttle(_)));
    let found = throttles.filter_map(|bound| finding(case, bound));
    found
        .map(|finding| Finding {
            statement: finding.statement.replace("The declared", "The throttle's")
                + " It was put before the target on purpose and says nothing of the target.",
            ..finding
        })
        .collect()
}

fn finding(case: &Case<'_>, bound: &Bound) -> Option<Finding> {
    let shape = case.shape;
    let share = bound.ceiling.reached_share;
    if !bound.is_reached() || share > EXCEEDED {
        return None;
    }
    let what = match bound.kind {
        Kind::Declared(CeilingRate::Throughput { bytes_per_s })
        | Kind::Throttle(CeilingRate::Throughput { bytes_per_s }) => {
            format!("throughput of {}", words::throughput(bytes_per_s))
        }
        _ => format!("rate of {}", words::iops(bound.ceiling.operations_per_s)),
    };
    let mut evidence = vec![supports(format!("The rate is {} that were declared.", bound.reached(shape)))];
    let is_flat = shape.growth.is_some_and(|growth| growth.abs() <= FLAT);
    let still_grows = shape.growth.is_some_and(|growth| growth > CREEPS);
    if let Some(sentence) = case.growth_sentence() {
        evidence.push(if still_grows { against(sentence) } else { supports(sentence) });
    }
    let mut is_even = None;
    if let Some(variation) = shape.telemetry.variation() {
        is_even = Some(variation <= MAX_VARIATION);
        evidence.push(case.evenness_evidence(variation <= MAX_VARIATION, variation));
    }
    evidence.extend(case.processor_evidence());
    let is_at = AT_BOUND.contains(&share);
    let on_plateau = shape.plateau.as_ref().is_some_and(|p| p.span() >= MIN_SPAN && p.obeys_little());
    let confidence = if is_at && on_plateau && is_even == Some(true) {
        Confidence::Strong
    } else if is_flat && is_even != Some(false) && share >= 0.95 {
        Confidence::Likely
    } else {
        Confidence::Possible
    };
    Some(Finding {
        limit: bound.ceiling.limit,
        confidence,
        statement: format!(
            "The declared {what} binds: {} is {} of what it allows.",
            words::iops(shape.focus.x_per_s),
            words::percent(share)
        ),
        evidence,
    })
}
