//! Time series as OpenMetrics text: gauges with the moments of the run, for backfilling Prometheus.
//!
//! Units are base units, as that world expects: seconds, bytes, ratios. Each metric stands in one piece, and in it
//! each set of labels, in the order of its moments, so the text is kept until the last run. Source: the OpenMetrics
//! specification, version 1.0.0.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use fathom_record::{LatencySummary, RunRecord};
use fathom_tools::foreign_series::stamp;

use super::Exporter;
use super::record_columns::pattern;
use super::record_rows::summary;

/// Latency orders that are given for each second.
const ORDERS: [f64; 3] = [0.5, 0.99, 0.999];

/// Collects the runs' series and writes them by metric.
pub struct OpenMetrics<W> {
    out: W,
    families: BTreeMap<String, Family>,
}

/// One metric, as far as it is known.
#[derive(Default)]
struct Family {
    unit: String,
    help: String,
    /// By set of labels: its samples, a line each.
    samples: BTreeMap<String, String>,
}

impl<W: Write> OpenMetrics<W> {
    /// Nothing yet.
    pub fn new(out: W) -> Self {
        Self { out, families: BTreeMap::new() }
    }

    /// Adds a sample; a unit, where there is one, ends the metric's name.
    fn put(
        &mut self,
        name: &str,
        (unit, help): (&str, &str),
        labels: &[(&str, &str)],
        value: f64,
        at_s: f64,
    ) {
        if !value.is_finite() {
            return;
        }
        let full = named(name, unit);
        let family = self.families.entry(full.clone()).or_default();
        if family.help.is_empty() {
            (family.unit, family.help) = (unit.to_owned(), help.to_owned());
        }
        let mut text = full.clone();
        for (number, (label, value)) in labels.iter().filter(|(_, value)| !value.is_empty()).enumerate() {
            let _ = write!(text, "{}{label}=\"{}\"", if number == 0 { '{' } else { ',' }, escaped(value));
        }
        if text.contains('{') {
            text.push('}');
        }
        let line = format!("{text} {value} {at_s:.3}\n");
        family.samples.entry(text).or_default().push_str(&line);
    }

    fn window(&mut self, run: &RunRecord, end_s: f64) {
        let id = run.id.as_str();
        let pattern = pattern(run).unwrap_or_default();
        let campaign = run.campaign.as_ref().map_or("", |link| link.id.as_str());
        let tool = format!("{} {}", run.tool.name, run.tool.version);
        let valid = if run.is_valid() { "true" } else { "false" };
        let labels = [
            ("run", id),
            ("campaign", campaign),
            ("target", &run.target.name),
            ("engine", &run.engine.name),
            ("tool", tool.trim_end()),
            ("pattern", &pattern),
            ("valid", valid),
        ];
        self.put("run", ("", "Runs, with what they are of; always 1."), &labels, 1.0, end_s);
        for direction in &run.summary.directions {
            let labels = [("run", id), ("direction", direction.direction.name())];
            let rates = [
                (
                    "run_rate",
                    "operations_per_second",
                    "Rate over the measured window.",
                    direction.operations_per_s,
                ),
                (
                    "run_throughput",
                    "bytes_per_second",
                    "Throughput over the measured window.",
                    direction.throughput_bytes_per_s,
                ),
            ];
            for (name, unit, help, value) in rates {
                self.put(name, (unit, help), &labels, value, end_s);
            }
            let help = "Service latency over the measured window, by order.";
            self.latency("run_service_latency", help, &labels, direction.service.as_ref(), end_s);
        }
    }

    fn latency(
        &mut self,
        name: &str,
        help: &str,
        labels: &[(&str, &str)],
        summary: Option<&LatencySummary>,
        at_s: f64,
    ) {
        for q in ORDERS {
            let Some(value) = summary.and_then(|summary| summary.quantile_ns(q)) else { continue };
            let order = q.to_string();
            let labels: Vec<_> = labels.iter().copied().chain([("q", order.as_str())]).collect();
            self.put(name, ("seconds", help), &labels, value as f64 / 1e9, at_s);
        }
    }

    fn seconds(&mut self, run: &RunRecord, start_s: f64) {
        let id = run.id.as_str();
        for interval in run.intervals.iter().filter(|interval| interval.duration_ns > 0) {
            let length_s = interval.duration_ns as f64 / 1e9;
            let end_s = start_s + interval.start_ns as f64 / 1e9 + length_s;
            let warmup = if interval.warmup { "true" } else { "false" };
            let labels = [("run", id), ("warmup", warmup)];
            let help = ("operations", "Mean I/Os in flight in a second.");
            self.put("in_flight", help, &labels, interval.in_flight(), end_s);
            for direction in &interval.directions {
                let labels = [("run", id), ("direction", direction.direction.name()), ("warmup", warmup)];
                let rate = |count: u64| count as f64 / length_s;
                let help = ("operations_per_second", "I/Os that ended well in a second.");
                self.put("rate", help, &labels, rate(direction.operations), end_s);
                let help = ("bytes_per_second", "Bytes transferred per second.");
                self.put("throughput", help, &labels, rate(direction.bytes), end_s);
                let help = ("errors_per_second", "I/Os that ended in an error in a second.");
                self.put("errors", help, &labels, rate(direction.errors), end_s);
                let service = summary(Some(&direction.service));
                let help = "Service latency of a second, by order.";
                self.latency("service_latency", help, &labels, service.as_ref(), end_s);
                let response = summary(direction.response.as_ref());
                let help = "Response latency of a second, by order.";
                self.latency("response_latency", help, &labels, response.as_ref(), end_s);
            }
        }
    }

    fn telemetry(&mut self, run: &RunRecord, start_s: f64) {
        for series in &run.telemetry.series {
            let (unit, scale) = base_unit(&series.unit);
            let name = plain_name(&series.metric);
            let labels = [("run", run.id.as_str()), ("label", series.label.as_str())];
            let help = format!("{} of the machine during the run, from {}.", series.metric, series.source);
            for (at_ns, value) in run.telemetry.at_ns.iter().zip(&series.values) {
                if let Some(value) = value {
                    let at_s = start_s + *at_ns as f64 / 1e9;
                    self.put(&name, (&unit, &help), &labels, value * scale, at_s);
                }
            }
        }
    }
}

impl<W: Write> Exporter for OpenMetrics<W> {
    fn run(&mut self, run: &RunRecord) -> io::Result<()> {
        let start = stamp(&run.started_at)
            .and_then(|(at, _)| Some(at.utc_s()? as f64 + f64::from(at.ms % 1000) / 1e3));
        let Some(start_s) = start else {
            let cause = format!("the start of {} is not a valid time: {}", run.id, run.started_at);
            return Err(io::Error::new(io::ErrorKind::InvalidData, cause));
        };
        let window_ns = run.intervals.last().map(|last| last.start_ns + last.duration_ns);
        let end_s = start_s + window_ns.unwrap_or(run.summary.duration_ns) as f64 / 1e9;
        self.window(run, end_s);
        self.seconds(run, start_s);
        self.telemetry(run, start_s);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        for (name, family) in &self.families {
            writeln!(self.out, "# TYPE {name} gauge")?;
            if !family.unit.is_empty() {
                writeln!(self.out, "# UNIT {name} {}", family.unit)?;
            }
            writeln!(self.out, "# HELP {name} {}", escaped(&family.help))?;
            for samples in family.samples.values() {
                self.out.write_all(samples.as_bytes())?;
            }
        }
        writeln!(self.out, "# EOF")?;
        self.out.flush()
    }
}

/// A metric's name: it ends in its unit, of which it says no word twice.
pub fn named(name: &str, unit: &str) -> String {
    let counted = unit.strip_suffix("_per_second").unwrap_or(unit);
    let last = |unit: &str| unit.rsplit('_').next().unwrap_or_default().to_owned();
    let bare = [unit, counted, &last(counted)].into_iter().filter(|end| !end.is_empty()).find_map(|end| {
        let rest = name.strip_suffix(end)?;
        if rest.is_empty() { Some("") } else { rest.strip_suffix('_') }
    });
    let parts = ["fathom", bare.unwrap_or(name), unit];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_")
}

/// How a metric of a record's telemetry stands here: its name, its unit, and what a value is multiplied by.
pub fn of_telemetry(metric: &str, unit: &str) -> (String, String, f64) {
    let (unit, scale) = base_unit(unit);
    (named(&plain_name(metric), &unit), unit, scale)
}

/// The base unit of a record's unit as metric names have it, and what a value is multiplied by.
fn base_unit(unit: &str) -> (String, f64) {
    match unit {
        "share" => ("ratio".to_owned(), 1.0),
        "ns" => ("seconds".to_owned(), 1e-9),
        _ => match unit.strip_suffix("/s") {
            Some(counted) => (format!("{}_per_second", plain_name(counted)), 1.0),
            None => (plain_name(unit), 1.0),
        },
    }
}

/// A name of letters, digits and underscores.
fn plain_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}

/// A text inside quotes.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_stands_twice_at_the_end_of_a_name() {
        for (name, unit, full) in [
            ("disk_read_bytes", "bytes_per_second", "fathom_disk_read_bytes_per_second"),
            ("process_threads", "threads", "fathom_process_threads"),
            ("net_tcp_window_probes", "probes_per_second", "fathom_net_tcp_window_probes_per_second"),
            ("errors", "errors_per_second", "fathom_errors_per_second"),
            ("service_latency", "seconds", "fathom_service_latency_seconds"),
            ("run", "", "fathom_run"),
            ("bytes", "bytes_per_second", "fathom_bytes_per_second"),
        ] {
            assert_eq!(named(name, unit), full);
        }
    }

    #[test]
    fn samples_of_one_set_of_labels_stand_together() {
        let mut exporter = OpenMetrics::new(Vec::new());
        for at_s in [1.0, 2.0, 3.0] {
            for direction in ["read", "write"] {
                exporter.put(
                    "rate",
                    ("operations_per_second", "A rate."),
                    &[("direction", direction)],
                    at_s,
                    at_s,
                );
            }
        }
        let family = exporter.families.values().next().expect("one metric was put");
        let text: String = family.samples.values().cloned().collect();
        let directions: Vec<bool> = text.lines().map(|line| line.contains("read")).collect();
        assert_eq!(directions, [true, true, true, false, false, false], "{text}");
    }
}
