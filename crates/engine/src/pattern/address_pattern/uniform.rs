//! Every choice uniform and independent of all others.

use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::extent::Extent;
use crate::pattern::Geometry;
use crate::pattern::seed::{Purpose, below, random_of};

/// Uniform over all block-aligned starts that keep the I/O inside the span.
#[derive(Clone, Debug)]
pub(super) struct UniformAddresses {
    extent: Extent,
    random: Xoshiro256PlusPlus,
}

impl UniformAddresses {
    pub fn new(geometry: &Geometry, job: u32, seed: u64) -> Self {
        Self { extent: Extent::whole(geometry), random: random_of(seed, Purpose::Address, job) }
    }

    #[inline(always)]
    pub fn next(&mut self, bytes: u32) -> u64 {
        self.extent.fit(bytes);
        self.extent.block(below(self.random.next_u64(), self.extent.starts))
    }
}
