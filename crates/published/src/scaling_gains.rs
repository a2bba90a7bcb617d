//! What is gained by more of what carries the load, and what copies cost: growth for each doubling of drives, nodes or
//! guests, and written copies beside what takes them.

use fathom_attribute::evidence::Feature;
use fathom_attribute::symptoms::{ComparedRow, Symptom};
use fathom_record::CeilingScope;

use super::difference::{ComparableRow, Property, hosts_factor};
use super::inferred_answers::{ScaledRow, doubling, growth, rate, stated};
use super::row_bounds::RowBound;
use super::{PublishedRow, underlying_device};

/// Everything that more of it shows.
pub fn seen(
    explained: &PublishedRow,
    others: &[ComparableRow<'_>],
    reached: &[RowBound],
    is_capped: &dyn Fn(&PublishedRow) -> bool,
) -> Vec<Symptom> {
    let added = added(explained, others);
    let grown = doubling(Feature::Growth, "what is added", (explained, is_capped), &added);
    [grown, copied(explained, others, reached)].into_iter().flatten().collect()
}

/// Rows with more, or fewer, drives, nodes or guests, each loaded as before.
pub fn added<'a>(explained: &PublishedRow, others: &[ComparableRow<'a>]) -> Vec<ScaledRow<'a>> {
    let factor = |other: &ComparableRow<'_>| match other.only()? {
        Property::Devices => Some(other.row.devices? / explained.devices?),
        Property::Hosts => hosts_factor(explained, other.row),
        _ => None,
    };
    let usable = |factor: &f64| factor.is_finite() && *factor > 0.0;
    let scaled =
        |other: &ComparableRow<'a>| Some(ScaledRow { row: other.row, factor: factor(other).filter(usable)? });
    others.iter().filter_map(scaled).collect()
}

/// Whether copies are stated of a row's writes, or of a row that differs in nothing else.
pub fn has_copies(explained: &PublishedRow, others: &[ComparableRow<'_>]) -> bool {
    let writes = explained.read_share().is_none_or(|share| share < 1.0);
    let is_several = |row: &PublishedRow| row.copies.is_some_and(|copies| copies > 1.0);
    (writes && is_several(explained)) || others.iter().any(|other| other.only() == Some(Property::Copies))
}

/// Bytes that are written, copies included, over what takes them: a device's bound, reads of the same, or the rate with
/// fewer copies.
fn copied(explained: &PublishedRow, others: &[ComparableRow<'_>], reached: &[RowBound]) -> Option<Symptom> {
    let copies = explained.copies.filter(|copies| *copies > 1.0)?;
    if explained.read_share()? > 0.0 {
        return None;
    }
    let fewer = others.iter().filter(|other| other.only() == Some(Property::Copies)).find_map(|other| {
        let times = copies / other.row.copies.unwrap_or(1.0);
        (times > 1.0).then(|| Some((times.ln() - growth(explained, other.row)?, other.row)))?
    });
    let reads = others
        .iter()
        .filter(|other| is_read_of(other))
        .find_map(|other| Some(((rate(explained)? * copies / rate(other.row)?).ln(), other.row)));
    if let Some((value, row)) = fewer.or(reads) {
        let (rate, name) = (stated(row), row.subject());
        let against = ComparedRow { rate: &rate, name: &name };
        return Symptom::copied_against(copies, value, &stated(explained), &against);
    }
    let device = reached.iter().find(|found| found.known.scope == CeilingScope::Device);
    let every: Vec<&PublishedRow> = others.iter().map(|other| other.row).collect();
    let (share, name) = match device {
        Some(device) => (device.share, device.name.clone()),
        None => {
            let nearest = underlying_device::nearest(explained, &every)?;
            (nearest.moved, format!("what \"{}\" does", nearest.row.subject()))
        }
    };
    Symptom::copied_of(copies, share, &name)
}

/// Whether a row is the same workload read.
fn is_read_of(other: &ComparableRow<'_>) -> bool {
    let is_direction = |property: &Property| [Property::Direction, Property::Copies].contains(property);
    other.row.read_percent == Some(100.0)
        && other.differing.contains(&Property::Direction)
        && other.differing.iter().all(is_direction)
}
