//! Distributions of a delay: as values, with their truth in closed form, and as draws.

use rand::RngExt;
use rand_distr::{Distribution as _, Exp1, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use statrs::distribution::{ContinuousCDF, Normal};

/// How long a delay is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Always the same.
    Constant {
        /// The delay.
        ns: u64,
    },
    /// Every length between two is as likely.
    Uniform {
        /// Shortest.
        least_ns: u64,
        /// Longest.
        most_ns: u64,
    },
    /// Exponential.
    Exponential {
        /// Mean.
        mean_ns: u64,
    },
    /// Log-normal.
    Lognormal {
        /// Median.
        median_ns: u64,
        /// Standard deviation of the natural logarithm, above 0.
        sigma: f64,
    },
    /// One of two values.
    Bimodal {
        /// What most I/Os get.
        usual_ns: u64,
        /// What the others get; longer.
        other_ns: u64,
        /// Share of the others, above 0 and below 1.
        other_share: f64,
    },
}

impl Distribution {
    /// Mean, in nanoseconds.
    pub fn mean_ns(&self) -> f64 {
        match *self {
            Self::Constant { ns } => ns as f64,
            Self::Uniform { least_ns, most_ns } => (least_ns as f64 + most_ns as f64) / 2.0,
            Self::Exponential { mean_ns } => mean_ns as f64,
            Self::Lognormal { median_ns, sigma } => median_ns as f64 * (sigma * sigma / 2.0).exp(),
            Self::Bimodal { usual_ns, other_ns, other_share } => {
                usual_ns as f64 * (1.0 - other_share) + other_ns as f64 * other_share
            }
        }
    }

    /// Quantile of order `q`, 0 to below 1, in nanoseconds.
    pub fn quantile_ns(&self, q: f64) -> f64 {
        match *self {
            Self::Constant { ns } => ns as f64,
            Self::Uniform { least_ns, most_ns } => least_ns as f64 + q * (most_ns - least_ns) as f64,
            Self::Exponential { mean_ns } => -(mean_ns as f64) * (-q).ln_1p(),
            Self::Lognormal { median_ns, sigma } => {
                median_ns as f64 * (sigma * Normal::standard().inverse_cdf(q)).exp()
            }
            Self::Bimodal { usual_ns, other_ns, other_share } => {
                (if q <= 1.0 - other_share { usual_ns } else { other_ns }) as f64
            }
        }
    }

    /// One draw, rounded to a nanosecond. It uses the distributions' own samplers, not the quantile
    /// function above, so that the two check each other.
    #[inline]
    pub fn draw_ns(&self, random: &mut Xoshiro256PlusPlus) -> u64 {
        let ns = match *self {
            Self::Constant { ns } => return ns,
            Self::Uniform { least_ns, most_ns } => return random.random_range(least_ns..=most_ns),
            Self::Exponential { mean_ns } => {
                let unit: f64 = Exp1.sample(random);
                mean_ns as f64 * unit
            }
            Self::Lognormal { median_ns, sigma } => {
                let unit: f64 = StandardNormal.sample(random);
                median_ns as f64 * (sigma * unit).exp()
            }
            Self::Bimodal { usual_ns, other_ns, other_share } => {
                return if random.random_bool(other_share) { other_ns } else { usual_ns };
            }
        };
        // Adding a half rounds; the conversion saturates.
        (ns + 0.5) as u64
    }
}
