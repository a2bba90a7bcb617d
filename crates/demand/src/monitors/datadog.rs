//! Answers of Datadog to a query of its agent's disk metrics (`GET /api/v1/query`).
//!
//! Source: Datadog API, "Query timeseries points"; Datadog docs, "Disk" and "Amazon EBS": `system.io.*` are rates, in units
//! of 1024 bytes; `aws.ebs.volume_read_bytes` is a mean size, and its `.sum` a gauge whose period the answer does not say.

use fathom_tools::Refusal;
use serde::Deserialize;

use super::{Monitor, Series};

pub const ASKS: &str = "ask for avg:system.io.r_s{host:NAME} by {host,device}, and so for system.io.w_s, rkb_s and wkb_s; several files can be named";

const FAMILY: &str = "system.io.";
/// In the order of flows, with what one of their units is.
const NAMES: [(&str, f64); 4] = [("r_s", 1.0), ("w_s", 1.0), ("rkb_s", 1024.0), ("wkb_s", 1024.0)];
/// How Datadog calls what it has from CloudWatch.
const OF_CLOUDWATCH: &str = "aws.ebs.";

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    series: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    metric: String,
    /// As `device:nvme1n1,host:db1`.
    #[serde(default)]
    scope: String,
    /// How series were joined, and points over time.
    #[serde(default)]
    aggr: Option<String>,
    #[serde(default)]
    pointlist: Vec<(f64, Option<f64>)>,
}

/// Whether a text begins like one.
pub fn recognise(start: &str) -> bool {
    start.contains("\"pointlist\"") && start.contains("\"series\"")
}

/// The series of an answer.
///
/// # Errors
/// When it is none, or its values cannot be told from means of something.
pub fn series(text: &[u8]) -> Result<Vec<Series>, Refusal> {
    let refused = |cause: String| Monitor::Datadog.refused(cause);
    let document: Document =
        fathom_json::read_bytes(text).map_err(|error| refused(error.to_string()).with_source(error))?;
    let mut found = Vec::new();
    for answer in document.series {
        if answer.metric.starts_with(OF_CLOUDWATCH) {
            let cause = format!(
                "{} comes from CloudWatch, and this answer does not say over which period it was added up",
                answer.metric
            );
            return Err(refused(cause).or("ask CloudWatch itself: fathom profile --cloudwatch vol-..."));
        }
        let name = answer.metric.strip_prefix(FAMILY);
        let place = name.and_then(|name| NAMES.iter().position(|(known, _)| *known == name));
        let Some(flow) = place else { continue };
        if let Some(other) = answer.aggr.as_deref().filter(|aggr| !aggr.is_empty() && *aggr != "avg") {
            let cause = format!("its values are the {other} of several, and not means over time");
            return Err(refused(cause).or(ASKS));
        }
        let unit = NAMES[flow].1;
        let point = |(ms, value): &(f64, Option<f64>)| Some(((ms * 1e6) as i64, (*value)? * unit));
        found.push(Series {
            words: answer.scope.split(',').map(str::trim).collect::<Vec<_>>().join(" "),
            family: FAMILY,
            flow,
            is_rate: true,
            ends: false,
            points: answer.pointlist.iter().filter_map(point).collect(),
        });
    }
    Ok(found)
}
