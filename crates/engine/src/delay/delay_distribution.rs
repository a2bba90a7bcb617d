//! Distributions of a delay: their truth in closed form, and draws.

use fathom_record::options::Distribution;
use rand::RngExt;
use rand_distr::{Distribution as _, Exp1, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use statrs::distribution::{ContinuousCDF, Normal};

/// A distribution's truth beyond its mean, and its draws.
pub trait Draw {
    /// Quantile of order `q`, 0 to below 1, in nanoseconds.
    fn quantile_ns(&self, q: f64) -> f64;

    /// One draw, rounded to a nanosecond. It uses the distributions' own samplers, not the quantile
    /// function above, so that the two check each other.
    fn draw_ns(&self, random: &mut Xoshiro256PlusPlus) -> u64;
}

impl Draw for Distribution {
    fn quantile_ns(&self, q: f64) -> f64 {
        match *self {
            Distribution::Constant { ns } => ns as f64,
            Distribution::Uniform { least_ns, most_ns } => least_ns as f64 + q * (most_ns - least_ns) as f64,
            Distribution::Exponential { mean_ns } => -(mean_ns as f64) * (-q).ln_1p(),
            Distribution::Lognormal { median_ns, sigma } => {
                median_ns as f64 * (sigma * Normal::standard().inverse_cdf(q)).exp()
            }
            Distribution::Bimodal { usual_ns, other_ns, other_share } => {
                (if q <= 1.0 - other_share { usual_ns } else { other_ns }) as f64
            }
        }
    }

    #[inline]
    fn draw_ns(&self, random: &mut Xoshiro256PlusPlus) -> u64 {
        let ns = match *self {
            Distribution::Constant { ns } => return ns,
            Distribution::Uniform { least_ns, most_ns } => return random.random_range(least_ns..=most_ns),
            Distribution::Exponential { mean_ns } => {
                let unit: f64 = Exp1.sample(random);
                mean_ns as f64 * unit
            }
            Distribution::Lognormal { median_ns, sigma } => {
                let unit: f64 = StandardNormal.sample(random);
                median_ns as f64 * (sigma * unit).exp()
            }
            Distribution::Bimodal { usual_ns, other_ns, other_share } => {
                return if random.random_bool(other_share) { other_ns } else { usual_ns };
            }
        };
        // Adding a half rounds; the conversion saturates.
        (ns + 0.5) as u64
    }
}
