//! The telemetry of a run as a binary payload, version by version.

use std::borrow::Cow;

use fathom_record::telemetry::{AbsentSource, MetricSeries, Telemetry};
use serde::{Deserialize, Serialize};

use super::packed_numbers::PackedV1;
use super::payload_frame::{BlobError, Kind, decode, seal, unseal};

const VERSION: u8 = 1;

#[derive(Serialize, Deserialize)]
struct TelemetryV1<'a> {
    at_ns: Cow<'a, [i64]>,
    #[serde(borrow)]
    series: Vec<SeriesV1<'a>>,
    absent: Vec<AbsentV1<'a>>,
    own_cpu_ns: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct SeriesV1<'a> {
    metric: Cow<'a, str>,
    label: Cow<'a, str>,
    unit: Cow<'a, str>,
    source: Cow<'a, str>,
    /// Bits of each value; 0 for an absent one.
    #[serde(borrow)]
    bits: PackedV1<'a>,
    /// Places of absent values.
    absent: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
struct AbsentV1<'a> {
    source: Cow<'a, str>,
    reason: Cow<'a, str>,
}

/// The telemetry as pieces for the store.
pub(crate) fn encode_telemetry(telemetry: &Telemetry) -> Result<Vec<Vec<u8>>, BlobError> {
    let Telemetry { at_ns, series, absent, own_cpu_ns } = telemetry;
    let payload = TelemetryV1 {
        at_ns: Cow::Borrowed(at_ns),
        series: series.iter().map(SeriesV1::from).collect(),
        absent: absent.iter().map(AbsentV1::from).collect(),
        own_cpu_ns: *own_cpu_ns,
    };
    seal(Kind::Telemetry, VERSION, &payload)
}

/// The telemetry from its pieces, whichever version they have.
pub(crate) fn decode_telemetry<P: AsRef<[u8]>>(pieces: &[P]) -> Result<Telemetry, BlobError> {
    decode_telemetry_of(pieces, |_| true)
}

/// The same with the series of some metrics alone; the others are not unpacked.
pub(crate) fn decode_telemetry_of<P: AsRef<[u8]>>(
    pieces: &[P],
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Telemetry, BlobError> {
    let payload = unseal(Kind::Telemetry, VERSION, pieces)?;
    let TelemetryV1 { at_ns, series, absent, own_cpu_ns } = decode(&payload.bytes)?;
    let wanted = series.into_iter().filter(|series| is_wanted(&series.metric));
    Ok(Telemetry {
        at_ns: at_ns.into_owned(),
        series: wanted.map(MetricSeries::try_from).collect::<Result<_, _>>()?,
        absent: absent.into_iter().map(AbsentSource::from).collect(),
        own_cpu_ns,
    })
}

impl<'a> From<&'a MetricSeries> for SeriesV1<'a> {
    fn from(MetricSeries { metric, label, unit, source, values }: &'a MetricSeries) -> Self {
        Self {
            metric: metric.into(),
            label: label.into(),
            unit: unit.into(),
            source: source.into(),
            bits: PackedV1::of(values.iter().map(|value| value.map_or(0, f64::to_bits))),
            absent: (0..).zip(values).filter(|(_, value)| value.is_none()).map(|(place, _)| place).collect(),
        }
    }
}

impl TryFrom<SeriesV1<'_>> for MetricSeries {
    type Error = BlobError;

    fn try_from(series: SeriesV1<'_>) -> Result<Self, BlobError> {
        let SeriesV1 { metric, label, unit, source, bits, absent } = series;
        let mut values: Vec<Option<f64>> =
            bits.numbers()?.into_iter().map(|bits| Some(f64::from_bits(bits))).collect();
        for place in absent {
            let value = usize::try_from(place).ok().and_then(|place| values.get_mut(place));
            *value.ok_or(BlobError::Damaged("an absent value points outside its series"))? = None;
        }
        Ok(Self {
            metric: metric.into_owned(),
            label: label.into_owned(),
            unit: unit.into_owned(),
            source: source.into_owned(),
            values,
        })
    }
}

impl<'a> From<&'a AbsentSource> for AbsentV1<'a> {
    fn from(AbsentSource { source, reason }: &'a AbsentSource) -> Self {
        Self { source: source.into(), reason: reason.into() }
    }
}

impl From<AbsentV1<'_>> for AbsentSource {
    fn from(AbsentV1 { source, reason }: AbsentV1<'_>) -> Self {
        Self { source: source.into_owned(), reason: reason.into_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_series() -> impl Strategy<Value = MetricSeries> {
        let values = prop::collection::vec(prop::option::of(-1e300f64..1e300), 0..20);
        ("[a-z.]{1,9}", ".{0,9}", "[a-z/]{1,9}", values).prop_map(|(metric, label, unit, values)| {
            MetricSeries { metric, label, unit, source: "/proc/stat".into(), values }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn telemetry_reads_back_as_it_was(
            at_ns in prop::collection::vec(any::<i64>(), 0..20),
            series in prop::collection::vec(any_series(), 0..6),
            absent in prop::collection::vec((".{0,9}", ".{0,9}"), 0..3),
            own_cpu_ns: Option<u64>,
        ) {
            let absent = absent.into_iter().map(|(source, reason)| AbsentSource { source, reason }).collect();
            let telemetry = Telemetry { at_ns, series, absent, own_cpu_ns };
            let pieces = encode_telemetry(&telemetry).unwrap();
            prop_assert_eq!(decode_telemetry(&pieces), Ok(telemetry));
        }

        #[test]
        fn any_payload_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode::<TelemetryV1<'_>>(&bytes);
        }
    }

    #[test]
    fn blobs_of_version_1_stay_readable() {
        let blob = include_bytes!("../../tests/golden/telemetry-1.bin");
        let expected = include_bytes!("../../tests/golden/run-1.json");
        let expected = fathom_record::parse_run(expected).unwrap().telemetry;
        assert!(!expected.series.is_empty() && !expected.absent.is_empty());
        assert_eq!(decode_telemetry(&[blob]), Ok(expected));
    }
}
