//! A run record of fathom's own, as diskspd would tell it.

use fathom_measure::Histogram;
use fathom_measure::histogram::bucket_bounds;
use fathom_record::run_record::{DirectionSummary, JobSummary};
use fathom_record::{Direction, RunRecord};

use super::results::{
    Counts, CpuUse, IopsBucket, PERCENTILES, Percentile, SectionValues, SpanResult, ThreadRow,
};
use super::span_profile::TimeSpan;

const MIB: f64 = 1_048_576.0;

/// The result of one time span. `paths` are the targets as the command line names them, in the order of the
/// record's targets.
pub fn span_of(record: &RunRecord, span: &TimeSpan, paths: &[String]) -> SpanResult {
    let seconds = record.summary.duration_ns as f64 / 1e9;
    let histograms = SectionValues {
        total: whole(record),
        read: histogram(record, Direction::Read),
        write: histogram(record, Direction::Write),
    };
    let iops = buckets(record);
    let deviations = span.iops_interval_ms.map(|_| iops_deviations(&iops));
    let counts = |direction: Option<Direction>, histogram: &Histogram, deviation: Option<f64>| {
        let (bytes, operations) = sum(record, direction);
        Counts {
            iops_deviation: deviation,
            deviation_ms: span.latency.then(|| deviation_ms(histogram)).flatten(),
            mean_ms: span.latency.then(|| histogram.mean().unwrap_or(0.0) / 1e6),
            ..rates(bytes, operations, seconds)
        }
    };
    let deviation = |pick: fn(&SectionValues<f64>) -> f64| deviations.as_ref().map(pick);
    SpanResult {
        seconds: Some(seconds),
        threads: Some(if span.threads > 0 { span.threads } else { record.jobs.len() as u64 }),
        processors: Some(u64::from(record.environment.cpus)).filter(|cpus| *cpus > 0),
        cpus: cpus(record),
        cpu_mean: cpu(record, ""),
        rows: record.jobs.iter().map(|job| row(job, record, span, paths, seconds)).collect(),
        totals: SectionValues {
            total: Some(counts(None, &histograms.total, deviation(|d| d.total))),
            read: Some(counts(Some(Direction::Read), &histograms.read, deviation(|d| d.read))),
            write: Some(counts(Some(Direction::Write), &histograms.write, deviation(|d| d.write))),
        },
        percentiles: if span.latency { percentiles(&histograms) } else { Vec::new() },
        of_targets: Vec::new(),
        iops,
        cut: false,
    }
}

fn direction_of(record: &RunRecord, direction: Direction) -> Option<&DirectionSummary> {
    record.summary.direction(direction)
}

fn histogram(record: &RunRecord, direction: Direction) -> Histogram {
    let sparse = direction_of(record, direction).and_then(|summary| summary.service_histogram.as_ref());
    sparse.and_then(|sparse| Histogram::try_from(sparse).ok()).unwrap_or_default()
}

fn whole(record: &RunRecord) -> Histogram {
    let mut both = histogram(record, Direction::Read);
    both.merge(&histogram(record, Direction::Write));
    both
}

/// Bytes and I/Os of reads, of writes, or of both.
fn sum(record: &RunRecord, direction: Option<Direction>) -> (u64, u64) {
    let of = |direction| {
        let summary = direction_of(record, direction);
        summary.map_or((0, 0), |summary| (summary.bytes.unwrap_or(0), summary.operations.unwrap_or(0)))
    };
    match direction {
        Some(direction) => of(direction),
        None => {
            let ((read_bytes, reads), (write_bytes, writes)) = (of(Direction::Read), of(Direction::Write));
            (read_bytes + write_bytes, reads + writes)
        }
    }
}

fn rates(bytes: u64, operations: u64, seconds: f64) -> Counts {
    let per_s = |count: f64| if seconds > 0.0 { count / seconds } else { 0.0 };
    Counts {
        bytes,
        operations,
        mib_per_s: Some(per_s(bytes as f64 / MIB)),
        per_s: Some(per_s(operations as f64)),
        ..Counts::default()
    }
}

fn row(job: &JobSummary, record: &RunRecord, span: &TimeSpan, paths: &[String], seconds: f64) -> ThreadRow {
    let target = job.target.unwrap_or(0) as usize;
    let path = paths.get(target).cloned().unwrap_or_else(|| record.target.name.clone());
    let facts = record.target.members.get(target).unwrap_or(&record.target);
    let counts = |direction: Option<Direction>| {
        let of = || {
            let wanted = [Direction::Read, Direction::Write]
                .into_iter()
                .filter(|known| direction.is_none_or(|it| it == *known));
            wanted.filter_map(|direction| job.directions.iter().find(|entry| entry.direction == direction))
        };
        let (bytes, operations) = (of().map(|d| d.bytes).sum(), of().map(|d| d.operations).sum::<u64>());
        let latency_ns: f64 = of().map(|d| d.service_mean_ns.unwrap_or(0.0) * d.operations as f64).sum();
        let mean_ms = if operations > 0 { latency_ns / operations as f64 / 1e6 } else { 0.0 };
        Some(Counts { mean_ms: span.latency.then_some(mean_ms), ..rates(bytes, operations, seconds) })
    };
    ThreadRow {
        thread: u64::from(job.job),
        path,
        file_bytes: Some(facts.size_bytes).filter(|bytes| *bytes > 0),
        counts: SectionValues {
            total: counts(None),
            read: counts(Some(Direction::Read)),
            write: counts(Some(Direction::Write)),
        },
    }
}

/// Standard deviation of all values, each taken at the middle of its bucket.
fn deviation_ms(histogram: &Histogram) -> Option<f64> {
    let (mean, count) = (histogram.mean()?, histogram.count() as f64);
    let squares: f64 = histogram
        .buckets()
        .map(|(bucket, count)| {
            let (low, high) = bucket_bounds(bucket);
            let middle = low as f64 + (high - low) as f64 / 2.0;
            (middle - mean).powi(2) * count as f64
        })
        .sum();
    Some((squares / count).sqrt() / 1e6)
}

fn percentiles(histograms: &SectionValues<Histogram>) -> Vec<Percentile> {
    let ms = |histogram: &Histogram, order: f64| {
        let ns = match order {
            0.0 => histogram.min(),
            1.0 => histogram.max(),
            order => histogram.quantile(order),
        };
        ns.map(|ns| ns as f64 / 1e6)
    };
    let row = |(order, _): &(f64, &str)| Percentile {
        order: *order,
        ms: SectionValues {
            total: ms(&histograms.total, *order),
            read: ms(&histograms.read, *order),
            write: ms(&histograms.write, *order),
        },
    };
    PERCENTILES.iter().map(row).collect()
}

/// IOPS of the whole seconds of the measurement.
fn buckets(record: &RunRecord) -> Vec<IopsBucket> {
    let mut buckets = Vec::new();
    let measured = record.intervals.iter().filter(|interval| !interval.warmup);
    let first_ns = measured.clone().map(|interval| interval.start_ns).min().unwrap_or(0);
    for interval in measured.filter(|interval| interval.duration_ns >= 500_000_000) {
        let seconds = interval.duration_ns as f64 / 1e9;
        let of = |direction| {
            let found = interval.directions.iter().find(|entry| entry.direction == direction);
            found.map_or(0.0, |entry| entry.operations as f64 / seconds)
        };
        let (read, write) = (of(Direction::Read), of(Direction::Write));
        buckets.push(IopsBucket {
            end_ms: (interval.start_ns + interval.duration_ns - first_ns) as f64 / 1e6,
            operations: SectionValues { total: read + write, read, write },
        });
    }
    buckets
}

fn iops_deviations(buckets: &[IopsBucket]) -> SectionValues<f64> {
    let of = |pick: fn(&SectionValues<f64>) -> f64| {
        let values: Vec<f64> = buckets.iter().map(|bucket| pick(&bucket.operations)).collect();
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
    };
    SectionValues { total: of(|b| b.total), read: of(|b| b.read), write: of(|b| b.write) }
}

/// Use of each processor as telemetry saw it; none where there was no telemetry.
fn cpus(record: &RunRecord) -> Vec<CpuUse> {
    let labels = record.telemetry.all("cpu.user").map(|series| series.label.clone());
    let mut labels: Vec<(u64, String)> =
        labels.filter_map(|label| Some((label.trim_start_matches("cpu").parse().ok()?, label))).collect();
    labels.sort();
    labels.iter().filter_map(|(_, label)| cpu(record, label)).collect()
}

fn cpu(record: &RunRecord, label: &str) -> Option<CpuUse> {
    let telemetry = &record.telemetry;
    let percent = |metric: &str| Some(telemetry.find(metric, label)?.mean()? * 100.0);
    let user = percent("cpu.user")?;
    // Waiting for I/O is idle to Windows.
    let idle = percent("cpu.idle")? + percent("cpu.iowait").unwrap_or(0.0);
    let usage = (100.0 - idle).max(0.0);
    let name = label.trim_start_matches("cpu").to_owned();
    Some(CpuUse { name, usage, user, kernel: (usage - user).max(0.0), idle })
}
