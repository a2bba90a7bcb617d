//! Clones of one job as one run: what adds up is added, and what cannot be put together is absent.

use fathom_measure::Histogram;
use fathom_record::latency::{LatencySummary, SparseHistogram};
use fathom_record::run_record::DirectionSummary;

/// One direction of all clones. The percentiles of several jobs are those of none, so only whole distributions
/// keep theirs.
pub fn together(parts: &[&DirectionSummary]) -> Option<DirectionSummary> {
    let first = parts.first()?;
    if parts.len() == 1 {
        return Some((*first).clone());
    }
    let total = |figure: &dyn Fn(&DirectionSummary) -> Option<u64>| {
        parts.iter().map(|part| figure(part)).sum::<Option<u64>>()
    };
    let latency = |figure: fn(&DirectionSummary) -> &Option<LatencySummary>| {
        let all: Option<Vec<_>> =
            parts.iter().map(|part| Some((figure(part).as_ref()?, part.operations_per_s))).collect();
        all.map(|all| pooled(&all))
    };
    let whole = |figure: fn(&DirectionSummary) -> &Option<SparseHistogram>| {
        merged(parts.iter().map(|part| figure(part).as_ref()))
    };
    let mut out = DirectionSummary {
        direction: first.direction,
        operations: total(&|part| part.operations),
        bytes: total(&|part| part.bytes),
        errors: total(&|part| part.errors),
        operations_per_s: parts.iter().map(|part| part.operations_per_s).sum(),
        throughput_bytes_per_s: parts.iter().map(|part| part.throughput_bytes_per_s).sum(),
        service: latency(|part| &part.service),
        response: None,
        submit: latency(|part| &part.submit),
        service_histogram: whole(|part| &part.service_histogram),
        response_histogram: None,
        completion: latency(|part| &part.completion),
        completion_histogram: whole(|part| &part.completion_histogram),
    };
    for (summary, histogram) in
        [(&mut out.service, &out.service_histogram), (&mut out.completion, &out.completion_histogram)]
    {
        let whole = histogram.as_ref().and_then(|sparse| Histogram::try_from(sparse).ok());
        if let (Some(summary), Some(found)) = (summary, whole.as_ref().and_then(LatencySummary::of)) {
            summary.quantiles = found.quantiles;
        }
    }
    Some(out)
}

/// Ends, mean and deviation of all values, from those of the parts and their weights.
fn pooled(parts: &[(&LatencySummary, f64)]) -> LatencySummary {
    let counted = parts.iter().all(|(part, _)| part.count.is_some());
    let weight = |(part, rate): &(&LatencySummary, f64)| {
        if counted { part.count.unwrap_or(0) as f64 } else { *rate }
    };
    let all: f64 = parts.iter().map(weight).sum();
    let mean_ns = if all > 0.0 {
        parts.iter().map(|part| weight(part) * part.0.mean_ns).sum::<f64>() / all
    } else {
        parts.iter().map(|part| part.0.mean_ns).sum::<f64>() / parts.len() as f64
    };
    // Mean square within the parts, and between them.
    let square = parts
        .iter()
        .map(|part| {
            let deviation = part.0.deviation_ns?;
            Some(weight(part) * (deviation * deviation + (part.0.mean_ns - mean_ns).powi(2)))
        })
        .sum::<Option<f64>>();
    LatencySummary {
        count: parts.iter().map(|(part, _)| part.count).sum(),
        min_ns: parts.iter().map(|(part, _)| part.min_ns).collect::<Option<Vec<_>>>().and_then(least),
        mean_ns,
        max_ns: parts.iter().map(|(part, _)| part.max_ns).collect::<Option<Vec<_>>>().and_then(most),
        deviation_ns: square.filter(|_| all > 0.0).map(|square| (square / all).sqrt()),
        quantiles: Vec::new(),
        stated: true,
    }
}

fn least(values: Vec<u64>) -> Option<u64> {
    values.into_iter().min()
}

fn most(values: Vec<u64>) -> Option<u64> {
    values.into_iter().max()
}

/// The distribution of all parts, if each has one.
fn merged<'a>(parts: impl Iterator<Item = Option<&'a SparseHistogram>>) -> Option<SparseHistogram> {
    let mut whole = Histogram::new();
    for part in parts {
        whole.merge(&Histogram::try_from(part?).ok()?);
    }
    Some(SparseHistogram::from(&whole))
}

#[cfg(test)]
mod tests {
    use fathom_record::run_record::IoGroup;

    use super::*;

    fn part(values: &[u64]) -> DirectionSummary {
        let mut histogram = Histogram::new();
        values.iter().for_each(|value| histogram.record(*value));
        let mean = histogram.mean().unwrap();
        let square = values.iter().map(|v| (*v as f64 - mean).powi(2)).sum::<f64>() / values.len() as f64;
        let summary = LatencySummary {
            deviation_ns: Some(square.sqrt()),
            stated: true,
            ..LatencySummary::of(&histogram).unwrap()
        };
        DirectionSummary {
            direction: IoGroup::Read,
            operations: Some(values.len() as u64),
            bytes: Some(4096 * values.len() as u64),
            errors: Some(0),
            operations_per_s: values.len() as f64,
            throughput_bytes_per_s: 4096.0 * values.len() as f64,
            service: Some(summary),
            response: None,
            submit: None,
            service_histogram: Some(SparseHistogram::from(&histogram)),
            response_histogram: None,
            completion: None,
            completion_histogram: None,
        }
    }

    #[test]
    fn clones_together_are_what_one_job_with_all_values_is() {
        let (a, b) = (part(&[100, 200, 300]), part(&[1000, 5000]));
        let (both, expected) = (together(&[&a, &b]).unwrap(), part(&[100, 200, 300, 1000, 5000]));
        let (found, wanted) = (both.service.as_ref().unwrap(), expected.service.as_ref().unwrap());
        assert!((found.mean_ns - wanted.mean_ns).abs() < 1e-9);
        assert!((found.deviation_ns.unwrap() - wanted.deviation_ns.unwrap()).abs() < 1e-9);
        assert_eq!((found.min_ns, found.max_ns), (wanted.min_ns, wanted.max_ns));
        assert_eq!((both.operations, &both.service_histogram), (Some(5), &expected.service_histogram));
    }

    #[test]
    fn percentiles_of_several_jobs_are_absent_without_their_distributions() {
        let (mut a, b) = (part(&[100; 50]), part(&[1000; 50]));
        a.service_histogram = None;
        let both = together(&[&a, &b]).unwrap();
        assert_eq!((both.service_histogram, both.service.unwrap().quantiles), (None, vec![]));
    }
}
