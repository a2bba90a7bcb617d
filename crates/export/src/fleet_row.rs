//! The columns of a fleet's rows.

use fathom_record::fleet_record::{FleetRow, FleetStatus};
use serde::Serialize;

use super::row_writer::{Row, Shape};
use super::{Kind, Value};

type Column = (&'static str, Kind, &'static str, fn(&FleetRow) -> Value);

const COLUMNS: [Column; 27] = [
    ("volume", Kind::Text, "name", |row| Value::Text(row.volume.clone())),
    ("status", Kind::Text, "sized, throttled or not_judged", |row| {
        Value::Text(status(row.status).to_owned())
    }),
    ("reason", Kind::Text, "why not, or what the choice does not rest on", |row| {
        if row.reason.is_empty() { Value::Absent } else { Value::Text(row.reason.clone()) }
    }),
    ("tick_s", Kind::Integer, "length of a tick, in seconds", |row| integer(row.tick_s)),
    ("ticks", Kind::Integer, "ticks of the series", |row| integer(row.ticks)),
    ("ticks_seen", Kind::Integer, "ticks that were seen", |row| integer(row.ticks_seen)),
    ("needs_iops", Kind::Integer, "least I/Os a second that meet its demand, without margin", |row| {
        integer(row.needs_iops)
    }),
    ("needs_iops_least", Kind::Integer, "the same with the least that its I/Os can count", |row| {
        integer(row.needs_iops_least)
    }),
    ("rests_on", Kind::Text, "what the need rests on; risks are of volumes with the same", |row| {
        text(row.rests_on.as_ref())
    }),
    (
        "needs_bytes_per_s",
        Kind::Integer,
        "least bytes a second that meet its demand, without margin",
        |row| integer(row.needs_bytes_per_s),
    ),
    ("plateau_share", Kind::Real, "share of ticks at one value with hardly any above", |row| {
        real(row.plateau_share)
    }),
    ("offer", Kind::Text, "what to buy", |row| text(row.offer.as_ref())),
    ("offer_type", Kind::Text, "its type", |row| text(row.offer_type.as_ref())),
    ("offer_members", Kind::Integer, "volumes of its stripe", |row| integer(row.offer_members)),
    ("offer_size_gib", Kind::Integer, "size of each, in GiB", |row| integer(row.offer_size_gib)),
    ("offer_iops", Kind::Integer, "I/Os a second of each", |row| integer(row.offer_iops)),
    ("offer_bytes_per_s", Kind::Integer, "bytes a second of each", |row| integer(row.offer_bytes_per_s)),
    ("offer_month", Kind::Real, "a month of it", |row| real(row.offer_month)),
    ("offer_headroom", Kind::Real, "growth that it still meets, as a factor", |row| real(row.offer_headroom)),
    ("offer_risk", Kind::Real, "chance of more growth within the horizon", |row| real(row.offer_risk)),
    ("current", Kind::Text, "what it is today", |row| text(row.current.as_ref())),
    ("current_month", Kind::Real, "a month of that", |row| real(row.current_month)),
    ("current_holds", Kind::Flag, "whether that meets the demand that was seen", |row| {
        row.current_holds.map_or(Value::Absent, Value::Flag)
    }),
    ("current_headroom", Kind::Real, "as for the offer", |row| real(row.current_headroom)),
    ("current_risk", Kind::Real, "as for the offer", |row| real(row.current_risk)),
    ("saves_month", Kind::Real, "what the offer costs less than today", |row| real(row.saves_month)),
    ("notes", Kind::Text, "what was wrong with its rows and what was done about it", |row| {
        if row.notes.is_empty() { Value::Absent } else { Value::Text(row.notes.join(" ")) }
    }),
];

impl Row for FleetRow {
    fn shapes() -> Vec<Shape> {
        COLUMNS.iter().map(|(name, kind, what, _)| Shape { name, kind: *kind, what }).collect()
    }

    fn values(&self) -> Vec<Value> {
        COLUMNS.iter().map(|(_, _, _, get)| get(self)).collect()
    }
}

/// A row with the currency of its amounts, as a column of its own at the end.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PricedRow<'a> {
    /// The row.
    #[serde(flatten)]
    pub row: &'a FleetRow,
    /// The currency, as `USD`.
    pub currency: &'a str,
}

impl Row for PricedRow<'_> {
    fn shapes() -> Vec<Shape> {
        let mut shapes = FleetRow::shapes();
        shapes.push(Shape { name: "currency", kind: Kind::Text, what: "currency of the amounts" });
        shapes
    }

    fn values(&self) -> Vec<Value> {
        let mut values = self.row.values();
        values.push(Value::Text(self.currency.to_owned()));
        values
    }
}

/// The same with what its volume is added up with, as a column of its own behind the name.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub struct GroupedRow<'a>(pub PricedRow<'a>);

impl Row for GroupedRow<'_> {
    fn shapes() -> Vec<Shape> {
        let mut shapes = PricedRow::shapes();
        shapes.insert(1, Shape { name: "group", kind: Kind::Text, what: "what it is added up with" });
        shapes
    }

    fn values(&self) -> Vec<Value> {
        let mut values = self.0.values();
        values.insert(1, text(self.0.row.group.as_ref()));
        values
    }
}

fn status(status: FleetStatus) -> &'static str {
    match status {
        FleetStatus::Sized => "sized",
        FleetStatus::Throttled => "throttled",
        FleetStatus::NotJudged => "not_judged",
    }
}

fn text(value: Option<&String>) -> Value {
    value.map_or(Value::Absent, |text| Value::Text(text.clone()))
}

fn integer(value: Option<u64>) -> Value {
    value.map_or(Value::Absent, Value::Integer)
}

fn real(value: Option<f64>) -> Value {
    value.map_or(Value::Absent, Value::Real)
}
