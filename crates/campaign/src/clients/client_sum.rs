//! The record of the sum.

use fathom_measure::clock::offset::{Offset, skew_bound_ns};
use fathom_measure::counted;
use fathom_order::InOrder;
use fathom_plan::{RunPlan, exact_command_line};
use fathom_record::client_facts::{ClientBalance, ClientInterface, ClientPart, ClientsFacts, ClockOffset};
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::run_record::{JobStart, JobSummary, Ledger, RunEnding, Summary};
use fathom_record::telemetry::{MetricSeries, Telemetry};
use fathom_record::workload::Arrival;
use fathom_record::{
    CeilingRate, CeilingScope, Check, CheckName, CheckOutcome, Direction, EngineBreaches, Interval,
    KnownCeiling, RunRecord, Workload,
};

use super::client_seconds::{common, directions};
use super::coordinator::KnownClient;
use super::target_side;
use crate::record_ids;
use crate::single_run::this_tool;

/// Skew from which on a second is worth a caution, in nanoseconds.
const SKEW_CAUTION_NS: u64 = 10_000_000;
/// Skew from which on the seconds are not the same, in nanoseconds.
const SKEW_LIMIT_NS: u64 = 100_000_000;
/// The same as a share of the window.
const SKEW_LIMIT_SHARE: f64 = 0.01;
/// Least share of a client's own time that the window of the sum must hold.
const OVERLAP_LIMIT: f64 = 0.90;

/// Adds the clients up.
pub fn record(
    plan: &RunPlan,
    peers: &[KnownClient],
    (started_at, ending): (String, RunEnding),
    partitioned: bool,
) -> RunRecord {
    let (peers, watchers): (Vec<&KnownClient>, Vec<&KnownClient>) =
        peers.iter().partition(|peer| peer.measures());
    let seconds: Vec<&[Interval]> = peers.iter().map(|peer| peer.series.seconds()).collect();
    let intervals = common(&seconds);
    let window = SumWindow::of(&intervals);
    let parts: Vec<ClientPart> = peers.iter().map(|peer| part(peer, &window)).collect();
    let target_side = watchers.first().map(|peer| Box::new(target_side::of(peer, &parts, &window)));
    let records: Vec<&RunRecord> = peers.iter().filter_map(|peer| peer.record.as_ref()).collect();
    let summary = summary(&intervals, &window, &parts, &records);
    let facts = ClientsFacts {
        skew_bound_ns: pairwise_skew(&parts),
        start_bound_ns: start_bound(&parts),
        overlap_share: overlap(&parts, window.length_ns),
        balance: ClientBalance::of(
            &parts.iter().map(|part| part.summary.operations_per_s()).collect::<Vec<_>>(),
        ),
        partitioned,
        clients: parts,
        target_side,
    };
    let first = records.first();
    let ceilings = links(&facts, &records);
    let begun =
        RunRecord::begun(this_tool(), scaled(&plan.workload, peers.len()), target(plan, &records), "");
    // Telemetry is each client's own, among the clients.
    RunRecord {
        id: record_ids::new_id("r"),
        started_at,
        engine: first.map_or_else(|| begun.engine.clone(), |record| record.engine.clone()),
        clock: first.and_then(|record| record.clock.clone()),
        checks: checks(&facts, window.length_ns),
        ending,
        summary,
        jobs: jobs(&records),
        ledger: ledger(&records, &intervals),
        intervals,
        environment: first.map(|record| record.environment.clone()).unwrap_or_default(),
        ceilings,
        wall: first.and_then(|record| record.wall.clone()),
        command: exact_command_line(plan),
        notes: notes(&facts),
        clients: Some(Box::new(facts)),
        ..begun
    }
}

/// The measured time of the sum.
pub struct SumWindow {
    from_ns: u64,
    to_ns: u64,
    length_ns: u64,
}

impl SumWindow {
    fn of(intervals: &[Interval]) -> Self {
        let measured = || intervals.iter().filter(|interval| !interval.warmup);
        let end = |interval: &Interval| interval.start_ns + interval.duration_ns;
        Self {
            from_ns: measured().next().map_or(0, |first| first.start_ns),
            to_ns: measured().next_back().map_or(0, end),
            length_ns: measured().map(|interval| interval.duration_ns).sum(),
        }
    }

    fn holds(&self, interval: &Interval) -> bool {
        !interval.warmup && interval.start_ns >= self.from_ns && interval.start_ns < self.to_ns
    }

    /// Mean of a series over its samples that end in the window; absent where none of them has a value.
    pub fn mean(&self, telemetry: &Telemetry, series: &MetricSeries) -> Option<f64> {
        let inside = |at_ns: i64| u64::try_from(at_ns).is_ok_and(|at| at > self.from_ns && at <= self.to_ns);
        let known = telemetry.at_ns.iter().zip(&series.values).filter(|(at_ns, _)| inside(**at_ns));
        let values: Vec<f64> = known.filter_map(|(_, value)| *value).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }
}

fn part(peer: &KnownClient, window: &SumWindow) -> ClientPart {
    let seconds = peer.series.seconds();
    let within: Vec<&Interval> = seconds.iter().filter(|second| window.holds(second)).collect();
    let measured_ns = seconds.iter().filter(|second| !second.warmup).map(|second| second.duration_ns).sum();
    let record = peer.record.as_ref();
    let in_flight_ns: u64 = within.iter().map(|second| second.in_flight_integral_ns).sum();
    let own = record.map(|record| record.summary.clone()).unwrap_or_default();
    let whole = own.duration_ns == window.length_ns;
    let of_window = |ns: Option<u64>| ns.filter(|_| whole);
    let summary = Summary {
        duration_ns: window.length_ns,
        directions: if whole { own.directions } else { directions(&within, window.length_ns) },
        in_flight_mean: (window.length_ns > 0).then(|| in_flight_ns as f64 / window.length_ns as f64),
        cpu_user_ns: of_window(own.cpu_user_ns),
        cpu_system_ns: of_window(own.cpu_system_ns),
        ..own
    };
    let hello = peer.hello.as_ref();
    let said = |text: Option<&String>| text.cloned().unwrap_or_default();
    let lost =
        || RunEnding::Failed { error: peer.failed.as_ref().map_or_else(String::new, ToString::to_string) };
    let telemetry = record.map(|record| record.telemetry.clone()).unwrap_or_default();
    ClientPart {
        name: peer.client.name.clone(),
        reach: peer.client.reach.to_string(),
        host: said(hello.map(|hello| &hello.host)),
        version: said(hello.map(|hello| &hello.version)),
        architecture: said(hello.map(|hello| &hello.architecture)),
        targets: peer.plan.targets.clone(),
        engine: record.map(|record| record.engine.name.clone()).unwrap_or_default(),
        jobs: peer.plan.workload.jobs,
        depth: peer.plan.workload.depth,
        clock_before: clock_offset(peer.before.as_ref()).unwrap_or(ClockOffset {
            offset_ns: 0,
            error_ns: u64::MAX,
            round_trip_ns: u64::MAX,
        }),
        clock_after: clock_offset(peer.after.as_ref()),
        skew_bound_ns: peer.before.as_ref().zip(peer.after.as_ref()).map(|(a, b)| skew_bound_ns(a, b)),
        start: record.and_then(|record| start_of(&record.jobs)),
        summary,
        measured_ns,
        interfaces: interfaces(&telemetry, window),
        ending: record.map_or_else(lost, |record| record.ending.clone()),
        checks: record.map(|record| record.checks.clone()).unwrap_or_default(),
        notes: record.map(|record| record.notes.clone()).unwrap_or_default(),
        environment: record.map(|record| record.environment.clone()),
        telemetry,
    }
}

pub fn clock_offset(offset: Option<&Offset>) -> Option<ClockOffset> {
    let &Offset { ns, error_ns, round_trip_ns, .. } = offset?;
    Some(ClockOffset { offset_ns: ns, error_ns, round_trip_ns })
}

/// What the kernel counted on each interface, over the samples that end in the window.
pub fn interfaces(telemetry: &Telemetry, window: &SumWindow) -> Vec<ClientInterface> {
    let mean = |series: &MetricSeries| window.mean(telemetry, series);
    let received = telemetry.all("net.received_bytes");
    let interface = |series: &MetricSeries| {
        Some(ClientInterface {
            name: series.label.clone(),
            received_bytes_per_s: mean(series)?,
            sent_bytes_per_s: mean(telemetry.find("net.sent_bytes", &series.label)?)?,
        })
    };
    received.filter_map(interface).collect()
}

/// Between two clients the errors of both add up.
fn pairwise_skew(parts: &[ClientPart]) -> Option<u64> {
    let mut bounds = parts.iter().map(|part| part.skew_bound_ns).collect::<Option<Vec<u64>>>()?;
    bounds.sort_unstable();
    Some(bounds.iter().rev().take(2).fold(0, |sum, bound| sum.saturating_add(*bound)))
}

/// The span in which all jobs began; none where one's start is not known.
fn start_of(jobs: &[JobSummary]) -> Option<JobStart> {
    let starts = jobs.iter().map(|job| job.start).collect::<Option<Vec<JobStart>>>()?;
    starts.into_iter().reduce(JobStart::and)
}

/// The clocks may be wrong by their bound, and each job began somewhere in its span.
fn start_bound(parts: &[ClientPart]) -> Option<u64> {
    let starts = parts.iter().map(|part| part.start).collect::<Option<Vec<JobStart>>>()?;
    let spread_ns = starts.into_iter().reduce(JobStart::and)?.spread_ns();
    Some(pairwise_skew(parts)?.saturating_add(spread_ns))
}

fn overlap(parts: &[ClientPart], window_ns: u64) -> f64 {
    let share = |part: &ClientPart| window_ns as f64 / part.measured_ns.max(1) as f64;
    parts.iter().filter(|part| part.measured_ns > 0).map(share).fold(1.0, f64::min)
}

fn summary(
    intervals: &[Interval],
    window: &SumWindow,
    parts: &[ClientPart],
    records: &[&RunRecord],
) -> Summary {
    let measured: Vec<&Interval> = intervals.iter().filter(|interval| window.holds(interval)).collect();
    let in_flight_ns: u64 = measured.iter().map(|second| second.in_flight_integral_ns).sum();
    let each = |value: fn(&Summary) -> Option<f64>| -> Option<f64> {
        parts.iter().map(|part| value(&part.summary)).sum::<Option<f64>>()
    };
    let counted = |value: fn(&Summary) -> Option<u64>| -> Option<u64> {
        parts.iter().map(|part| value(&part.summary)).sum::<Option<u64>>()
    };
    let mut breaches = EngineBreaches::default();
    records
        .iter()
        .filter_map(|record| record.summary.breaches.as_deref())
        .for_each(|own| breaches.merge(own));
    Summary {
        duration_ns: window.length_ns,
        directions: directions(&measured, window.length_ns),
        in_flight_mean: (window.length_ns > 0).then(|| in_flight_ns as f64 / window.length_ns as f64),
        in_flight_requested: each(|own| own.in_flight_requested),
        generator_lag: None,
        delayed_arrivals: counted(|own| own.delayed_arrivals),
        offered_per_s: each(|own| own.offered_per_s),
        reap_lag: None,
        generator_busy_share: each(|own| own.generator_busy_share).map(|sum| sum / parts.len().max(1) as f64),
        cpu_user_ns: counted(|own| own.cpu_user_ns),
        cpu_system_ns: counted(|own| own.cpu_system_ns),
        breaches: (records.len() == parts.len()).then(|| Box::new(breaches)),
    }
}

/// What all clients together were asked for.
fn scaled(workload: &Workload, clients: usize) -> Workload {
    let times = clients as f64;
    let count = |one: Option<u64>| one.map(|one| one.saturating_mul(clients as u64));
    let mut all = workload.clone();
    all.jobs = all.jobs.saturating_mul(u32::try_from(clients).unwrap_or(u32::MAX));
    all.length.operations = count(all.length.operations);
    all.length.bytes = count(all.length.bytes);
    match &mut all.arrival {
        Arrival::Closed | Arrival::Pausing { .. } | Arrival::Traced { .. } => {}
        Arrival::Constant { rate_per_s } | Arrival::Poisson { rate_per_s } => *rate_per_s *= times,
        Arrival::Steps { rates_per_s, .. } => rates_per_s.iter_mut().for_each(|rate| *rate *= times),
        Arrival::PerDirection { read_per_s, write_per_s, .. } => {
            [read_per_s, write_per_s].into_iter().flatten().for_each(|rate| *rate *= times);
        }
        Arrival::Ramp { from_per_s, to_per_s, .. } => {
            *from_per_s *= times;
            *to_per_s *= times;
        }
    }
    all
}

fn target(plan: &RunPlan, records: &[&RunRecord]) -> TargetFacts {
    let Some(first) = records.first() else {
        return TargetFacts::named(plan.targets.join(" + "), TargetKind::Unknown);
    };
    let mut names: Vec<&str> = records.iter().map(|record| record.target.name.as_str()).collect();
    names.dedup();
    let mut facts = TargetFacts { name: names.join(" + "), ..first.target.clone() };
    if let Some(decorated) = &mut facts.decorated {
        // Each client has a throttle of its own.
        let each = |limit: fn(&RunRecord) -> Option<f64>| records.iter().map(|record| limit(record)).sum();
        decorated.operations_per_s = each(|record| record.target.decorated.as_ref()?.operations_per_s);
        decorated.bytes_per_s = each(|record| record.target.decorated.as_ref()?.bytes_per_s);
    }
    facts
}

fn jobs(records: &[&RunRecord]) -> Vec<JobSummary> {
    let all = records.iter().flat_map(|record| record.jobs.iter().cloned());
    all.zip(0..).map(|(job, number)| JobSummary { job: number, target: None, ..job }).collect()
}

fn ledger(records: &[&RunRecord], intervals: &[Interval]) -> Ledger {
    let seconds = intervals.iter().map(|interval| interval.duration_ns as f64 / 1e9).sum::<f64>();
    let counted = |value: fn(&Ledger) -> Option<u64>| -> Option<u64> {
        records.iter().map(|record| value(&record.ledger)).sum()
    };
    Ledger {
        seconds,
        bytes_read: counted(|ledger| ledger.bytes_read),
        bytes_written: counted(|ledger| ledger.bytes_written),
        span_bytes: records.iter().filter_map(|record| record.ledger.span_bytes).max(),
        written_over_capacity: records.iter().map(|record| record.ledger.written_over_capacity).sum(),
        span_touched_share: None,
        span_touched_basis: None,
        resolves_events_per_s: if seconds > 0.0 { 3.0 / seconds } else { f64::MAX },
    }
}

/// What the links of all machines carry together, by direction; none where one of them is not known. Clients of one
/// machine share its links.
fn links(facts: &ClientsFacts, records: &[&RunRecord]) -> Vec<KnownCeiling> {
    let mut hosts: Vec<&str> = Vec::new();
    let mut machines: Vec<&RunRecord> = Vec::new();
    for (part, record) in facts.clients.iter().zip(records) {
        if !hosts.contains(&part.host.as_str()) {
            hosts.push(&part.host);
            machines.push(record);
        }
    }
    if records.len() < facts.clients.len() {
        return Vec::new();
    }
    let of = |record: &RunRecord, direction: Option<Direction>| {
        let own = record.ceilings.iter().filter(|it| it.scope == CeilingScope::Link && !it.burst);
        let rates = own.filter(|it| it.direction == direction).filter_map(|it| match it.rate {
            CeilingRate::Throughput { bytes_per_s } => Some(bytes_per_s),
            CeilingRate::Iops { .. } => None,
        });
        rates.min_by(f64::total_cmp)
    };
    [None, Some(Direction::Read), Some(Direction::Write)]
        .into_iter()
        .filter_map(|direction| {
            let bytes_per_s = machines
                .iter()
                .map(|record| of(record, direction))
                .sum::<Option<f64>>()
                .filter(|sum| *sum > 0.0)?;
            Some(KnownCeiling {
                rate: CeilingRate::Throughput { bytes_per_s },
                scope: CeilingScope::Link,
                direction,
                burst: false,
                source: format!("the links of {} together", counted(machines.len() as u64, "machine")),
            })
        })
        .collect()
}

/// The worst of each check over the clients, with whose it is, and those of the sum itself.
fn checks(facts: &ClientsFacts, window_ns: u64) -> Vec<Check> {
    let mut worst: Vec<Check> = Vec::new();
    for part in &facts.clients {
        for check in &part.checks {
            let told =
                Check { explanation: format!("{}: {}", part.name, check.explanation), ..check.clone() };
            match worst.iter_mut().find(|known| known.name == check.name) {
                Some(known) if known.outcome < check.outcome => *known = told,
                Some(_) => {}
                None => worst.push(told),
            }
        }
    }
    worst.extend([skew(facts, window_ns), overlapping(facts)]);
    worst.put_in_order_by_key(|check| std::cmp::Reverse(check.outcome));
    worst
}

fn skew(facts: &ClientsFacts, window_ns: u64) -> Check {
    let name = CheckName::ClientSkew;
    let Some(bound_ns) = facts.skew_bound_ns else {
        let said = "A client was lost before its clock was compared again: how far its seconds are from the others' is \
                    not known.";
        return Check::plain(name, CheckOutcome::Caution, said);
    };
    let limit_ns = SKEW_LIMIT_NS.min((window_ns as f64 * SKEW_LIMIT_SHARE) as u64);
    let outcome = match bound_ns {
        _ if bound_ns > limit_ns => CheckOutcome::Fail,
        _ if bound_ns > SKEW_CAUTION_NS => CheckOutcome::Caution,
        _ => CheckOutcome::Pass,
    };
    let said = format!(
        "A second of any client is at most {:.2} ms from the same second of any other.",
        bound_ns as f64 / 1e6
    );
    Check::figure(name, outcome, (bound_ns as f64, limit_ns as f64), "ns", said)
}

fn overlapping(facts: &ClientsFacts) -> Check {
    let outcome = if facts.overlap_share < OVERLAP_LIMIT { CheckOutcome::Fail } else { CheckOutcome::Pass };
    let said = format!(
        "At least {:.1} % of what each client measured lies where all of them measured.",
        facts.overlap_share * 100.0
    );
    Check::figure(CheckName::ClientOverlap, outcome, (facts.overlap_share, OVERLAP_LIMIT), "share", said)
}

fn notes(facts: &ClientsFacts) -> Vec<String> {
    let clients = &facts.clients;
    let mut notes = vec![format!(
        "The sum of {} clients, each of which carried the whole plan with a seed of its own: counts and histograms are \
         added over the time in which all measured, and nothing is averaged.",
        clients.len()
    )];
    if let Some(first) = clients.first().filter(|_| clients.len() > 1) {
        notes.push(format!(
            "What the record says of machine, engine and clock is of client {}; each client's own, and its telemetry, is with it.",
            first.name
        ));
    }
    if let Some(side) = &facts.target_side {
        notes.push(format!(
            "Client {} was at the target's machine, {}, and is not counted in the sum.",
            side.name, side.host
        ));
    }
    if facts.partitioned {
        notes.push("Each client had a part of the addresses to itself (--partition).".to_owned());
    }
    notes
}
