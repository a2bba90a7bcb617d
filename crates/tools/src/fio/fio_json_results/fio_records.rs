//! Run records from fio's documents: one for each job or group, and one for all clones of a job.

use fathom_record::facts::EngineFacts;
use fathom_record::run_record::{
    DirectionSummary, IoGroup, JobSummary, Ledger, RunEnding, RunRecord, Summary, Tool,
};
use fathom_record::workload::Arrival;
use fathom_record::{Direction, RecordOrigin};
use jiff::Timestamp;

use super::combine::together;
use super::numbers;
use super::result_document::{Document, Job};
use super::result_workload::{Options, workload};
use super::{coarse_percentiles, errno, steady_state};
use crate::result_import::{Context, blank};

/// All runs of a document. `part` says which document of how many it is, and is empty for the only one.
pub fn runs(mut document: Document, part: &str, common: &RecordOrigin, context: &Context) -> Vec<RunRecord> {
    let mut all = std::mem::take(&mut document.jobs);
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(first) = all.get(at) {
        let clones = all[at..].iter().take_while(|job| is_clone(job, first)).count();
        let is_only = clones == all.len();
        let name = match (is_only, clones) {
            (true, _) => String::new(),
            (false, 1) => format!("job {}", at + 1),
            (false, _) => format!("jobs {} to {}", at + 1, at + clones),
        };
        let separator = if part.is_empty() || name.is_empty() { "" } else { ", " };
        let origin = RecordOrigin { part: format!("{part}{separator}{name}"), ..common.clone() };
        out.push(run(&document, &all[at..at + clones], at, origin, context));
        // The bins of thousands of jobs are not held beside the records that they became.
        all[at..at + clones].fill_with(Job::default);
        at += clones;
    }
    out
}

/// Whether a job is another instance of the same section.
fn is_clone(job: &Job, first: &Job) -> bool {
    job.name == first.name
        && job.group == first.group
        && job.options == first.options
        && (&job.hostname, job.port) == (&first.hostname, first.port)
}

fn run(
    document: &Document,
    jobs: &[Job],
    at: usize,
    mut origin: RecordOrigin,
    context: &Context,
) -> RunRecord {
    let first = &jobs[0];
    let options = Options { global: &document.global, own: &first.options };
    let list = if document.is_client { "client_stats" } else { "jobs" };
    let mut parts: Vec<Vec<DirectionSummary>> = jobs
        .iter()
        .enumerate()
        .map(|(n, job)| directions(job, &format!("{list}[{}]", at + n), &mut origin))
        .collect();
    let duration_ms = jobs.iter().flat_map(flows).filter_map(|flow| flow.runtime_ms).max().unwrap_or(0);
    let mut directions = of_run(&mut parts);
    flushes(jobs, duration_ms, &mut directions);
    coarse_percentiles::fill(jobs, &mut directions);
    if jobs.len() > 1 && directions.iter().any(|d| !has_quantiles(d)) {
        let reason =
            format!("{} jobs were reported one by one, and their percentiles do not add up", jobs.len());
        origin.lacks("summary.directions.quantiles", reason);
    }
    let count = clones(&options, jobs, document.cut_off);
    let asked = workload(&options, count, &mut origin);
    for job in jobs {
        if let Some(key) = &job.duplicate {
            origin.quirk("duplicate_key", format!("{key} stands twice in a job; the last one was taken"));
        }
    }
    let version = document.version.as_deref().unwrap_or_default();
    let tool = Tool { name: "fio".to_owned(), version: version.trim_start_matches("fio-").to_owned() };
    let started = started_at(document, jobs, &mut origin);
    let duration_ns = duration_ms.saturating_mul(1_000_000);
    let telemetry = steady_state::telemetry(jobs, (list, at), duration_ns, &mut origin);
    let mut record = blank(tool, origin, context);
    if let Some(started) = started {
        record.started_at = started;
    }
    record.target.name = target(&options, first);
    record.target.direct = options.is_direct();
    if options.engine().is_none() {
        lack(&mut record, "engine", "no engine is named, and fio's default depends on the system");
    }
    record.engine = engine_facts(&options);
    record.ending = ending(jobs, &options);
    let is_told =
        |field: &str| record.origin.as_ref().is_none_or(|origin| origin.why_absent(field).is_none());
    let is_full =
        asked.arrival == Arrival::Closed && ["workload.depth", "workload.arrival"].into_iter().all(is_told);
    record.summary = Summary {
        duration_ns,
        in_flight_requested: is_full.then(|| f64::from(asked.jobs) * f64::from(asked.depth)),
        cpu_user_ns: cpu_ns(jobs, |job| job.usr_cpu),
        cpu_system_ns: cpu_ns(jobs, |job| job.sys_cpu),
        directions,
        ..Summary::default()
    };
    record.jobs = shares(jobs, &parts);
    record.ledger = ledger(&record.summary, asked.span_bytes);
    record.workload = asked;
    record.telemetry = telemetry;
    record.notes = notes(jobs);
    unreported(&mut record, version);
    keep_no_spare_room(&mut record);
    record
}

/// What the options say of the engine.
fn engine_facts(options: &Options<'_>) -> EngineFacts {
    EngineFacts {
        name: options.engine().map_or_else(|| "fio".to_owned(), |engine| format!("fio {engine}")),
        version: 0,
        features: Vec::new(),
        completes_inline: options.is_synchronous(),
        returned_stamp: String::new(),
    }
}

/// Directions of all jobs together; those of an only job are taken, as nothing asks for its share.
fn of_run(parts: &mut [Vec<DirectionSummary>]) -> Vec<DirectionSummary> {
    match parts {
        [only] => std::mem::take(only),
        several => all_together(several),
    }
}

/// A file may hold thousands of results: none keeps room for more than it says.
fn keep_no_spare_room(record: &mut RunRecord) {
    let Some(origin) = &mut record.origin else { return };
    origin.absent.shrink_to_fit();
    origin.quirks.shrink_to_fit();
}

fn flows(job: &Job) -> impl Iterator<Item = &super::result_document::Flow> {
    [&job.read, &job.write, &job.trim, &job.mixed].into_iter().flatten()
}

/// Directions of a job. `unified_rw_reporting=both` prints the sum beside its parts; the parts say more.
fn directions(job: &Job, at: &str, origin: &mut RecordOrigin) -> Vec<DirectionSummary> {
    let mut out = Vec::new();
    for (group, name, flow) in [
        (IoGroup::Read, "read", &job.read),
        (IoGroup::Write, "write", &job.write),
        (IoGroup::Trim, "trim", &job.trim),
    ] {
        if let Some(flow) = flow {
            out.extend(numbers::direction(group, flow, job, &format!("{at}.{name}"), origin));
        }
    }
    if let Some(flow) = job.mixed.as_ref().filter(|_| out.is_empty()) {
        origin.quirk("mixed_only", "reads and writes are reported together (unified_rw_reporting)");
        out.extend(numbers::direction(IoGroup::Mixed, flow, job, &format!("{at}.mixed"), origin));
    }
    out
}

fn all_together(parts: &[Vec<DirectionSummary>]) -> Vec<DirectionSummary> {
    let groups = [IoGroup::Read, IoGroup::Write, IoGroup::Trim, IoGroup::Mixed];
    let of = |group: IoGroup| {
        let same: Vec<&DirectionSummary> = parts.iter().flatten().filter(|d| d.direction == group).collect();
        together(&same)
    };
    groups.into_iter().filter_map(of).collect()
}

/// Flushes are counted by fio and have latencies, and no rate of their own.
fn flushes(jobs: &[Job], duration_ms: u64, directions: &mut Vec<DirectionSummary>) {
    let synced: Vec<_> = jobs.iter().filter_map(|job| job.sync.as_ref()).collect();
    let count: u64 = synced.iter().filter_map(|sync| sync.total_ios).fold(0, u64::saturating_add);
    if count == 0 || duration_ms == 0 {
        return;
    }
    let latency = match synced.as_slice() {
        [only] => only.lat.as_ref().filter(|lat| lat.max > 0).map(|lat| numbers::summary(lat, Some(count))),
        _ => None,
    };
    directions.push(DirectionSummary {
        direction: Direction::Flush.into(),
        operations: Some(count),
        bytes: Some(0),
        errors: Some(0),
        operations_per_s: count as f64 / (duration_ms as f64 / 1000.0),
        throughput_bytes_per_s: 0.0,
        service: latency,
        response: None,
        submit: None,
        service_histogram: None,
        response_histogram: None,
        completion: None,
        completion_histogram: None,
    });
}

fn has_quantiles(direction: &DirectionSummary) -> bool {
    let any = |summary: &Option<_>| {
        summary.as_ref().is_some_and(|s: &fathom_record::LatencySummary| !s.quantiles.is_empty())
    };
    any(&direction.service) || any(&direction.completion)
}

/// Jobs behind the numbers: those listed, or all clones where fio put them together (group_reporting), which is
/// all it lists one entry for.
fn clones(options: &Options<'_>, jobs: &[Job], is_cut_off: bool) -> u32 {
    match jobs.len() {
        1 if !is_cut_off => options.clones(),
        listed => u32::try_from(listed).unwrap_or(u32::MAX),
    }
}

fn target(options: &Options<'_>, job: &Job) -> String {
    let named = options.get(&["filename"]).or_else(|| options.get(&["directory"]));
    let place = named.map_or_else(|| format!("fio job {}", job.name), str::to_owned);
    match &job.hostname {
        Some(host) if !host.is_empty() => format!("{host}:{place}"),
        _ => place,
    }
}

/// When the first I/O started: told since 3.35, and otherwise reckoned back from the end where one group ran.
fn started_at(document: &Document, jobs: &[Job], origin: &mut RecordOrigin) -> Option<String> {
    let text = |ms: u64| {
        let time = Timestamp::from_millisecond(i64::try_from(ms).ok()?).ok()?;
        Some(time.to_string())
    };
    if let Some(start) = jobs.iter().filter_map(|job| job.job_start_ms).min() {
        return text(start);
    }
    let elapsed_ms = jobs.iter().filter_map(|job| job.elapsed_s).max().unwrap_or(0).saturating_mul(1000);
    let found = document.printed_ms.and_then(|printed| text(printed.saturating_sub(elapsed_ms)));
    if found.is_none() {
        origin.lacks("started_at", "fio did not print the time; this is when the file was last changed");
    } else if document.several_groups {
        let reason = "fio prints when all groups had ended, and not when this one started";
        origin.lacks("started_at", reason);
    }
    found
}

fn ending(jobs: &[Job], options: &Options<'_>) -> RunEnding {
    let failed = jobs.iter().find(|job| job.error != 0);
    // 4 is "interrupted": somebody pressed Ctrl-C.
    match failed {
        None => RunEnding::Complete,
        Some(job) if job.error == 4 => RunEnding::Interrupted,
        Some(job) => {
            let meaning = errno::meaning(job.error, options.is_of_windows());
            RunEnding::Failed {
                error: format!("fio ended job {} with error {}{meaning}", job.name, job.error),
            }
        }
    }
}

fn lack(record: &mut RunRecord, field: &str, reason: &str) {
    if let Some(origin) = &mut record.origin {
        origin.lacks(field, reason);
    }
}

/// Processor time from a percentage of the threads' running time, which only newer versions print.
fn cpu_ns(jobs: &[Job], percent: fn(&Job) -> Option<f64>) -> Option<u64> {
    let ms = jobs
        .iter()
        .map(|job| Some(percent(job)? / 100.0 * job.job_runtime_ms? as f64))
        .sum::<Option<f64>>()?;
    (ms >= 0.0).then_some((ms * 1e6) as u64)
}

fn shares(jobs: &[Job], parts: &[Vec<DirectionSummary>]) -> Vec<JobSummary> {
    if jobs.len() < 2 {
        return Vec::new();
    }
    let share = |(number, directions): (u32, &Vec<DirectionSummary>)| {
        let whole = Summary { directions: directions.clone(), ..Summary::default() };
        let total = |figure: fn(&DirectionSummary) -> Option<u64>| directions.iter().map(figure).sum();
        JobSummary {
            job: number,
            target: None,
            cpu: None,
            placement: None,
            start: None,
            operations: total(|d| d.operations),
            bytes: total(|d| d.bytes),
            errors: total(|d| d.errors),
            operations_per_s: Some(whole.operations_per_s()),
            in_flight_mean: None,
            busy_share: None,
            directions: Vec::new(),
        }
    };
    (0..).zip(parts).map(share).collect()
}

/// What is known of the exposure: the I/Os of the warm-up are in none of fio's figures.
fn ledger(summary: &Summary, span_bytes: Option<u64>) -> Ledger {
    let seconds = summary.duration_ns as f64 / 1e9;
    let has_mixed = summary.directions.iter().any(|d| d.direction == IoGroup::Mixed);
    let moved = |direction| match summary.direction(direction) {
        Some(found) => found.bytes,
        None => (!has_mixed).then_some(0),
    };
    Ledger {
        seconds,
        bytes_read: moved(Direction::Read),
        bytes_written: moved(Direction::Write),
        span_bytes,
        resolves_events_per_s: if seconds > 0.0 { 3.0 / seconds } else { 0.0 },
        ..Ledger::default()
    }
}

fn notes(jobs: &[Job]) -> Vec<String> {
    let mut out = Vec::new();
    let states = jobs.iter().filter_map(|job| job.steady_state.as_ref());
    for state in states.filter(|state| !state.rule.is_empty()) {
        let found = if state.attained { "was" } else { "was not" };
        out.push(format!("fio's own steady state ({}) {found} attained.", state.rule));
    }
    if let Some(errors) = jobs.iter().filter_map(|job| job.passed_errors).max().filter(|n| *n > 0) {
        out.push(format!("fio went on after {errors} errors (continue_on_error)."));
    }
    out.dedup();
    out
}

/// Names what no version of fio prints, and what this one does not.
fn unreported(record: &mut RunRecord, version: &str) {
    let version = if version.is_empty() { "fio" } else { version };
    let no_cpu = record.summary.cpu_user_ns.is_none();
    let warm = record.workload.length.warmup_ns > 0;
    let Some(origin) = &mut record.origin else { return };
    let never = "fio does not report it";
    for field in ["clock", "summary.in_flight_mean", "environment", "ledger.span_touched_share", "intervals"]
    {
        origin.lacks(field, never);
    }
    for field in ["target.size_bytes", "target.logical_block_bytes", "target.devices"] {
        origin.lacks(field, never);
    }
    if no_cpu {
        origin.lacks(
            "summary.cpu_user_ns",
            format!("{version} prints percentages of a time that it does not print"),
        );
    }
    if warm {
        origin.lacks("ledger.bytes_of_warmup", "fio leaves the I/Os of ramp_time out of its figures");
    }
}
