//! Demand from node_exporter's disk counters, as Prometheus answers a range query.
//!
//! Counters are read as they were scraped, never through `rate()`: it reads over resets and gaps without
//! a word. Metric names: node_exporter, `collector/diskstats_linux.go`.

mod answer;
mod server;

use std::collections::BTreeMap;

use super::counters::{self, Rows};
use super::{Interval, Seen};
use crate::Refusal;
use answer::{Series, series};

pub use server::{Asked, fetch};

const ANSWER: &str = "an answer of Prometheus";

/// The counters, in the order of [`counters::FLOWS`].
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
    /// The machine, as `db1:9100`; the only one where absent.
    pub instance: Option<&'a str>,
    /// Further matchers, as `job="node",cluster="a"`; may be empty.
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
pub fn read(texts: &[&[u8]], selection: &Selection<'_>) -> Result<Seen, Refusal> {
    let mut all = Vec::new();
    for text in texts {
        all.extend(series(text)?);
    }
    let known = all.iter().filter_map(|series| {
        let (disk, flow) = counted(series)?;
        Some((disk, flow, series))
    });
    let meant: Vec<_> = known
        .filter(|((instance, device), _, _)| {
            selection.device.is_none_or(|asked| asked == *device)
                && selection.instance.is_none_or(|asked| asked == *instance)
        })
        .collect();
    let (instance, device) = only_disk(&meant.iter().map(|(disk, _, _)| *disk).collect::<Vec<_>>())?;
    let mut rows = Rows::new();
    let mut unusable = 0usize;
    for (_, flow, series) in &meant {
        unusable += series.values.iter().filter(|point| !point.value.is_finite()).count();
        let usable = series.values.iter().filter(|point| point.value.is_finite());
        counters::put(&mut rows, *flow, usable.map(|point| (point.at_ns, point.value)));
    }
    if let Some(missing) = (0..4).find(|flow| meant.iter().all(|(_, of, _)| of != flow)) {
        let remedy = format!("query {}", selector(selection));
        return Err(Refusal::new(ANSWER, format!("{} of {device} is missing", COUNTERS[missing])).or(remedy));
    }
    let mut seen = counters::of_counters(&rows)?;
    if unusable > 0 {
        seen.notes.push(format!("{unusable} values were NaN or below zero and were left out."));
    }
    seen.source = "prometheus";
    seen.device =
        Some(if instance.is_empty() { device.to_owned() } else { format!("{device} of {instance}") });
    Ok(seen)
}

/// The one disk that all series are of.
fn only_disk<'a>(disks: &[(&'a str, &'a str)]) -> Result<(&'a str, &'a str), Refusal> {
    let mut known = disks.to_vec();
    known.sort_unstable();
    known.dedup();
    match known.as_slice() {
        [only] => Ok(*only),
        [] => Err(Refusal::new(ANSWER, "no disk's counters are in it").or(format!(
            "query the counters themselves, without rate(): {}",
            selector(&Selection { device: Some("nvme0n1"), ..Selection::default() })
        ))),
        many => {
            let names: Vec<String> =
                many.iter().map(|(instance, device)| format!("{device} of {instance}")).collect();
            Err(Refusal::new(ANSWER, "several disks are in it")
                .or(format!("name one with --device and --instance: {}", names.join(", "))))
        }
    }
}

/// Disks of many machines, as the series of some answers say them.
#[derive(Debug, Default)]
pub struct Disks {
    disks: BTreeMap<(String, String), Rows>,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct Disk<'a> {
    /// The machine, as `db1:9100`; may be empty.
    pub instance: &'a str,
    /// The disk, as `nvme0n1`.
    pub device: &'a str,
    rows: &'a Rows,
}

impl Disks {
    /// Adds the series of an answer: further disks, further counters of them, or a further time.
    ///
    /// # Errors
    /// When it is no such answer, or the server refused.
    pub fn add(&mut self, text: &[u8]) -> Result<(), Refusal> {
        for series in series(text)? {
            let Some(((instance, device), flow)) = counted(&series) else { continue };
            let key = (instance.to_owned(), device.to_owned());
            let usable = series.values.iter().filter(|point| point.value.is_finite());
            let values = usable.map(|point| (point.at_ns, point.value));
            counters::put(self.disks.entry(key).or_default(), flow, values);
        }
        Ok(())
    }

    /// All of them, in the order of their names.
    pub fn all(&self) -> impl Iterator<Item = Disk<'_>> {
        self.disks.iter().map(|((instance, device), rows)| Disk { instance, device, rows })
    }
}

impl Disk<'_> {
    /// Points in time.
    pub fn points(&self) -> u64 {
        self.rows.len() as u64
    }

    /// What it did between two points each.
    ///
    /// # Errors
    /// When one of its counters is missing.
    pub fn intervals(&self) -> Result<Vec<Interval>, Refusal> {
        if let Some(missing) = (0..4).find(|flow| self.rows.values().all(|row| row[*flow].is_none())) {
            let remedy = format!("query {}", selector(&Selection::default()));
            return Err(Refusal::new(ANSWER, format!("{} is missing", COUNTERS[missing])).or(remedy));
        }
        Ok(counters::growths(self.rows))
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
    fn a_selector_quotes_what_it_is_given() {
        let selection = Selection { device: Some("a\"b"), instance: None, matchers: "job=\"node\"" };
        assert!(selector(&selection).ends_with("device=\"a\\\"b\",job=\"node\"}"));
    }
}
