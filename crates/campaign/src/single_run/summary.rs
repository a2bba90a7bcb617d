//! From what the I/O loop counted to the record's summary and ledger.

use fathom_engine::job::tally::Tally;
use fathom_engine::job::{Measurement, TargetTotals};
use fathom_engine::pattern::{Geometry, expected_touched_share};
use fathom_record::facts::TargetFacts;
use fathom_record::latency::{LatencySummary, SparseHistogram};
use fathom_record::run_record::{DirectionSummary, Ledger, Summary, TargetSummary};
use fathom_record::workload::{Addresses, Arrival};
use fathom_record::{Direction, Workload};

/// Numbers of the measured window. `timed` is false on a virtual clock, where processor time means nothing.
pub fn summary(measured: &Measurement, workload: &Workload, timed: bool) -> Summary {
    let total = &measured.total;
    let seconds = measured.window_ns as f64 / 1e9;
    let per_s = |count: f64| if seconds > 0.0 { count / seconds } else { 0.0 };
    let open = workload.arrival.is_open();
    let busy: Vec<f64> = measured.jobs.iter().filter_map(|job| job.busy_share).collect();
    Summary {
        duration_ns: measured.window_ns,
        directions: directions(total, measured.window_ns, open, timed),
        in_flight_mean: Some(per_s(total.in_flight_integral_ns as f64 / 1e9)),
        in_flight_requested: (workload.arrival == Arrival::Closed)
            .then(|| f64::from(workload.jobs) * f64::from(workload.depth)),
        generator_lag: LatencySummary::of(&total.lag),
        delayed_arrivals: open.then_some(total.delayed),
        offered_per_s: offered(&workload.arrival, workload.length.warmup_ns, measured.window_ns),
        reap_lag: LatencySummary::of(&total.look_gap),
        generator_busy_share: timed.then(|| busy.iter().sum::<f64>() / busy.len().max(1) as f64),
        cpu_user_ns: timed.then_some(total.process_user_ns),
        cpu_system_ns: timed.then_some(total.process_system_ns),
        breaches: Some(Box::new(measured.whole.breaches)),
    }
}

/// What was counted in each direction over a window.
fn directions(total: &Tally, window_ns: u64, open: bool, timed: bool) -> Vec<DirectionSummary> {
    let seconds = window_ns as f64 / 1e9;
    let per_s = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
    let each = Direction::ALL.into_iter().zip(&total.directions).filter_map(|(direction, counts)| {
        let operations = counts.service.count();
        let errors = counts.errors + counts.short;
        (operations + errors > 0).then(|| DirectionSummary {
            direction: direction.into(),
            operations: Some(operations),
            bytes: Some(counts.bytes),
            errors: Some(errors),
            operations_per_s: per_s(operations),
            throughput_bytes_per_s: per_s(counts.bytes),
            service: LatencySummary::of(&counts.service),
            response: open.then(|| LatencySummary::of(&counts.response)).flatten(),
            submit: timed.then(|| LatencySummary::of(&counts.submit)).flatten(),
            service_histogram: Some(SparseHistogram::from(&counts.service)),
            response_histogram: open.then(|| SparseHistogram::from(&counts.response)),
            completion: None,
            completion_histogram: None,
        })
    });
    each.collect()
}

/// Each target's share of the window, where jobs were spread over several.
pub fn targets(
    measured: &Measurement,
    workload: &Workload,
    facts: &TargetFacts,
    timed: bool,
) -> Vec<TargetSummary> {
    let open = workload.arrival.is_open();
    let each = measured.targets.iter().zip(&facts.members).zip(0..);
    let summary = |((totals, member), target): ((&TargetTotals, &TargetFacts), u32)| TargetSummary {
        target,
        name: member.name.clone(),
        jobs: totals.jobs,
        directions: directions(&totals.total, measured.window_ns, open, timed),
        in_flight_mean: Some(totals.total.in_flight_integral_ns as f64 / measured.window_ns.max(1) as f64),
    };
    each.map(summary).collect()
}

/// Mean rate that an open arrival process offers over the window, per second.
fn offered(arrival: &Arrival, warmup_ns: u64, window_ns: u64) -> Option<f64> {
    match *arrival {
        // What a trace offers is told by how like it the run was.
        Arrival::Closed | Arrival::Pausing { .. } | Arrival::Traced { .. } => None,
        Arrival::Steps { step_ns, ref rates_per_s } => {
            let until = |at_ns: u64| stepped(step_ns, rates_per_s, at_ns);
            (window_ns > 0)
                .then(|| (until(warmup_ns + window_ns) - until(warmup_ns)) / (window_ns as f64 / 1e9))
        }
        Arrival::Constant { rate_per_s } | Arrival::Poisson { rate_per_s } => Some(rate_per_s),
        Arrival::PerDirection { read_per_s, write_per_s, .. } => Some(read_per_s? + write_per_s?),
        Arrival::Ramp { from_per_s, to_per_s, over_ns } => {
            // The rate is linear up to `over_ns` and constant after: integrate it from 0 to a time.
            let arrivals = |at_ns: u64| {
                let rising = at_ns.min(over_ns) as f64;
                let slope = (to_per_s - from_per_s) / over_ns.max(1) as f64;
                from_per_s * rising
                    + slope * rising * rising / 2.0
                    + to_per_s * at_ns.saturating_sub(over_ns) as f64
            };
            (window_ns > 0)
                .then(|| (arrivals(warmup_ns + window_ns) - arrivals(warmup_ns)) / window_ns as f64)
        }
    }
}

/// Arrivals of steps that begin again, from 0 to a time.
fn stepped(step_ns: u64, rates_per_s: &[f64], at_ns: u64) -> f64 {
    let step_s = step_ns.max(1) as f64 / 1e9;
    let lap_ns = step_ns.max(1).saturating_mul(rates_per_s.len().max(1) as u64);
    let lap: f64 = rates_per_s.iter().sum::<f64>() * step_s;
    let within_ns = at_ns % lap_ns;
    let whole = (within_ns / step_ns.max(1)) as usize;
    let rest_s = (within_ns % step_ns.max(1)) as f64 / 1e9;
    let steps: f64 = rates_per_s.iter().take(whole).sum::<f64>() * step_s;
    (at_ns / lap_ns) as f64 * lap + steps + rates_per_s.get(whole).copied().unwrap_or(0.0) * rest_s
}

/// What the target was exposed to over the whole run.
pub fn ledger(
    measured: &Measurement,
    workload: &Workload,
    geometries: &[Geometry],
    target_bytes: u64,
) -> Ledger {
    let whole = &measured.whole;
    let bytes = |direction: Direction| whole.directions[direction.index()].bytes;
    let seconds = measured.exposed_ns as f64 / 1e9;
    let touched = match geometries {
        // How often a trace comes back to where it was is not counted.
        _ if matches!(workload.addresses, Addresses::Traced(_)) => None,
        [one] => Some(expected_touched_share(workload, one, whole.placed_operations())),
        several => Some(touched_of_all(measured, workload, several)),
    };
    Ledger {
        seconds,
        bytes_read: Some(bytes(Direction::Read)),
        bytes_written: Some(bytes(Direction::Write)),
        span_bytes: Some(geometries.iter().map(|geometry| geometry.span_bytes).sum()),
        written_over_capacity: Some(bytes(Direction::Write) as f64 / target_bytes.max(1) as f64),
        span_touched_share: touched.map(|(share, _)| share),
        span_touched_basis: touched.map(|(_, basis)| basis.to_owned()),
        resolves_events_per_s: if seconds > 0.0 { 3.0 / seconds } else { f64::MAX },
    }
}

/// Share of the spans of several targets that was touched, each by its own jobs.
fn touched_of_all(
    measured: &Measurement,
    workload: &Workload,
    geometries: &[Geometry],
) -> (f64, &'static str) {
    let (mut touched, mut all, mut basis) = (0.0, 0.0, "exact");
    for (totals, geometry) in measured.targets.iter().zip(geometries) {
        let own = Workload { jobs: totals.jobs, ..workload.clone() };
        let (share, known) = expected_touched_share(&own, geometry, totals.placed_ios);
        touched += share * geometry.span_bytes as f64;
        all += geometry.span_bytes as f64;
        if known != "exact" {
            basis = known;
        }
    }
    (if all > 0.0 { touched / all } else { 0.0 }, basis)
}
