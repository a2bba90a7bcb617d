//! Figures as Prometheus reads them: the names and units of `fathom export --as openmetrics`, without moments.

use std::fmt::Write as _;

use fathom_campaign::live_seconds::{MeasurementStatus, SecondLine};
use fathom_export::openmetrics::{escaped, named, of_telemetry};
use fathom_telemetry::sources::DECLARED;

/// Figures of a second that ended longer ago are no longer those of now, in seconds.
const STALE_S: i64 = 5;

/// Which of both forms, which differ in how counters are named where they are declared, and in their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Prometheus' own text, version 0.0.4.
    Prometheus,
    /// OpenMetrics, version 1.0.0.
    OpenMetrics,
}

impl Form {
    /// The media type of OpenMetrics, as clients ask for it.
    pub const OPEN_METRICS: &'static str = "application/openmetrics-text";

    /// The better one that a client takes.
    pub fn accepted(takes_open_metrics: bool) -> Self {
        if takes_open_metrics { Self::OpenMetrics } else { Self::Prometheus }
    }

    /// Its media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// Text in the making.
struct Text {
    out: String,
    form: Form,
}

/// A label and its value.
type Label<'a> = (&'a str, &'a str);

impl Text {
    fn declare(&mut self, name: &str, unit: &str, kind: &str, help: &str) {
        let _ = writeln!(self.out, "# TYPE {name} {kind}");
        if !unit.is_empty() {
            let _ = writeln!(self.out, "# UNIT {name} {unit}");
        }
        let _ = writeln!(self.out, "# HELP {name} {}", escaped(help));
    }

    fn sample(&mut self, name: &str, labels: &[Label<'_>], value: f64) {
        let labels: Vec<String> = labels
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(label, value)| format!("{label}=\"{}\"", escaped(value)))
            .collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.out, "{name}{labels} {value}");
    }

    /// States; a metric of which none is known is left out.
    fn gauge(&mut self, name: &str, (unit, help): (&str, &str), samples: &[(Vec<Label<'_>>, f64)]) {
        let full = named(name, unit);
        self.stated(&full, (unit, help), samples);
    }

    fn stated(&mut self, full: &str, (unit, help): (&str, &str), samples: &[(Vec<Label<'_>>, f64)]) {
        let samples: Vec<_> = samples.iter().filter(|(_, value)| value.is_finite()).collect();
        if samples.is_empty() {
            return;
        }
        self.declare(full, unit, "gauge", help);
        samples.into_iter().for_each(|(labels, value)| self.sample(full, labels, *value));
    }

    fn counter(&mut self, unit: &str, help: &str, value: f64) {
        let total = format!("fathom_{unit}_total");
        match self.form {
            Form::Prometheus => self.declare(&total, "", "counter", help),
            Form::OpenMetrics => self.declare(&format!("fathom_{unit}"), unit, "counter", help),
        }
        self.sample(&total, &[], value.round());
    }

    fn run(&mut self, standing: &MeasurementStatus) {
        let head = &standing.head;
        let text = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
        let step = head.step.as_ref();
        let (jobs, depth) = (text(step.map(|step| step.jobs)), text(step.map(|step| step.depth)));
        let tool = format!("fathom {}", head.fathom);
        let labels = vec![
            ("run", head.run.as_deref().unwrap_or_default()),
            ("campaign", head.campaign.as_deref().unwrap_or_default()),
            ("command", head.command.as_str()),
            ("target", head.target.as_str()),
            ("tool", tool.as_str()),
            ("pattern", step.map_or("", |step| step.title.as_str())),
            ("jobs", jobs.as_str()),
            ("depth", depth.as_str()),
        ];
        self.gauge("run", ("", "What is measured; always 1."), &[(labels, 1.0)]);
    }

    fn second(&mut self, second: &SecondLine) {
        let warmup = if second.warmup { "true" } else { "false" };
        let of_second = |value: f64| [(vec![("warmup", warmup)], value)];
        let rate = ("operations_per_second", "I/Os that ended well in a second.");
        self.gauge("rate", rate, &of_second(second.iops));
        let throughput = ("bytes_per_second", "Bytes transferred per second.");
        self.gauge("throughput", throughput, &of_second(second.throughput_bytes_per_s));
        let errors = ("errors_per_second", "I/Os that ended in an error in a second.");
        self.gauge("errors", errors, &of_second(second.errors as f64));
        let in_flight = ("operations", "Mean I/Os in flight in a second.");
        self.gauge("in_flight", in_flight, &of_second(second.in_flight));
        let orders = [
            ("0.5", second.service_p50_ns),
            ("0.99", second.service_p99_ns),
            ("0.999", second.service_p999_ns),
        ];
        let latencies: Vec<_> = orders
            .into_iter()
            .filter_map(|(q, ns)| Some((vec![("warmup", warmup), ("q", q)], ns? as f64 / 1e9)))
            .collect();
        self.gauge("service_latency", ("seconds", "Service latency of a second, by order."), &latencies);
    }

    fn machine(&mut self, standing: &MeasurementStatus) {
        let Some(machine) = &standing.machine else { return };
        for metric in DECLARED.iter().flat_map(|(_, metrics)| metrics.iter()) {
            let (name, unit, scale) = of_telemetry(metric.name, metric.unit);
            let samples: Vec<_> = machine
                .all(metric.name)
                .map(|(label, value)| (vec![("label", label)], value * scale))
                .collect();
            self.stated(&name, (&unit, metric.description), &samples);
        }
    }
}

/// All that is known now, `now_s` seconds after 1970. Nothing is 0 because it was not measured.
pub fn text(standing: &MeasurementStatus, now_s: i64, form: Form) -> String {
    let mut text = Text { out: String::new(), form };
    if !standing.head.command.is_empty() {
        text.run(standing);
    }
    text.counter("operations", "I/Os that ended well since the command began.", standing.operations);
    text.counter("bytes", "Bytes transferred since the command began.", standing.bytes);
    text.counter("errors", "I/Os that ended in an error since the command began.", standing.errors as f64);
    text.counter("runs", "Runs that were saved since the command began.", standing.runs as f64);
    let is_of_now = |second: &&SecondLine| now_s.abs_diff(second.at_s as i64) <= STALE_S as u64;
    if let Some(second) = standing.second.as_ref().filter(is_of_now) {
        text.second(second);
        text.machine(standing);
    }
    if form == Form::OpenMetrics {
        text.out.push_str("# EOF\n");
    }
    text.out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fathom_campaign::live_seconds::RingHead;

    use super::*;

    fn standing() -> MeasurementStatus {
        let second = SecondLine {
            at_s: 1_800_000_000,
            iops: 1234.5,
            throughput_bytes_per_s: 4e6,
            service_p99_ns: Some(1_500_000),
            ..SecondLine::default()
        };
        let head = RingHead {
            command: "run".to_owned(),
            target: "a \"b\"\n\\c".to_owned(),
            fathom: "0.1.0".to_owned(),
            ..RingHead::default()
        };
        MeasurementStatus { head, second: Some(second), operations: 10.0, ..MeasurementStatus::default() }
    }

    #[test]
    fn a_second_stands_by_the_names_of_an_export_and_only_while_it_is_new() {
        let shown = |now_s, form| text(&standing(), now_s, form);
        let now = shown(1_800_000_002, Form::OpenMetrics);
        for line in [
            "# TYPE fathom_rate_operations_per_second gauge",
            "# UNIT fathom_rate_operations_per_second operations_per_second",
            "fathom_rate_operations_per_second{warmup=\"false\"} 1234.5",
            "fathom_throughput_bytes_per_second{warmup=\"false\"} 4000000",
            "fathom_service_latency_seconds{warmup=\"false\",q=\"0.99\"} 0.0015",
            "fathom_in_flight_operations{warmup=\"false\"} 0",
            "fathom_run{command=\"run\",target=\"a \\\"b\\\"\\n\\\\c\",tool=\"fathom 0.1.0\"} 1",
            "# TYPE fathom_operations counter",
            "fathom_operations_total 10",
        ] {
            assert!(now.lines().any(|one| one == line), "{line}\n{now}");
        }
        assert!(
            now.ends_with("# EOF\n") && !now.contains("q=\"0.5\""),
            "what was not measured is absent\n{now}"
        );
        let plain = shown(1_800_000_002, Form::Prometheus);
        assert!(
            plain.contains("# TYPE fathom_operations_total counter") && !plain.contains("EOF"),
            "{plain}"
        );
        assert!(!shown(1_800_000_060, Form::Prometheus).contains("latency"), "no longer of now");
        let nothing = text(&MeasurementStatus::default(), 0, Form::Prometheus);
        assert!(
            nothing.contains("fathom_operations_total 0") && !nothing.contains("fathom_run{"),
            "{nothing}"
        );
    }

    #[test]
    fn no_metric_of_the_machine_has_the_name_of_another() {
        let own = ["fathom_run", "fathom_rate_operations_per_second", "fathom_in_flight_operations"];
        let mut names: BTreeSet<String> = own.map(str::to_owned).into();
        for metric in DECLARED.iter().flat_map(|(_, metrics)| metrics.iter()) {
            assert!(names.insert(of_telemetry(metric.name, metric.unit).0), "{}", metric.name);
        }
    }
}
