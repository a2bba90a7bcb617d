//! The metrics of a comparison, and their values in a run.

use fathom_measure::Histogram;
use fathom_measure::histogram::RELATIVE_WIDTH;
use fathom_record::comparison::MetricSense;
use fathom_record::run_record::DirectionSummary;
use fathom_record::{LatencySummary, RunRecord, SparseHistogram, Workload};
use fathom_stats::paired_comparison::{Metric, SHIFT_QUANTILES};

/// Values beyond a quantile, without which one stall decides it.
const LEAST_BEYOND: f64 = 10.0;

/// What is taken from a run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum MetricFigure {
    OperationsPerS,
    ThroughputBytesPerS,
    ServiceMeanNs,
    Service(f64),
    Response(f64),
    /// Of tools that state it and not the service latency's percentiles.
    Completion(f64),
    CpuNsPerOperation,
}

/// The metrics of one workload, in the order in which they are shown.
#[derive(Clone, Debug)]
pub struct MetricFigures {
    figures: Vec<MetricFigure>,
    open: bool,
}

/// What a comparison uses of one run.
#[derive(Clone, Debug)]
pub struct RunValues {
    /// By metric.
    pub metrics: Vec<Option<f64>>,
    /// By [`SHIFT_QUANTILES`]: response latency for open arrivals, service latency otherwise.
    pub quantiles: Vec<Option<f64>>,
}

impl MetricFigures {
    /// Those that a workload has. A closed loop is judged by its rate; open arrivals set the rate, and are
    /// judged by how long their I/Os take.
    pub fn of(workload: &Workload) -> Self {
        Self::of_arrivals(workload.arrival.is_open())
    }

    /// Those of runs that were made before: other tools hold I/Os to a rate too, and few say how late each was.
    pub fn of_runs<'a>(workload: &Workload, mut runs: impl Iterator<Item = &'a RunRecord>) -> Self {
        let is_told = |run: &RunRecord| run.summary.directions.iter().any(|it| it.response.is_some());
        Self::of_arrivals(workload.arrival.is_open() && runs.any(is_told))
    }

    fn of_arrivals(open: bool) -> Self {
        use MetricFigure::*;
        let mut figures = Vec::new();
        if open {
            figures.extend([Response(0.99), Response(0.5), Response(0.999)]);
        }
        figures.extend([OperationsPerS, ThroughputBytesPerS, ServiceMeanNs]);
        figures.extend([Service(0.5), Service(0.99), Service(0.999)]);
        figures.extend([Completion(0.5), Completion(0.99), Completion(0.999), CpuNsPerOperation]);
        Self { figures, open }
    }

    /// As the statistics take them; the first one decides.
    pub fn metrics(&self) -> Vec<Metric> {
        let metric = |(at, figure): (usize, &MetricFigure)| {
            let (name, unit, better, resolution) = match figure {
                MetricFigure::OperationsPerS => {
                    ("operations_per_s".to_owned(), "1/s", MetricSense::Higher, 0.0)
                }
                MetricFigure::ThroughputBytesPerS => {
                    ("throughput_bytes_per_s".to_owned(), "bytes/s", MetricSense::Higher, 0.0)
                }
                MetricFigure::ServiceMeanNs => ("service_mean_ns".to_owned(), "ns", MetricSense::Lower, 0.0),
                MetricFigure::Service(q) => (quantile_name("service", *q), "ns", MetricSense::Lower, BUCKET),
                MetricFigure::Response(q) => {
                    (quantile_name("response", *q), "ns", MetricSense::Lower, BUCKET)
                }
                MetricFigure::Completion(q) => {
                    (quantile_name("completion", *q), "ns", MetricSense::Lower, BUCKET)
                }
                MetricFigure::CpuNsPerOperation => {
                    ("cpu_ns_per_operation".to_owned(), "ns", MetricSense::Lower, 0.0)
                }
            };
            Metric { name, unit: unit.to_owned(), better, primary: at == 0, resolution }
        };
        self.figures.iter().enumerate().map(metric).collect()
    }

    /// Whether the metric at this place is a latency.
    pub fn is_latency(&self, metric: usize) -> bool {
        let latency = |figure: &MetricFigure| {
            matches!(
                figure,
                MetricFigure::ServiceMeanNs
                    | MetricFigure::Service(_)
                    | MetricFigure::Response(_)
                    | MetricFigure::Completion(_)
            )
        };
        self.figures.get(metric).is_some_and(latency)
    }

    /// Whether nothing is lost where no run has a value of the metric at this place.
    pub fn is_optional(&self, metric: usize) -> bool {
        matches!(
            self.figures.get(metric),
            Some(MetricFigure::CpuNsPerOperation | MetricFigure::Completion(_))
        )
    }

    /// Length that a run needs for the quantile at this place, by how many I/Os a second the slowest of
    /// these runs made, with a fifth to spare; `None` where the metric is no quantile, or the runs are long
    /// enough.
    pub fn run_s_for<'a>(&self, metric: usize, runs: impl Iterator<Item = &'a RunRecord>) -> Option<f64> {
        let (MetricFigure::Service(q) | MetricFigure::Response(q)) = *self.figures.get(metric)? else {
            return None;
        };
        let needed = |run: &RunRecord| {
            let operations = run.summary.operations()?;
            let seconds = run.summary.duration_ns as f64 / 1e9;
            let beyond = (1.0 - q).min(q) * operations as f64;
            (beyond > 0.0 && beyond < LEAST_BEYOND).then_some(1.2 * LEAST_BEYOND * seconds / beyond)
        };
        runs.filter_map(needed).max_by(f64::total_cmp)
    }

    /// What a run has.
    pub fn values(&self, run: &RunRecord) -> RunValues {
        let service = LatencySource::of(run, |d| (d.service.as_ref(), d.service_histogram.as_ref()));
        let response = LatencySource::of(run, |d| (d.response.as_ref(), d.response_histogram.as_ref()));
        let completion = LatencySource::of(run, |d| (d.completion.as_ref(), d.completion_histogram.as_ref()));
        let value = |figure: &MetricFigure| match figure {
            MetricFigure::OperationsPerS => Some(run.summary.operations_per_s()),
            MetricFigure::ThroughputBytesPerS => Some(run.summary.throughput_bytes_per_s()),
            MetricFigure::ServiceMeanNs => run.summary.service_mean_ns(),
            MetricFigure::Service(q) => service.quantile(*q),
            MetricFigure::Response(q) => response.quantile(*q),
            MetricFigure::Completion(q) => completion.quantile(*q),
            MetricFigure::CpuNsPerOperation => cpu_ns_per_operation(run),
        };
        let shifted = if self.open { &response } else { &service };
        RunValues {
            metrics: self.figures.iter().map(value).collect(),
            quantiles: SHIFT_QUANTILES.iter().map(|q| shifted.quantile(*q)).collect(),
        }
    }
}

/// Half a bucket: all values of a quantile may share this error.
pub const BUCKET: f64 = RELATIVE_WIDTH / 2.0;

/// `service_p99_ns`, `service_p999_ns`.
fn quantile_name(kind: &str, q: f64) -> String {
    let digits = format!("{:.4}", q * 100.0);
    let digits = digits.trim_end_matches('0').trim_end_matches('.').replace('.', "");
    format!("{kind}_p{digits}_ns")
}

/// What is known of one kind of latency over all directions.
enum LatencySource<'a> {
    /// Every value, in its bucket.
    Whole(Box<Histogram>),
    /// The quantiles that another tool states of the one direction that there is.
    Stated(&'a LatencySummary),
    /// Neither: quantiles of several directions cannot be put together.
    Nothing,
}

impl<'a> LatencySource<'a> {
    fn of(
        run: &'a RunRecord,
        parts: impl Fn(&'a DirectionSummary) -> (Option<&'a LatencySummary>, Option<&'a SparseHistogram>),
    ) -> Self {
        let directions = &run.summary.directions;
        if let [only] = directions.as_slice()
            && let (Some(stated), None) = parts(only)
        {
            return LatencySource::Stated(stated);
        }
        let mut whole = Histogram::new();
        for (summary, histogram) in directions.iter().map(parts) {
            match (summary, histogram) {
                // Histograms that contradict themselves cannot come from this program, and are left out.
                (_, Some(part)) => Histogram::try_from(part).iter().for_each(|part| whole.merge(part)),
                (Some(_), None) => return LatencySource::Nothing,
                (None, None) => {}
            }
        }
        LatencySource::Whole(Box::new(whole))
    }

    fn quantile(&self, q: f64) -> Option<f64> {
        match self {
            LatencySource::Whole(histogram) => quantile(histogram, q),
            LatencySource::Stated(summary) => summary.quantile_ns(q).map(|ns| ns as f64),
            LatencySource::Nothing => None,
        }
    }
}

/// A quantile that enough values lie beyond on either side, in nanoseconds.
fn quantile(histogram: &Histogram, q: f64) -> Option<f64> {
    let beyond = (1.0 - q).min(q) * histogram.count() as f64;
    (beyond >= LEAST_BEYOND - 1e-6).then(|| histogram.quantile(q)).flatten().map(|ns| ns as f64)
}

fn cpu_ns_per_operation(run: &RunRecord) -> Option<f64> {
    let total = run.summary.cpu_user_ns? + run.summary.cpu_system_ns?;
    let operations: u64 = run.summary.operations()?;
    (operations > 0).then(|| total as f64 / operations as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_the_percentile_and_the_unit() {
        assert_eq!(quantile_name("service", 0.5), "service_p50_ns");
        assert_eq!(quantile_name("response", 0.999), "response_p999_ns");
    }

    #[test]
    fn a_quantile_needs_values_beyond_it() {
        let mut histogram = Histogram::new();
        (0..900).for_each(|value| histogram.record(1000 + value));
        assert_eq!(quantile(&histogram, 0.99), None);
        assert!(quantile(&histogram, 0.5).is_some());
        assert_eq!(quantile(&Histogram::new(), 0.5), None);
    }
}
