//! Normal around the middle of the span.

use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::extent::Extent;
use crate::pattern::Geometry;
use crate::pattern::seed::{Purpose, random_of};

/// Normal, truncated to the span by drawing again.
#[derive(Clone, Debug)]
pub(super) struct Normal {
    extent: Extent,
    /// Standard deviation as a share of the span.
    deviation: f64,
    random: Xoshiro256PlusPlus,
}

/// Draws before the middle is taken instead. With the largest deviation, the whole span, 38 % of the
/// draws fall inside, so this happens once in 10^13.
const DRAWS: usize = 64;

impl Normal {
    pub fn new(geometry: &Geometry, job: u32, seed: u64, deviation: f64) -> Self {
        Self { extent: Extent::whole(geometry), deviation, random: random_of(seed, Purpose::Address, job) }
    }

    #[inline]
    pub fn next(&mut self, bytes: u32) -> u64 {
        self.extent.fit(bytes);
        let mut place = 0.5;
        for _ in 0..DRAWS {
            let normal: f64 = StandardNormal.sample(&mut self.random);
            let drawn = 0.5 + self.deviation * normal;
            if (0.0..1.0).contains(&drawn) {
                place = drawn;
                break;
            }
        }
        let index = (place * self.extent.starts as f64) as u64;
        self.extent.block(index.min(self.extent.starts - 1))
    }
}
