//! Was the concurrency asked for reached, and do rate, latency and in-flight agree?

use fathom_measure::Nanos;
use fathom_record::{Check, CheckName, CheckOutcome};

use super::CheckEvidence;
use crate::single_run::Queues;

/// A shortfall above this share means that the depth asked for was not what was measured.
const IN_FLIGHT_LIMIT: f64 = 0.02;
/// Time between two I/Os of a slot that is the loop's own work: about five times what it takes on a slow core.
/// Where it is more than [`IN_FLIGHT_LIMIT`] of an I/O's time, the I/O took less than 50 times as long: a target that
/// is as fast as memory.
const OWN_COST_NS: f64 = 500.0;
/// Largest difference between in-flight and rate times latency.
const LITTLE_LIMIT: f64 = 0.01;

pub fn in_flight(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::InFlight;
    let Some(requested) = evidence.summary.in_flight_requested else {
        return Check::plain(
            NAME,
            CheckOutcome::NotApplicable,
            "I/Os start by the clock, after pauses or for a share: how many are in flight follows from that.",
        );
    };
    if evidence.engine.completes_inline {
        let text = "This engine completes each I/O inside submit; queue depth does not apply.";
        return Check::plain(NAME, CheckOutcome::NotApplicable, text);
    }
    let achieved = in_flight_mean(evidence);
    let shortfall = (requested - achieved) / requested;
    let limit = IN_FLIGHT_LIMIT.max(draining_share(evidence));
    let between_ns = between_ios_ns(evidence, shortfall);
    let queue_is_full = full_queue(evidence, requested, achieved);
    let (outcome, text) = match shortfall {
        _ if shortfall.abs() <= limit => (
            CheckOutcome::Pass,
            format!("{achieved:.2} of {requested:.0} requested I/Os were in flight on average."),
        ),
        ..0.0 => (
            CheckOutcome::Fail,
            format!(
                "{achieved:.2} I/Os were in flight on average, more than the {requested:.0} requested: the engine's \
                 stamps contradict what it was given."
            ),
        ),
        _ if between_ns.is_some_and(|ns| ns <= OWN_COST_NS) => (
            CheckOutcome::Caution,
            format!(
                "{achieved:.2} of {requested:.0} requested I/Os were in flight on average: the target answers so fast \
                 that the {:.0} ns between two I/Os, which any program takes, show in the rate. Latencies stand; with \
                 a larger --depth the rate would be the target's.",
                between_ns.unwrap_or(0.0)
            ),
        ),
        _ if queue_is_full.is_some() => (CheckOutcome::Caution, queue_is_full.unwrap_or_default()),
        _ => (
            CheckOutcome::Fail,
            format!(
                "Only {achieved:.2} of {requested:.0} requested I/Os were in flight on average: latencies and rates \
                 belong to that concurrency, and the generator, not the target, sets it."
            ),
        ),
    };
    Check::figure(NAME, outcome, (shortfall, limit), "share", text)
}

/// That the disk's queue was full, so that I/Os waited inside their submission: it, and not the generator, set how many
/// were in flight.
fn full_queue(evidence: &CheckEvidence<'_>, requested: f64, achieved: f64) -> Option<String> {
    /// A queue that is this full on average is full most of the time.
    const FULL: f64 = 0.9;
    let disk = Queues::of(evidence.target, evidence.engine.is_polled())?;
    let taken = disk.taken() as f64;
    (requested > taken && achieved >= FULL * taken).then(|| {
        format!(
            "{achieved:.2} of {requested:.0} requested I/Os were in flight on average: {} takes {taken:.0} at a time, and \
             the others waited to be handed over, which no latency holds. The rate is the device's; a concurrency \
             within its queue has the whole latency.",
            disk.name
        )
    })
}

/// Mean time for which a slot was empty between two I/Os, in nanoseconds.
fn between_ios_ns(evidence: &CheckEvidence<'_>, shortfall: f64) -> Option<f64> {
    let summary = evidence.summary;
    let rate = summary.operations_per_s();
    let empty = summary.in_flight_requested? * shortfall;
    (rate > 0.0).then(|| empty * 1e9 / rate)
}

/// Every run of this program integrates its in-flight over time.
fn in_flight_mean(evidence: &CheckEvidence<'_>) -> f64 {
    evidence.summary.in_flight_mean.unwrap_or(0.0)
}

/// Share of the window in which a run that ends by count or bytes may only have waited for its last I/Os:
/// at most the longest latency.
fn draining_share(evidence: &CheckEvidence<'_>) -> f64 {
    let length = &evidence.workload.length;
    if length.operations.is_none() && length.bytes.is_none() {
        return 0.0;
    }
    longest_share(evidence)
}

/// The longest service latency as a share of the window.
fn longest_share(evidence: &CheckEvidence<'_>) -> f64 {
    let longest = evidence.summary.directions.iter().filter_map(|d| d.service.as_ref()?.max_ns).max();
    longest.unwrap_or(0) as f64 / evidence.summary.duration_ns.max(1) as f64
}

pub fn littles_law(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::LittlesLaw;
    let summary = evidence.summary;
    let Some(mean_ns) = summary.service_mean_ns() else {
        return Check::plain(NAME, CheckOutcome::NotApplicable, "No I/O ended in the measured window.");
    };
    if evidence.errors + evidence.short > 0 {
        let text =
            "Some I/Os failed: they were in flight but have no latency, so the two sides cannot agree.";
        return Check::plain(NAME, CheckOutcome::NotApplicable, text);
    }
    let ended: u64 = summary.directions.iter().filter_map(|direction| direction.operations).sum();
    let observed = in_flight_mean(evidence);
    if (ended as f64) < observed {
        let text = format!(
            "Fewer I/Os ended ({ended}) than were in flight ({observed:.0} on average): most of those that were have no \
             latency yet. Measure longer, or with a smaller --depth."
        );
        return Check::plain(NAME, CheckOutcome::NotApplicable, text);
    }
    let derived = summary.operations_per_s() * mean_ns / 1e9;
    let difference = if observed > 0.0 { (observed - derived).abs() / observed } else { 0.0 };
    let limit = LITTLE_LIMIT.max(straddling_share(evidence, mean_ns));
    let outcome = match difference {
        difference if difference <= limit => CheckOutcome::Pass,
        difference if difference <= limit + hung_share(evidence, derived > observed) => CheckOutcome::Caution,
        _ => CheckOutcome::Fail,
    };
    let advice = match outcome {
        CheckOutcome::Fail => {
            " I/Os were lost on their way into the record, or stamps are wrong: run again on a machine that is \
             otherwise idle."
                .to_owned()
        }
        CheckOutcome::Caution => hung_advice(evidence, derived > observed),
        _ => String::new(),
    };
    let text = format!(
        "{observed:.3} I/Os in flight by the time integral, {derived:.3} by rate times mean service latency \
         ({}).{advice}",
        Nanos(mean_ns as u64)
    );
    Check::figure(NAME, outcome, (difference, limit), "share", text)
}

/// What I/Os that hung at an edge of the window may add: at its start to the sum of latencies, at its end to the
/// time integral.
fn hung_share(evidence: &CheckEvidence<'_>, at_start: bool) -> f64 {
    let observed = in_flight_mean(evidence);
    let at_start_share = evidence.hung.head_in_flight * longest_share(evidence) / observed;
    if at_start { at_start_share } else { evidence.hung.tail_share }
}

fn hung_advice(evidence: &CheckEvidence<'_>, at_start: bool) -> String {
    let (edge, length_ns, lost) = match at_start {
        true => ("first", evidence.hung.head_ns, "latencies count time from before the window"),
        false => ("last", evidence.hung.tail_ns, "the I/Os in flight then have no latency yet"),
    };
    format!(
        " In the {edge} {} of the window hardly any I/O ended: the target stalled, and {lost}. Measure several times \
         longer than it stalls.",
        Nanos(length_ns).coarse()
    )
}

/// What I/Os that straddle an edge of the window may add to one side of Little's law alone, as a share of
/// the I/Os in flight: a mean latency of all of them at each edge, and the longest latency of one.
fn straddling_share(evidence: &CheckEvidence<'_>, mean_ns: f64) -> f64 {
    let means = 2.0 * mean_ns / evidence.summary.duration_ns.max(1) as f64;
    let observed = in_flight_mean(evidence);
    if observed > 0.0 { means + longest_share(evidence) / observed } else { means }
}
