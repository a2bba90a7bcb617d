//! What the machine did beside a run, as named series.

use serde::{Deserialize, Serialize};

/// All sources' series over one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Telemetry {
    /// End of each sample's interval, from the start of the run's first I/O; may start negative.
    pub at_ns: Vec<i64>,
    /// One entry a metric and label.
    pub series: Vec<MetricSeries>,
    /// Sources that could not be read, and why.
    pub absent: Vec<AbsentSource>,
    /// Processor time that the sampling itself took, in nanoseconds.
    pub own_cpu_ns: Option<u64>,
}

/// One metric of one thing, sampled at `Telemetry::at_ns`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetricSeries {
    /// Dotted name, source first, as `cpu.user`.
    pub metric: String,
    /// Which thing: a core, a device, an interface; empty for the whole machine or process.
    pub label: String,
    /// Unit of the values: `share`, `operations/s`, `bytes/s`, `bytes`, `celsius`, ...
    pub unit: String,
    /// Where it is read from, as `/proc/stat`.
    pub source: String,
    /// One value a sample; absent where it could not be read.
    pub values: Vec<Option<f64>>,
}

/// A source that gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AbsentSource {
    /// Its name, as `perf`.
    pub source: String,
    /// Why, and how to get it.
    pub reason: String,
}

impl Telemetry {
    /// The series of one metric and label.
    pub fn find(&self, metric: &str, label: &str) -> Option<&MetricSeries> {
        self.series.iter().find(|s| s.metric == metric && s.label == label)
    }

    /// All labels of one metric.
    pub fn all<'a>(&'a self, metric: &'a str) -> impl Iterator<Item = &'a MetricSeries> {
        self.series.iter().filter(move |s| s.metric == metric)
    }
}

impl MetricSeries {
    /// Mean of the values that could be read.
    pub fn mean(&self) -> Option<f64> {
        let known: Vec<f64> = self.values.iter().flatten().copied().collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    }

    /// Largest value that could be read.
    pub fn max(&self) -> Option<f64> {
        self.values.iter().flatten().copied().max_by(f64::total_cmp)
    }
}
