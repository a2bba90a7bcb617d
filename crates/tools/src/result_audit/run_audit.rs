//! A run record held against itself, whoever measured.

use fathom_order::InOrder;
use fathom_record::RunRecord;
use fathom_record::latency::LatencySummary;
use fathom_record::run_record::{DirectionSummary, IoGroup, RunEnding};
use fathom_record::workload::Sizes;

use super::{Finding, Rule, Weight, figure, law};
use crate::fio::bins;

/// How far a count and a rate may be apart: tools round times to milliseconds and rates to whole numbers.
const ROUNDING: f64 = 0.01;

/// Everything that was found, contradictions first.
pub fn audit_run(run: &RunRecord) -> Vec<Finding> {
    let mut out = Vec::new();
    for direction in &run.summary.directions {
        totals(run, direction, &mut out);
        sizes(run, direction, &mut out);
        latencies(run, direction, &mut out);
    }
    parts(run, &mut out);
    out.extend(concurrency(run));
    out.extend(ending(run));
    out.put_in_order_by_key(|finding| std::cmp::Reverse(finding.weight));
    out
}

fn finding(subject: &str, rule: Rule, weight: Weight, text: String) -> Finding {
    Finding { subject: subject.to_owned(), rule, weight, text }
}

/// Whether the record holds a guess there.
fn is_guess(run: &RunRecord, field: &str) -> bool {
    run.origin.as_ref().is_some_and(|origin| origin.why_absent(field).is_some())
}

fn concurrency(run: &RunRecord) -> Option<Finding> {
    let summary = &run.summary;
    let mean_ns = summary.service_mean_ns().or_else(|| completion_mean_ns(run))?;
    let asked = summary.in_flight_requested.filter(|_| !is_guess(run, "workload.depth"));
    let counted = || summary.directions.iter().filter(|d| d.direction != IoGroup::Flush);
    let rate: f64 = counted().map(|d| d.operations_per_s).sum();
    // Other tools' records may have a rate and no count.
    let ios = counted().map(|d| d.operations).sum::<Option<u64>>().map_or(f64::INFINITY, |ios| ios as f64);
    (rate > 0.0).then(|| law::judge_of("all I/Os", (rate, mean_ns), asked, ios))
}

fn completion_mean_ns(run: &RunRecord) -> Option<f64> {
    let known = || {
        run.summary
            .directions
            .iter()
            .filter_map(|d| Some((d.completion.as_ref()?.mean_ns, d.operations_per_s)))
    };
    let rates: f64 = known().map(|(_, rate)| rate).sum();
    (rates > 0.0).then(|| known().map(|(mean, rate)| mean * rate).sum::<f64>() / rates)
}

/// Counts over time against rates.
fn totals(run: &RunRecord, direction: &DirectionSummary, out: &mut Vec<Finding>) {
    let seconds = run.summary.duration_ns as f64 / 1e9;
    // Tools that print milliseconds say nothing of a run of a few.
    if seconds < 0.1 {
        return;
    }
    let subject = direction.direction.name();
    let pairs = [
        ("operations", direction.operations, direction.operations_per_s),
        ("bytes", direction.bytes, direction.throughput_bytes_per_s),
    ];
    for (what, count, rate) in pairs {
        if count == Some(0) && rate > 0.0 {
            let text = format!("no {what} are counted, and {} a second are stated", figure(rate));
            out.push(finding(subject, Rule::Totals, Weight::Contradiction, text));
        }
        let Some(count) = count.filter(|count| *count > 0) else { continue };
        let by_count = count as f64 / seconds;
        // A direction may have ended before the window did: a higher rate is no contradiction.
        if rate < by_count * (1.0 - ROUNDING) {
            let text = format!(
                "{count} {what} in {} s are {} a second, and {} are stated",
                figure(seconds),
                figure(by_count),
                figure(rate)
            );
            out.push(finding(subject, Rule::Totals, Weight::Contradiction, text));
        }
    }
}

/// Throughput over rate against the size that was asked for.
fn sizes(run: &RunRecord, direction: &DirectionSummary, out: &mut Vec<Finding>) {
    let asked = match direction.direction {
        IoGroup::Read => &run.workload.sizes.read,
        IoGroup::Write => &run.workload.sizes.write,
        IoGroup::Trim => &run.workload.sizes.trim,
        IoGroup::Flush | IoGroup::Mixed => return,
    };
    let Sizes::Fixed { bytes } = asked else { return };
    if is_guess(run, "workload.sizes")
        || direction.operations_per_s <= 0.0
        || direction.operations.is_some_and(|n| n < 100)
    {
        return;
    }
    let mean = direction.throughput_bytes_per_s / direction.operations_per_s;
    let ratio = mean / *bytes as f64;
    if (ratio - 1.0).abs() <= ROUNDING {
        return;
    }
    // fio resets its count of I/Os at the end of ramp_time, and counts the bytes of those in flight later.
    let extra =
        direction.operations.zip(direction.bytes).map(|(n, moved)| moved as f64 / *bytes as f64 - n as f64);
    let in_flight = f64::from(run.workload.jobs) * f64::from(run.workload.depth);
    let by_counts = |extra: f64| 1.0 + extra / direction.operations.unwrap_or(1).max(1) as f64;
    let explains = |extra: &f64| (by_counts(*extra) - ratio).abs() <= 0.001 * ratio;
    if let Some(extra) = extra.filter(|extra| (0.0..=in_flight).contains(extra) && explains(extra)) {
        let text = format!(
            "bytes of {} more I/Os than are counted: no more than were in flight when counting began, so throughput is {:.1} % too high",
            figure(extra),
            100.0 * (ratio - 1.0)
        );
        out.push(finding(direction.direction.name(), Rule::Units, Weight::Caution, text));
        return;
    }
    let hint = match ratio {
        r if (r / 1.024 - 1.0).abs() < 0.005 || (r * 1.024 - 1.0).abs() < 0.005 => {
            ": 1000 and 1024 were mixed up"
        }
        r if (r / 1.048_576 - 1.0).abs() < 0.005 || (r * 1.048_576 - 1.0).abs() < 0.005 => {
            ": MB and MiB were mixed up"
        }
        r if (r / 8.0 - 1.0).abs() < 0.02 || (r * 8.0 - 1.0).abs() < 0.02 => ": bits and bytes were mixed up",
        _ => ": short I/Os, or a size that was not the one asked for",
    };
    let text =
        format!("throughput over rate is {} bytes an I/O, and {bytes} were asked for{hint}", figure(mean));
    out.push(finding(direction.direction.name(), Rule::Units, Weight::Contradiction, text));
}

fn latencies(run: &RunRecord, direction: &DirectionSummary, out: &mut Vec<Finding>) {
    let kinds = [
        ("service", &direction.service),
        ("completion", &direction.completion),
        ("response", &direction.response),
    ];
    for (kind, summary) in kinds {
        if let Some(summary) = summary {
            let subject = format!("{} {kind}", direction.direction.name());
            percentiles(&subject, summary, out);
            caps(run, &subject, summary, out);
        }
    }
}

/// Order and range of mean and percentiles. A percentile stands for a bucket, so its edges count.
fn percentiles(subject: &str, summary: &LatencySummary, out: &mut Vec<Finding>) {
    let us = |ns: f64| figure(ns / 1000.0);
    let mut wrong = |text: String| out.push(finding(subject, Rule::Percentiles, Weight::Contradiction, text));
    if !(summary.mean_ns.is_finite() && summary.mean_ns >= 0.0) {
        wrong(format!("the mean is {} us: no time is below nothing", us(summary.mean_ns)));
    }
    let (min, max) = (summary.min_ns.map(|ns| ns as f64), summary.max_ns.map(|ns| ns as f64));
    if let Some(min) = min.filter(|min| summary.mean_ns < min * 0.999) {
        wrong(format!("the mean, {} us, is below the smallest value, {} us", us(summary.mean_ns), us(min)));
    }
    if let Some(max) = max.filter(|max| summary.mean_ns > max * 1.001) {
        wrong(format!("the mean, {} us, is above the largest value, {} us", us(summary.mean_ns), us(max)));
    }
    for pair in summary.quantiles.windows(2) {
        if pair[1].value_ns < pair[0].value_ns {
            let [low, high] = [&pair[0], &pair[1]]
                .map(|q| format!("p{} is {} us", figure(q.q * 100.0), us(q.value_ns as f64)));
            wrong(format!("{low} and {high}: percentiles rise"));
        }
    }
    let beyond = |q: &&fathom_record::latency::Quantile| max.is_some_and(|max| q.low_ns as f64 > max * 1.02);
    if let (Some(q), Some(max)) = (summary.quantiles.iter().find(beyond), max) {
        wrong(format!(
            "p{} is {} us, above the largest value, {} us",
            figure(q.q * 100.0),
            us(q.value_ns as f64),
            us(max)
        ));
    }
    // The mean of values of which 1 % lie beyond p99 cannot be above what fills the rest with p99 and that with the maximum.
    if let (Some(p99), Some(max)) = (summary.quantiles.iter().find(|q| q.q == 0.99), max) {
        let most = 0.99 * p99.high_ns as f64 + 0.01 * max;
        if summary.mean_ns > most * 1.02 {
            wrong(format!(
                "the mean, {} us, is above {} us, the most that p99 and the largest value allow",
                us(summary.mean_ns),
                us(most)
            ));
        }
    }
}

/// Where tools' histograms end, and counters that were never set.
fn caps(run: &RunRecord, subject: &str, summary: &LatencySummary, out: &mut Vec<Finding>) {
    let mut caution = |text: String| out.push(finding(subject, Rule::HistogramCap, Weight::Caution, text));
    if summary.min_ns.is_some_and(|min| min >= u64::MAX / 1000) {
        caution(
            "the smallest latency is 2^64 - 1: nothing completed, and the figure was never set".to_owned(),
        );
    }
    if run.tool.name == "fio" {
        let era = run.origin.as_ref().map_or("", |origin| origin.era.as_str());
        let cap_ns = bins::largest_ns(if era == "microseconds" { 1000 } else { 1 });
        if let Some(max) = summary.max_ns.filter(|max| *max > cap_ns) {
            caution(format!(
                "the largest value, {} s, lies beyond fio's last bin at {} s: percentiles in that bin are too low",
                figure(max as f64 / 1e9),
                figure(cap_ns as f64 / 1e9)
            ));
        }
    }
}

/// Jobs against all of them.
fn parts(run: &RunRecord, out: &mut Vec<Finding>) {
    if run.jobs.is_empty() {
        return;
    }
    let jobs: Option<u64> = run.jobs.iter().map(|job| job.operations).sum();
    let all = run
        .summary
        .directions
        .iter()
        .filter(|d| d.direction != IoGroup::Flush)
        .map(|d| d.operations)
        .sum::<Option<u64>>();
    // fathom's jobs count their flushes.
    let with_flushes = run.summary.operations();
    if let (Some(jobs), Some(all)) = (jobs, all)
        && jobs != all
        && Some(jobs) != with_flushes
    {
        let text = format!("the jobs add up to {jobs} operations, and {all} are stated");
        out.push(finding("jobs", Rule::Totals, Weight::Contradiction, text));
    }
}

fn ending(run: &RunRecord) -> Option<Finding> {
    let errors: u64 = run.summary.directions.iter().filter_map(|d| d.errors).sum();
    let text = match &run.ending {
        RunEnding::Failed { error } => format!("the run failed: {error}"),
        RunEnding::Interrupted => "the run was interrupted: its figures cover a part of it".to_owned(),
        RunEnding::Complete if errors > 0 => format!("{errors} I/Os failed, and are in no latency"),
        RunEnding::Complete => return None,
    };
    Some(finding("run", Rule::Errors, Weight::Caution, text))
}
