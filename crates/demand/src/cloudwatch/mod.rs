//! Demand from CloudWatch, as `aws cloudwatch get-metric-data` and `get-metric-statistics` print it, or as it answers
//! itself.
//!
//! Counts are sums over a period, and a datapoint's time is its period's start (CloudWatch API reference,
//! `GetMetricData`; EBS user guide, "CloudWatch metrics for EBS"; EC2 user guide, "EBS metrics for
//! Nitro-based instances").

mod cloudwatch_query;
mod credit_balances;

use std::collections::BTreeMap;

use fathom_record::profile_record::ThrottlingReport;
use fathom_rows::counter_series::{self, FLOWS, Rows};
use fathom_rows::{DemandReport, ticks, time_ns};
use fathom_tools::Refusal;
use serde::Deserialize;

pub(crate) use cloudwatch_query::period_kept_s;
pub use cloudwatch_query::{CloudWatchQuery, OPERATION, fetch};
pub use credit_balances::{Balance, balances};

const ANSWER: &str = "CloudWatch metrics";

/// Metrics of a volume, of an instance's network volumes, and of its local disks, in the order of [`FLOWS`].
pub const FAMILIES: [[&str; 4]; 3] = [
    ["VolumeReadOps", "VolumeWriteOps", "VolumeReadBytes", "VolumeWriteBytes"],
    ["EBSReadOps", "EBSWriteOps", "EBSReadBytes", "EBSWriteBytes"],
    ["DiskReadOps", "DiskWriteOps", "DiskReadBytes", "DiskWriteBytes"],
];
/// Metrics that say whether a volume or an instance was throttled: 1 if so.
pub const CHECKS: [&str; 4] = [
    "VolumeIOPSExceededCheck",
    "VolumeThroughputExceededCheck",
    "InstanceEBSIOPSExceededCheck",
    "InstanceEBSThroughputExceededCheck",
];
/// The state of a series whose other points are on another page.
const PARTIAL: &str = "PartialData";
/// Bytes over I/Os below this are not from sums: no block device has smaller I/Os.
const LEAST_BYTES: f64 = 512.0;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Document {
    #[serde(default)]
    metric_data_results: Option<Vec<Series>>,
    /// What is said of the whole answer.
    #[serde(default)]
    messages: Vec<Message>,
    #[serde(default)]
    label: Option<String>,
    #[serde(default)]
    datapoints: Option<Vec<Datapoint>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Series {
    #[serde(default)]
    id: String,
    #[serde(default)]
    label: String,
    #[serde(default)]
    status_code: String,
    #[serde(default)]
    timestamps: Vec<serde_json::Value>,
    #[serde(default)]
    values: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Message {
    #[serde(default)]
    code: String,
    #[serde(default)]
    value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Datapoint {
    timestamp: serde_json::Value,
    sum: Option<f64>,
    maximum: Option<f64>,
}

/// One metric's values by time.
pub(crate) struct Metric {
    /// Label and id, where the name is looked for.
    pub words: String,
    /// Times in nanoseconds since 1970, and values.
    pub points: Vec<(i64, f64)>,
}

/// Whether a text begins like one of these.
pub fn recognise(start: &str) -> bool {
    start.trim_start().starts_with('{')
        && (start.contains("\"MetricDataResults\"") || start.contains("\"Datapoints\""))
}

/// Reads answers that together hold the reads, writes and bytes of one volume or instance.
///
/// # Errors
/// When one is no such answer, a metric is missing, or its values are no sums.
pub fn read(texts: &[&[u8]], device: Option<&str>) -> Result<DemandReport, Refusal> {
    let mut metrics = Vec::new();
    let mut notes = Vec::new();
    for text in texts {
        metrics.extend(of_document(text, &mut notes)?);
    }
    assembled(&metrics, notes, device)
}

/// The demand of the volume or instance that is meant.
fn assembled(
    metrics: &[Metric],
    mut notes: Vec<String>,
    device: Option<&str>,
) -> Result<DemandReport, Refusal> {
    let meant = |metric: &&Metric| device.is_none_or(|device| is_named(&metric.words, device));
    let metrics: Vec<&Metric> = metrics.iter().filter(meant).collect();
    let (rows, period_ns) = rows_of(&metrics, &mut notes)?;
    let mut seen = counter_series::of_periods(&rows, period_ns)?;
    seen.throttled = CHECKS.iter().filter_map(|name| throttled(name, &of_name(&metrics, name))).collect();
    seen.notes.splice(0..0, notes);
    seen.source = "cloudwatch";
    seen.device = device.map(str::to_owned);
    Ok(seen)
}

fn of_name<'a>(metrics: &[&'a Metric], name: &str) -> Vec<&'a Metric> {
    metrics.iter().copied().filter(|metric| has_name(&metric.words, name)).collect()
}

/// Reads, writes and bytes by time, of the metrics of one volume or instance, and the usual period in nanoseconds.
pub(crate) fn rows_of(metrics: &[&Metric], notes: &mut Vec<String>) -> Result<(Rows, i64), Refusal> {
    let named = |name: &str| of_name(metrics, name);
    let family = FAMILIES.iter().find(|family| !named(family[0]).is_empty() || !named(family[1]).is_empty());
    let Some(family) = family else {
        return Err(Refusal::new(ANSWER, "no reads and writes of a volume or an instance are in it").or(
            "ask for the sums of VolumeReadOps, VolumeWriteOps, VolumeReadBytes and VolumeWriteBytes of namespace AWS/EBS, with these names as labels",
        ));
    };
    let mut rows = Rows::new();
    let mut periods_ns = [0; FLOWS.len()];
    for (flow, name) in family.iter().enumerate() {
        let mut found: BTreeMap<&str, Vec<(i64, f64)>> = BTreeMap::new();
        for metric in named(name) {
            found.entry(&metric.words).or_default().extend(&metric.points);
        }
        match found.into_values().collect::<Vec<_>>().as_slice() {
            [points] => {
                let points = joined(points, name, notes)?;
                periods_ns[flow] = steps_ns(points.keys())?[0];
                counter_series::put(&mut rows, flow, points);
            }
            [] => {
                return Err(Refusal::new(ANSWER, format!("{} ({name}) are missing", FLOWS[flow]))
                    .or(format!("ask for {} too; several files can be named", family.join(", "))));
            }
            _ => {
                return Err(Refusal::new(ANSWER, format!("several series of {name} are in it"))
                    .or("name a volume or instance with --device, as it stands in the labels"));
            }
        }
    }
    check_sums(&rows)?;
    if let Some(other) = (1..FLOWS.len()).find(|flow| periods_ns[*flow] != periods_ns[0]) {
        let seconds = |flow: usize| periods_ns[flow] / 1_000_000_000;
        let cause = format!(
            "its periods differ: {} are of {} s, and {} of {} s",
            FLOWS[0],
            seconds(0),
            FLOWS[other],
            seconds(other)
        );
        return Err(Refusal::new(ANSWER, cause).or("ask for all metrics with one --period"));
    }
    let steps_ns = steps_ns(rows.keys())?;
    Ok((rows, steps_ns[(steps_ns.len() - 1) / 2]))
}

/// A metric's values of several answers, one for each time; of two that differ the larger, as of rows
/// of a table.
fn joined(points: &[(i64, f64)], name: &str, notes: &mut Vec<String>) -> Result<BTreeMap<i64, f64>, Refusal> {
    let mut joined: BTreeMap<i64, f64> = BTreeMap::new();
    let mut contradictions = 0usize;
    for (at_ns, value) in points {
        let known = joined.entry(*at_ns).or_insert(*value);
        contradictions += usize::from(*known != *value);
        *known = known.max(*value);
    }
    if contradictions * ticks::TIMES_A_CONTRADICTION > joined.len() {
        let cause = format!("several values of {name} are there for one time, at {contradictions} times");
        return Err(Refusal::new(ANSWER, cause)
            .or("give the files of one volume, or ask for labels that name it: \"Label\": \"vol-... VolumeReadOps\""));
    }
    if contradictions > 0 {
        notes.push(format!(
            "Two answers differ in {name} at {contradictions} times: the larger value was taken."
        ));
    }
    Ok(joined)
}

/// Whether a label names a volume or instance: `vol-1` is no part of `vol-10`.
pub(crate) fn is_named(words: &str, device: &str) -> bool {
    let goes_on = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-');
    !device.is_empty()
        && words.match_indices(device).any(|(at, found)| {
            !goes_on(words[..at].chars().next_back()) && !goes_on(words[at + found.len()..].chars().next())
        })
}

/// Names are parts of labels: `vol-0abc VolumeReadOps`. Some are parts of others too.
pub(crate) fn has_name(words: &str, name: &str) -> bool {
    words.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word.eq_ignore_ascii_case(name))
}

fn throttled(name: &str, metrics: &[&Metric]) -> Option<ThrottlingReport> {
    let values: Vec<f64> =
        metrics.iter().flat_map(|metric| metric.points.iter().map(|point| point.1)).collect();
    let above = values.iter().filter(|value| **value > 0.0).count();
    (!values.is_empty())
        .then(|| ThrottlingReport { metric: name.to_owned(), share: above as f64 / values.len() as f64 })
}

/// The distances between points, ascending: the first is the period, where any two points are beside each other, and
/// the middle one is the usual one.
fn steps_ns<'a>(times: impl Iterator<Item = &'a i64>) -> Result<Vec<i64>, Refusal> {
    let times: Vec<i64> = times.copied().collect();
    let mut steps: Vec<i64> = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
    steps.sort_unstable();
    if steps.is_empty() {
        return Err(Refusal::new(ANSWER, "fewer than two points in time are in it"));
    }
    Ok(steps)
}

fn check_sums(rows: &Rows) -> Result<(), Refusal> {
    let sum = |flow: usize| rows.values().filter_map(|row| row[flow]).sum::<f64>();
    let wrong = |ops: f64, bytes: f64| ops > 0.0 && bytes / ops < LEAST_BYTES && bytes > 0.0;
    if wrong(sum(0), sum(2)) || wrong(sum(1), sum(3)) {
        let cause = "its bytes are under 512 an I/O: the values are averages of something, not sums";
        return Err(Refusal::new(ANSWER, cause).or("ask with --statistics Sum, or \"Stat\": \"Sum\""));
    }
    Ok(())
}

/// The metrics of an answer; what it says of itself goes to the notes.
pub(crate) fn of_document(text: &[u8], notes: &mut Vec<String>) -> Result<Vec<Metric>, Refusal> {
    let document: Document =
        fathom_json::read_bytes(text).map_err(|error| Refusal::caused_by(ANSWER, error))?;
    let at = |value: &serde_json::Value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        time_ns(&text).ok_or_else(|| Refusal::new(ANSWER, format!("{text:?} is not a valid time")))
    };
    notes.extend(
        document
            .messages
            .iter()
            .map(|said| format!("CloudWatch says: {} {}", said.code, said.value).trim().to_owned()),
    );
    if let Some(results) = document.metric_data_results {
        let metric = |series: Series| {
            if !matches!(series.status_code.as_str(), "" | "Complete") {
                notes.push(format!(
                    "{} is not complete ({}): ask for the rest with --starting-token, or for less at once.",
                    series.label, series.status_code
                ));
            }
            if series.timestamps.len() != series.values.len() {
                let cause = format!("{} times and {} values", series.timestamps.len(), series.values.len());
                return Err(Refusal::new(ANSWER, cause).at(series.label));
            }
            let times: Vec<i64> = series.timestamps.iter().map(at).collect::<Result<_, _>>()?;
            let words = format!("{} {}", series.label, series.id);
            Ok(Metric { words, points: times.into_iter().zip(series.values).collect() })
        };
        return results.into_iter().map(metric).collect();
    }
    let (Some(label), Some(datapoints)) = (document.label, document.datapoints) else {
        return Err(Refusal::new(ANSWER, "neither MetricDataResults nor Datapoints are in it"));
    };
    let is_check = CHECKS.iter().any(|name| has_name(&label, name));
    let mut points = Vec::new();
    for datapoint in &datapoints {
        let value = if is_check { datapoint.maximum.or(datapoint.sum) } else { datapoint.sum };
        let value = value.ok_or_else(|| {
            Refusal::new(ANSWER, "no sums are in it").at(label.clone()).or("ask with --statistics Sum")
        })?;
        points.push((at(&datapoint.timestamp)?, value));
    }
    Ok(vec![Metric { words: label, points }])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statistics(label: &str, value: f64, statistic: &str) -> String {
        let point = |i: i32| {
            format!(
                "{{\"Timestamp\":\"2026-11-01T00:{:02}:00+00:00\",\"{statistic}\":{value},\"Unit\":\"Count\"}}",
                i * 5
            )
        };
        // The tool prints them in no order.
        let points: Vec<String> = [3, 0, 2, 1].map(point).to_vec();
        format!("{{\"Label\":\"{label}\",\"Datapoints\":[{}]}}", points.join(","))
    }

    #[test]
    fn files_that_are_not_of_one_volume_and_one_period_are_refused() {
        let names =
            FAMILIES[0].map(|name| statistics(name, if name.ends_with("Ops") { 300.0 } else { 3e6 }, "Sum"));
        let read_all = |texts: &[String]| {
            let bytes: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
            read(&bytes, None)
        };
        let other = statistics("VolumeReadOps", 7.0, "Sum");
        let two = read_all(&[names.as_slice(), &[other]].concat()).unwrap_err();
        assert!(two.cause.contains("several values of VolumeReadOps"), "{two}");
        let again = read_all(&[names.as_slice(), &names[..2]].concat()).unwrap();
        assert_eq!(again.notes, Vec::<String>::new());
        let mut hourly = names.clone();
        hourly[2] =
            hourly[2].replace("T00:05", "T01:00").replace("T00:10", "T02:00").replace("T00:15", "T03:00");
        let mixed = read_all(&hourly).unwrap_err();
        assert!(mixed.cause.contains("bytes read of 3600 s"), "{mixed}");
        assert!(is_named("vol-1 VolumeReadOps", "vol-1") && !is_named("vol-10 VolumeReadOps", "vol-1"));
        assert!(is_named("prod (vol-1)", "vol-1") && !is_named("vol-1", "ol-1"));
    }

    #[test]
    fn four_statistics_make_a_demand() {
        let texts = [
            statistics("VolumeReadOps", 300.0, "Sum"),
            statistics("VolumeWriteOps", 600.0, "Sum"),
            statistics("VolumeReadBytes", 300.0 * 16384.0, "Sum"),
            statistics("VolumeWriteBytes", 600.0 * 65536.0, "Sum"),
            statistics("VolumeIOPSExceededCheck", 1.0, "Maximum"),
        ];
        let bytes: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
        let seen = read(&bytes, None).unwrap();
        assert_eq!((seen.demand.tick_s, seen.demand.write.operations), (300, vec![600; 4]));
        assert_eq!(seen.start_unix_s, Some(1_793_491_200));
        assert_eq!(seen.throttled[0].share, 1.0);
        let missing = read(&bytes[..3], None).unwrap_err();
        assert!(missing.cause.contains("VolumeWriteBytes"), "{missing}");
        let average = statistics("VolumeReadOps", 1.0, "Average");
        assert!(read(&[average.as_bytes()], None).unwrap_err().remedy.contains("Sum"));
    }

    #[test]
    fn metric_data_are_told_apart_by_their_labels() {
        let series = |volume: &str, name: &str, value: f64| {
            format!(
                "{{\"Id\":\"m1\",\"Label\":\"{volume} {name}\",\"Timestamps\":[1700000060,1700000000,1699999940],\"Values\":[{value},{value},{value}],\"StatusCode\":\"Complete\"}}"
            )
        };
        let volume = |volume: &str, scale: f64| {
            FAMILIES[0]
                .map(|name| {
                    series(volume, name, scale * if name.ends_with("Ops") { 60.0 } else { 60.0 * 4096.0 })
                })
                .join(",")
        };
        let text = format!("{{\"MetricDataResults\":[{},{}]}}", volume("vol-1", 1.0), volume("vol-2", 2.0));
        assert!(recognise(&text));
        assert!(read(&[text.as_bytes()], None).unwrap_err().remedy.contains("--device"));
        let seen = read(&[text.as_bytes()], Some("vol-2")).unwrap();
        assert_eq!((seen.demand.tick_s, seen.demand.read.operations), (60, vec![120; 3]));
        let averaged = text.replace("245760", "0.5");
        assert!(read(&[averaged.as_bytes()], Some("vol-1")).unwrap_err().cause.contains("averages"));
    }
}
