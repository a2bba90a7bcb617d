//! The target's own parallelism: latency has grown manifold while the rate still creeps.

use fathom_record::facts::TargetKind;
use fathom_record::verdict::{Confidence, Limit};
use fathom_stats::plateau::MAX_VARIATION;

use super::{Case, Finding, against, supports};
use crate::ceilings::Kind;
use crate::thresholds::{CREEPS, QUEUES};
use crate::words;

pub fn finding(case: &Case<'_>) -> Option<Finding> {
    let shape = case.shape;
    if matches!(case.pattern.target.kind, TargetKind::Null | TargetKind::Memory) {
        return None;
    }
    let (deepest, unloaded) = (shape.deepest(), shape.unloaded?);
    let factor = Some(deepest.r_ns / unloaded.r_ns).filter(|factor| *factor >= QUEUES)?;
    shape.growth.filter(|growth| *growth <= CREEPS)?;
    // What binds elsewhere explains the queue; an even plateau is a cap.
    let at_declared = case.declared().any(|b| b.is_reached());
    let variation = shape.telemetry.variation();
    let is_even = variation.is_none_or(|v| v <= MAX_VARIATION);
    let may_be_cap = is_even && (shape.is_paced() || !shape.bends_softly());
    let is_cap = may_be_cap && variation.is_some() && shape.plateau.is_some();
    if at_declared || case.processors_are_full() || is_cap {
        return None;
    }
    let mut evidence = vec![supports(format!(
        "With {} in flight, mean latency is {} that of a lone I/O ({} against {}): I/Os wait inside the \
         target.",
        words::count(deepest.in_flight),
        words::times(factor),
        words::time(deepest.r_ns),
        words::time(unloaded.r_ns),
    ))];
    evidence.extend(case.growth_sentence().map(supports));
    let reaches = case.bound(Kind::Saturation).is_some_and(|b| b.is_reached()) || shape.plateau.is_some();
    if let Some(variation) = variation {
        evidence.push(case.evenness_evidence(variation > MAX_VARIATION, variation));
    }
    if shape.bends_softly() {
        evidence.push(supports("The rate bends softly towards its highest value, as a queue does."));
    }
    if may_be_cap {
        evidence.push(against("A fixed rate cap could look the same."));
    }
    evidence.extend(case.processor_evidence());
    for bound in case.declared() {
        evidence.push(supports(format!("The rate is only {} that were declared.", bound.reached(shape))));
    }
    let is_clear = reaches && !may_be_cap && case.processors_have_time();
    Some(Finding {
        limit: Limit::DeviceParallelism,
        confidence: if is_clear { Confidence::Likely } else { Confidence::Possible },
        statement: format!(
            "The target itself is at its limit at {}: more in flight mostly waits.",
            words::iops(shape.focus.x_per_s)
        ),
        evidence,
    })
}
