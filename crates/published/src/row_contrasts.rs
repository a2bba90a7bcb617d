//! What rows show of one another that differ in a setting, the software, a flush or a node: how far apart they are, and
//! how much faster the fastest is.

use fathom_attribute::symptoms::{Difference, STATED_RATIO_ERROR, Symptom};

use super::PublishedRow;
use super::difference::{ComparableRow, Property};
use super::inferred_answers::{growth, ratio_error, with_ratio};
use super::row::Flush;

/// Programs whose work is to measure, as tables name them.
const GENERATORS: [&str; 14] = [
    "fio",
    "diskspd",
    "dd",
    "bdevperf",
    "perf",
    "vdbench",
    "iometer",
    "sysbench",
    "elbencho",
    "iozone",
    "bonnie",
    "hdparm",
    "crystaldiskmark",
    "atto",
];

/// Properties that are compared with one another rather than scaled.
const COMPARED: [Property; 4] = [Property::Setting, Property::Software, Property::Copies, Property::Node];

/// Everything that compared rows show.
pub fn seen(explained: &PublishedRow, others: &[ComparableRow<'_>]) -> Vec<Symptom> {
    let of = |property: Property| -> Vec<&PublishedRow> {
        others.iter().filter(|other| other.only() == Some(property)).map(|other| other.row).collect()
    };
    [
        setting(explained, &of(Property::Setting)),
        apart(explained, others),
        unflushed(explained, &of(Property::Flush)),
        node(explained, &of(Property::Node)),
        machine(explained, &of(Property::Machine)),
        generator(explained, &of(Property::Software)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Whether rows stand beside one that differ in nothing but what is compared.
pub fn is_compared(others: &[ComparableRow<'_>]) -> bool {
    others.iter().any(|other| other.only().is_some_and(|property| COMPARED.contains(&property)))
}

/// The row whose rate is furthest from the explained one's, rather above than below it.
fn furthest<'a>(explained: &PublishedRow, rows: &[&'a PublishedRow]) -> Option<(f64, &'a PublishedRow)> {
    let rated = || rows.iter().filter_map(|row| Some((growth(explained, row)?, *row)));
    let fastest = rated().max_by(|a, b| a.0.total_cmp(&b.0))?;
    if fastest.0 > STATED_RATIO_ERROR { Some(fastest) } else { rated().min_by(|a, b| a.0.total_cmp(&b.0)) }
}

fn setting(explained: &PublishedRow, rows: &[&PublishedRow]) -> Option<Symptom> {
    let (value, row) = furthest(explained, rows)?;
    let subject = row.subject();
    let difference = match (&row.setting, &row.version) {
        (Some(setting), _) if row.setting != explained.setting => Difference::Setting(setting),
        (_, Some(version)) if row.version != explained.version => Difference::Version(version),
        _ => Difference::Unstated(&subject),
    };
    with_ratio((explained, row), (value, ratio_error(explained, row)), |ratio| {
        Symptom::difference(difference, ratio)
    })
}

/// The largest difference among everything that is compared.
fn apart(explained: &PublishedRow, others: &[ComparableRow<'_>]) -> Option<Symptom> {
    let is_compared =
        |other: &&ComparableRow<'_>| other.only().is_some_and(|property| COMPARED.contains(&property));
    let compared = others.iter().filter(is_compared).map(|other| other.row);
    let largest = compared.filter_map(|row| Some((growth(explained, row)?, row)));
    let (value, row) = largest.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))?;
    // Published differences that are none lie within what `usual` and the causes allow; repeats that spread widen it.
    let error = ratio_error(explained, row);
    Symptom::apart(&row.subject(), value, if error > STATED_RATIO_ERROR { error } else { 0.0 })
}

/// What is gained without flushes.
fn unflushed(explained: &PublishedRow, rows: &[&PublishedRow]) -> Option<Symptom> {
    let mine = explained.flushes().unwrap_or(0.0);
    let without = |row: &&&PublishedRow| row.flushes().unwrap_or(0.0) < mine;
    let row = rows.iter().find(without)?;
    let has_some = row.flush == Some(Flush::Every);
    with_ratio((explained, row), (growth(explained, row)?, ratio_error(explained, row)), |ratio| {
        Symptom::unflushed(has_some, ratio)
    })
}

fn node(explained: &PublishedRow, rows: &[&PublishedRow]) -> Option<Symptom> {
    let (value, row) = furthest(explained, rows)?;
    let node = row.numa.as_deref().unwrap_or("not stated");
    with_ratio((explained, row), (value, ratio_error(explained, row)), |ratio| {
        Symptom::other_node(node, ratio)
    })
}

fn machine(explained: &PublishedRow, rows: &[&PublishedRow]) -> Option<Symptom> {
    let (value, row) = furthest(explained, rows)?;
    let difference = Difference::Machine(row.host.as_deref().unwrap_or("not stated"));
    with_ratio((explained, row), (value, ratio_error(explained, row)), |ratio| {
        Symptom::difference(difference, ratio)
    })
}

/// Whether another measuring program was tried: what one of them cannot carry is then its own.
pub fn has_other_generator(explained: &PublishedRow, others: &[ComparableRow<'_>]) -> bool {
    let is_other = |other: &&ComparableRow<'_>| other.only() == Some(Property::Software);
    let software: Vec<&PublishedRow> = others.iter().filter(is_other).map(|other| other.row).collect();
    generator(explained, &software).is_some()
}

/// Another measuring program on the same target.
fn generator(explained: &PublishedRow, rows: &[&PublishedRow]) -> Option<Symptom> {
    let measures = |row: &PublishedRow| {
        let name = row.software.as_deref().unwrap_or_default().to_lowercase();
        let mut parts = name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        parts.any(|part| GENERATORS.contains(&part))
    };
    if !measures(explained) {
        return None;
    }
    let measuring: Vec<&PublishedRow> = rows.iter().copied().filter(|row| measures(row)).collect();
    let (value, row) = furthest(explained, &measuring)?;
    let name = row.software.as_deref().unwrap_or_default();
    with_ratio((explained, row), (value, ratio_error(explained, row)), |ratio| {
        Symptom::other_generator(name, ratio)
    })
}
