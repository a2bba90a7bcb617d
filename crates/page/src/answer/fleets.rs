//! `fleets/N`: what a fleet's rows add up to; `rows`: all of them by columns; `volumes/AT`: one row in whole.

use std::collections::BTreeMap;

use fathom_order::InOrder;
use fathom_record::fleet_record::{FleetReason, FleetRisk, FleetRow};
use fathom_rows::demand_tables::WordColumn;
use serde::Serialize;

use super::binary_columns::{self, Numbers};
use super::query_parameters::QueryParameters;
use super::{Answer, Refusal, json};
use crate::fleet_table::FleetTable;

/// Most rows of one answer.
const ROWS_MAX: u64 = 100_000;
/// Columns where nothing says which, beside the names.
const COLUMNS: &str = "status,current,offer,current_month,offer_month,saves_month,offer_headroom,offer_risk,\
                       current_risk,needs_iops";

#[derive(Serialize)]
struct Summary<'a> {
    format: &'static str,
    version: u32,
    name: &'a str,
    stamp: &'a str,
    volumes: u64,
    sized: u64,
    throttled: u64,
    not_judged: Vec<FleetReason>,
    /// Currency of all amounts, as `USD`; absent where the file does not say.
    currency: Option<&'a str>,
    money: Money,
    risk: FleetRisk,
    notes: Vec<String>,
    /// Columns that the file has.
    columns: Vec<&'static str>,
}

/// A month, in that currency.
#[derive(Serialize)]
struct Money {
    chosen_month: f64,
    compared: u64,
    current_month: f64,
    compared_month: f64,
    waste_month: f64,
    cheaper: u64,
    more_month: f64,
    dearer: u64,
}

#[derive(Serialize)]
struct Rows<'a> {
    format: &'static str,
    version: u32,
    stamp: &'a str,
    /// Rows that are passed over.
    from: usize,
    per_column: u32,
    /// Rows that the search finds.
    of: usize,
    /// Rows that are here.
    width: usize,
    /// What `after` is for the rows behind these; absent at the end.
    next: Option<usize>,
    /// Of each column of words: its words in the order of the alphabet; what is beyond them is none.
    words: BTreeMap<&'a str, &'a [String]>,
}

pub(super) fn summary(fleet: &FleetTable, parameters: QueryParameters) -> Result<Answer, Refusal> {
    parameters.end()?;
    let tally = &fleet.tally;
    let money = tally.money(String::new());
    json(&Summary {
        format: "fathom.page.fleet",
        version: 1,
        name: &fleet.name,
        stamp: &fleet.stamp,
        volumes: tally.volumes,
        sized: tally.sized,
        throttled: tally.throttled,
        not_judged: tally.reasons(),
        currency: fleet.currency(),
        money: Money {
            chosen_month: money.chosen_month,
            compared: money.compared,
            current_month: money.current_month,
            compared_month: money.compared_month,
            waste_month: money.waste_month,
            cheaper: money.cheaper,
            more_month: money.more_month,
            dearer: money.dearer,
        },
        risk: tally.risk(),
        notes: tally.notes(),
        columns: fleet.names().collect(),
    })
}

pub(super) fn rows(fleet: &FleetTable, mut parameters: QueryParameters) -> Result<Answer, Refusal> {
    let part = parameters.text("q")?.unwrap_or_default();
    let sort = parameters.text("sort")?;
    let after = parameters.number("after", 0..=u64::from(u32::MAX))?.unwrap_or(0) as usize;
    let limit = parameters.number("limit", 1..=ROWS_MAX)?.unwrap_or(ROWS_MAX) as usize;
    let named = parameters.text("columns")?;
    parameters.end()?;
    let mut found = fleet.found(&part);
    if let Some(sort) = sort {
        order(fleet, &sort, &mut found)?;
    }
    let of = found.len();
    let chosen = &found[after.min(of)..after.saturating_add(limit).min(of)];
    let mut columns = vec![("row".to_owned(), Numbers::U32(chosen.to_vec()))];
    columns.extend(fleet.words("volume").map(|volumes| ("volume".to_owned(), lines(volumes, chosen))));
    let mut words = BTreeMap::new();
    let names = named.as_deref().unwrap_or(COLUMNS).split(',');
    for name in names.filter(|name| !name.is_empty() && *name != "volume") {
        if let Some(column) = fleet.words(name) {
            let places = chosen.iter().map(|row| column.places[*row as usize]).collect();
            columns.push((name.to_owned(), Numbers::U32(places)));
            words.insert(name, column.words.as_slice());
        } else if let Some(values) = fleet.numbers(name) {
            let values = chosen.iter().map(|row| values[*row as usize] as f32).collect();
            columns.push((name.to_owned(), Numbers::F32(values)));
        } else if named.is_some() {
            return Err(Refusal::usage("columns", format!("the file has no column {name:?}")));
        }
    }
    let next = Some(after.saturating_add(limit)).filter(|next| *next < of);
    let header = Rows {
        format: "fathom.page.fleet_rows",
        version: 1,
        stamp: &fleet.stamp,
        from: after,
        per_column: 1,
        of,
        width: chosen.len(),
        next,
        words,
    };
    binary_columns::columns(&header, &columns)
}

/// Names, a line each; what would break a line is a space.
fn lines(volumes: &WordColumn, rows: &[u32]) -> Numbers {
    let mut text = String::new();
    for row in rows {
        let name = volumes.word(*row as usize).unwrap_or_default();
        text.extend(name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }));
        text.push('\n');
    }
    Numbers::Lines(text)
}

/// Rows in the order of a column, downwards where its name has a `-` in front. What is not known comes last.
fn order(fleet: &FleetTable, sort: &str, rows: &mut [u32]) -> Result<(), Refusal> {
    let (name, is_down) = sort.strip_prefix('-').map_or((sort, false), |name| (name, true));
    if name == "volume" {
        if is_down {
            rows.reverse();
        }
        return Ok(());
    }
    let key: Vec<f64> = if let Some(column) = fleet.words(name) {
        let known = |place: &u32| if *place == WordColumn::NONE { f64::NAN } else { f64::from(*place) };
        column.places.iter().map(known).collect()
    } else if let Some(values) = fleet.numbers(name) {
        values.to_vec()
    } else {
        return Err(Refusal::usage("sort", format!("the file has no column {name:?}")));
    };
    rows.put_in_order_by(|a, b| {
        let (a, b) = (key[*a as usize], key[*b as usize]);
        let ascending = if is_down { b.total_cmp(&a) } else { a.total_cmp(&b) };
        a.is_nan().cmp(&b.is_nan()).then(if a.is_nan() { std::cmp::Ordering::Equal } else { ascending })
    });
    Ok(())
}

#[derive(Serialize)]
struct Volume {
    format: &'static str,
    version: u32,
    volume: FleetRow,
}

pub(super) fn volume(
    fleet: &FleetTable,
    at: &str,
    mut parameters: QueryParameters,
) -> Result<Answer, Refusal> {
    let stamp = parameters.text("stamp")?;
    parameters.end()?;
    if stamp.is_some_and(|stamp| stamp != fleet.stamp) {
        let cause = "the file has been replaced since its rows were shown";
        return Err(Refusal::new(409, "stale", cause).with_remedy("load the page again"));
    }
    let row = at.parse().ok().filter(|row| *row < fleet.rows);
    let row = row.ok_or_else(|| Refusal::no_such(format!("the fleet has no row {at}")))?;
    json(&Volume { format: "fathom.page.volume", version: 1, volume: fleet.row(row)? })
}
