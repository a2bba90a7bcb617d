//! Direction, offset and length of the next I/O: mix, addresses and sizes put together.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fathom_record::Direction;
use fathom_record::workload::Workload;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::address::{goes_by_rank, has_position};
use super::geometry::sizes_of;
use super::seed::{Purpose, random_of};
use super::{AddressPattern, Geometry, MixPattern, SizePattern};

/// An I/O that has no slot yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draft {
    /// What it does.
    pub direction: Direction,
    /// First byte on the target; 0 for a flush.
    pub offset: u64,
    /// Length; 0 for a flush.
    pub bytes: u32,
}

/// One job's I/Os, as a value that gives the next one.
#[derive(Clone, Debug)]
pub struct Generator {
    mix: MixPattern,
    /// One entry a direction with data, by its index.
    sizes: [SizePattern; 3],
    /// One for all directions, or, where a pattern has a position, one each.
    addresses: Box<[AddressPattern]>,
    /// Directions and sizes; addresses have their own stream.
    random: Xoshiro256PlusPlus,
    largest_io_bytes: u32,
    /// Where each direction has a grid of its own: the span's first byte, and each direction's grid.
    grids: Option<(u64, [u64; 3])>,
}

impl Generator {
    /// The I/Os of job number `job`, below `workload.jobs`. `cursor` is one counter a run, 0 at its
    /// start, that all its jobs share; only interlocked addresses use it.
    ///
    /// In a sequential or strided pattern each direction moves forward on its own, as in fio.
    pub fn new(workload: &Workload, geometry: &Geometry, job: u32, cursor: &Arc<AtomicU64>) -> Self {
        Self::among(workload, geometry, job, (job, workload.jobs), cursor)
    }

    /// The same where only some of the run's jobs share the geometry: `place` is this job's rank among
    /// them, and their number. `cursor` is shared by these alone.
    pub fn among(
        workload: &Workload,
        geometry: &Geometry,
        job: u32,
        place: (u32, u32),
        cursor: &Arc<AtomicU64>,
    ) -> Self {
        let in_order = has_position(&workload.addresses);
        // A part of the span goes by rank; random choices go by the job, so that no two jobs' are alike.
        let place = if goes_by_rank(&workload.addresses) { place } else { (job, workload.jobs) };
        let pattern = || AddressPattern::new(&workload.addresses, geometry, place, workload.seed, cursor);
        let patterns = if in_order { 3 } else { 1 };
        let with_data = [Direction::Read, Direction::Write, Direction::Trim];
        Self {
            mix: MixPattern::new(&workload.mix),
            sizes: with_data.map(|direction| SizePattern::new(sizes_of(workload, direction))),
            addresses: (0..patterns).map(|_| pattern()).collect(),
            random: random_of(workload.seed, Purpose::Mix, job),
            largest_io_bytes: geometry.largest_io_bytes,
            grids: grids(workload, geometry),
        }
    }

    /// Largest I/O that can be drawn, in bytes: what a slot's buffer must hold.
    pub fn largest_io_bytes(&self) -> u32 {
        self.largest_io_bytes
    }

    /// The next I/O.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "it never ends, so there is no `None` to check for")]
    pub fn next(&mut self) -> Draft {
        let direction = self.mix.next(&mut self.random);
        if direction == Direction::Flush {
            return Draft { direction, offset: 0, bytes: 0 };
        }
        let bytes = self.sizes[direction.index()].next(&mut self.random);
        let own = if self.addresses.len() == 1 { 0 } else { direction.index() };
        let mut offset = self.addresses[own].next(bytes);
        if let Some((first_byte, grids)) = &self.grids {
            offset -= (offset - first_byte) % grids[direction.index()];
        }
        Draft { direction, offset, bytes }
    }
}

/// Each direction's own smallest size where it is a multiple of the block, and otherwise the block.
fn grids(workload: &Workload, geometry: &Geometry) -> Option<(u64, [u64; 3])> {
    if !workload.sizes.own_alignment || has_position(&workload.addresses) {
        return None;
    }
    let grid = |direction: Direction| {
        let own_bytes = sizes_of(workload, direction).min_bytes();
        if own_bytes > 0 && own_bytes.is_multiple_of(geometry.block_bytes) {
            own_bytes
        } else {
            geometry.block_bytes
        }
    };
    Some((geometry.first_byte, [Direction::Read, Direction::Write, Direction::Trim].map(grid)))
}

#[cfg(test)]
#[path = "generator_tests.rs"]
mod tests;
