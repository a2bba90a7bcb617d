//! The columns of the table, each with its unit in its name and how it is read off a record.

use fathom_record::run_record::DirectionSummary;
use fathom_record::workload::{Arrival, Sizes};
use fathom_record::{LatencySummary, RunRecord};

use super::record_rows::{Line, Place};

/// A value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Not measured, or of no meaning for this line.
    Absent,
    /// A text.
    Text(String),
    /// A count.
    Integer(u64),
    /// A measure.
    Real(f64),
    /// Yes or no.
    Flag(bool),
}

/// What values a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Texts.
    Text,
    /// Counts.
    Integer,
    /// Measures.
    Real,
    /// Yes or no.
    Flag,
}

/// One column.
#[derive(Clone, Copy)]
pub struct Column {
    /// Its name, with the unit.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What that is, for people.
    pub what: &'static str,
    get: fn(&Line<'_>) -> Value,
}

impl Column {
    /// Its value in a line.
    pub(super) fn of(&self, line: &Line<'_>) -> Value {
        (self.get)(line)
    }
}

/// All columns, in order.
pub const COLUMNS: &[Column] = &[
    text("run", "id of the run", |line| line.run.id.clone().into()),
    text("campaign", "campaign that it belongs to", |line| link(line.run, |link| &link.id)),
    text("step", "its step in the campaign", |line| link(line.run, |link| &link.step)),
    text("started_at", "start, RFC 3339, UTC", |line| line.run.started_at.clone().into()),
    text("tool", "what measured, and its version", |line| {
        format!("{} {}", line.run.tool.name, line.run.tool.version).trim_end().to_owned().into()
    }),
    flag("valid", "the run came to its end and no self-check failed", |line| {
        Value::Flag(line.run.is_valid())
    }),
    text("target", "target, as it was named", |line| line.run.target.name.clone().into()),
    text("engine", "what carried the I/O", |line| line.run.engine.name.clone().into()),
    text("pattern", "address pattern", |line| pattern(line.run).into()),
    real("read_share", "share of reads asked for, 0 to 1", |line| {
        Value::Real(line.run.workload.mix.read_share)
    }),
    integer("block_bytes", "size of an I/O of this direction; absent where sizes vary", block),
    integer("jobs", "jobs", |line| Value::Integer(line.run.workload.jobs.into())),
    integer("depth", "I/Os asked for in flight of each job", |line| {
        Value::Integer(line.run.workload.depth.into())
    }),
    real("rate_per_s", "operations per second asked for; absent in a closed loop", |line| rate(line.run)),
    text("scope", "summary: the measured window; second: one second; sample: telemetry", |line| {
        let scope = match line.place {
            Place::Summary(_) => "summary",
            Place::Second(..) => "second",
            Place::Sample(..) => "sample",
        };
        scope.to_owned().into()
    }),
    real("start_s", "start of the stretch, from the start of the first I/O", start),
    real("duration_s", "length of the stretch", duration),
    flag("warmup", "the second lies before the measured window", |line| match &line.place {
        Place::Second(interval, ..) => Value::Flag(interval.warmup),
        _ => Value::Absent,
    }),
    text("direction", "read, write, trim or flush", |line| match &line.place {
        Place::Summary(Some(direction)) => direction.direction.name().to_owned().into(),
        Place::Second(_, direction, _) => direction.direction.name().to_owned().into(),
        _ => Value::Absent,
    }),
    integer("operations", "I/Os that ended well", |line| counts(line).0),
    integer("bytes", "bytes transferred", |line| counts(line).1),
    integer("errors", "I/Os that ended in an error", |line| counts(line).2),
    real("operations_per_s", "I/Os that ended well, per second", |line| per_second(line, 0)),
    real("throughput_bytes_per_s", "bytes transferred, per second", |line| per_second(line, 1)),
    real("in_flight_mean", "mean I/Os in flight, of all directions together", in_flight),
    integer("service_min_ns", "least service latency", |line| of_summary(service(line), |s| s.min_ns)),
    real("service_mean_ns", "mean service latency", |line| mean(service(line))),
    integer("service_p50_ns", "median service latency", |line| quantile(service(line), 0.5)),
    integer("service_p90_ns", "90th percentile", |line| quantile(service(line), 0.9)),
    integer("service_p99_ns", "99th percentile", |line| quantile(service(line), 0.99)),
    integer("service_p999_ns", "99.9th percentile", |line| quantile(service(line), 0.999)),
    integer("service_p9999_ns", "99.99th percentile", |line| quantile(service(line), 0.9999)),
    integer("service_max_ns", "largest service latency", |line| of_summary(service(line), |s| s.max_ns)),
    real("response_mean_ns", "mean response latency; absent in a closed loop", |line| mean(response(line))),
    integer("response_p50_ns", "median response latency", |line| quantile(response(line), 0.5)),
    integer("response_p99_ns", "99th percentile", |line| quantile(response(line), 0.99)),
    integer("response_p999_ns", "99.9th percentile", |line| quantile(response(line), 0.999)),
    integer("response_max_ns", "largest response latency", |line| of_summary(response(line), |s| s.max_ns)),
    text("metric", "metric of a sample, as cpu.user", |line| sample(line, |series| &series.metric)),
    text("label", "its CPU, device or interface; empty for the machine", |line| match &line.place {
        Place::Sample(series, ..) if !series.label.is_empty() => series.label.clone().into(),
        _ => Value::Absent,
    }),
    text("unit", "unit of its value", |line| sample(line, |series| &series.unit)),
    real("value", "value of a sample", |line| match &line.place {
        Place::Sample(_, value, ..) => Value::Real(*value),
        _ => Value::Absent,
    }),
];

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Integer(value)
    }
}

const fn text(name: &'static str, what: &'static str, get: fn(&Line<'_>) -> Value) -> Column {
    Column { name, kind: Kind::Text, what, get }
}

const fn integer(name: &'static str, what: &'static str, get: fn(&Line<'_>) -> Value) -> Column {
    Column { name, kind: Kind::Integer, what, get }
}

const fn real(name: &'static str, what: &'static str, get: fn(&Line<'_>) -> Value) -> Column {
    Column { name, kind: Kind::Real, what, get }
}

const fn flag(name: &'static str, what: &'static str, get: fn(&Line<'_>) -> Value) -> Column {
    Column { name, kind: Kind::Flag, what, get }
}

fn link(run: &RunRecord, part: fn(&fathom_record::run_record::CampaignLink) -> &String) -> Value {
    run.campaign.as_ref().map(|link| part(link).clone()).into()
}

/// The address pattern by the word that records have for it.
pub fn pattern(run: &RunRecord) -> Option<String> {
    let value = serde_json::to_value(&run.workload.addresses).ok()?;
    value.get("pattern").and_then(|pattern| pattern.as_str()).map(str::to_owned)
}

fn block(line: &Line<'_>) -> Value {
    let name = match &line.place {
        Place::Summary(Some(direction)) => direction.direction.name(),
        Place::Second(_, direction, _) => direction.direction.name(),
        _ => return Value::Absent,
    };
    let sizes = &line.run.workload.sizes;
    let sizes = match name {
        "read" => &sizes.read,
        "write" => &sizes.write,
        "trim" => &sizes.trim,
        _ => return Value::Absent,
    };
    match sizes {
        Sizes::Fixed { bytes } => Value::Integer(*bytes),
        _ => Value::Absent,
    }
}

fn rate(run: &RunRecord) -> Value {
    match run.workload.arrival {
        Arrival::Constant { rate_per_s } | Arrival::Poisson { rate_per_s } => Value::Real(rate_per_s),
        Arrival::Closed
        | Arrival::PerDirection { .. }
        | Arrival::Pausing { .. }
        | Arrival::Ramp { .. }
        | Arrival::Steps { .. }
        | Arrival::Traced { .. } => Value::Absent,
    }
}

fn start(line: &Line<'_>) -> Value {
    match &line.place {
        Place::Summary(_) => {
            let first = line.run.intervals.iter().find(|interval| !interval.warmup);
            first.map_or(Value::Absent, |interval| Value::Real(interval.start_ns as f64 / 1e9))
        }
        Place::Second(interval, ..) => Value::Real(interval.start_ns as f64 / 1e9),
        Place::Sample(_, _, at, covers) => {
            covers.map_or(Value::Absent, |covers| Value::Real((at - covers) as f64 / 1e9))
        }
    }
}

fn duration(line: &Line<'_>) -> Value {
    match &line.place {
        Place::Summary(_) => Value::Real(line.run.summary.duration_ns as f64 / 1e9),
        Place::Second(interval, ..) => Value::Real(interval.duration_ns as f64 / 1e9),
        Place::Sample(_, _, _, covers) => {
            covers.map_or(Value::Absent, |covers| Value::Real(covers as f64 / 1e9))
        }
    }
}

fn counts(line: &Line<'_>) -> (Value, Value, Value) {
    match &line.place {
        Place::Summary(Some(d)) => (d.operations.into(), d.bytes.into(), d.errors.into()),
        Place::Second(_, d, _) => {
            (Value::Integer(d.operations), Value::Integer(d.bytes), Value::Integer(d.errors))
        }
        _ => (Value::Absent, Value::Absent, Value::Absent),
    }
}

fn per_second(line: &Line<'_>, which: usize) -> Value {
    match &line.place {
        Place::Summary(Some(d)) => Value::Real([d.operations_per_s, d.throughput_bytes_per_s][which]),
        Place::Second(interval, d, _) if interval.duration_ns > 0 => {
            Value::Real([d.operations, d.bytes][which] as f64 * 1e9 / interval.duration_ns as f64)
        }
        _ => Value::Absent,
    }
}

fn in_flight(line: &Line<'_>) -> Value {
    match &line.place {
        Place::Summary(Some(_)) => line.run.summary.in_flight_mean.map_or(Value::Absent, Value::Real),
        Place::Second(interval, ..) => Value::Real(interval.in_flight()),
        _ => Value::Absent,
    }
}

/// A summary of latencies, wherever the line has it.
fn latency<'a>(
    line: &'a Line<'_>,
    window: fn(&DirectionSummary) -> Option<&LatencySummary>,
    second: fn(&super::record_rows::Latencies) -> Option<&LatencySummary>,
) -> Option<&'a LatencySummary> {
    match &line.place {
        Place::Summary(direction) => direction.and_then(window),
        Place::Second(_, _, latencies) => second(latencies),
        Place::Sample(..) => None,
    }
}

fn service<'a>(line: &'a Line<'_>) -> Option<&'a LatencySummary> {
    latency(line, |d| d.service.as_ref(), |l| l.service.as_ref())
}

fn response<'a>(line: &'a Line<'_>) -> Option<&'a LatencySummary> {
    latency(line, |d| d.response.as_ref(), |l| l.response.as_ref())
}

fn of_summary(summary: Option<&LatencySummary>, get: fn(&LatencySummary) -> Option<u64>) -> Value {
    summary.and_then(get).into()
}

fn mean(summary: Option<&LatencySummary>) -> Value {
    summary.map_or(Value::Absent, |summary| Value::Real(summary.mean_ns))
}

fn quantile(summary: Option<&LatencySummary>, q: f64) -> Value {
    summary.and_then(|summary| summary.quantile_ns(q)).into()
}

fn sample(line: &Line<'_>, part: fn(&fathom_record::telemetry::MetricSeries) -> &String) -> Value {
    match &line.place {
        Place::Sample(series, ..) => part(series).clone().into(),
        _ => Value::Absent,
    }
}
