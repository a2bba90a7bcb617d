//! Demand from node_exporter's disk counters, as Prometheus answers a range query.
//!
//! Counters are read as they were scraped, never through `rate()`: it reads over resets and gaps without
//! a word. Metric names: node_exporter, `collector/diskstats_linux.go`.

mod disks;
mod prometheus_query;
mod query_result;

use disks::Disk;
use fathom_rows::DemandReport;
use fathom_tools::Refusal;
use query_result::Series;

pub use disks::Disks;
pub use prometheus_query::{PrometheusQuery, fetch};

const ANSWER: &str = "an answer of Prometheus";
/// Disks that a refusal lists.
const LISTED: usize = 12;

/// The counters, in the order of [`fathom_rows::counter_series::FLOWS`].
const COUNTERS: [&str; 4] = [
    "node_disk_reads_completed_total",
    "node_disk_writes_completed_total",
    "node_disk_read_bytes_total",
    "node_disk_written_bytes_total",
];

/// Which series are meant.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection<'a> {
    /// The disk, as `nvme0n1`; the only one where absent.
    pub device: Option<&'a str>,
    /// The machine, e.g. `db1:9100`; the only one where absent.
    pub instance: Option<&'a str>,
    /// Further matchers, e.g. `job="node",cluster="a"`; may be empty.
    pub matchers: &'a str,
}

/// A selector for the four counters.
fn selector(selection: &Selection<'_>) -> String {
    let mut matchers = vec![format!("__name__=~\"{}\"", COUNTERS.join("|"))];
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    matchers.extend(selection.device.map(|device| format!("device=\"{}\"", quoted(device))));
    matchers.extend(selection.instance.map(|instance| format!("instance=\"{}\"", quoted(instance))));
    matchers.extend(Some(selection.matchers.trim().to_owned()).filter(|matchers| !matchers.is_empty()));
    format!("{{{}}}", matchers.join(","))
}

/// Whether a text begins like one of Prometheus' answers.
pub fn recognise(start: &str) -> bool {
    let start: String = start.chars().filter(|c| !c.is_whitespace()).take(200).collect();
    start.contains("\"resultType\":")
        || start.starts_with("{\"status\":\"success\"")
        || start.starts_with("{\"status\":\"error\"")
        || start.starts_with("[{\"metric\":")
}

/// Reads answers to range queries, which together hold all four counters of one disk.
///
/// # Errors
/// When one is no such answer, the server refused, or the four counters of one disk are not in them.
pub fn read(texts: &[&[u8]], selection: &Selection<'_>) -> Result<DemandReport, Refusal> {
    let mut disks = Disks::default();
    for text in texts {
        disks.add(text)?;
    }
    disks.seen(selection)
}

/// The one disk of some.
fn only_disk<'a>(meant: &[Disk<'a>]) -> Result<Disk<'a>, Refusal> {
    match meant {
        [only] => Ok(*only),
        [] => Err(Refusal::new(ANSWER, "no disk's counters are in it").or(format!(
            "query the counters themselves, without rate(): {}",
            selector(&Selection { device: Some("nvme0n1"), ..Selection::default() })
        ))),
        many => {
            let mut names: Vec<String> = many
                .iter()
                .take(LISTED)
                .map(|disk| format!("{} of {}", disk.device, disk.instance))
                .collect();
            if many.len() > LISTED {
                names.push(format!("and {} more", many.len() - LISTED));
            }
            Err(Refusal::new(ANSWER, "several disks are in it")
                .or(format!("name one with --device and --instance: {}", names.join(", "))))
        }
    }
}

/// The machine, the disk and the flow that a series counts; absent for others.
fn counted(series: &Series) -> Option<((&str, &str), usize)> {
    let name = series.metric.get("__name__")?;
    let flow = COUNTERS.iter().position(|counter| counter == name)?;
    let label = |name: &str| series.metric.get(name).map_or("", String::as_str);
    Some(((label("instance"), label("device")), flow))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(device: &str, scale: f64) -> String {
        let series = |(flow, name): (usize, &&str)| {
            let value = |i: i32| f64::from(i) * 150.0 * scale * if flow < 2 { 1.0 } else { 4096.0 };
            let values: Vec<String> =
                (0..10).map(|i| format!("[{}.5,\"{}\"]", 1_700_000_000 + i * 15, value(i))).collect();
            format!(
                "{{\"metric\":{{\"__name__\":\"{name}\",\"device\":\"{device}\",\"instance\":\"db1:9100\"}},\"values\":[{}]}}",
                values.join(",")
            )
        };
        COUNTERS.iter().enumerate().map(series).collect::<Vec<_>>().join(",")
    }

    fn whole(series: &str) -> String {
        format!("{{\"status\":\"success\",\"data\":{{\"resultType\":\"matrix\",\"result\":[{series}]}}}}")
    }

    #[test]
    fn counters_become_a_demand() {
        let text = whole(&answer("sda", 1.0));
        let seen = read(&[text.as_bytes()], &Selection::default()).unwrap();
        assert_eq!((seen.demand.tick_s, seen.demand.read.operations), (15, vec![150; 9]));
        assert_eq!(seen.demand.write.bytes, vec![150 * 4096; 9]);
        assert_eq!(seen.start_unix_s, Some(1_700_000_000));
        let bare = format!("[{}]", answer("sda", 1.0));
        assert!(recognise(&text) && recognise(&bare));
        assert_eq!(read(&[bare.as_bytes()], &Selection::default()).unwrap().demand.ticks(), 9);
    }

    #[test]
    fn several_disks_and_failures_are_refused_with_what_to_type() {
        let two = whole(&format!("{},{}", answer("sda", 1.0), answer("sdb", 2.0)));
        let error = read(&[two.as_bytes()], &Selection::default()).unwrap_err();
        assert!(error.remedy.contains("sdb of db1:9100"), "{error}");
        let one = Selection { device: Some("sdb"), ..Selection::default() };
        assert_eq!(read(&[two.as_bytes()], &one).unwrap().demand.read.operations, vec![300; 9]);
        let refused = "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"parse error\"}";
        assert!(read(&[refused.as_bytes()], &one).unwrap_err().cause.contains("parse error"));
        let vector = "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}";
        assert!(read(&[vector.as_bytes()], &one).unwrap_err().remedy.contains("query_range"));
        let empty = read(&[whole("").as_bytes()], &one).unwrap_err();
        assert!(empty.remedy.contains("without rate()"), "{empty}");
    }

    #[test]
    fn series_of_other_labels_at_one_time_are_refused_and_warnings_are_told() {
        let of = |job: &str, scale: f64| {
            answer("sda", scale).replace("\"device\"", &format!("\"job\":\"{job}\",\"device\""))
        };
        let both = whole(&[of("a", 1.0), of("b", 7.0)].join(","));
        let refused = read(&[both.as_bytes()], &Selection::default()).unwrap_err();
        assert!(
            refused.cause.contains("the label job") && refused.remedy.contains("--query 'job="),
            "{refused}"
        );
        // One after the other they are one disk, whose machine was given another label.
        let later = of("b", 1.0).replace("17000000", "17000010").replace("17000001", "17000011");
        let moved = read(&[whole(&of("a", 1.0)).as_bytes(), whole(&later).as_bytes()], &Selection::default())
            .unwrap();
        assert_eq!(moved.demand.read.operations.iter().sum::<u64>(), 18 * 150, "{moved:?}");
        let warned = whole(&answer("sda", 1.0)).replacen('{', "{\"warnings\":[\"a store is down\"],", 1);
        let seen = read(&[warned.as_bytes()], &Selection::default()).unwrap();
        assert!(seen.notes[0].contains("a store is down"), "{:?}", seen.notes);
    }

    #[test]
    fn a_selector_quotes_what_it_is_given() {
        let selection = Selection { device: Some("a\"b"), instance: None, matchers: "job=\"node\"" };
        assert!(selector(&selection).ends_with("device=\"a\\\"b\",job=\"node\"}"));
    }
}
