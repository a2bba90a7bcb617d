//! Laps over the whole span, each job on its own, with a share of jumps to places drawn by chance.

use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::extent::Extent;
use crate::pattern::Geometry;
use crate::pattern::seed::{Purpose, below, random_of, threshold};

/// Forward by a step, from the job's own start to the span's end, then over from the span's start. A jump
/// goes to any block, and the lap goes on from there.
#[derive(Clone, Debug)]
pub(super) struct Laps {
    extent: Extent,
    /// Distance of two starts; 0: the I/O's length.
    step_bytes: u64,
    /// A draw below this is a jump; 0 for never.
    jump_below: u64,
    /// Where the next I/O starts, relative to the span.
    position: u64,
    /// Whether the next one jumps, where that was asked before.
    told: Option<bool>,
    random: Xoshiro256PlusPlus,
}

impl Laps {
    /// Of the job with number `job` among those that share the span.
    pub fn new(
        geometry: &Geometry,
        job: u32,
        seed: u64,
        (step, apart): (Option<u64>, u64),
        jumps: f64,
    ) -> Self {
        // Geometry::of refuses others; an address between two blocks must not come out.
        let whole = |bytes: u64| bytes.next_multiple_of(geometry.block_bytes);
        Self {
            extent: Extent::whole(geometry),
            step_bytes: step.map_or(0, whole),
            jump_below: threshold(jumps),
            position: u64::from(job).saturating_mul(whole(apart)),
            told: None,
            random: random_of(seed, Purpose::Address, job),
        }
    }

    /// Whether the next I/O jumps.
    pub fn will_jump(&mut self) -> bool {
        let told = self.told.take().unwrap_or_else(|| self.draws_a_jump());
        self.told = Some(told);
        told
    }

    #[inline]
    fn draws_a_jump(&mut self) -> bool {
        self.jump_below > 0 && self.random.next_u64() < self.jump_below
    }

    #[inline]
    pub fn next(&mut self, bytes: u32) -> u64 {
        self.extent.fit(bytes);
        if self.told.take().unwrap_or_else(|| self.draws_a_jump()) {
            let start = self.extent.block(below(self.random.next_u64(), self.extent.starts));
            self.position = start - self.extent.first_byte;
        }
        let start = if self.position > self.extent.last_start { 0 } else { self.position };
        let step = if self.step_bytes > 0 { self.step_bytes } else { self.extent.advance_bytes };
        self.position = start.saturating_add(step);
        self.extent.first_byte + start
    }
}
