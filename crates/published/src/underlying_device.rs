//! What rows of the device below show of a row above it: how near it comes to what that device does by itself, how much
//! longer a lone I/O takes through the software, and which causes that shuts out.

use fathom_attribute::symptoms::Symptom;
use fathom_record::verdict::Limit;

use super::PublishedRow;
use super::difference::{Property, properties};

/// Fewest I/Os in flight that wait for one another.
const LONE: f64 = 2.0;
/// Share of what the device below does from which on it may hold the row.
const NEAR: f64 = 0.8;
/// How many times as probable a cause of the device's own is where the device by itself did more: another drive of its
/// kind, or another day, may have been measured.
const NOT_THE_DEVICE: f64 = 0.01;

/// A row of the device below.
pub struct DeviceBelow<'a> {
    /// It.
    pub row: &'a PublishedRow,
    /// Share of its rate that the row above has, over as many devices.
    pub share: f64,
    /// The same with every copy that is written counted.
    pub moved: f64,
}

/// Every row that measured the device below by itself, with I/Os of the same kind.
pub fn alone<'a>(row: &PublishedRow, others: &[&'a PublishedRow]) -> Vec<DeviceBelow<'a>> {
    others
        .iter()
        .filter(|other| is_below(row, other))
        .filter_map(|other| {
            let devices = match (row.devices, other.devices) {
                (Some(mine), Some(its)) => mine / its,
                // A row that counts none stands for one.
                (Some(count), None) | (None, Some(count)) => (count == 1.0).then_some(1.0)?,
                (None, None) => 1.0,
            };
            let operations = row.operations_per_s().zip(other.operations_per_s());
            let (mine, its) = operations.or_else(|| row.bytes_per_s().zip(other.bytes_per_s()))?;
            let share = mine / (its * devices);
            Some(DeviceBelow { row: other, share, moved: share * row.written_times() })
        })
        .collect()
}

/// The one that allows most, over which the row's share is the least.
pub fn nearest<'a>(row: &PublishedRow, others: &[&'a PublishedRow]) -> Option<DeviceBelow<'a>> {
    alone(row, others).into_iter().min_by(|a, b| a.moved.total_cmp(&b.moved))
}

/// How many times as probable causes are by what the device below did: none of its own holds a row back that it is much
/// faster than.
pub fn shut_out(limit: Limit, row: &PublishedRow, others: &[&PublishedRow]) -> f64 {
    let is_of_the_device = matches!(
        limit,
        Limit::DeviceParallelism
            | Limit::IndirectionUnit
            | Limit::WriteCliff
            | Limit::QueueTags
            | Limit::Thermal
    );
    let is_faster = || alone(row, others).iter().any(|alone| alone.moved < NEAR);
    match limit {
        _ if is_of_the_device && is_faster() => NOT_THE_DEVICE,
        // What a provider enforces holds for whatever is on it, if it is the same volume.
        Limit::VolumeIops | Limit::VolumeThroughput | Limit::InstanceCap if is_faster() => 0.2,
        _ => 1.0,
    }
}

/// Whether a row measured the device below another, with I/Os of the same kind.
fn is_below(row: &PublishedRow, other: &PublishedRow) -> bool {
    if row.below || !other.below || row.read_percent != other.read_percent {
        return false;
    }
    let differ = properties(row, other);
    !differ.contains(&Property::Block) && !differ.contains(&Property::Order)
}

/// A lone I/O's latency through the software over that of the device below.
pub fn software_latency(row: &PublishedRow, others: &[&PublishedRow]) -> Option<Symptom> {
    if row.below {
        return None;
    }
    let is_lone = |row: &PublishedRow| row.concurrency().is_some_and(|count| count <= LONE);
    let alike =
        |other: &&PublishedRow| other.side == row.side && other.software == row.software && !other.below;
    let through = [row].into_iter().chain(others.iter().copied().filter(alike)).filter(|row| is_lone(row));
    let pairs = through.flat_map(|through| {
        let below = others.iter().copied().filter(move |other| is_below(through, other) && is_lone(other));
        below.filter_map(move |below| Some((through, through.latency_ns()?, below.latency_ns()?)))
    });
    let (_, loaded, alone) = pairs.max_by(|a, b| (a.1 / a.2).total_cmp(&(b.1 / b.2)))?;
    Symptom::software_latency(loaded, alone)
}
