//! The intervals of a run as a binary payload, version by version.

use std::ops::Range;

use fathom_record::{Direction, DirectionInterval, Interval, SparseHistogram};
use serde::{Deserialize, Serialize};

use super::packed_numbers::PackedV1;
use super::payload_frame::{BlobError, Kind, decode, seal, unseal};

const VERSION: u8 = 1;

#[derive(Serialize, Deserialize)]
struct IntervalV1<'a> {
    start_ns: u64,
    duration_ns: u64,
    warmup: bool,
    in_flight_integral_ns: u64,
    #[serde(borrow)]
    directions: Vec<DirectionV1<'a>>,
}

#[derive(Serialize, Deserialize)]
struct DirectionV1<'a> {
    /// 0 read, 1 write, 2 trim, 3 flush.
    direction: u8,
    operations: u64,
    bytes: u64,
    errors: u64,
    #[serde(borrow)]
    service: HistogramV1<'a>,
    #[serde(borrow)]
    response: Option<HistogramV1<'a>>,
}

#[derive(Serialize, Deserialize)]
struct HistogramV1<'a> {
    grouping_power: u32,
    sum_low: u64,
    sum_high: u64,
    min_ns: u64,
    max_ns: u64,
    /// The record's `buckets` at even places: distances.
    #[serde(borrow)]
    distances: PackedV1<'a>,
    /// The record's `buckets` at odd places: counts.
    #[serde(borrow)]
    counts: PackedV1<'a>,
}

/// The intervals as pieces for the store.
pub(crate) fn encode_intervals(intervals: &[Interval]) -> Result<Vec<Vec<u8>>, BlobError> {
    let payload: Vec<IntervalV1<'_>> = intervals.iter().map(IntervalV1::from).collect();
    seal(Kind::Intervals, VERSION, &payload)
}

/// The intervals from their pieces, whichever version they have.
pub(crate) fn decode_intervals<P: AsRef<[u8]>>(pieces: &[P]) -> Result<Vec<Interval>, BlobError> {
    let mut intervals = Vec::new();
    visit_intervals(pieces, 0..u64::MAX, |interval| intervals.push(interval))?;
    Ok(intervals)
}

/// Hands on one interval of a stretch after the other, in order, so that a caller need not hold them all:
/// decoded, they take about ten times the memory of the payload. Says how many there are in the whole.
pub(crate) fn visit_intervals<P: AsRef<[u8]>>(
    pieces: &[P],
    stretch: Range<u64>,
    mut visit: impl FnMut(Interval),
) -> Result<u64, BlobError> {
    let payload = unseal(Kind::Intervals, VERSION, pieces)?;
    let intervals: Vec<IntervalV1<'_>> = decode(&payload.bytes)?;
    let of = intervals.len() as u64;
    for (_, interval) in (0..).zip(intervals).filter(|(at, _)| stretch.contains(at)) {
        visit(interval.try_into()?);
    }
    Ok(of)
}

// Every structure is taken apart by name, so that a new field of the record cannot be forgotten here.

impl<'a> From<&'a Interval> for IntervalV1<'a> {
    fn from(interval: &'a Interval) -> Self {
        let Interval { start_ns, duration_ns, warmup, in_flight_integral_ns, directions } = interval;
        Self {
            start_ns: *start_ns,
            duration_ns: *duration_ns,
            warmup: *warmup,
            in_flight_integral_ns: *in_flight_integral_ns,
            directions: directions.iter().map(DirectionV1::from).collect(),
        }
    }
}

impl TryFrom<IntervalV1<'_>> for Interval {
    type Error = BlobError;

    fn try_from(interval: IntervalV1<'_>) -> Result<Self, BlobError> {
        let IntervalV1 { start_ns, duration_ns, warmup, in_flight_integral_ns, directions } = interval;
        let directions = directions.into_iter().map(DirectionInterval::try_from).collect::<Result<_, _>>()?;
        Ok(Self { start_ns, duration_ns, warmup, in_flight_integral_ns, directions })
    }
}

impl<'a> From<&'a DirectionInterval> for DirectionV1<'a> {
    fn from(interval: &'a DirectionInterval) -> Self {
        let DirectionInterval { direction, operations, bytes, errors, service, response } = interval;
        Self {
            direction: match direction {
                Direction::Read => 0,
                Direction::Write => 1,
                Direction::Trim => 2,
                Direction::Flush => 3,
            },
            operations: *operations,
            bytes: *bytes,
            errors: *errors,
            service: service.into(),
            response: response.as_ref().map(HistogramV1::from),
        }
    }
}

impl TryFrom<DirectionV1<'_>> for DirectionInterval {
    type Error = BlobError;

    fn try_from(interval: DirectionV1<'_>) -> Result<Self, BlobError> {
        let DirectionV1 { direction, operations, bytes, errors, service, response } = interval;
        let direction = match direction {
            0 => Direction::Read,
            1 => Direction::Write,
            2 => Direction::Trim,
            3 => Direction::Flush,
            _ => return Err(BlobError::Damaged("its series name an unknown direction")),
        };
        let service = service.try_into()?;
        let response = response.map(SparseHistogram::try_from).transpose()?;
        Ok(Self { direction, operations, bytes, errors, service, response })
    }
}

impl<'a> From<&'a SparseHistogram> for HistogramV1<'a> {
    fn from(histogram: &'a SparseHistogram) -> Self {
        let SparseHistogram { grouping_power, sum_low, sum_high, min_ns, max_ns, buckets } = histogram;
        Self {
            grouping_power: *grouping_power,
            sum_low: *sum_low,
            sum_high: *sum_high,
            min_ns: *min_ns,
            max_ns: *max_ns,
            distances: PackedV1::of(buckets.iter().copied().step_by(2)),
            counts: PackedV1::of(buckets.iter().copied().skip(1).step_by(2)),
        }
    }
}

impl TryFrom<HistogramV1<'_>> for SparseHistogram {
    type Error = BlobError;

    fn try_from(histogram: HistogramV1<'_>) -> Result<Self, BlobError> {
        let HistogramV1 { grouping_power, sum_low, sum_high, min_ns, max_ns, distances, counts } = histogram;
        let buckets = PackedV1::interleave(&distances, &counts)?;
        Ok(Self { grouping_power, sum_low, sum_high, min_ns, max_ns, buckets })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_measure::Histogram;
    use proptest::prelude::*;

    fn any_histogram() -> impl Strategy<Value = SparseHistogram> {
        prop::collection::vec(any::<u64>(), 0..30).prop_map(|values| {
            let mut histogram = Histogram::new();
            values.iter().for_each(|&value| histogram.record(value));
            SparseHistogram::from(&histogram)
        })
    }

    fn any_direction_interval() -> impl Strategy<Value = DirectionInterval> {
        let numbers = (0usize..4, any::<u64>(), any::<u64>(), any::<u64>());
        (numbers, any_histogram(), prop::option::of(any_histogram())).prop_map(
            |((direction, operations, bytes, errors), service, response)| DirectionInterval {
                direction: Direction::ALL[direction],
                operations,
                bytes,
                errors,
                service,
                response,
            },
        )
    }

    fn any_interval() -> impl Strategy<Value = Interval> {
        let directions = prop::collection::vec(any_direction_interval(), 0..4);
        (any::<(u64, u64, bool, u64)>(), directions).prop_map(
            |((start_ns, duration_ns, warmup, in_flight_integral_ns), directions)| Interval {
                start_ns,
                duration_ns,
                warmup,
                in_flight_integral_ns,
                directions,
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn intervals_read_back_as_they_were(intervals in prop::collection::vec(any_interval(), 0..6)) {
            let pieces = encode_intervals(&intervals).unwrap();
            prop_assert_eq!(decode_intervals(&pieces), Ok(intervals));
        }

        #[test]
        fn any_payload_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode::<Vec<IntervalV1<'_>>>(&bytes);
        }
    }

    #[test]
    fn blobs_of_version_1_stay_readable() {
        let blob = include_bytes!("../../tests/golden/intervals-1.bin");
        let expected = include_bytes!("../../tests/golden/run-1.json");
        let expected = fathom_record::parse_run(expected).unwrap().intervals;
        assert!(expected.len() > 1 && expected.iter().any(|interval| interval.directions.len() > 1));
        assert_eq!(decode_intervals(&[blob]), Ok(expected));
    }
}
