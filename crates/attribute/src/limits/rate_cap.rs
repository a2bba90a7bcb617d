//! A rate that does not move with concurrency and hardly from second to second, as a cap enforces.

use fathom_record::verdict::{Confidence, Limit};
use fathom_stats::plateau::MAX_VARIATION;

use super::{Case, Finding, against, supports};
use crate::thresholds::AT_BOUND;
use crate::words;

pub fn finding(case: &Case<'_>) -> Option<Finding> {
    let shape = case.shape;
    let plateau = shape.plateau.as_ref()?;
    // A declared limit at this rate is the better name for it.
    if case.declared().any(|b| AT_BOUND.contains(&b.ceiling.reached_share)) {
        return None;
    }
    if !plateau.obeys_little() || plateau.is_even() == Some(false) {
        return None;
    }
    let mut evidence = vec![
        supports(format!(
            "The rate stays at {} within {} from {} to {} I/Os in flight.",
            words::iops(plateau.x_per_s),
            words::percent(plateau.spread.max(0.001)),
            words::count(plateau.from_in_flight),
            words::count(plateau.to_in_flight),
        )),
        supports("Latency grows in step with the I/Os in flight: they wait for their turn.".to_owned()),
    ];
    match plateau.variation {
        Some(variation) => evidence.push(case.evenness_evidence(variation <= MAX_VARIATION, variation)),
        None => evidence.push(against("Too few seconds were measured to see whether they are even.")),
    }
    let is_soft = shape.bends_softly() && !shape.is_paced();
    if shape.is_paced() {
        evidence.push(supports(
            "The seconds are more even than independent I/Os can be: something counts them out.",
        ));
    }
    if is_soft {
        evidence.push(against("The rate bends softly towards its highest value, as a queue does."));
    }
    evidence.extend(case.processor_evidence());
    if case.declared().next().is_none() {
        evidence.push(against("No limit was declared that this rate could be held against."));
    }
    let confidence = if plateau.is_cap() && !is_soft && case.processors_have_time() {
        Confidence::Likely
    } else {
        Confidence::Possible
    };
    Some(Finding {
        limit: Limit::RateCap,
        confidence,
        statement: format!(
            "A fixed rate of {} binds, as a throttle, a link or the device's own limit enforces it: more \
             in flight only waits longer.",
            words::iops(plateau.x_per_s)
        ),
        evidence,
    })
}
