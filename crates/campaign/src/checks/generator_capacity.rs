//! Could the generator do what it was asked to, in time?

use fathom_measure::{Nanos, Rate};
use fathom_record::facts::TargetKind;
use fathom_record::run_record::DirectionSummary;
use fathom_record::workload::Arrival;
use fathom_record::{Check, CheckName, CheckOutcome, LatencySummary};

use super::CheckEvidence;

/// Above this the generator's own core is a limit.
const BUSY_LIMIT: f64 = 0.90;
/// A completion may have waited this share of the median service latency before it is worth saying.
const REAP_LAG_SHARE: f64 = 0.10;
/// Lags below this are beneath what anybody resolves.
const LAG_FLOOR_NS: f64 = 5_000.0;
/// What the lag adds to a percentile is beneath what anybody resolves below this.
const LAG_UNSEEN_NS: f64 = 1_000.0;
/// Share of a response percentile that the generator's lag may make up before it is worth saying: a bucket of the
/// histograms at either end is 0.8 % each.
const LAG_CAUTION: f64 = 0.02;
/// Above this the response latency is not the target's.
const LAG_LIMIT: f64 = 0.10;
/// Percentiles of the response that are judged.
const LAG_AT: [f64; 2] = [0.5, 0.99];
/// Difference of offered and achieved rate.
const RATE_LIMIT: f64 = 0.001;

pub fn busy(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::GeneratorBusy;
    let Some(busy) = evidence.summary.generator_busy_share else {
        return Check::plain(
            NAME,
            CheckOutcome::NotApplicable,
            "Time is simulated: CPU time has no meaning.",
        );
    };
    let jobs = evidence.workload.jobs;
    if let Some(processors) = evidence.processors.filter(|processors| (jobs as usize) > *processors) {
        let text = format!(
            "{jobs} jobs share {processors} CPUs: a job waits for its turn now and then, and latencies include \
             that wait. Use at most --jobs {processors} for the target's own latency."
        );
        return Check::figure(
            NAME,
            CheckOutcome::Caution,
            (f64::from(jobs), processors as f64),
            "jobs",
            text,
        );
    }
    if evidence.workload.arrival.is_open() {
        let text =
            "Open arrivals are awaited by polling, so the core is busy by design; see the generator lag.";
        return Check::plain(NAME, CheckOutcome::NotApplicable, text);
    }
    if evidence.target.decorated.is_some() {
        let text = "I/Os that a decorator holds back are awaited by polling, so the core is busy by design.";
        return Check::plain(NAME, CheckOutcome::NotApplicable, text);
    }
    if evidence.target.kind == TargetKind::Null {
        let text = "The target does nothing: what is measured is the generator itself.";
        return Check::plain(NAME, CheckOutcome::NotApplicable, text);
    }
    let percent = busy * 100.0;
    if busy > BUSY_LIMIT {
        let text = format!(
            "The generator's threads used {percent:.0} % of their cores: the rates show what these cores can \
             drive, and the target may do more with more --jobs."
        );
        return Check::figure(NAME, CheckOutcome::Caution, (busy, BUSY_LIMIT), "share", text);
    }
    let text = format!("The generator's threads used {percent:.0} % of their cores.");
    Check::figure(NAME, CheckOutcome::Pass, (busy, BUSY_LIMIT), "share", text)
}

pub fn reap_lag(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::ReapLag;
    let (Some(lag), Some(median)) = (&evidence.summary.reap_lag, median_service(evidence)) else {
        let text = "Completions are seen as they happen: each wait or call returns with its I/O.";
        return Check::plain(NAME, CheckOutcome::NotApplicable, text);
    };
    let (p99, which) = upper_end(lag);
    let limit = (median * REAP_LAG_SHARE).max(LAG_FLOOR_NS);
    let seen = Nanos(p99 as u64);
    if p99 > limit {
        let text = format!(
            "A completion can have waited up to {seen} ({which}) before it was seen, against a median \
             service latency of {}: latencies include that wait.",
            Nanos(median as u64)
        );
        return Check::figure(NAME, CheckOutcome::Caution, (p99, limit), "ns", text);
    }
    let text = format!("A completion waited at most {seen} ({which}) before it was seen.");
    Check::figure(NAME, CheckOutcome::Pass, (p99, limit), "ns", text)
}

pub fn lag(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::GeneratorLag;
    let Some(lag) = &evidence.summary.generator_lag else {
        return Check::plain(
            NAME,
            CheckOutcome::NotApplicable,
            "A closed loop has no scheduled start to be late for.",
        );
    };
    let Some((q, shift)) = worst_shift(evidence, lag) else {
        let text = "Too few I/Os ended for a percentile of the response latency.";
        return Check::plain(NAME, CheckOutcome::NotApplicable, text);
    };
    let (upper_ns, which) = upper_end(lag);
    let percentile = if q == 0.5 { "median".to_owned() } else { format!("p{}", q * 100.0) };
    let text = format!(
        "The generator's lag ({}, {which}) makes up {:.1} % of the {percentile} of the response latency.",
        Nanos(upper_ns as u64),
        shift * 100.0
    );
    let outcome = match shift {
        ..=LAG_CAUTION => CheckOutcome::Pass,
        ..=LAG_LIMIT => CheckOutcome::Caution,
        _ => CheckOutcome::Fail,
    };
    let advice = match outcome {
        CheckOutcome::Fail => {
            " I/Os started too late: run again on an idle machine, with more --jobs or a lower --rate."
        }
        _ => "",
    };
    Check::figure(NAME, outcome, (shift, LAG_LIMIT), "share", text + advice)
}

/// The percentile of the response latency of which the lag makes up the largest share, and the share. Where all
/// arrivals found a free slot, the response is lag and service, and what the lag adds to a percentile is seen; an
/// arrival that waited for a slot has no lag, and the lag's own percentile stands for what it adds.
fn worst_shift(evidence: &CheckEvidence<'_>, lag: &LatencySummary) -> Option<(f64, f64)> {
    let seen = evidence.summary.delayed_arrivals == Some(0);
    let of = |direction: &DirectionSummary, q: f64| {
        let response_ns = direction.response.as_ref()?.quantile_ns(q)? as f64;
        let service_ns = direction.service.as_ref()?.quantile_ns(q)? as f64;
        let added_ns = if seen { response_ns - service_ns } else { lag.quantile_ns(q)? as f64 };
        let added_ns = if added_ns < LAG_UNSEEN_NS { 0.0 } else { added_ns };
        (response_ns > 0.0).then_some((q, added_ns / response_ns))
    };
    let directions = &evidence.summary.directions;
    let shifts = directions.iter().flat_map(|direction| LAG_AT.iter().filter_map(move |q| of(direction, *q)));
    shifts.max_by(|a, b| a.1.total_cmp(&b.1))
}

pub fn overload(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::Overload;
    let Some(delayed) = evidence.summary.delayed_arrivals else {
        return Check::plain(NAME, CheckOutcome::NotApplicable, "A closed loop cannot be overloaded.");
    };
    let cap = u64::from(evidence.workload.jobs) * u64::from(evidence.workload.depth);
    if delayed == 0 {
        let text = format!("No arrival found the cap of {cap} I/Os in flight reached.");
        return Check::figure(NAME, CheckOutcome::Pass, (0.0, 0.0), "operations", text);
    }
    let text = format!(
        "{delayed} arrivals found {cap} I/Os in flight, the cap, and waited: their wait is in the response \
         latency. Raise --depth, or offer less, if the target was meant to keep up."
    );
    Check::figure(NAME, CheckOutcome::Caution, (delayed as f64, 0.0), "operations", text)
}

pub fn offered_rate(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::OfferedRate;
    let Some(offered) = evidence.summary.offered_per_s else {
        return Check::plain(NAME, CheckOutcome::NotApplicable, "A closed loop offers no rate.");
    };
    let achieved = evidence.summary.operations_per_s();
    let seconds = evidence.summary.duration_ns as f64 / 1e9;
    let expected = (offered * seconds).max(1.0);
    // Counts of random arrivals scatter by the root of their number; equal gaps only by the window's edges.
    let scatter = match evidence.workload.arrival {
        Arrival::Poisson { .. } => 4.0 / expected.sqrt(),
        _ => (evidence.summary.in_flight_mean.unwrap_or(0.0) + 2.0) / expected,
    };
    let limit = RATE_LIMIT.max(scatter);
    let difference = (achieved - offered).abs() / offered;
    let outcome = if difference <= limit { CheckOutcome::Pass } else { CheckOutcome::Fail };
    let text = format!("{} I/Os per second offered, {} completed.", Rate(offered), Rate(achieved));
    Check::figure(NAME, outcome, (difference, limit), "share", text)
}

pub fn lost_intervals(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::LostIntervals;
    let lost = evidence.extended_intervals;
    if lost == 0 {
        return Check::plain(NAME, CheckOutcome::Pass, "No interval was merged with another.");
    }
    let text = format!(
        "{lost} seconds were added to the one before: no I/O is lost, but the series is coarser there."
    );
    Check::figure(NAME, CheckOutcome::Caution, (lost as f64, 0.0), "intervals", text)
}

/// The 99th percentile, or the largest where too few values resolve it.
fn upper_end(lag: &LatencySummary) -> (f64, &'static str) {
    match lag.quantile_ns(0.99) {
        Some(p99) => (p99 as f64, "99th percentile"),
        // A lag of this program has a largest value.
        None => (lag.max_ns.unwrap_or(0) as f64, "largest of few"),
    }
}

fn median_service(evidence: &CheckEvidence<'_>) -> Option<f64> {
    let medians = evidence.summary.directions.iter().filter_map(|d| d.service.as_ref()?.quantile_ns(0.5));
    medians.min().map(|median| median as f64)
}
