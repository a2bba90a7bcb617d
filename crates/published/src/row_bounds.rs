//! How close a row came to each bound that was known, and to what the device below it does.

use fathom_attribute::evidence::Feature;
use fathom_attribute::symptoms::{BoundKey, ComparedRow, Symptom, tightest};
use fathom_attribute::{Bound, BoundKind, Nearness, ReachedBound, limit_of, printed};
use fathom_record::verdict::{Ceiling, Limit};
use fathom_record::{CeilingRate, CeilingScope, Direction, KnownCeiling};
use fathom_tools::result_audit::throughput_units;

use super::difference::Property;
use super::inferred_answers::stated;
use super::published_table::{BoundUnit, PublishedCeiling, PublishedTable};
use super::{PublishedRow, underlying_device};

/// Who says so of a bound that stands in the table.
const STATED: &str = "stated with the results";

/// A bound on a row.
#[derive(Clone, Debug)]
pub struct RowBound {
    /// In the record's form.
    pub known: KnownCeiling,
    /// The bound over all volumes and connections, in the unit that the row has.
    pub share: f64,
    /// In operations, where the row has a size.
    pub operations_per_s: Option<f64>,
    /// What a reader calls it.
    pub name: String,
    /// Operations above the sustained rate that it allows.
    pub credits: Option<f64>,
    /// What has one of these each.
    pub each: Option<BoundUnit>,
}

impl RowBound {
    /// What reaching it means.
    pub fn limit(&self) -> Limit {
        if self.each == Some(BoundUnit::Core) { Limit::OneCore } else { limit_of(&self.known) }
    }

    /// How near the row came to it.
    pub fn nearness(&self) -> Nearness {
        Nearness::of(self.share)
    }

    /// The row against it, as a symptom.
    fn symptom(&self, feature: Feature) -> Option<Symptom> {
        let bound = ReachedBound {
            share: self.share,
            error_share: 0.0,
            figure: figure(&self.known),
            name: &self.name,
        };
        Symptom::reached_as_stated(feature, &bound)
    }
}

/// Every bound that holds for a row, with the share that it reached. What was given beside the table holds where
/// the table has no such bound of its own.
pub fn reached(row: &PublishedRow, table: &PublishedTable) -> Vec<RowBound> {
    let own: Vec<&PublishedCeiling> = table.ceilings.iter().filter(|ceiling| holds(row, ceiling)).collect();
    let given = table.given.iter().filter(|known| !own.iter().any(|ceiling| is_such(ceiling, known)));
    let of_given = given.filter_map(|known| one(row, &as_stated(known), &known.source));
    own.iter().filter_map(|ceiling| one(row, ceiling, STATED)).chain(of_given).collect()
}

/// Whether a bound is one on a row.
fn holds(row: &PublishedRow, ceiling: &PublishedCeiling) -> bool {
    ceiling.side.as_ref().is_none_or(|side| *side == row.side)
        && ceiling.host.as_ref().is_none_or(|host| Some(host) == row.host.as_ref())
}

/// Whether a table's bound bounds what a given one does.
fn is_such(ceiling: &PublishedCeiling, known: &KnownCeiling) -> bool {
    ceiling.scope == known.scope
        && ceiling.direction == known.direction
        && ceiling.burst == known.burst
        && ceiling.iops.is_some() == matches!(known.rate, CeilingRate::Iops { .. })
}

/// A given bound as a table would state it.
fn as_stated(known: &KnownCeiling) -> PublishedCeiling {
    let (iops, throughput) = match known.rate {
        CeilingRate::Iops { operations_per_s } => (Some(operations_per_s), None),
        CeilingRate::Throughput { bytes_per_s } => (None, Some(bytes_per_s)),
    };
    PublishedCeiling {
        name: named(known),
        iops,
        throughput,
        unit: throughput.map(|_| "B/s".to_owned()),
        scope: known.scope,
        direction: known.direction,
        burst: known.burst,
        ..PublishedCeiling::default()
    }
}

/// What a reader calls a given bound; its figure stands beside it.
fn named(known: &KnownCeiling) -> String {
    let what = match known.rate {
        CeilingRate::Iops { .. } => "IOPS",
        CeilingRate::Throughput { .. } => "throughput",
    };
    let direction = known.direction.map_or(String::new(), |direction| format!(" of {}s", direction.name()));
    let burst = if known.burst { " while credits last" } else { "" };
    format!("the {}'s {what}{direction}{burst}", known.scope.name())
}

/// Whether a given bound holds for a row.
pub fn is_applied(row: &PublishedRow, table: &PublishedTable, known: &KnownCeiling) -> bool {
    let mut own = table.ceilings.iter().filter(|ceiling| holds(row, ceiling));
    !own.any(|ceiling| is_such(ceiling, known)) && one(row, &as_stated(known), &known.source).is_some()
}

/// Whether one of the table's bounds says something of a row.
pub fn bears_on(row: &PublishedRow, ceiling: &PublishedCeiling) -> bool {
    holds(row, ceiling) && one(row, ceiling, STATED).is_some()
}

fn one(row: &PublishedRow, ceiling: &PublishedCeiling, source: &str) -> Option<RowBound> {
    let times = match ceiling.each {
        None => 1.0,
        Some(BoundUnit::Device) => row.devices?,
        Some(BoundUnit::Connection) => row.connections?,
        Some(BoundUnit::Core) => row.cores?,
        Some(BoundUnit::Host) => row.hosts()?,
    };
    let direction = match ceiling.direction {
        None => 1.0,
        Some(Direction::Read) => row.read_share()?,
        Some(Direction::Write) => 1.0 - row.read_share()?,
        Some(_) => return None,
    };
    let direction = direction * copies(row, ceiling);
    let (rate, share, operations_per_s) = match ceiling.iops {
        Some(iops) => {
            let bound = iops * times;
            let rate = CeilingRate::Iops { operations_per_s: bound };
            (rate, row.operations_per_s()? * direction / bound, Some(bound))
        }
        None => {
            let bound = ceiling.throughput?
                * throughput_units::bytes_per_s(ceiling.unit.as_deref()?)?
                * times
                * payload(ceiling, row.mtu);
            let bytes_per_s = moved(row, ceiling)?;
            let operations = row.operations_per_s().map(|rate| bound * rate / bytes_per_s);
            (CeilingRate::Throughput { bytes_per_s: bound }, bytes_per_s * direction / bound, operations)
        }
    };
    let known = KnownCeiling {
        rate,
        scope: ceiling.scope,
        direction: ceiling.direction,
        burst: ceiling.burst,
        source: source.to_owned(),
    };
    let is_usable = share.is_finite() && share > 0.0;
    is_usable.then(|| RowBound {
        known,
        share,
        operations_per_s,
        name: ceiling.name.clone(),
        credits: ceiling.credits,
        each: ceiling.each,
    })
}

/// How often a device writes what was asked for: each copy counts against what devices do, and no other bound.
fn copies(row: &PublishedRow, ceiling: &PublishedCeiling) -> f64 {
    match row.copies.filter(|_| row.read_share().is_some()) {
        Some(copies) if ceiling.scope == CeilingScope::Device => {
            let is_of_writes = ceiling.direction == Some(Direction::Write);
            if is_of_writes { copies } else { row.written_times() }
        }
        _ => 1.0,
    }
}

/// Bytes that count against a bound: of the memory its own traffic, where that is stated.
fn moved(row: &PublishedRow, ceiling: &PublishedCeiling) -> Option<f64> {
    let traffic = row.memory_gb_s.filter(|_| ceiling.scope == CeilingScope::Memory);
    traffic.map(|rate| rate * 1e9).or_else(|| row.bytes_per_s())
}

/// What a network carries of a rate that is stated in bits: the line's. Of a frame's largest packet 52 bytes are headers
/// of IP and TCP with time stamps, and 38 more are on the wire (RFC 894, RFC 7323): 1448 of 1538 with the usual 1500;
/// where the size is not stated, larger frames carry up to 5 % more.
fn payload(ceiling: &PublishedCeiling, mtu: Option<f64>) -> f64 {
    let counts_bits =
        ceiling.unit.as_deref().is_some_and(|unit| unit.ends_with("bit/s") || unit.ends_with("bps"));
    let mtu = mtu.filter(|mtu| *mtu >= 576.0).unwrap_or(1500.0);
    if ceiling.scope == CeilingScope::Link && counts_bits { (mtu - 52.0) / (mtu + 38.0) } else { 1.0 }
}

/// The bounds in the form that a verdict keeps.
pub fn bounds(reached: &[RowBound]) -> Vec<Bound> {
    let bound = |found: &RowBound| {
        Some(Bound {
            kind: BoundKind::Known { scope: found.known.scope, burst: found.known.burst },
            ceiling: Ceiling {
                name: found.name.clone(),
                limit: found.limit(),
                operations_per_s: found.operations_per_s?,
                source: found.known.source.clone(),
                reached_share: found.share,
            },
        })
    };
    reached.iter().filter_map(bound).collect()
}

/// Symptoms of the bounds, of rows of the device below, and of credits.
pub fn seen(row: &PublishedRow, others: &[&PublishedRow], reached: &[RowBound]) -> Vec<Symptom> {
    let mut found: Vec<Symptom> = [
        Feature::VolumeIops,
        Feature::VolumeThroughput,
        Feature::Instance,
        Feature::Sustained,
        Feature::LinkUse,
        Feature::MemoryUse,
        Feature::BusUse,
        Feature::CoreUse,
    ]
    .into_iter()
    .filter_map(|feature| of_feature(feature, reached))
    .collect();
    found.extend(device_rate(row, others, reached));
    found.extend(connection_use(reached));
    found.extend(underlying_device::software_latency(row, others));
    found
}

fn of_feature(feature: Feature, all: &[RowBound]) -> Option<Symptom> {
    let mine = all.iter().filter(|found| feature_of(found, all) == feature);
    tightest(mine, feature, |found: &RowBound| found.share)?.symptom(feature)
}

/// The rate over the limits of all connections together.
fn connection_use(reached: &[RowBound]) -> Option<Symptom> {
    let of_each = reached.iter().filter(|found| found.each == Some(BoundUnit::Connection));
    let nearest = of_each.max_by(|a, b| a.share.total_cmp(&b.share))?;
    Symptom::connection_use(nearest.share, &nearest.name)
}

fn feature_of(found: &RowBound, all: &[RowBound]) -> Feature {
    let counts_operations = matches!(found.known.rate, CeilingRate::Iops { .. });
    let has_burst = all.iter().any(|other| {
        other.known.burst
            && other.known.scope == found.known.scope
            && matches!(other.known.rate, CeilingRate::Iops { .. }) == counts_operations
    });
    let scope = match found.known.scope {
        // What is carried did not come over a link that it is above: it is compared with that as with a device.
        CeilingScope::Link | CeilingScope::Bus if found.share > PASSED => CeilingScope::Device,
        scope => scope,
    };
    let is_sustained = has_burst && !found.known.burst;
    match found.each {
        Some(BoundUnit::Core) => Feature::CoreUse,
        _ => BoundKey { scope, counts_operations, is_sustained }.feature(),
    }
}

/// Share of a link or bus from which on what is carried did not come over it: more than frames and rounding explain.
const PASSED: f64 = 1.2;

/// The rate over what the device is specified to do, or was seen to do by itself.
fn device_rate(row: &PublishedRow, others: &[&PublishedRow], reached: &[RowBound]) -> Option<Symptom> {
    let specified = reached.iter().filter(|found| feature_of(found, reached) == Feature::DeviceRate);
    let specified = specified.min_by(|a, b| a.share.total_cmp(&b.share));
    let below = underlying_device::nearest(row, others);
    // What a device can do is the most that it was seen to do.
    match (specified, below) {
        (Some(found), below) if below.as_ref().is_none_or(|below| found.share <= below.moved) => {
            found.symptom(Feature::DeviceRate)
        }
        (_, below) => {
            let below = below?;
            let (rate, name) = (stated(below.row), below.row.subject());
            let has_copies = below.moved > below.share;
            Symptom::device_below(below.moved, has_copies, &ComparedRow { rate: &rate, name: &name })
        }
    }
}

/// When the rate fell over when the credits should have ended; the first phase must be above the sustained rate.
pub fn credit_time(row: &PublishedRow, earlier: &[&PublishedRow], reached: &[RowBound]) -> Option<Symptom> {
    let credits = reached.iter().find_map(|found| found.credits).filter(|credits| *credits > 0.0)?;
    let sustained = reached.iter().find(|found| feature_of(found, reached) == Feature::Sustained)?;
    let before = earlier.iter().find(|other| super::difference::only(row, other) == Some(Property::Phase))?;
    let excess = before.operations_per_s()? - sustained.operations_per_s?;
    let (minutes, predicted) = (row.minutes.filter(|minutes| *minutes > 0.0)?, credits / excess / 60.0);
    if excess <= 0.0 {
        return None;
    }
    Symptom::credit_time((minutes, predicted), &stated(before), &figure(&sustained.known))
}

/// Where a rate fell when the credits ended, and to more than they leave: why burst credits are not named.
pub fn more_than_left(
    row: &PublishedRow,
    earlier: &[&PublishedRow],
    table: &PublishedTable,
) -> Option<String> {
    /// Furthest above what providers enforce a little more of than they sell.
    const MORE: f64 = 1.15;
    /// How far the time of a drop may be from the time that the credits last, on the logarithm's scale.
    const ON_TIME: f64 = 0.3;
    let reached = reached(row, table);
    let fell = credit_time(row, earlier, &reached).filter(|seen| seen.figure.value.abs() <= ON_TIME)?;
    let left = reached.iter().find(|found| feature_of(found, &reached) == Feature::Sustained)?;
    (left.share > MORE).then(|| {
        format!(
            "{} Burst credits explain that time, but {} is {} what they leave, {} ({}): look for the true baseline, or for what else than the volume answered.",
            fell.text,
            stated(row),
            printed::times(left.share),
            figure(&left.known),
            left.name
        )
    })
}

fn figure(known: &KnownCeiling) -> String {
    match known.rate {
        CeilingRate::Iops { operations_per_s } => printed::iops(operations_per_s),
        CeilingRate::Throughput { bytes_per_s } => printed::throughput(bytes_per_s),
    }
}
