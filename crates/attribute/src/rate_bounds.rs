//! Upper bounds on the rate, and how close it came to each.

use fathom_record::verdict::{Ceiling, Limit};
use fathom_record::{CeilingRate, CeilingScope, Direction, KnownCeiling};

use crate::curve_shape::CurveShape;
use crate::input::MeasuredPattern;
use crate::nearness::{Nearness, ReachedBound};
use crate::printed;
use crate::thresholds::CREEPS;

/// What a bound is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// I/Os in flight over the unloaded latency.
    InFlight,
    /// A limit that was known before.
    Known {
        /// Whose it is.
        scope: CeilingScope,
        /// Whether it holds only while there are credits.
        burst: bool,
    },
    /// The busiest processor at full time.
    BusiestCore,
    /// All processors at full time.
    AllCores,
    /// The generator's threads at full time.
    Generator,
    /// The rate of a plateau.
    Plateau,
    /// Where the curve's bend leads to.
    Saturation,
}

/// One bound.
#[derive(Clone, Debug)]
pub struct Bound {
    /// What it is made from.
    pub kind: Kind,
    /// For the record.
    pub ceiling: Ceiling,
}

impl Bound {
    /// Whether the rate came close enough for it to be what binds, and not above it.
    pub fn binds(&self) -> bool {
        self.nearness().is_at()
    }

    /// How near the rate came.
    pub(crate) fn nearness(&self) -> Nearness {
        Nearness::of(self.ceiling.reached_share)
    }

    /// The same with the rate's interval, for sentences.
    pub(crate) fn reached(&self, shape: &CurveShape<'_>) -> ReachedBound<'_> {
        ReachedBound {
            share: self.ceiling.reached_share,
            error_share: shape.error_share(),
            figure: printed::iops(self.ceiling.operations_per_s),
            name: &self.ceiling.name,
        }
    }
}

/// Mean bytes of an I/O: as measured where the cell says so, otherwise as asked for.
pub fn mean_bytes(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> f64 {
    let measured = shape.cell.throughput_bytes_per_s / shape.focus.x_per_s;
    let (mix, sizes) = (&pattern.workload.mix, &pattern.workload.sizes);
    let asked = mix.read_share * sizes.read.mean_bytes()
        + mix.write_share() * sizes.write.mean_bytes()
        + mix.trim_share * sizes.trim.mean_bytes();
    if (1.0..1e12).contains(&measured) { measured } else { asked }
}

/// Every bound that is known for the cell in question.
pub fn bounds(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> Vec<Bound> {
    let x_per_s = shape.focus.x_per_s;
    let mut found = Vec::new();
    let mut push = |kind, limit, name: String, operations_per_s: f64, source: String| {
        let reached_share = x_per_s / operations_per_s;
        if (1e-9..=1e18).contains(&operations_per_s) && (0.0..=1e12).contains(&reached_share) {
            let ceiling = Ceiling { name, limit, operations_per_s, source, reached_share };
            found.push(Bound { kind, ceiling });
        }
    };
    let mean_bytes = mean_bytes(pattern, shape);
    let throttles = throttles(pattern);
    for known in throttles.iter().chain(pattern.known) {
        let Some((operations_per_s, source)) = in_operations(pattern, known, mean_bytes) else { continue };
        let kind = Kind::Known { scope: known.scope, burst: known.burst };
        push(kind, limit_of(known), in_words(known), operations_per_s, source);
    }
    if let Some(unloaded) = shape.unloaded {
        let operations_per_s = shape.focus.in_flight / unloaded.r_ns * 1e9;
        push(
            Kind::InFlight,
            Limit::Concurrency,
            "I/Os in flight over unloaded latency".to_owned(),
            operations_per_s,
            in_flight_source(pattern, shape, unloaded.r_ns),
        );
    }
    let mut full = |kind, limit, name: &str, busy: Option<f64>, what: &str| {
        if let Some(busy) = busy {
            let source = format!("derived: {what} {} of the time at this rate", printed::percent(busy));
            push(kind, limit, name.to_owned(), x_per_s / busy, source);
        }
    };
    let cores = shape.mean_core().filter(|_| shape.telemetry.core_busy_shares.len() > 1);
    let generator = shape.telemetry.generator_busy_share;
    full(Kind::BusiestCore, Limit::OneCore, "busiest CPU core", shape.busiest_core(), "it was busy");
    full(Kind::AllCores, Limit::AllCores, "all CPUs", cores, "they were busy");
    full(Kind::Generator, Limit::Generator, "generator threads", generator, "they worked");
    if let Some(plateau) = &shape.plateau {
        let source = format!(
            "measured: constant from {} to {} I/Os in flight",
            printed::count(plateau.from_in_flight),
            printed::count(plateau.to_in_flight)
        );
        push(Kind::Plateau, Limit::RateCap, "measured plateau".to_owned(), plateau.x_per_s, source);
    } else if let Some(growth) = shape.growth.filter(|growth| *growth <= CREEPS) {
        push(
            Kind::Saturation,
            Limit::DeviceParallelism,
            "where the curve leads".to_owned(),
            // On X = Xm N / (N + h) the growth dlnX / dlnN is exactly 1 - X / Xm; sharper bends end lower.
            x_per_s / (1.0 - growth.max(0.0)),
            "derived: from the bend of rate over concurrency".to_owned(),
        );
    }
    found
}

/// Who set the limits of a throttle that the target was measured behind.
pub const THROTTLE: &str = "put before the target by --throttle";

fn throttles(pattern: &MeasuredPattern<'_>) -> Vec<KnownCeiling> {
    let Some(decorated) = &pattern.target.decorated else { return Vec::new() };
    let iops = decorated.operations_per_s.map(|operations_per_s| CeilingRate::Iops { operations_per_s });
    let bytes = decorated.bytes_per_s.map(|bytes_per_s| CeilingRate::Throughput { bytes_per_s });
    let throttle = |rate| KnownCeiling { source: THROTTLE.to_owned(), ..KnownCeiling::declared(rate) };
    iops.into_iter().chain(bytes).map(throttle).collect()
}

/// What reaching a bound means.
pub fn limit_of(known: &KnownCeiling) -> Limit {
    match (known.scope, known.rate) {
        (CeilingScope::Volume, CeilingRate::Iops { .. }) => Limit::VolumeIops,
        (CeilingScope::Volume, CeilingRate::Throughput { .. }) => Limit::VolumeThroughput,
        (CeilingScope::Instance, _) => Limit::InstanceCap,
        (CeilingScope::Link, _) => Limit::Link,
        (CeilingScope::Device, _) => Limit::DeviceParallelism,
        (CeilingScope::Memory, _) => Limit::MemoryBandwidth,
        (CeilingScope::Bus, _) => Limit::SharedPath,
    }
}

/// `the volume's 3000 IOPS of reads, burst`.
pub fn in_words(known: &KnownCeiling) -> String {
    let whose = match known.scope {
        _ if known.source == THROTTLE => "the throttle's",
        CeilingScope::Volume => "the volume's",
        CeilingScope::Instance => "the instance's",
        CeilingScope::Link => "the link's",
        CeilingScope::Device => "the device's",
        CeilingScope::Memory => "the memory's",
        CeilingScope::Bus => "the bus's",
    };
    let figure = match known.rate {
        CeilingRate::Iops { operations_per_s } => printed::iops(operations_per_s),
        CeilingRate::Throughput { bytes_per_s } => printed::throughput(bytes_per_s),
    };
    let direction = known.direction.map_or(String::new(), |direction| format!(" of {}s", direction.name()));
    let burst = if known.burst { ", while credits last" } else { "" };
    format!("{whose} {figure}{direction}{burst}")
}

/// A bound in operations of this workload, and its source; `None` where it bounds none of them.
pub fn in_operations(
    pattern: &MeasuredPattern<'_>,
    known: &KnownCeiling,
    mean_bytes: f64,
) -> Option<(f64, String)> {
    let mix = &pattern.workload.mix;
    let share = match known.direction {
        None => 1.0,
        Some(Direction::Read) => mix.read_share,
        Some(Direction::Write) => mix.write_share(),
        Some(Direction::Trim) => mix.trim_share,
        Some(Direction::Flush) => 0.0,
    };
    if share <= 0.0 {
        return None;
    }
    let (rate, basis) = match known.rate {
        CeilingRate::Iops { operations_per_s } => (operations_per_s, String::new()),
        CeilingRate::Throughput { bytes_per_s } => (
            bytes_per_s / mean_bytes,
            format!(
                ": {} at {} an I/O",
                printed::throughput(bytes_per_s),
                fathom_measure::Bytes(mean_bytes as u64)
            ),
        ),
    };
    Some((rate / share, format!("{}{basis}", known.source)))
}

fn in_flight_source(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>, unloaded_ns: f64) -> String {
    let basis = format!(
        "derived: {} in flight, {} at one job, depth 1",
        printed::count(shape.focus.in_flight),
        printed::time(unloaded_ns)
    );
    if is_foreseeable(pattern) {
        format!("{basis}; read-ahead and write merging may flatter a sequential latency at depth 1")
    } else {
        basis
    }
}

/// Whether the device can foresee the next address.
pub fn is_foreseeable(pattern: &MeasuredPattern<'_>) -> bool {
    pattern.workload.addresses.is_foreseeable()
}
