//! Whole latency distributions of runs, merged without loss.

use fathom_measure::Histogram;
use fathom_record::{Direction, RunRecord, SparseHistogram};

use crate::{ReportError, error};

/// Values beyond a quantile that it takes for the quantile to mean more than one stall.
const BEYOND: f64 = 10.0;

/// Highest share of "nines" that is drawn: 1 - 10^-4.
pub const NINES_MAX: f64 = 4.0;

/// Reads one histogram of a run.
pub fn read(run: &RunRecord, sparse: &SparseHistogram) -> Result<Histogram, ReportError> {
    Histogram::try_from(sparse).map_err(|cause| error::damaged(&run.id, cause))
}

/// Service latencies of one direction over several runs; `None` when no run has any.
pub fn service(runs: &[&RunRecord], direction: Direction) -> Result<Option<Histogram>, ReportError> {
    let mut merged = Histogram::new();
    for run in runs {
        let summary = run.summary.direction(direction);
        if let Some(sparse) = summary.and_then(|summary| summary.service_histogram.as_ref()) {
            merged.merge(&read(run, sparse)?);
        }
    }
    Ok((!merged.is_empty()).then_some(merged))
}

/// A percentile curve: `(nines, latency in ns)` with `nines = -log10(1 - q)`, from the smallest value
/// to the last quantile that the count resolves, p99.99 at most.
pub fn curve(histogram: &Histogram) -> Vec<(f64, f64)> {
    const STEP: f64 = 0.05;
    let resolved = (histogram.count() as f64 / BEYOND).log10();
    let last = resolved.min(NINES_MAX);
    let steps = (last.max(0.0) / STEP).floor() as usize;
    let mut at: Vec<f64> = (0..=steps).map(|step| step as f64 * STEP).collect();
    if last > 0.0 && at.last().is_some_and(|&end| end < last) {
        at.push(last);
    }
    at.into_iter()
        .filter_map(|nines| Some((nines, histogram.quantile(1.0 - 10f64.powf(-nines))? as f64)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_ends_where_the_count_stops_resolving() {
        let mut histogram = Histogram::new();
        (1..=1000).for_each(|v| histogram.record(v * 1000));
        let points = curve(&histogram);
        assert_eq!(points[0].0, 0.0);
        assert!((points.last().unwrap().0 - 2.0).abs() < 1e-9, "p99 has 10 values of 1000 beyond it");
        assert!(points.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1));
        let at_p90 = points.iter().find(|p| (p.0 - 1.0).abs() < 1e-6).unwrap().1;
        assert!((at_p90 - 900_000.0).abs() < 900_000.0 * 0.005);
    }
}
