//! Answers of Azure Monitor, as `az monitor metrics list` prints them.
//!
//! Source: Azure Monitor REST API, "Metrics - List"; "Supported metrics for microsoft.compute/disks" and
//! "... virtualMachines": averages of a second over each interval, whose start a point's time is.

use fathom_rows::time_ns;
use fathom_tools::Refusal;
use serde::Deserialize;

use super::{Monitor, Series};

pub const ASKS: &str = "ask so: az monitor metrics list --resource DISK --interval PT1M --aggregation Average --metrics \"Composite Disk Read Operations/sec\" \"Composite Disk Write Operations/sec\" \"Composite Disk Read Bytes/sec\" \"Composite Disk Write Bytes/sec\"";

/// How the metrics of a managed disk begin, and those of a machine's data disks and of its system disk.
const FAMILIES: [&str; 3] = ["composite disk ", "data disk ", "os disk "];
/// How they end, in the order of flows.
const ENDS: [&str; 4] = ["read operations/sec", "write operations/sec", "read bytes/sec", "write bytes/sec"];

#[derive(Deserialize)]
struct Document {
    value: Vec<Metric>,
}

#[derive(Deserialize)]
struct Metric {
    #[serde(default)]
    id: String,
    name: Name,
    #[serde(default)]
    timeseries: Vec<Timeseries>,
}

#[derive(Deserialize)]
struct Name {
    value: String,
}

#[derive(Deserialize)]
struct Timeseries {
    #[serde(default)]
    metadatavalues: Vec<Dimension>,
    #[serde(default)]
    data: Vec<Point>,
}

/// As `LUN` and `0`.
#[derive(Deserialize)]
struct Dimension {
    name: Name,
    #[serde(default)]
    value: String,
}

#[derive(Deserialize)]
struct Point {
    #[serde(rename = "timeStamp")]
    at: String,
    /// Absent where nothing was measured.
    #[serde(default)]
    average: Option<f64>,
}

/// Whether a text begins like one.
pub fn recognise(start: &str) -> bool {
    let has = |key: &str| start.contains(key);
    has("\"timeseries\"") && (has("\"timeStamp\"") || has("Microsoft.Insights/metrics"))
}

/// The series of an answer.
///
/// # Errors
/// When it is none, or holds no averages.
pub fn series(text: &[u8]) -> Result<Vec<Series>, Refusal> {
    let refused = |cause: String| Monitor::Azure.refused(cause);
    let document: Document =
        fathom_json::read_bytes(text).map_err(|error| refused(error.to_string()).with_source(error))?;
    let mut found = Vec::new();
    for metric in document.value {
        let name = metric.name.value.to_ascii_lowercase();
        let place = |prefix: &'static str| {
            let end = name.strip_prefix(prefix)?;
            Some((prefix, ENDS.iter().position(|known| *known == end)?))
        };
        let Some((family, flow)) = FAMILIES.into_iter().find_map(place) else { continue };
        let resource = resource(&metric.id);
        for timeseries in metric.timeseries {
            let dimensions =
                timeseries.metadatavalues.iter().map(|of| format!("{} {}", of.name.value, of.value));
            let words = std::iter::once(resource.to_owned()).chain(dimensions);
            let words: Vec<String> = words.filter(|words| !words.is_empty()).collect();
            let mut points = Vec::new();
            for point in &timeseries.data {
                let at_ns = time_ns(&point.at);
                let at_ns = at_ns.ok_or_else(|| refused(format!("{:?} is not a valid time", point.at)))?;
                points.extend(point.average.map(|value| (at_ns, value)));
            }
            if points.is_empty() && !timeseries.data.is_empty() {
                return Err(refused(format!("no averages of {:?} are in it", metric.name.value)).or(ASKS));
            }
            let words = words.join(" ");
            found.push(Series { words, family, flow, is_rate: true, ends: false, points });
        }
    }
    Ok(found)
}

/// The name of the disk or machine in an id of a metric.
fn resource(id: &str) -> &str {
    let at = id.to_ascii_lowercase().find("/providers/microsoft.insights/");
    let resource = at.and_then(|at| id.get(..at)).unwrap_or(id);
    resource.rsplit('/').next().unwrap_or_default()
}
