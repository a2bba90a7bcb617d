//! What was sampled beside a run, on the columns of its seconds: processors, the measuring process, the device under the
//! target, temperatures, and burst balances where they were asked for.

use fathom_order::InOrder;
use fathom_record::telemetry::{MetricSeries, Telemetry};
use fathom_report::processor_load::busy;
use fathom_store::Store;
use serde::Serialize;

use super::binary_columns::Numbers;
use super::second_columns::Column;

/// Lines of a chart at most: more are told apart neither by colour nor by dash.
const LINES_MAX: usize = 4;
/// The stretch before the first sample, in nanoseconds: samples are taken each second.
const PERIOD_NS: i64 = 1_000_000_000;
/// How long a temperature holds, in nanoseconds: sensors are asked every tenth second.
const HOLDS_NS: i64 = 10_500_000_000;
/// What a record says in place of a source's name where nothing at all was sampled.
const ALL: &str = "all";

/// One chart: its name, the unit of its values, the metrics that its lines are of, and the sources whose reasons are
/// told where there is no line.
struct Kind {
    name: &'static str,
    unit: &'static str,
    metrics: &'static [(&'static str, &'static str)],
    sources: &'static [&'static str],
    /// Whether it is not even named where nobody asked for it.
    is_optional: bool,
}

/// In the order in which they are drawn. A metric that each core, device or sensor has names its lines after those.
static KINDS: [Kind; 5] = [
    Kind {
        name: "processors",
        unit: "share",
        metrics: &[("cpu.busy", ""), ("cpu.steal", "given to others by the hypervisor")],
        sources: &["cpu"],
        is_optional: false,
    },
    Kind {
        name: "process",
        unit: "cores",
        metrics: &[("process.user", "in the program"), ("process.system", "in the kernel for it")],
        sources: &["process"],
        is_optional: false,
    },
    Kind {
        name: "device",
        unit: "operations",
        metrics: &[("disk.queue", "")],
        sources: &["disk"],
        is_optional: false,
    },
    Kind {
        name: "temperature",
        unit: "celsius",
        metrics: &[("nvme.temperature", ""), ("thermal.temperature", "")],
        sources: &["nvme", "thermal"],
        is_optional: false,
    },
    Kind {
        name: "balance",
        unit: "share",
        metrics: &[("ebs.", "")],
        sources: &["balances"],
        is_optional: true,
    },
];

/// Whether a metric is shown.
pub(crate) fn is_shown(metric: &str) -> bool {
    KINDS.iter().flat_map(|kind| kind.metrics).any(|(name, _)| is_named(metric, name))
}

/// Whether a source that gave nothing is named.
pub(crate) fn is_named_absent(source: &str) -> bool {
    source == ALL || KINDS.iter().any(|kind| kind.sources.contains(&source))
}

/// Whether it is that metric, or one of those whose names begin so.
fn is_named(metric: &str, name: &str) -> bool {
    metric == name || name.ends_with('.') && metric.starts_with(name)
}

/// A chart as the page draws it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct TelemetryChart {
    name: &'static str,
    /// Of its values: `share`, `cores` (processors' worth of time), `operations` or `celsius`.
    unit: &'static str,
    lines: Vec<Line>,
    /// Things that were sampled and have no line: those whose values stayed lower.
    more: usize,
    /// Why there is no line; absent where there is one.
    missing: Option<String>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Line {
    name: String,
    /// The column with its values.
    column: String,
}

/// Reads what was sampled beside a run, and adds a column for each line. What is damaged is said in place of it: the
/// run's own seconds stand without it.
pub(super) fn read(
    store: &Store,
    id: &str,
    seconds: &[Column],
    columns: &mut Vec<(String, Numbers)>,
) -> Vec<TelemetryChart> {
    let telemetry = match store.telemetry(id, is_shown) {
        Ok(telemetry) => telemetry,
        Err(error) => {
            let always = KINDS.iter().filter(|kind| !kind.is_optional);
            return always.filter_map(|kind| kind.without(error.cause.clone())).collect();
        }
    };
    KINDS.iter().filter_map(|kind| kind.drawn(&telemetry, seconds, columns)).collect()
}

impl Kind {
    fn drawn(
        &self,
        telemetry: &Telemetry,
        seconds: &[Column],
        columns: &mut Vec<(String, Numbers)>,
    ) -> Option<TelemetryChart> {
        let mut found = self.series(telemetry);
        found.retain(|(_, values)| values.iter().any(Option::is_some));
        if found.is_empty() {
            return self.without(self.reason(telemetry));
        }
        let more = found.len().saturating_sub(LINES_MAX);
        let lines = found.into_iter().take(LINES_MAX).enumerate().map(|(at, (name, values))| {
            let column = format!("{}.{at}", self.name);
            columns.push((column.clone(), Numbers::F32(on_columns(&telemetry.at_ns, &values, seconds))));
            Line { name, column }
        });
        Some(TelemetryChart { name: self.name, unit: self.unit, lines: lines.collect(), more, missing: None })
    }

    fn without(&self, reason: String) -> Option<TelemetryChart> {
        let Self { name, unit, is_optional, .. } = *self;
        let is_told = !is_optional || !reason.is_empty();
        is_told.then(|| {
            let reason = if reason.is_empty() { "nothing of it was read".to_owned() } else { reason };
            TelemetryChart { name, unit, lines: Vec::new(), more: 0, missing: Some(reason) }
        })
    }

    fn reason(&self, telemetry: &Telemetry) -> String {
        let told = |source: &str| self.sources.contains(&source) || source == ALL && !self.is_optional;
        let reasons = telemetry.absent.iter().filter(|absent| told(&absent.source));
        let mut reasons: Vec<&str> = reasons.map(|absent| absent.reason.as_str()).collect();
        reasons.dedup();
        reasons.join("; ")
    }

    /// Names of lines with their values; of many things the one with the highest value first.
    fn series(&self, telemetry: &Telemetry) -> Vec<(String, Vec<Option<f64>>)> {
        let mut found = Vec::new();
        for (metric, name) in self.metrics {
            let series = telemetry.series.iter().filter(|series| is_named(&series.metric, metric));
            if *metric == "cpu.busy" {
                let busy = busy(telemetry);
                found.extend(busy.into_iter().flat_map(|busy| {
                    [("busiest core".to_owned(), busy.busiest), ("all cores".to_owned(), busy.mean)]
                }));
            } else if name.is_empty() {
                let mut each: Vec<&MetricSeries> = series.collect();
                each.put_in_order_by(|one, other| peak(other).total_cmp(&peak(one)));
                found.extend(each.into_iter().map(|series| {
                    // What several metrics are of is named with each.
                    let name = match series.metric.strip_prefix(metric).filter(|rest| !rest.is_empty()) {
                        Some(rest) => format!("{} of {}", rest.replace('_', " "), series.label),
                        None => series.label.clone(),
                    };
                    (name, self.held(&telemetry.at_ns, &series.values))
                }));
            } else {
                let whole = series.filter(|series| series.label.is_empty());
                found.extend(whole.map(|series| ((*name).to_owned(), series.values.clone())));
            }
        }
        found
    }

    /// Values that stand until the next is read, where that is not done each second.
    fn held(&self, at_ns: &[i64], values: &[Option<f64>]) -> Vec<Option<f64>> {
        if self.unit != "celsius" {
            return values.to_vec();
        }
        let mut last: Option<(i64, f64)> = None;
        let held = at_ns.iter().zip(values).map(|(at, value)| {
            last = value.map(|value| (*at, value)).or(last);
            last.filter(|(since, _)| at.saturating_sub(*since) <= HOLDS_NS).map(|(_, value)| value)
        });
        held.collect()
    }
}

fn peak(series: &MetricSeries) -> f64 {
    series.max().unwrap_or(f64::NEG_INFINITY)
}

/// The mean of what was sampled in each column; a sample belongs to where its middle lies.
fn on_columns(at_ns: &[i64], values: &[Option<f64>], seconds: &[Column]) -> Vec<f32> {
    let mut means = vec![(0.0, 0u32); seconds.len()];
    let mut column = 0;
    for (at, value) in at_ns.iter().enumerate() {
        let before = if at == 0 { value.saturating_sub(PERIOD_NS) } else { at_ns[at - 1] };
        let middle = value.saturating_sub(value.saturating_sub(before) / 2);
        let Ok(middle) = u64::try_from(middle) else { continue };
        while seconds.get(column + 1).is_some_and(|next| next.start_ns <= middle) {
            column += 1;
        }
        let Some(within) = seconds.get(column) else { break };
        let is_within =
            (within.start_ns..within.start_ns.saturating_add(within.duration_ns)).contains(&middle);
        if let Some(sampled) = values.get(at).copied().flatten().filter(|_| is_within) {
            means[column].0 += sampled;
            means[column].1 += 1;
        }
    }
    means.into_iter().map(|(sum, count)| (sum / f64::from(count)) as f32).collect()
}

#[cfg(test)]
mod tests {
    use fathom_record::telemetry::AbsentSource;
    use serde_json::Value;

    use super::super::tests::{columns, record, shelf};
    use super::*;

    fn series(metric: &str, label: &str, values: &[Option<f64>]) -> MetricSeries {
        let (unit, source) = ("any".to_owned(), "/proc".to_owned());
        MetricSeries {
            metric: metric.to_owned(),
            label: label.to_owned(),
            unit,
            source,
            values: values.to_vec(),
        }
    }

    /// Samples that end at 0.2, 1.2, 2.2 and 3.2 s, and one before the first second.
    fn telemetry() -> Telemetry {
        let at_ns = [-800, 200, 1200, 2200, 3200].map(|ms| ms * 1_000_000).to_vec();
        let known = |values: [f64; 5]| values.map(Some).to_vec();
        let mut all = vec![
            series("cpu.busy", "", &known([9.0; 5])),
            series("cpu.busy", "0", &known([0.9, 0.2, 0.4, 0.6, 0.8])),
            series("cpu.busy", "1", &known([0.9, 0.0, 1.0, 0.0, 0.0])),
            series("process.user", "", &known([0.0, 0.1, 0.2, 0.3, 0.4])),
            series("nvme.temperature", "nvme0", &[Some(40.0), None, None, Some(44.0), None]),
            series("net.received_bytes", "secret0", &known([1.0; 5])),
        ];
        for sensor in 0..6 {
            all.push(series("thermal.temperature", &format!("s{sensor}"), &known([f64::from(sensor); 5])));
        }
        let absent =
            |source: &str, reason: &str| AbsentSource { source: source.into(), reason: reason.into() };
        let absent = vec![absent("disk", "no device"), absent("perf", "no counters")];
        Telemetry { at_ns, series: all, absent, own_cpu_ns: Some(1) }
    }

    fn charts(header: &Value) -> Vec<(String, Vec<String>)> {
        let charts = header["beside"].as_array().unwrap().iter();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let names =
            |chart: &Value| chart["lines"].as_array().unwrap().iter().map(|l| text(&l["name"])).collect();
        charts.map(|chart| (text(&chart["name"]), names(chart))).collect()
    }

    #[test]
    fn what_was_sampled_stands_at_the_seconds_that_it_is_of() {
        let mut run = record(1, 4, 50);
        run.telemetry = telemetry();
        let (_folder, mut shelf) = shelf(std::slice::from_ref(&run));
        let (header, found) = columns(&mut shelf, &format!("runs/{}/series", run.id), "");
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            charts(&header),
            [
                ("processors".to_owned(), words(&["busiest core", "all cores"])),
                ("process".to_owned(), words(&["in the program"])),
                ("device".to_owned(), words(&[])),
                ("temperature".to_owned(), words(&["nvme0", "s5", "s4", "s3"])),
            ]
        );
        assert_eq!(
            (&header["beside"][2]["missing"], &header["beside"][3]["more"]),
            (&"no device".into(), &3.into())
        );
        // The sample that ends at 0.2 s is of the stretch before the first I/O; that of 1.2 s of the first second.
        let close = |name: &str, expected: [f64; 4]| {
            let values = &found[name];
            let is = |(value, expected): (&f64, f64)| {
                (value - expected).abs() < 1e-6 || value.is_nan() && expected.is_nan()
            };
            assert!(values.len() == 4 && values.iter().zip(expected).all(is), "{name}: {values:?}");
        };
        close("processors.0", [1.0, 0.6, 0.8, f64::NAN]);
        close("processors.1", [0.7, 0.3, 0.4, f64::NAN]);
        close("temperature.0", [40.0, 44.0, 44.0, f64::NAN]);
        let (_, merged) = columns(&mut shelf, &format!("runs/{}/series", run.id), "width=2");
        assert!((merged["processors.0"][0] - 0.8).abs() < 1e-6, "{merged:?}");
        assert!((merged["processors.0"][1] - 0.8).abs() < 1e-6, "{merged:?}");
    }

    #[test]
    fn a_run_without_it_says_why_and_damage_leaves_the_seconds() {
        let mut run = record(1, 4, 50);
        let reason = "time is simulated".to_owned();
        run.telemetry.absent = vec![AbsentSource { source: ALL.to_owned(), reason }];
        let (_folder, mut shelf) = shelf(&[run.clone(), record(2, 4, 50)]);
        let missing = |shelf: &mut crate::shelf::Shelf, id: &str| {
            let (header, found) = columns(shelf, &format!("runs/{id}/series"), "");
            assert_eq!(found["in_flight"], [4.0; 4]);
            let charts = header["beside"].as_array().unwrap().clone();
            charts.iter().map(|chart| chart["missing"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(missing(&mut shelf, &run.id), ["time is simulated"; 4]);
        assert_eq!(missing(&mut shelf, &record(2, 4, 50).id), ["nothing of it was read"; 4]);
        let path = shelf.paths().next().unwrap().to_owned();
        let writer = rusqlite::Connection::open(&path).unwrap();
        writer.execute("UPDATE run_series SET data = zeroblob(length(data)) WHERE kind = 2", ()).unwrap();
        drop(writer);
        let damaged = missing(&mut shelf, &run.id);
        assert!(damaged.iter().all(|reason| reason.contains(&run.id)), "{damaged:?}");
    }

    #[test]
    fn times_that_make_no_sense_end_nowhere_else() {
        let mut run = record(1, 2, 50);
        run.telemetry = telemetry();
        run.telemetry.at_ns = vec![i64::MIN, i64::MAX, 0, i64::MIN, 1];
        let (_folder, mut shelf) = shelf(std::slice::from_ref(&run));
        let (_, found) = columns(&mut shelf, &format!("runs/{}/series", run.id), "");
        assert_eq!(found["processors.0"].len(), 2);
    }
}
