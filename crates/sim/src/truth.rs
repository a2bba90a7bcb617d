//! What a right measurement of a simulated device must find, in closed form.
//!
//! All figures are for one direction and size, on offsets that are multiples of the size, evenly
//! spread for random access; service times of any shape count by their mean. Asymptotic bounds:
//! Lazowska et al., *Quantitative System Performance*, chapter 5.

use fathom_record::Direction;
use fathom_record::options::{ByteLimit, OperationLimit};

use super::parameters::SimParameters;

/// How offsets follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No I/O continues another.
    Random,
    /// Each I/O continues another.
    Sequential,
}

/// State of credits and write cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// Credits left, and room in the write cache.
    Burst,
    /// Credits spent, and the write cache full.
    Sustained,
}

/// What can bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// A lock of the software, held by one job alone; see [`Truth::lock_per_s`].
    Lock,
    /// I/Os served at the same time, over their service time.
    Servers,
    /// I/Os held at the same time, over their latency.
    Tags,
    /// The volume's limit on operations.
    Operations,
    /// The volume's limit on bytes.
    Throughput,
    /// The instance's limit on operations.
    InstanceOperations,
    /// The instance's limit on bytes.
    InstanceThroughput,
    /// The wire.
    Link,
    /// The medium behind a full write cache.
    Drain,
}

/// An upper bound on the rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// What sets it.
    pub resource: Resource,
    /// In operations per second of the size asked about.
    pub operations_per_s: f64,
}

/// Truths of one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    parameters: SimParameters,
}

/// Sizes that a write turns into, on average.
struct Rewriting {
    touched_bytes: f64,
    read_units: f64,
    reads_first_share: f64,
}

impl Truth {
    /// Truths of the device that these parameters make.
    pub fn new(parameters: SimParameters) -> Self {
        Self { parameters }
    }

    /// Mean latency of a single I/O on the idle device (R1), outside stalls and limits, with room in
    /// the write cache.
    pub fn unloaded_mean_ns(&self, direction: Direction, access: Access, bytes: u64) -> f64 {
        let p = &self.parameters;
        let moved = if moves_data(direction) { bytes as f64 } else { 0.0 };
        let link =
            p.link.map_or(0.0, |link| moved / link.bytes_per_s as f64 * 1e9 + link.round_trip_ns as f64);
        let lock = p.lock.map_or(0.0, |lock| lock.hold_ns as f64);
        lock + (p.cpu_ns + p.base_latency_ns) as f64 + link + self.server_mean_ns(direction, access, bytes)
    }

    /// Mean time for which an I/O keeps a server busy.
    pub fn server_mean_ns(&self, direction: Direction, access: Access, bytes: u64) -> f64 {
        let p = &self.parameters;
        let work_ns = |direction, bytes: f64| {
            let work = p.work(direction);
            let stream = work.stream_bytes_per_s.map_or(0.0, |rate| bytes / rate as f64 * 1e9);
            work.time.mean_ns() as f64 + stream
        };
        if !moves_data(direction) {
            return work_ns(direction, 0.0);
        }
        let positioning = match access {
            Access::Random => p.positioning.map_or(0.0, |time| time.mean_ns() as f64),
            Access::Sequential => 0.0,
        };
        let unit = p.indirection_unit_bytes.unwrap_or(1);
        let rewrites = direction == Direction::Write && access == Access::Random && p.write_cache.is_none();
        if !rewrites || unit == 1 {
            return positioning + work_ns(direction, bytes as f64);
        }
        let rewriting = rewriting(unit, bytes);
        let stream_read_ns = work_ns(Direction::Read, rewriting.read_units * unit as f64)
            - p.read.time.mean_ns() as f64 * (1.0 - rewriting.reads_first_share);
        positioning + work_ns(Direction::Write, rewriting.touched_bytes) + stream_read_ns
    }

    /// Bytes that the medium writes for each byte written.
    pub fn write_amplification(&self, access: Access, bytes: u64) -> f64 {
        let p = &self.parameters;
        if access == Access::Sequential || bytes == 0 {
            return 1.0;
        }
        let unit = p.indirection_unit_bytes.unwrap_or(1);
        let touched = if unit > 1 { rewriting(unit, bytes).touched_bytes } else { bytes as f64 };
        touched / bytes as f64 * p.write_cache.map_or(1.0, |cache| cache.random_amplification)
    }

    /// Every upper bound on the rate that does not depend on the I/Os in flight.
    pub fn bounds(&self, direction: Direction, access: Access, bytes: u64, regime: Regime) -> Vec<Bound> {
        let p = &self.parameters;
        let mut bounds = Vec::new();
        let mut add = |resource, operations_per_s: f64| bounds.push(Bound { resource, operations_per_s });
        if let Some(rate) = self.lock_per_s(1) {
            add(Resource::Lock, rate);
        }
        let service_ns = self.server_mean_ns(direction, access, bytes);
        if service_ns > 0.0 {
            let working_share = 1.0 - self.stalled_share();
            add(Resource::Servers, f64::from(p.servers) / service_ns * 1e9 * working_share);
        }
        let latency_ns = self.unloaded_mean_ns(direction, access, bytes);
        if let Some(tags) = p.tags
            && latency_ns > 0.0
        {
            add(Resource::Tags, f64::from(tags) / latency_ns * 1e9);
        }
        let (operations, charged_bytes) = self.charges(direction, access, bytes);
        let instance = p.instance.as_ref();
        for (resource, limit) in [
            (Resource::Operations, p.operations),
            (Resource::InstanceOperations, instance.and_then(|instance| instance.operations)),
        ] {
            if let Some(rate) =
                limit.and_then(|limit| operations_per_s(&limit, regime)).filter(|_| operations > 0.0)
            {
                add(resource, rate as f64 / operations);
            }
        }
        for (resource, limit) in [
            (Resource::Throughput, p.throughput),
            (Resource::InstanceThroughput, instance.and_then(|instance| instance.throughput)),
        ] {
            if let Some(rate) =
                limit.and_then(|limit| bytes_per_s(&limit, regime)).filter(|_| charged_bytes > 0.0)
            {
                add(resource, rate as f64 / charged_bytes);
            }
        }
        if let Some(link) = p.link
            && moves_data(direction)
            && bytes > 0
        {
            add(Resource::Link, link.bytes_per_s as f64 / bytes as f64);
        }
        if let (Some(cache), Direction::Write, Regime::Sustained) = (p.write_cache, direction, regime)
            && bytes > 0
        {
            let medium = bytes as f64 * self.write_amplification(access, bytes);
            add(Resource::Drain, cache.drain_bytes_per_s as f64 / medium);
        }
        bounds
    }

    /// The least of the [`bounds`](Self::bounds): the highest rate at any concurrency. `None` for an
    /// I/O that takes no time and no limit covers.
    pub fn maximum(&self, direction: Direction, access: Access, bytes: u64, regime: Regime) -> Option<Bound> {
        let bounds = self.bounds(direction, access, bytes, regime);
        bounds.into_iter().min_by(|a, b| a.operations_per_s.total_cmp(&b.operations_per_s))
    }

    /// Upper bound on the rate of a closed loop with so many I/Os in flight: the lesser of N/R1 and
    /// the maximum. Reached where service times are constant, or far from where the two meet.
    pub fn closed_loop_per_s(
        &self,
        direction: Direction,
        access: Access,
        bytes: u64,
        regime: Regime,
        in_flight: f64,
    ) -> f64 {
        let latency_bound = in_flight / self.unloaded_mean_ns(direction, access, bytes) * 1e9;
        let maximum = self.maximum(direction, access, bytes, regime);
        maximum.map_or(latency_bound, |bound| bound.operations_per_s.min(latency_bound))
    }

    /// Rate that the lock lets through with so many jobs that all contend for it. `None` without a lock.
    pub fn lock_per_s(&self, jobs: u32) -> Option<f64> {
        let lock = self.parameters.lock?;
        let others = f64::from(jobs.saturating_sub(1));
        let held_ns = lock.hold_ns as f64 + others * lock.handover_ns as f64;
        (held_ns > 0.0).then_some(1e9 / held_ns)
    }

    /// Seconds for which the volume's credits on operations last at a steady rate, B / (x - r);
    /// `None` without credits, or at a rate that can be sustained. `rate` counts accounted operations.
    pub fn operation_burst_s(&self, rate_per_s: f64) -> Option<f64> {
        let limit = self.parameters.operations?;
        lasts_s(limit.balance_operations, rate_per_s - limit.operations_per_s as f64)
    }

    /// Seconds for which the volume's credits on bytes last at a steady throughput.
    pub fn byte_burst_s(&self, bytes_per_s: f64) -> Option<f64> {
        let limit = self.parameters.throughput?;
        lasts_s(limit.balance_bytes, bytes_per_s - limit.bytes_per_s as f64)
    }

    /// Share of the time in which nothing is served.
    fn stalled_share(&self) -> f64 {
        self.parameters.stalls.map_or(0.0, |stalls| stalls.length_ns as f64 / stalls.every_ns as f64)
    }

    /// Accounted operations and bytes of one I/O.
    fn charges(&self, direction: Direction, access: Access, bytes: u64) -> (f64, f64) {
        let accounting = &self.parameters.accounting;
        match direction {
            Direction::Flush => (0.0, 0.0),
            Direction::Trim => (1.0, 0.0),
            Direction::Read | Direction::Write => {
                let merges = access == Access::Sequential && accounting.merge_sequential;
                let operations = match accounting.unit_bytes {
                    Some(unit) if merges => bytes as f64 / unit as f64,
                    Some(unit) => bytes.div_ceil(unit).max(1) as f64,
                    None => 1.0,
                };
                let least = if access == Access::Random { accounting.least_random_bytes } else { 0 };
                (operations, bytes.max(least) as f64)
            }
        }
    }
}

fn moves_data(direction: Direction) -> bool {
    matches!(direction, Direction::Read | Direction::Write)
}

fn lasts_s(tokens: u64, spending_per_s: f64) -> Option<f64> {
    (tokens > 0 && spending_per_s > 0.0).then(|| tokens as f64 / spending_per_s)
}

/// A write of `bytes` at a random multiple of `bytes`, on a medium of `unit` bytes. With g the
/// greatest common divisor, offsets within a unit are even over the multiples of g.
fn rewriting(unit: u64, bytes: u64) -> Rewriting {
    let (mut g, mut rest) = (unit, bytes);
    while rest > 0 {
        (g, rest) = (rest, g % rest);
    }
    let (u, b, g) = (unit as f64, bytes as f64, g as f64);
    let units = 1.0 + (b - g) / u;
    let partly = 1.0 - g / u;
    let both_in_one = (u - b - g).max(0.0) / u;
    let reads_first_share = if bytes.is_multiple_of(unit) { 0.0 } else { 1.0 };
    Rewriting { touched_bytes: units * u, read_units: 2.0 * partly - both_in_one, reads_first_share }
}

/// The rate that a limit allows; `None` where it does not bind.
fn operations_per_s(limit: &OperationLimit, regime: Regime) -> Option<u64> {
    match regime {
        Regime::Burst if limit.balance_operations > 0 => limit.peak_operations_per_s,
        _ => Some(limit.operations_per_s),
    }
}

/// The throughput that a limit allows; `None` where it does not bind.
fn bytes_per_s(limit: &ByteLimit, regime: Regime) -> Option<u64> {
    match regime {
        Regime::Burst if limit.balance_bytes > 0 => limit.peak_bytes_per_s,
        _ => Some(limit.bytes_per_s),
    }
}
