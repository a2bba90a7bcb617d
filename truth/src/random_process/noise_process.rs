//! Normal noise with memory.

use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// One draw of the standard normal distribution.
pub fn normal(rng: &mut Xoshiro256PlusPlus) -> f64 {
    StandardNormal.sample(rng)
}

/// A first-order autoregressive series around zero: `deviation` is that of each value, `memory` the
/// correlation of neighbours, 0 to 1.
pub fn autoregressive(length: usize, memory: f64, deviation: f64, rng: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let fresh = deviation * (1.0 - memory * memory).sqrt();
    let mut last = deviation * normal(rng);
    (0..length)
        .map(|second| {
            if second > 0 {
                last = memory * last + fresh * normal(rng);
            }
            last
        })
        .collect()
}
