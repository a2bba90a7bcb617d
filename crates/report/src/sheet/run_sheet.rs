//! One run: its headline, rates, latencies and remarks.

use fathom_record::check::CheckOutcome;
use fathom_record::facts::BOUND_NEAR_DEVICE;
use fathom_record::run_record::{DirectionSummary, IoGroup};
use fathom_record::telemetry::AbsentSource;
use fathom_record::{CheckName, Direction, LatencySummary, RunRecord};

use super::{Entry, entry, series_sheet};
use crate::table::{Table, numbers, paths, words};
use crate::{import_words, number, value_words};

/// Quantiles that tables show.
const SHOWN: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 0.9999];

/// Self-checks that failed and an ending that was not planned, as sentences.
pub fn failures(run: &RunRecord) -> Vec<String> {
    let ending =
        value_words::ending(&run.ending).map(|text| format!("The run did not end as planned: {text}."));
    ending.into_iter().chain(of_outcome(run, CheckOutcome::Fail)).collect()
}

/// Checks that say that the machine or the target was busy with something else.
const BUSY: [CheckName; 2] = [CheckName::OtherPrograms, CheckName::OtherLoad];

/// What others did to the machine and the target during the run, as sentences: it comes before the numbers.
pub fn busy(run: &RunRecord) -> Vec<String> {
    let busy = run
        .checks
        .iter()
        .filter(|check| check.outcome == CheckOutcome::Caution && BUSY.contains(&check.name));
    busy.map(|check| check.explanation.clone()).collect()
}

/// What comes before the numbers: what failed, and a busy machine.
pub fn first(run: &RunRecord) -> Vec<String> {
    failures(run).into_iter().chain(busy(run)).collect()
}

/// Other checks that ended in a caution, as sentences.
pub fn cautions(run: &RunRecord) -> Vec<String> {
    of_outcome(run, CheckOutcome::Caution)
}

fn of_outcome(run: &RunRecord, outcome: CheckOutcome) -> Vec<String> {
    let is_said = |name| outcome == CheckOutcome::Caution && BUSY.contains(&name);
    let ended = run.checks.iter().filter(|check| check.outcome == outcome && !is_said(check.name));
    ended.map(|check| format!("{}: {}", value_words::check(check.name), check.explanation)).collect()
}

/// What was reached, as one sentence.
pub fn headline(run: &RunRecord) -> String {
    let summary = &run.summary;
    if summary.directions.is_empty() {
        return nothing(run);
    }
    let mut text = number::iops(summary.operations_per_s());
    if run.engine.moves_data() {
        text = format!("{text}, {}", number::throughput(run.throughput_bytes_per_s()));
    }
    let worst_p99 = summary
        .directions
        .iter()
        .filter(|d| matches!(d.direction, IoGroup::Read | IoGroup::Write | IoGroup::Mixed))
        .filter_map(p99)
        .max_by_key(|(_, _, ns)| *ns);
    if let Some((direction, kind, ns)) = worst_p99 {
        let time = number::time(ns as f64);
        text.push_str(&format!(" at a p99 {kind} latency of {time} ({})", direction.name()));
    }
    text.push_str(&format!(", {}.", in_flight(run)));
    text
}

/// The 99th percentile of service latency, or of what another tool states in its place.
fn p99(d: &DirectionSummary) -> Option<(IoGroup, &'static str, u64)> {
    let of = |summary: &Option<LatencySummary>| summary.as_ref().and_then(|s| s.quantile_ns(0.99));
    let service = of(&d.service).map(|ns| ("service", ns));
    let (kind, ns) = service.or_else(|| of(&d.completion).map(|ns| ("completion", ns)))?;
    Some((d.direction, kind, ns))
}

/// What to say of a run without any direction.
pub fn nothing(run: &RunRecord) -> String {
    match series_sheet::is_all(run) {
        true => series_sheet::headline(run),
        false => "No I/O finished in the measured window.".to_owned(),
    }
}

/// I/Os in flight, achieved of asked.
pub fn in_flight(run: &RunRecord) -> String {
    let summary = &run.summary;
    let Some(mean) = summary.in_flight() else {
        return format!("I/Os in flight {}", import_words::missing(run));
    };
    let achieved = number::in_flight(mean);
    let derived = if summary.in_flight_mean.is_none() { ", by rate times mean service latency" } else { "" };
    match summary.in_flight_requested {
        Some(asked) => format!("{achieved} of {} I/Os in flight{derived}", number::in_flight(asked)),
        None => format!("{achieved} I/Os in flight{derived}"),
    }
}

/// Rates by direction.
pub fn rates(run: &RunRecord) -> Table {
    let mut table = Table::new(&[
        words("direction", 0),
        numbers("IOPS", 0),
        numbers("throughput", 0),
        numbers("I/Os", 2),
        numbers("transferred", 1),
        numbers("errors", 1),
    ]);
    for d in &run.summary.directions {
        let moves = d.direction != Direction::Flush && run.engine.moves_data();
        let data = |text: String| if moves { text } else { "–".to_owned() };
        table.row([
            d.direction.name().to_owned(),
            number::rate(d.operations_per_s),
            data(number::throughput(d.throughput_bytes_per_s)),
            import_words::known(run, d.operations.map(number::count)),
            data(import_words::known(run, d.bytes.map(number::size))),
            import_words::known(run, d.errors.map(number::count)),
        ]);
    }
    table
}

/// Service and response latencies by direction, and the generator's own delays.
pub fn latencies(run: &RunRecord) -> Table {
    let mut table = Table::new(&[
        words("latency", 0),
        numbers("mean", 0),
        numbers("p50", 0),
        numbers("p90", 3),
        numbers("p99", 0),
        numbers("p99.9", 1),
        numbers("p99.99", 4),
        numbers("max", 2),
    ]);
    for d in &run.summary.directions {
        let name = d.direction.name();
        table.row(latency_row(run, format!("{name} service"), d.service.as_ref()));
        if let Some(completion) = &d.completion {
            table.row(latency_row(run, format!("{name} completion"), Some(completion)));
        }
        if let Some(response) = &d.response {
            table.row(latency_row(run, format!("{name} response"), Some(response)));
        }
    }
    let (lag, reap) = (&run.summary.generator_lag, &run.summary.reap_lag);
    if lag.is_some() {
        table.row(latency_row(run, "generator lag".to_owned(), lag.as_ref()));
    }
    if reap.is_some() {
        table.row(latency_row(run, "completion delay".to_owned(), reap.as_ref()));
    }
    table
}

fn latency_row(run: &RunRecord, name: String, summary: Option<&LatencySummary>) -> Vec<String> {
    let Some(summary) = summary else {
        return [name, import_words::missing(run)]
            .into_iter()
            .chain(vec!["–".to_owned(); SHOWN.len() + 1])
            .collect();
    };
    let resolved = |q| summary.quantile_ns(q).map_or("–".to_owned(), |ns| number::time(ns as f64));
    let quantiles = SHOWN.into_iter().map(resolved);
    [name, number::time(summary.mean_ns)]
        .into_iter()
        .chain(quantiles)
        .chain([summary.max_ns.map_or_else(|| "–".to_owned(), |ns| number::time(ns as f64))])
        .collect()
}

/// What a dash in [`latencies`] means, and why there may be no response latency.
pub fn latency_remarks(run: &RunRecord) -> Vec<String> {
    let mut out = Vec::new();
    if series_sheet::is_all(run) {
        return out;
    }
    let is_told = import_words::workload(run).is_some();
    if is_told && !run.workload.arrival.is_open() {
        out.push(
            "In a closed loop the response latency is the service latency; its tail belongs to this depth."
                .to_owned(),
        );
    }
    if run.is_imported() {
        let tool = import_words::tool(run);
        out.push(format!(
            "All latencies are as {tool} states them; a dash stands for what it does not state."
        ));
        if run.summary.directions.iter().any(|d| d.completion.is_some()) {
            out.push(
                "Service runs from the submission, completion from the end of the submitting call."
                    .to_owned(),
            );
        }
        return out;
    }
    let unresolved =
        |d: &DirectionSummary| d.service.as_ref().is_some_and(|s| s.quantile_ns(0.9999).is_none());
    if run.summary.directions.iter().any(unresolved) {
        out.push("A dash stands where fewer than 10 I/Os lie beyond a percentile.".to_owned());
    }
    out
}

/// In-flight, processors and the generator.
pub fn conditions(run: &RunRecord) -> Vec<Entry> {
    let summary = &run.summary;
    if series_sheet::is_all(run) {
        return Vec::new();
    }
    let mut out = vec![entry("in flight", format!("{} (mean)", in_flight(run)))];
    if let Some(offered) = summary.offered_per_s {
        let delayed = number::known(summary.delayed_arrivals.map(number::count));
        out.push(entry(
            "offered",
            format!("{}, arrivals delayed by the in-flight cap: {delayed}", number::iops(offered)),
        ));
    }
    out.extend(processors(run).map(|text| entry("CPUs", text)));
    out.push(entry("CPU per I/O", cpu(run)));
    out.push(entry(
        "generator busy",
        import_words::known(run, summary.generator_busy_share.map(number::percent)),
    ));
    let verified =
        run.checks.iter().find(|c| c.name == CheckName::Verification && c.outcome == CheckOutcome::Pass);
    out.extend(verified.map(|check| entry("verification", check.explanation.clone())));
    out
}

/// Jobs that a line names one by one; of more only the processors are listed.
const NAMED_JOBS: usize = 4;

/// Where the jobs ran and why; nothing where the record does not say.
fn processors(run: &RunRecord) -> Option<String> {
    let bound: Vec<_> = run.jobs.iter().filter_map(|job| Some((job, job.cpu?))).collect();
    if bound.is_empty() {
        let chosen = run.engine.features.iter().find(|feature| feature.name == BOUND_NEAR_DEVICE)?;
        return Some(format!("not bound: {}", chosen.note.as_deref().unwrap_or("no reason was given")));
    }
    if bound.len() > NAMED_JOBS {
        let cpus: Vec<String> = bound.iter().map(|(_, cpu)| cpu.to_string()).collect();
        return Some(format!("{} jobs bound to {}", bound.len(), cpus.join(", ")));
    }
    let named = bound.iter().map(|(job, cpu)| match &job.placement {
        Some(why) => format!("job {} bound to {cpu} ({why})", job.job),
        None => format!("job {} bound to {cpu}", job.job),
    });
    Some(named.collect::<Vec<_>>().join("; "))
}

fn cpu(run: &RunRecord) -> String {
    let operations = run.summary.operations().filter(|operations| *operations > 0);
    let (Some(user), Some(system), Some(operations)) =
        (run.summary.cpu_user_ns, run.summary.cpu_system_ns, operations)
    else {
        return import_words::missing(run);
    };
    let each = |ns: u64| number::time(ns as f64 / operations as f64);
    format!("{} ({} user, {} system)", each(user.saturating_add(system)), each(user), each(system))
}

/// Each target's share, where jobs were spread over several: rates, and service latencies.
pub fn targets(run: &RunRecord) -> Table {
    let mut table = Table::new(&[
        paths("target", 0),
        words("direction", 1),
        numbers("IOPS", 0),
        numbers("throughput", 0),
        numbers("service p50", 0),
        numbers("service p99", 0),
        numbers("in flight", 1),
        numbers("errors", 2),
        numbers("jobs", 3),
    ]);
    for target in &run.targets {
        for d in &target.directions {
            let quantile = |q| d.service.as_ref().and_then(|service| service.quantile_ns(q));
            let shown = |ns: Option<u64>| ns.map_or("–".to_owned(), |ns| number::time(ns as f64));
            table.row([
                target.name.clone(),
                d.direction.name().to_owned(),
                number::rate(d.operations_per_s),
                if run.engine.moves_data() {
                    number::throughput(d.throughput_bytes_per_s)
                } else {
                    "–".to_owned()
                },
                shown(quantile(0.5)),
                shown(quantile(0.99)),
                import_words::known(run, target.in_flight_mean.map(number::in_flight)),
                import_words::known(run, d.errors.map(number::count)),
                target.jobs.to_string(),
            ]);
        }
        if target.directions.is_empty() {
            let none = || "–".to_owned();
            let name = format!("{} (no I/O finished)", target.name);
            table.row([
                name,
                none(),
                none(),
                none(),
                none(),
                none(),
                none(),
                none(),
                target.jobs.to_string(),
            ]);
        }
    }
    table
}

/// Each job's share.
pub fn jobs(run: &RunRecord) -> Table {
    let mut table = Table::new(&[
        numbers("job", 0),
        words("target", 1),
        numbers("bound to CPU", 1),
        words("because of", 2),
        numbers("IOPS", 0),
        numbers("I/Os", 2),
        numbers("transferred", 0),
        numbers("errors", 0),
        numbers("in flight", 0),
        numbers("busy", 0),
    ]);
    let none = || "–".to_owned();
    for job in &run.jobs {
        let target = job.target.and_then(|target| run.targets.get(target as usize));
        table.row([
            job.job.to_string(),
            target.map_or_else(none, |target| target.name.clone()),
            job.cpu.map_or_else(none, |cpu| cpu.to_string()),
            job.placement.clone().unwrap_or_else(none),
            job.operations_per_s.map_or_else(none, number::rate),
            job.operations.map_or_else(none, number::count),
            job.bytes.map_or_else(none, number::size),
            job.errors.map_or_else(none, number::count),
            job.in_flight_mean.map_or_else(none, number::in_flight),
            if run.is_imported() { none() } else { number::known(job.busy_share.map(number::percent)) },
        ]);
    }
    table
}

/// Remarks for people, and telemetry that could not be read.
pub fn notes(run: &RunRecord) -> Vec<String> {
    notes_after(run, &[])
}

/// The same where a run before it lacked these sources: what has the same reason again is named in one line.
pub fn notes_after(run: &RunRecord, lacked: &[AbsentSource]) -> Vec<String> {
    let (again, first): (Vec<&AbsentSource>, Vec<_>) =
        run.telemetry.absent.iter().partition(|absent| lacked.contains(absent));
    let first = first.into_iter().map(|a| format!("{} not measured: {}", a.source, a.reason));
    let names: Vec<&str> = again.iter().map(|absent| absent.source.as_str()).collect();
    let again = (!names.is_empty()).then(|| {
        format!("Not measured, as in the run before: {}; why: fathom show {}", names.join(", "), run.id)
    });
    run.notes.iter().cloned().chain(first).chain(again).chain(import_words::gaps(run)).collect()
}
