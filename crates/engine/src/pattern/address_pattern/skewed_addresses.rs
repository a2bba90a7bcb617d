//! Zipf and Pareto: a few blocks take most of the accesses, scattered over the span.

use rand::RngExt;
use rand_distr::{Distribution, Zipf};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::extent::Extent;
use super::permutation::Permutation;
use crate::pattern::Geometry;
use crate::pattern::seed::{Purpose, random_of};

/// Draws a rank and looks up where the unit of that rank lies. All jobs of a run share the places, and
/// so the hot set.
#[derive(Clone, Debug)]
pub(super) struct SkewedAddresses {
    extent: Extent,
    unit_bytes: u64,
    units: u64,
    ranks: Ranks,
    places: Permutation,
    random: Xoshiro256PlusPlus,
}

#[derive(Clone, Debug)]
enum Ranks {
    Zipf(Zipf<f64>),
    /// Rank = units * u^power.
    Pareto {
        power: f64,
    },
}

impl SkewedAddresses {
    pub fn zipf(geometry: &Geometry, job: u32, seed: u64, exponent: f64) -> Self {
        let zipf = Zipf::new(geometry.units() as f64, exponent);
        let zipf =
            zipf.expect("a workload that was validated has an exponent above 0, and a geometry a unit");
        Self::new(geometry, job, seed, Ranks::Zipf(zipf))
    }

    /// The self-similar distribution: a share `1 - skew` of the accesses to a share `skew` of the
    /// units, and again so within that share. Gray et al.: "Quickly generating billion-record synthetic
    /// databases", SIGMOD 1994.
    pub fn pareto(geometry: &Geometry, job: u32, seed: u64, skew: f64) -> Self {
        Self::new(geometry, job, seed, Ranks::Pareto { power: skew.ln() / (1.0 - skew).ln() })
    }

    fn new(geometry: &Geometry, job: u32, seed: u64, ranks: Ranks) -> Self {
        let units = geometry.units();
        Self {
            extent: Extent::whole(geometry),
            unit_bytes: geometry.unit_bytes(),
            units,
            ranks,
            places: Permutation::new(units, &mut random_of(seed, Purpose::Layout, 0)),
            random: random_of(seed, Purpose::Address, job),
        }
    }

    #[inline]
    pub fn next(&mut self, bytes: u32) -> u64 {
        let rank = match &self.ranks {
            Ranks::Zipf(zipf) => zipf.sample(&mut self.random) as u64 - 1,
            Ranks::Pareto { power } => {
                let uniform: f64 = self.random.random();
                (self.units as f64 * uniform.powf(*power)) as u64
            }
        };
        self.extent.fit(bytes);
        let unit = self.places.at(rank.min(self.units - 1));
        self.extent.first_byte + (unit * self.unit_bytes).min(self.extent.last_start)
    }
}
