//! Answers of Google Cloud Monitoring, as its API prints them (`projects.timeSeries.list`), whole or as a list.
//!
//! Source: Cloud Monitoring API, "TimeSeries"; Google Cloud metrics, "compute": counts of `instance/disk/...` are of the
//! kind DELTA, whose points say what came between two times.

use std::collections::BTreeMap;

use fathom_rows::{Values, time_ns};
use fathom_tools::Refusal;
use serde::Deserialize;
use serde_json::Value;

use super::{Monitor, Series};

pub const ASKS: &str = "ask for compute.googleapis.com/instance/disk/read_ops_count, write_ops_count, read_bytes_count and write_bytes_count, without an aligner or with ALIGN_DELTA; several files can be named";

const FAMILY: &str = "compute.googleapis.com/instance/disk/";
/// In the order of flows.
const NAMES: [&str; 4] = ["read_ops_count", "write_ops_count", "read_bytes_count", "write_bytes_count"];
/// Labels that tell disks apart, in the order in which they name one.
const LABELS: [&str; 3] = ["device_name", "instance_name", "instance_id"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TimeSeries {
    metric: LabelledResource,
    #[serde(default)]
    resource: LabelledResource,
    #[serde(default)]
    metric_kind: String,
    /// E.g. `1/s`.
    #[serde(default)]
    unit: String,
    #[serde(default)]
    points: Vec<Point>,
}

#[derive(Deserialize, Default)]
struct LabelledResource {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Point {
    interval: Interval,
    value: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Interval {
    end_time: String,
}

/// Whether a text begins like one: its series have metrics too, as those of Prometheus.
pub fn recognise(start: &str) -> bool {
    let has = |key: &str| start.contains(key);
    has("\"points\"") && (has("\"metricKind\"") || has("\"timeSeries\"") || has("googleapis.com/"))
}

/// The series of an answer; `values` says what aligned ones are.
///
/// # Errors
/// When it is none, or does not say whether its values are counts.
pub fn series(text: &[u8], values: Option<Values>) -> Result<Vec<Series>, Refusal> {
    let refused = |cause: String| Monitor::Google.refused(cause);
    let broken = |error: serde_json::Error| refused(error.to_string()).with_source(error);
    let document: Value = serde_json::from_slice(text).map_err(broken)?;
    let list = match document {
        Value::Object(mut object) => object.remove("timeSeries").unwrap_or_default(),
        list => list,
    };
    let list: Vec<TimeSeries> = serde_json::from_value(list).map_err(broken)?;
    let mut found = Vec::new();
    for of in list {
        let name = of.metric.kind.strip_prefix(FAMILY);
        let Some(flow) = name.and_then(|name| NAMES.iter().position(|known| *known == name)) else {
            continue;
        };
        let is_rate = match of.metric_kind.as_str() {
            "DELTA" => false,
            "GAUGE" if of.unit.ends_with("/s") || values == Some(Values::PerSecond) => true,
            "GAUGE" if values == Some(Values::PerRow) => false,
            "GAUGE" => {
                let cause = "it was aligned, and does not say whether its values are counts or rates";
                return Err(refused(cause.to_owned()).or("say --values per-second (ALIGN_RATE) or per-row"));
            }
            other => return Err(refused(format!("its series are of the kind {other:?}")).or(ASKS)),
        };
        let labels = LABELS.iter().filter_map(|label| {
            of.metric.labels.get(*label).or_else(|| of.resource.labels.get(*label)).map(String::as_str)
        });
        let words = labels.collect::<Vec<_>>().join(" ");
        let mut points = Vec::new();
        for point in &of.points {
            let end = &point.interval.end_time;
            let at_ns = time_ns(end).ok_or_else(|| refused(format!("{end:?} is not a valid time")))?;
            let number = point.value.values().find_map(number);
            let value = number.ok_or_else(|| refused(format!("the point at {end} has no number")))?;
            points.push((at_ns, value));
        }
        found.push(Series { words, family: FAMILY, flow, is_rate, ends: true, points });
    }
    Ok(found)
}

/// Whole numbers of 64 bits are written as words.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}
