//! Every unit of the span once in a random order, then again in another.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::extent::Extent;
use super::permutation::{Cell, Permutation};
use crate::pattern::Geometry;
use crate::pattern::seed::{Purpose, random_of};

/// One job's own cycle over the whole span.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    extent: Extent,
    unit_bytes: u64,
    permutation: Permutation,
    place: Cell,
    random: Xoshiro256PlusPlus,
}

impl Cycle {
    pub fn new(geometry: &Geometry, job: u32, seed: u64) -> Self {
        let mut random = random_of(seed, Purpose::Address, job);
        Self {
            extent: Extent::whole(geometry),
            unit_bytes: geometry.unit_bytes(),
            permutation: Permutation::new(geometry.units(), &mut random),
            place: Cell::default(),
            random,
        }
    }

    #[inline(always)]
    pub fn next(&mut self, bytes: u32) -> u64 {
        let unit = match self.permutation.step(&mut self.place) {
            Some(unit) => unit,
            None => self.begin_again(),
        };
        self.extent.fit(bytes);
        // An I/O above the unit's size would reach over the end from the last units.
        self.extent.first_byte + (unit * self.unit_bytes).min(self.extent.last_start)
    }

    #[cold]
    fn begin_again(&mut self) -> u64 {
        self.permutation.shuffle(&mut self.random);
        self.place = Cell::default();
        self.permutation.step(&mut self.place).expect("a permutation has at least one number")
    }
}
