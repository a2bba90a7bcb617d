//! Direction, offset and length of the next I/O: mix, addresses and sizes put together.
//!
//! The mix draws the direction, that direction's sizes the length, and its addresses the offset of an I/O so long.
//! Which pattern these follow was chosen by the workload when the job was made (`AddressPattern::new`); by default each
//! block of the span comes once in a random order, then again in another (`address_pattern/cycle.rs`). What few workloads ask
//! for, e.g. a script or pairs of trims and writes, goes before all this (`next_special`).

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fathom_record::Direction;
use fathom_record::workload::Workload;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::address_pattern::{goes_by_rank, has_position};
use super::caps::Caps;
use super::file_turns::Turns;
use super::geometry::sizes_of;
use super::script::Drafts;
use super::seed::{Purpose, random_of};
use super::{AddressPattern, Geometry, MixPattern, SizePattern};
use crate::Io;

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
#[derive(Debug)]
pub struct Generator {
    mix: MixPattern,
    /// One entry a direction with data, by its index.
    sizes: [SizePattern; 3],
    /// One for all directions, or, where a pattern has a position, one each.
    addresses: Box<[AddressPattern]>,
    /// Bits of a direction's index that choose among them: none or all. A mask, so that each I/O takes one `and` and no
    /// branch to find its pattern.
    own_bits: usize,
    /// Directions and sizes; addresses have their own stream.
    random: Xoshiro256PlusPlus,
    largest_io_bytes: u32,
    /// What a flush makes durable, as its place says it.
    flush: u64,
    /// What few workloads ask for, apart, so that all others look once whether it is there.
    special: Option<Box<SpecialPattern>>,
}

/// What changes where the next I/O comes from.
#[derive(Debug, Default)]
struct SpecialPattern {
    /// What was written down before goes before everything that is drawn.
    script: Option<Drafts>,
    /// Where each direction has a grid of its own: the span's first byte, and each direction's grid.
    grids: Option<(u64, [u64; 3])>,
    /// Where each trim is followed by a write of what it trimmed.
    pairs: Option<Pairs>,
    /// Which file is next, where the addresses are those of several.
    turns: Option<Turns>,
    /// Sizes of I/Os that jump, where they have their own.
    jumps: Option<SizePattern>,
}

/// Trims and writes that take turns.
#[derive(Clone, Copy, Debug, Default)]
struct Pairs {
    /// The trim whose write is next.
    trimmed: Option<Draft>,
}

impl SpecialPattern {
    fn is_needed(&self) -> bool {
        self.script.is_some()
            || self.grids.is_some()
            || self.pairs.is_some()
            || self.turns.is_some()
            || self.jumps.is_some()
    }
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
        let with_data = [Direction::Read, Direction::Write, Direction::Trim];
        let (patterns, own_bits) = if in_order { (with_data.len(), usize::MAX) } else { (1, 0) };
        let pairs = workload.sizes.rewrites_trimmed.then(Pairs::default);
        let asked = workload.special.as_deref();
        let turns = asked.and_then(|asked| asked.files.as_ref());
        let special = SpecialPattern {
            script: None,
            grids: grids(workload, geometry),
            pairs,
            turns: turns.map(|turns| Turns::new(turns, (workload, geometry), (job, place), patterns)),
            jumps: asked.and_then(|asked| asked.jump_sizes.as_ref()).map(SizePattern::new),
        };
        let flushes_all = asked.is_some_and(|asked| asked.flush_metadata);
        Self {
            mix: MixPattern::new(&workload.mix),
            sizes: with_data.map(|direction| SizePattern::new(sizes_of(workload, direction))),
            addresses: (0..patterns).map(|_| pattern()).collect(),
            own_bits,
            random: random_of(workload.seed, Purpose::Mix, job),
            largest_io_bytes: geometry.largest_io_bytes,
            flush: if flushes_all { Io::FLUSH_ALL } else { Io::FLUSH_DATA },
            special: special.is_needed().then(|| Box::new(special)),
        }
    }

    /// I/Os that were written down before, none larger than the geometry's largest.
    pub fn written(workload: &Workload, geometry: &Geometry, job: u32, drafts: Drafts) -> Self {
        let special = SpecialPattern { script: Some(drafts), ..SpecialPattern::default() };
        Self { special: Some(Box::new(special)), ..Self::new(workload, geometry, job, &Arc::default()) }
    }

    /// Largest I/O that can be drawn, in bytes: what a slot's buffer must hold.
    pub fn largest_io_bytes(&self) -> u32 {
        self.largest_io_bytes
    }

    /// The next I/O.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "it never ends, so there is no `None` to check for")]
    pub fn next(&mut self) -> Draft {
        if self.special.is_some() {
            return self.next_special();
        }
        self.drawn()
    }

    #[inline(always)]
    fn drawn(&mut self) -> Draft {
        let direction = self.mix.next(&mut self.random);
        if direction == Direction::Flush {
            return Draft { direction, offset: self.flush, bytes: 0 };
        }
        self.drawn_of(direction)
    }

    /// The next I/O at `now_ns` where reads and writes have rates of their own, and since when it is due. A flush is
    /// due at once.
    pub fn next_within(&mut self, caps: &mut Caps, now_ns: u64) -> (Draft, u64) {
        let drawn = self.mix.next(&mut self.random);
        if drawn == Direction::Flush {
            return (Draft { direction: drawn, offset: self.flush, bytes: 0 }, now_ns);
        }
        let (direction, due_ns) = caps.take(drawn, now_ns);
        self.mix.went_on(drawn, direction);
        (self.placed(direction), due_ns)
    }

    #[inline(always)]
    fn drawn_of(&mut self, direction: Direction) -> Draft {
        let bytes = self.sizes[direction.index()].next(&mut self.random);
        let offset = self.addresses[direction.index() & self.own_bits].next(bytes);
        Draft { direction, offset, bytes }
    }

    /// The next I/O of the few workloads that ask for more. Never inlined: `next` is part of the loop of all others, which
    /// stays short without it.
    #[inline(never)]
    fn next_special(&mut self) -> Draft {
        if let Some(script) = self.special.as_mut().and_then(|special| special.script.as_mut()) {
            return script.next();
        }
        let pairs = self.special.as_mut().and_then(|special| special.pairs.as_mut());
        let draft = match pairs.map(|pairs| pairs.trimmed.take()) {
            Some(Some(trimmed)) => return Draft { direction: Direction::Write, ..trimmed },
            Some(None) => self.placed(Direction::Trim),
            None => match self.mix.next(&mut self.random) {
                Direction::Flush => Draft { direction: Direction::Flush, offset: self.flush, bytes: 0 },
                direction => self.placed(direction),
            },
        };
        if let Some(pairs) = self.special.as_mut().and_then(|special| special.pairs.as_mut()) {
            pairs.trimmed = Some(draft);
        }
        draft
    }

    /// An I/O of a direction, with all that few workloads ask for.
    fn placed(&mut self, direction: Direction) -> Draft {
        let Some(special) = &mut self.special else { return self.drawn_of(direction) };
        let (side, pattern) = (direction.index(), direction.index() & self.own_bits);
        let jumps = special.jumps.as_mut().filter(|_| self.addresses[pattern].will_jump());
        let bytes = jumps.unwrap_or(&mut self.sizes[side]).next(&mut self.random);
        let mut offset = match &mut special.turns {
            Some(turns) => turns.place(pattern, bytes),
            None => self.addresses[pattern].next(bytes),
        };
        if let Some((first_byte, grids)) = special.grids {
            offset -= (offset - first_byte) % grids[side];
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
