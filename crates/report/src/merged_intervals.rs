//! A run's intervals as points of a series, merged where there are more than a picture can show.

use fathom_measure::Histogram;
use fathom_record::{Direction, Interval, RunRecord};

use crate::{ReportError, merged_histograms};

/// More points than this are merged, so that an hour's picture stays small.
const POINTS_MAX: usize = 240;
/// A last interval shorter than this share of the longest says more about its edges than about the target.
const SHORTEST_SHARE: f64 = 0.2;

/// One direction in one stretch of time.
pub struct Flow {
    /// Which.
    pub direction: Direction,
    /// Finished I/Os per second.
    pub operations_per_s: f64,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Median of service latency; absent when nothing finished.
    pub p50_ns: Option<u64>,
    /// 99th percentile of service latency; absent with too few I/Os.
    pub p99_ns: Option<u64>,
}

/// One stretch of time: an interval, or several in a row.
pub struct Stretch {
    /// Start, in seconds from the run's first I/O.
    pub from_s: f64,
    /// End, in seconds from the run's first I/O.
    pub to_s: f64,
    /// Whether it lies before the measurement proper.
    pub warmup: bool,
    /// One entry for each direction of the run.
    pub flows: Vec<Flow>,
}

/// All stretches of a run, and how many intervals make one.
pub fn stretches(run: &RunRecord) -> Result<(Vec<Stretch>, usize), ReportError> {
    let longest = run.intervals.iter().map(|i| i.duration_ns).max().unwrap_or(0) as f64;
    let usable: Vec<&Interval> = run
        .intervals
        .iter()
        .filter(|i| i.duration_ns > 0 && i.duration_ns as f64 >= longest * SHORTEST_SHARE)
        .collect();
    let merged = usable.len().div_ceil(POINTS_MAX).max(1);
    let directions: Vec<Direction> =
        run.summary.directions.iter().filter_map(|d| d.direction.direction()).collect();
    let all =
        usable.chunks(merged).map(|chunk| stretch(run, chunk, &directions)).collect::<Result<_, _>>()?;
    Ok((all, merged))
}

fn stretch(run: &RunRecord, chunk: &[&Interval], directions: &[Direction]) -> Result<Stretch, ReportError> {
    let duration_ns: u64 = chunk.iter().map(|i| i.duration_ns).sum();
    let (first, last) = (chunk[0], chunk[chunk.len() - 1]);
    let mut flows = Vec::with_capacity(directions.len());
    for &direction in directions {
        let (mut operations, mut bytes) = (0u64, 0u64);
        let mut service = Histogram::new();
        for part in chunk.iter().flat_map(|i| &i.directions).filter(|d| d.direction == direction) {
            operations = operations.saturating_add(part.operations);
            bytes = bytes.saturating_add(part.bytes);
            service.merge(&merged_histograms::read(run, &part.service)?);
        }
        let per_second = 1e9 / duration_ns as f64;
        flows.push(Flow {
            direction,
            operations_per_s: operations as f64 * per_second,
            bytes_per_s: bytes as f64 * per_second,
            p50_ns: service.quantile(0.5),
            p99_ns: service.quantile(0.99).filter(|_| service.count() >= 100),
        });
    }
    Ok(Stretch {
        from_s: first.start_ns as f64 / 1e9,
        to_s: last.start_ns.saturating_add(last.duration_ns) as f64 / 1e9,
        warmup: chunk.iter().all(|i| i.warmup),
        flows,
    })
}
