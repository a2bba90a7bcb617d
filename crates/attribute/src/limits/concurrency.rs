//! Too few I/Os in flight: latency is still that of one alone, so the rate is concurrency over latency.

use fathom_record::verdict::{Confidence, Limit};

use super::{Case, Finding, against, supports};
use crate::ceilings::{Kind, is_sequential};
use crate::thresholds::{FLAT, GROWS};
use crate::words;

/// Least I/Os in flight at which latency can show anything: at one it is the unloaded latency.
const MIN_IN_FLIGHT: f64 = 1.9;
/// Cells on the line `N / R1` that show it beyond doubt.
const MIN_CELLS: usize = 3;

pub fn finding(case: &Case<'_>) -> Option<Finding> {
    let shape = case.shape;
    let bound = case.bound(Kind::InFlight).filter(|b| b.is_reached())?;
    let unloaded = shape.unloaded?;
    if shape.focus.in_flight < MIN_IN_FLIGHT {
        return None;
    }
    let mut evidence = vec![supports(format!(
        "Mean latency is {} with {} in flight and {} alone: nothing waits.",
        words::time(shape.focus.r_ns),
        words::count(shape.focus.in_flight),
        words::time(unloaded.r_ns),
    ))];
    evidence.push(supports(format!("The rate is {} that this latency allows.", bound.reached(shape))));
    let grows = shape.growth.is_some_and(|growth| growth >= GROWS);
    if let Some(delay) = case.pattern.target.decorated.as_ref().and_then(|d| d.delay.as_ref()) {
        evidence
            .push(supports(format!("The latency includes the delay {delay}, which was added on purpose.")));
    }
    if let Some(sentence) = case.growth_sentence() {
        evidence.push(if grows { supports(sentence) } else { against(sentence) });
    }
    if shape.growth.is_some_and(|growth| growth < FLAT) {
        return None;
    }
    let mut confidence = match grows {
        true if shape.unqueued_points() >= MIN_CELLS => Confidence::Strong,
        true => Confidence::Likely,
        false => Confidence::Possible,
    };
    if is_sequential(case.pattern) {
        evidence.push(against(
            "The pattern is sequential: read-ahead or merging may change the latency of a lone I/O.",
        ));
        confidence = confidence.min(Confidence::Likely);
    }
    Some(Finding {
        limit: Limit::Concurrency,
        confidence,
        statement: format!(
            "Too few I/Os are in flight: {} at {} each give {}; more in flight would give more.",
            words::count(shape.focus.in_flight),
            words::time(shape.focus.r_ns),
            words::iops(shape.focus.x_per_s)
        ),
        evidence,
    })
}
