//! Where the next I/O goes.

mod address_zones;
mod cycle;
mod extent;
mod laps;
mod normal;
mod parts;
mod permutation;
mod sequential;
mod shared_sequence;
mod skewed_addresses;
mod uniform;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fathom_record::workload::Addresses;

use super::Geometry;
use address_zones::ZonedAddresses;
pub(super) use address_zones::zones_of;
use cycle::Cycle;
use laps::Laps;
use normal::Normal;
use parts::Parts;
use sequential::{BackwardAddresses, ForwardAddresses, StridedAddresses};
use shared_sequence::SharedSequence;
use skewed_addresses::SkewedAddresses;
use uniform::UniformAddresses;

/// One job's addresses, as a value that gives the next one.
#[derive(Clone, Debug)]
pub struct AddressPattern(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Cycle(Cycle),
    Independent(UniformAddresses),
    Sequential(ForwardAddresses),
    Strided(StridedAddresses),
    Backwards(BackwardAddresses),
    Parts(Parts),
    Interlocked(SharedSequence),
    Laps(Laps),
    Skewed(SkewedAddresses),
    Normal(Normal),
    Zoned(ZonedAddresses),
}

impl AddressPattern {
    /// The pattern of job number `job` of `jobs`. `seed` is the workload's; `cursor` is the position
    /// that all jobs of a run share, 0 at its start, and used by the interlocked pattern alone.
    ///
    /// A cycle runs over units (see [`Geometry::unit_bytes`]): with one I/O size every byte is covered
    /// once a cycle; with several each unit is a start once a cycle. Each job has its own whole cycle
    /// in its own order. The popular blocks of Zipf and Pareto are the same for all jobs.
    pub fn new(
        addresses: &Addresses,
        geometry: &Geometry,
        (job, jobs): (u32, u32),
        seed: u64,
        cursor: &Arc<AtomicU64>,
    ) -> Self {
        Self(match addresses {
            Addresses::RandomCycle => Kind::Cycle(Cycle::new(geometry, job, seed)),
            // A script says where each I/O goes, before any pattern is asked.
            Addresses::RandomIndependent | Addresses::Traced(_) => {
                Kind::Independent(UniformAddresses::new(geometry, job, seed))
            }
            Addresses::Sequential => Kind::Sequential(ForwardAddresses::new(geometry, job, jobs)),
            Addresses::Interlocked => Kind::Interlocked(SharedSequence::new(geometry, cursor)),
            Addresses::Strided { stride_bytes } => {
                Kind::Strided(StridedAddresses::new(geometry, job, jobs, *stride_bytes))
            }
            Addresses::Backwards { step_bytes } => {
                Kind::Backwards(BackwardAddresses::new(geometry, job, jobs, *step_bytes))
            }
            Addresses::Parts { part_bytes, gap_bytes } => {
                Kind::Parts(Parts::new(geometry, job, jobs, (*part_bytes, *gap_bytes)))
            }
            Addresses::Laps { step_bytes, apart_bytes, jump_share } => {
                Kind::Laps(Laps::new(geometry, job, seed, (*step_bytes, *apart_bytes), *jump_share))
            }
            Addresses::Zipf { exponent } => {
                Kind::Skewed(SkewedAddresses::zipf(geometry, job, seed, *exponent))
            }
            Addresses::Pareto { skew } => Kind::Skewed(SkewedAddresses::pareto(geometry, job, seed, *skew)),
            Addresses::Normal { deviation } => Kind::Normal(Normal::new(geometry, job, seed, *deviation)),
            Addresses::HotSpot(spot) => {
                Kind::Zoned(ZonedAddresses::new(geometry, job, seed, &zones_of(spot)))
            }
            Addresses::Zoned { zones } => Kind::Zoned(ZonedAddresses::new(geometry, job, seed, zones)),
        })
    }

    /// Whether the next I/O jumps; told before it is asked for, so that it may have a size of its own.
    pub fn will_jump(&mut self) -> bool {
        match &mut self.0 {
            Kind::Laps(laps) => laps.will_jump(),
            _ => false,
        }
    }

    /// First byte on the target of the next I/O: a multiple of the block, and `bytes`, at most the
    /// geometry's largest I/O, from there on lie within the span.
    #[inline]
    pub fn next(&mut self, bytes: u32) -> u64 {
        // Three cases are compared one by one; more would become a jump through a table, which a busy
        // sibling thread makes the processor mispredict.
        match &mut self.0 {
            Kind::Cycle(cycle) => cycle.next(bytes),
            Kind::Independent(independent) => independent.next(bytes),
            Kind::Sequential(sequential) => sequential.next(bytes),
            less_common => less_common.next(bytes),
        }
    }
}

impl Kind {
    #[inline(never)]
    fn next(&mut self, bytes: u32) -> u64 {
        match self {
            Kind::Cycle(cycle) => cycle.next(bytes),
            Kind::Independent(independent) => independent.next(bytes),
            Kind::Sequential(sequential) => sequential.next(bytes),
            Kind::Strided(strided) => strided.next(bytes),
            Kind::Backwards(backwards) => backwards.next(bytes),
            Kind::Parts(parts) => parts.next(bytes),
            Kind::Interlocked(interlocked) => interlocked.next(bytes),
            Kind::Laps(laps) => laps.next(bytes),
            Kind::Skewed(skewed) => skewed.next(bytes),
            Kind::Normal(normal) => normal.next(bytes),
            Kind::Zoned(zoned) => zoned.next(bytes),
        }
    }
}

/// Whether a job's addresses depend on its rank among those that share the span, and not on chance alone.
pub(super) fn goes_by_rank(addresses: &Addresses) -> bool {
    has_position(addresses) || matches!(addresses, Addresses::Laps { .. })
}

/// Whether each direction keeps its own position in such a pattern.
pub(super) fn has_position(addresses: &Addresses) -> bool {
    matches!(
        addresses,
        Addresses::Sequential
            | Addresses::Strided { .. }
            | Addresses::Backwards { .. }
            | Addresses::Parts { .. }
    )
}
