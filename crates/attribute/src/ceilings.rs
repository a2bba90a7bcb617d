//! Upper bounds on the rate, and how close it came to each.

use fathom_record::CeilingRate;
use fathom_record::verdict::{Ceiling, Limit};
use fathom_record::workload::Addresses;

use crate::input::Pattern;
use crate::shape::Shape;
use crate::thresholds::{CREEPS, REACHED};
use crate::words;

/// What a bound is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// I/Os in flight over the unloaded latency.
    InFlight,
    /// A declared limit.
    Declared(CeilingRate),
    /// A limit of a throttle that fathom itself put before the target.
    Throttle(CeilingRate),
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
    pub kind: Kind,
    pub ceiling: Ceiling,
}

impl Bound {
    /// Whether the rate came close enough for it to be what binds.
    pub fn is_reached(&self) -> bool {
        self.ceiling.reached_share >= REACHED
    }

    /// `97 % (95 % interval 96 % to 98 %) of the 3000 IOPS`, without an interval too narrow to show.
    pub fn reached(&self, shape: &Shape<'_>) -> String {
        let share = self.ceiling.reached_share;
        let bound = words::iops(self.ceiling.operations_per_s);
        if share >= 2.0 {
            return format!("{} the {bound}", words::times(share));
        }
        let error = shape.error_share();
        let low = words::percent(share * (1.0 - error).max(0.0));
        let high = words::percent(share * (1.0 + error));
        if low == high {
            format!("{} of the {bound}", words::percent(share))
        } else {
            format!("{} (95 % interval {low} to {high}) of the {bound}", words::percent(share))
        }
    }
}

/// Mean bytes of an I/O: as measured where the cell says so, otherwise as asked for.
pub fn mean_bytes(pattern: &Pattern<'_>, shape: &Shape<'_>) -> f64 {
    let measured = shape.cell.throughput_bytes_per_s / shape.focus.x_per_s;
    let (mix, sizes) = (&pattern.workload.mix, &pattern.workload.sizes);
    let asked = mix.read_share * sizes.read.mean_bytes()
        + mix.write_share() * sizes.write.mean_bytes()
        + mix.trim_share * sizes.trim.mean_bytes();
    if (1.0..1e12).contains(&measured) { measured } else { asked }
}

/// Every bound that is known for the cell in question.
pub fn bounds(pattern: &Pattern<'_>, shape: &Shape<'_>) -> Vec<Bound> {
    let x_per_s = shape.focus.x_per_s;
    let mut found = Vec::new();
    let mut push = |kind, limit, name: String, operations_per_s: f64, source: String| {
        let reached_share = x_per_s / operations_per_s;
        if operations_per_s.is_finite() && operations_per_s > 0.0 && reached_share.is_finite() {
            let ceiling = Ceiling { name, limit, operations_per_s, source, reached_share };
            found.push(Bound { kind, ceiling });
        }
    };
    for throttle in throttles(pattern) {
        let (name, operations_per_s, _) = declared_bound(&throttle, mean_bytes(pattern, shape));
        let name = name.replace("declared", "throttle's");
        let source = "put before the target by --throttle".to_owned();
        push(Kind::Throttle(throttle), limit_of(&throttle), name, operations_per_s, source);
    }
    for known in pattern.known {
        let declared = known.rate;
        let (name, operations_per_s, source) = declared_bound(&declared, mean_bytes(pattern, shape));
        push(Kind::Declared(declared), limit_of(&declared), name, operations_per_s, source);
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
            let source = format!("derived: {what} {} of the time at this rate", words::percent(busy));
            push(kind, limit, name.to_owned(), x_per_s / busy, source);
        }
    };
    let cores = shape.mean_core().filter(|_| shape.telemetry.core_busy_shares.len() > 1);
    let generator = shape.telemetry.generator_busy_share;
    full(Kind::BusiestCore, Limit::OneCore, "busiest processor", shape.busiest_core(), "it was busy");
    full(Kind::AllCores, Limit::AllCores, "all processors", cores, "they were busy");
    full(Kind::Generator, Limit::Generator, "generator threads", generator, "they worked");
    if let Some(plateau) = &shape.plateau {
        let source = format!(
            "measured: constant from {} to {} I/Os in flight",
            words::count(plateau.from_in_flight),
            words::count(plateau.to_in_flight)
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

/// The limits of the throttle that the target was measured behind.
fn throttles(pattern: &Pattern<'_>) -> Vec<CeilingRate> {
    let Some(decorated) = &pattern.target.decorated else { return Vec::new() };
    let iops = decorated.operations_per_s.map(|operations_per_s| CeilingRate::Iops { operations_per_s });
    let bytes = decorated.bytes_per_s.map(|bytes_per_s| CeilingRate::Throughput { bytes_per_s });
    iops.into_iter().chain(bytes).collect()
}

fn limit_of(rate: &CeilingRate) -> Limit {
    match rate {
        CeilingRate::Iops { .. } => Limit::VolumeIops,
        CeilingRate::Throughput { .. } => Limit::VolumeThroughput,
    }
}

fn declared_bound(declared: &CeilingRate, mean_bytes: f64) -> (String, f64, String) {
    match *declared {
        CeilingRate::Iops { operations_per_s } => {
            ("declared IOPS".to_owned(), operations_per_s, "declared by the user".to_owned())
        }
        CeilingRate::Throughput { bytes_per_s } => (
            "declared throughput".to_owned(),
            bytes_per_s / mean_bytes,
            format!(
                "declared by the user: {} at {} an I/O",
                words::throughput(bytes_per_s),
                fathom_measure::Bytes(mean_bytes as u64)
            ),
        ),
    }
}

fn in_flight_source(pattern: &Pattern<'_>, shape: &Shape<'_>, unloaded_ns: f64) -> String {
    let basis = format!(
        "derived: {} in flight, {} at one job, depth 1",
        words::count(shape.focus.in_flight),
        words::time(unloaded_ns)
    );
    if is_sequential(pattern) {
        format!("{basis}; read-ahead and write merging may flatter a sequential latency at depth 1")
    } else {
        basis
    }
}

/// Whether the device can foresee the next address.
pub fn is_sequential(pattern: &Pattern<'_>) -> bool {
    matches!(
        pattern.workload.addresses,
        Addresses::Sequential
            | Addresses::Interlocked
            | Addresses::Strided { .. }
            | Addresses::Laps { jump_share: 0.0, .. }
    )
}
