//! What a metric is and what a source of metrics does.

use crate::Sample;

/// How a metric's values come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// Growth of counters over the interval, as a rate, a share or a mean per operation.
    Rate,
    /// A state at the end of the interval.
    Gauge,
}

/// One metric, as data: the sampler, the record and the documentation all read this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricDecl {
    /// Dotted name, source first, as `cpu.user`.
    pub name: &'static str,
    /// Unit of its values, as `share` or `bytes/s`.
    pub unit: &'static str,
    /// How values come about.
    pub kind: MetricKind,
    /// Where it is read from, as `/proc/stat`.
    pub source: &'static str,
    /// What it says, in a sentence for people.
    pub description: &'static str,
}

impl MetricDecl {
    /// A metric of growing counters.
    pub const fn rate(
        name: &'static str,
        unit: &'static str,
        source: &'static str,
        description: &'static str,
    ) -> Self {
        Self { name, unit, kind: MetricKind::Rate, source, description }
    }

    /// A metric of states.
    pub const fn gauge(
        name: &'static str,
        unit: &'static str,
        source: &'static str,
        description: &'static str,
    ) -> Self {
        Self { name, unit, kind: MetricKind::Gauge, source, description }
    }
}

/// Reads some metrics of the machine.
///
/// # What a source promises
/// * It puts only metrics that it declares, at most once a label and sample.
/// * What cannot be read is not put, and [`Sample::absent`] says why and how to get it; it never
///   fails and never panics, whatever a file holds.
/// * A device that vanishes has no values from then on; one that comes back starts anew.
pub trait Source: Send {
    /// All metrics that it may put.
    fn describe(&self) -> &'static [MetricDecl];

    /// Takes one sample. `elapsed_ns` is the time since the sample before, and 0 for the first,
    /// which only sets the counters' baseline.
    fn sample(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>);
}
