//! Seconds of several clients, and their sums: exact, over the time in which all measured.

use std::collections::BTreeSet;

use fathom_measure::Histogram;
use fathom_record::run_record::DirectionSummary;
use fathom_record::{Direction, DirectionInterval, Interval, LatencySummary, SparseHistogram};

use crate::progress::Second;

/// More operations in a second than any machine does; counts of a run stay far from what 64 bits hold.
const OPERATIONS_MAX: u64 = 1 << 40;

/// The seconds of one client, as it sends them.
#[derive(Clone, Debug, Default)]
pub struct ClientSeries(Vec<Interval>);

impl ClientSeries {
    /// Takes the next one.
    ///
    /// # Errors
    /// What contradicts itself or the seconds before.
    pub fn take(&mut self, next: Interval) -> Result<(), &'static str> {
        let end_ns = self.end_ns();
        if next.start_ns != end_ns {
            return Err("a second that does not begin where the one before ended");
        }
        if next.start_ns.checked_add(next.duration_ns).is_none() {
            return Err("a second that never ends");
        }
        let mut seen = BTreeSet::new();
        for direction in &next.directions {
            if !seen.insert(direction.direction.index()) {
                return Err("a second with one direction twice");
            }
            check(direction)?;
        }
        match self.0.last_mut() {
            // Nothing lasted: what ended with the second before.
            Some(last) if next.duration_ns == 0 && last.warmup == next.warmup => {
                let (start_ns, duration_ns) = (last.start_ns, last.duration_ns);
                *last = sum(&[last, &next], (start_ns, duration_ns, last.warmup));
            }
            _ if next.duration_ns == 0 => {}
            _ => self.0.push(next),
        }
        Ok(())
    }

    /// All of them.
    pub fn seconds(&self) -> &[Interval] {
        &self.0
    }

    /// Those from a moment on.
    pub fn from(&self, from_ns: u64) -> &[Interval] {
        let first = self.0.partition_point(|second| second.start_ns < from_ns);
        self.0.get(first..).unwrap_or_default()
    }

    /// Where the last one ends.
    pub fn end_ns(&self) -> u64 {
        self.0.last().map_or(0, |last| last.start_ns + last.duration_ns)
    }
}

fn check(direction: &DirectionInterval) -> Result<(), &'static str> {
    let bounded = |sparse: &SparseHistogram| {
        let histogram = Histogram::try_from(sparse)?;
        let fits = histogram.count() <= OPERATIONS_MAX && sparse.sum_high == 0;
        if fits { Ok(histogram.count()) } else { Err("a second with more I/Os than any machine does") }
    };
    if bounded(&direction.service)? != direction.operations {
        return Err("a second whose histogram has another number of I/Os than it says");
    }
    direction.response.as_ref().map(bounded).transpose()?;
    if direction.errors > OPERATIONS_MAX || direction.bytes > 1 << 53 {
        return Err("a second with more bytes or errors than any machine does");
    }
    Ok(())
}

/// The seconds of the sum: between each two moments at which a second of every client begins or ends. Counts and
/// buckets are added. A client whose seconds were handed over two at once makes two of the sum one.
pub fn common(clients: &[&[Interval]]) -> Vec<Interval> {
    let edges = |seconds: &&[Interval]| -> BTreeSet<u64> {
        seconds.iter().flat_map(|second| [second.start_ns, second.start_ns + second.duration_ns]).collect()
    };
    let Some(shared) = clients.iter().map(edges).reduce(|all, own| &all & &own) else { return Vec::new() };
    let edges: Vec<u64> = shared.into_iter().collect();
    let piece = |pair: &[u64]| {
        let &[from_ns, to_ns] = pair else { return None };
        let within = |second: &&Interval| second.start_ns >= from_ns && second.start_ns < to_ns;
        let parts: Vec<&Interval> =
            clients.iter().flat_map(|seconds| seconds.iter().filter(within)).collect();
        let warmup = parts.first()?.warmup;
        Some(sum(&parts, (from_ns, to_ns - from_ns, warmup)))
    };
    edges.windows(2).filter_map(piece).collect()
}

fn sum(parts: &[&Interval], (start_ns, duration_ns, warmup): (u64, u64, bool)) -> Interval {
    let direction = |direction: Direction| {
        let of: Vec<&DirectionInterval> = parts
            .iter()
            .flat_map(|part| part.directions.iter().filter(|entry| entry.direction == direction))
            .collect();
        let open = of.iter().any(|entry| entry.response.is_some());
        (!of.is_empty()).then(|| DirectionInterval {
            direction,
            operations: of.iter().map(|entry| entry.operations).sum(),
            bytes: of.iter().map(|entry| entry.bytes).sum(),
            errors: of.iter().map(|entry| entry.errors).sum(),
            service: added(of.iter().map(|entry| &entry.service)),
            response: open.then(|| added(of.iter().filter_map(|entry| entry.response.as_ref()))),
        })
    };
    Interval {
        start_ns,
        duration_ns,
        warmup,
        in_flight_integral_ns: parts
            .iter()
            .map(|part| part.in_flight_integral_ns)
            .fold(0, u64::saturating_add),
        directions: Direction::ALL.into_iter().filter_map(direction).collect(),
    }
}

fn added<'a>(histograms: impl Iterator<Item = &'a SparseHistogram>) -> SparseHistogram {
    SparseHistogram::from(&merged(histograms))
}

/// Bucket for bucket. What is no histogram was refused when it came.
fn merged<'a>(histograms: impl Iterator<Item = &'a SparseHistogram>) -> Histogram {
    let mut sum = Histogram::new();
    histograms.filter_map(|sparse| Histogram::try_from(sparse).ok()).for_each(|one| sum.merge(&one));
    sum
}

/// What was done in each direction in these seconds, which last `window_ns` together.
pub fn directions(seconds: &[&Interval], window_ns: u64) -> Vec<DirectionSummary> {
    let per_s = |count: u64| if window_ns > 0 { count as f64 * 1e9 / window_ns as f64 } else { 0.0 };
    let total = sum(seconds, (0, window_ns, false));
    let summary = |counts: DirectionInterval| {
        let service = merged([&counts.service].into_iter());
        let response = counts.response.as_ref().map(|response| merged([response].into_iter()));
        DirectionSummary {
            direction: counts.direction.into(),
            operations: Some(counts.operations),
            bytes: Some(counts.bytes),
            errors: Some(counts.errors),
            operations_per_s: per_s(counts.operations),
            throughput_bytes_per_s: per_s(counts.bytes),
            service: LatencySummary::of(&service),
            response: response.as_ref().and_then(LatencySummary::of),
            submit: None,
            service_histogram: Some(counts.service),
            response_histogram: counts.response,
            completion: None,
            completion_histogram: None,
        }
    };
    total.directions.into_iter().map(summary).collect()
}

/// A second of the sum, as it is shown.
pub fn shown(second: &Interval) -> Second {
    let length_s = second.duration_ns as f64 / 1e9;
    let service = merged(second.directions.iter().map(|direction| &direction.service));
    Second {
        warmup: second.warmup,
        until_ns: second.start_ns + second.duration_ns,
        operations_per_s: second.operations() as f64 / length_s,
        throughput_bytes_per_s: second.bytes() as f64 / length_s,
        in_flight: second.in_flight(),
        errors: second.directions.iter().map(|direction| direction.errors).sum(),
        ..Second::of_latencies(&service)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn second(start: u64, seconds: u64, values: &[u64]) -> Interval {
        let mut histogram = Histogram::new();
        values.iter().for_each(|value| histogram.record(*value));
        Interval {
            start_ns: start * SECOND,
            duration_ns: seconds * SECOND,
            warmup: start == 0,
            in_flight_integral_ns: SECOND,
            directions: vec![DirectionInterval {
                direction: Direction::Read,
                operations: values.len() as u64,
                bytes: 512 * values.len() as u64,
                errors: 0,
                service: SparseHistogram::from(&histogram),
                response: None,
            }],
        }
    }

    #[test]
    fn histograms_are_added_bucket_for_bucket_over_the_time_that_all_measured() {
        let a = [second(0, 1, &[5]), second(1, 1, &[100, 900]), second(2, 1, &[100]), second(3, 1, &[7])];
        // Two seconds in one, and one less than the other.
        let b = [second(0, 1, &[5]), second(1, 2, &[100, 3000])];
        let sum = common(&[&a, &b]);
        let lengths: Vec<_> =
            sum.iter().map(|s| (s.start_ns / SECOND, s.duration_ns / SECOND, s.warmup)).collect();
        assert_eq!(lengths, [(0, 1, true), (1, 2, false)]);
        let mut expected = Histogram::new();
        [100, 900, 100, 100, 3000].into_iter().for_each(|value| expected.record(value));
        assert_eq!(sum[1].directions[0].service, SparseHistogram::from(&expected));
        let all = directions(&[&sum[1]], 2 * SECOND);
        assert_eq!((all[0].operations, all[0].operations_per_s), (Some(5), 2.5));
        assert_eq!(all[0].service.as_ref().unwrap().max_ns, Some(3000));
    }

    #[test]
    fn seconds_that_contradict_themselves_or_each_other_are_refused() {
        let mut series = ClientSeries::default();
        series.take(second(0, 1, &[1])).unwrap();
        assert!(series.take(second(0, 1, &[1])).is_err(), "repeated");
        assert!(series.take(second(2, 1, &[1])).is_err(), "one is missing");
        let wrong = |change: fn(&mut DirectionInterval)| {
            let mut next = second(1, 1, &[1, 2]);
            change(&mut next.directions[0]);
            series.clone().take(next).is_err()
        };
        assert!(wrong(|d| d.operations = 3));
        assert!(wrong(|d| d.service.buckets = vec![u64::MAX, 2]));
        assert!(wrong(|d| d.service.buckets = vec![1, u64::MAX, 1, u64::MAX]));
        assert!(wrong(|d| d.service.sum_high = u64::MAX));
        assert!(wrong(|d| d.bytes = u64::MAX));
        let mut endless = second(1, 1, &[]);
        endless.duration_ns = u64::MAX;
        assert!(series.clone().take(endless).is_err());
        let mut nothing = second(1, 0, &[9]);
        nothing.warmup = true;
        series.take(nothing).unwrap();
        assert_eq!((series.seconds().len(), series.seconds()[0].operations()), (1, 2));
    }
}
