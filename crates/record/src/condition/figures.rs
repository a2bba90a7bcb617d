//! What a run has of a quantity.

use fathom_measure::Histogram;

use super::{Condition, JudgedQuantity, LatencyKind, Statistic};
use crate::latency::{LatencySummary, SparseHistogram, VALUES_BEYOND};
use crate::run_record::{DirectionSummary, IoGroup, RunRecord};

/// One figure that a condition is held against.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionFigure {
    /// Which I/Os it is of, as `reads`; empty for all of a run.
    pub of: String,
    /// In the quantity's unit.
    pub value: f64,
}

/// Why there is no figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmeasuredReason(pub String);

/// The figures of one run.
///
/// # Errors
/// Where the run did not measure the quantity.
pub fn of_run(condition: &Condition, run: &RunRecord) -> Result<Vec<ConditionFigure>, UnmeasuredReason> {
    let directions = &run.summary.directions;
    let meant: Vec<&DirectionSummary> = match condition.direction {
        Some(direction) => directions.iter().filter(|d| d.direction == direction).collect(),
        None => directions.iter().collect(),
    };
    if meant.is_empty() {
        let what = condition.direction.map_or("I/O".to_owned(), |d| plural(IoGroup::from(d)).to_owned());
        return Err(UnmeasuredReason(format!("the run finished no {what}")));
    }
    let of = condition.direction.map_or(String::new(), |d| plural(IoGroup::from(d)).to_owned());
    let one = |value: f64| Ok(vec![ConditionFigure { of: of.clone(), value }]);
    match condition.quantity {
        JudgedQuantity::Iops => one(meant.iter().map(|d| d.operations_per_s).sum()),
        JudgedQuantity::Throughput => one(meant.iter().map(|d| d.throughput_bytes_per_s).sum()),
        JudgedQuantity::Errors => one(errors(&meant)? as f64),
        JudgedQuantity::ErrorShare => {
            let errors = errors(&meant)? as f64;
            let ended = meant.iter().map(|d| d.operations).sum::<Option<u64>>();
            let all = ended.ok_or_else(|| UnmeasuredReason("the I/Os were not counted".to_owned()))? as f64
                + errors;
            one(if all > 0.0 { errors / all } else { 0.0 })
        }
        JudgedQuantity::Latency { kind, statistic } => {
            // Flushes have latencies of another kind than data.
            let data =
                |d: &&&DirectionSummary| condition.direction.is_some() || d.direction != IoGroup::Flush;
            meant.iter().filter(data).map(|d| latency(d, kind, statistic)).collect()
        }
        JudgedQuantity::Slower => Err(UnmeasuredReason("a run has no other side".to_owned())),
    }
}

fn errors(meant: &[&DirectionSummary]) -> Result<u64, UnmeasuredReason> {
    let all = meant.iter().map(|d| d.errors).sum::<Option<u64>>();
    all.ok_or_else(|| UnmeasuredReason("errors were not counted".to_owned()))
}

fn latency(
    direction: &DirectionSummary,
    kind: Option<LatencyKind>,
    statistic: Statistic,
) -> Result<ConditionFigure, UnmeasuredReason> {
    let of = plural(direction.direction);
    let response = kind == Some(LatencyKind::Response) || (kind.is_none() && direction.response.is_some());
    let (summary, histogram, name) = if response {
        (&direction.response, &direction.response_histogram, "response")
    } else {
        (&direction.service, &direction.service_histogram, "service")
    };
    let summary = summary.as_ref().ok_or_else(|| {
        UnmeasuredReason(if response {
            "response latencies are of runs with --rate or --rates".to_owned()
        } else {
            format!("{of} have no {name} latency")
        })
    })?;
    let value = statistic_of(summary, histogram.as_ref(), statistic).ok_or_else(|| {
        let name = statistic.name();
        UnmeasuredReason(match summary.count {
            Some(count) => format!("{count} {of} are too few for {name}"),
            None => format!("{name} of {of} is not in the result"),
        })
    })?;
    Ok(ConditionFigure { of: of.to_owned(), value })
}

fn statistic_of(
    summary: &LatencySummary,
    histogram: Option<&SparseHistogram>,
    statistic: Statistic,
) -> Option<f64> {
    match statistic {
        Statistic::Mean => Some(summary.mean_ns),
        Statistic::Max => summary.max_ns.map(|ns| ns as f64),
        Statistic::Quantile(q) => {
            let listed = summary.quantile_ns(q);
            listed
                .or_else(|| quantile(&histogram.and_then(|h| Histogram::try_from(h).ok())?, q))
                .map(|ns| ns as f64)
        }
    }
}

/// A quantile that no summary lists, from the whole distribution, where it has values enough.
pub(super) fn quantile(histogram: &Histogram, q: f64) -> Option<u64> {
    let beyond = (1.0 - q) * histogram.count() as f64;
    (q <= 0.5 || beyond >= VALUES_BEYOND - 1e-6).then(|| histogram.quantile(q)).flatten()
}

/// The I/Os of a direction, in a sentence.
pub(super) fn plural(group: IoGroup) -> &'static str {
    match group {
        IoGroup::Read => "reads",
        IoGroup::Write => "writes",
        IoGroup::Trim => "trims",
        IoGroup::Flush => "flushes",
        IoGroup::Mixed => "I/Os",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(count: u64) -> Histogram {
        let mut histogram = Histogram::new();
        (1..=count).for_each(|value| histogram.record(value * 1000));
        histogram
    }

    #[test]
    fn a_quantile_needs_values_beyond_it() {
        assert!(quantile(&filled(1000), 0.995).is_none());
        let found = quantile(&filled(2000), 0.995).unwrap();
        assert!((1_975_000..2_005_000).contains(&found), "{found}");
    }

    #[test]
    fn a_quantile_that_is_not_listed_comes_from_the_distribution() {
        let histogram = filled(100_000);
        let summary = LatencySummary::of(&histogram).unwrap();
        let sparse = SparseHistogram::from(&histogram);
        let value = |q, sparse| statistic_of(&summary, sparse, Statistic::Quantile(q));
        assert_eq!(value(0.99, None), summary.quantile_ns(0.99).map(|ns| ns as f64));
        assert!(value(0.98, None).is_none() && value(0.98, Some(&sparse)).is_some());
    }
}
