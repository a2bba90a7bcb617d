//! Every unit of the span once in a random order, then again in another.

use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::extent::Extent;
use super::permutation::{Cell, Permutation};
use crate::pattern::Geometry;
use crate::pattern::seed::{Purpose, below, random_of};

/// One job's own cycle over the whole span.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    extent: Extent,
    unit_bytes: u64,
    /// Units that come next; those before `taken` are gone.
    upcoming: [u64; BATCH],
    taken: usize,
    order: Order,
    random: Xoshiro256PlusPlus,
}

/// Units worked out at a time: in a row of their own their computations overlap, which halves the time
/// for one.
const BATCH: usize = 16;

/// Largest number of units whose order is stored, in 128 KiB. More are put in order by computation,
/// which takes no memory but looks like chance only where there are many.
const MOST_STORED: u64 = 1 << 16;

#[derive(Clone, Debug)]
enum Order {
    /// All units, those before `given` already given in this cycle.
    Stored {
        units: Box<[u16]>,
        given: usize,
    },
    Computed {
        permutation: Permutation,
        place: Cell,
    },
}

impl Cycle {
    pub fn new(geometry: &Geometry, job: u32, seed: u64) -> Self {
        let mut random = random_of(seed, Purpose::Address, job);
        let units = geometry.units();
        let order = if units <= MOST_STORED {
            Order::Stored { units: (0..units).map(|unit| unit as u16).collect(), given: 0 }
        } else {
            Order::Computed { permutation: Permutation::new(units, &mut random), place: Cell::default() }
        };
        Self {
            extent: Extent::whole(geometry),
            unit_bytes: geometry.unit_bytes(),
            upcoming: [0; BATCH],
            taken: BATCH,
            order,
            random,
        }
    }

    #[inline(always)]
    pub fn next(&mut self, bytes: u32) -> u64 {
        if self.taken >= BATCH {
            self.order.fill(&mut self.upcoming, &mut self.random);
            self.taken = 0;
        }
        let unit = self.upcoming[self.taken];
        self.taken += 1;
        self.extent.fit(bytes);
        // An I/O above the unit's size would reach over the end from the last units.
        self.extent.first_byte + (unit * self.unit_bytes).min(self.extent.last_start)
    }
}

impl Order {
    #[inline(never)]
    fn fill(&mut self, upcoming: &mut [u64; BATCH], random: &mut Xoshiro256PlusPlus) {
        match self {
            Order::Stored { units, given } => {
                for next in upcoming {
                    // Fisher and Yates, one step at a time; it may start from any order.
                    let chosen = *given + below(random.next_u64(), (units.len() - *given) as u64) as usize;
                    units.swap(*given, chosen);
                    *next = u64::from(units[*given]);
                    *given += 1;
                    if *given == units.len() {
                        *given = 0;
                    }
                }
            }
            Order::Computed { permutation, place } => {
                let mut given = 0;
                while given < BATCH {
                    given += permutation.fill(place, &mut upcoming[given..]);
                    if given < BATCH {
                        permutation.shuffle(random);
                        *place = Cell::default();
                    }
                }
            }
        }
    }
}
