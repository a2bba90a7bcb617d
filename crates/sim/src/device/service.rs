//! Time that a server needs: from a distribution and a generator to nanoseconds.

use rand_distr::{Distribution, Exp1, Gamma, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::serial_link::{per_byte, transfer_ns};
use crate::parameters::{ServiceTime, Work};

/// A distribution with everything computed that does not depend on the draw.
#[derive(Clone, Debug)]
pub enum Sampler {
    /// Always the same.
    Constant(u64),
    /// Mean.
    Exponential(f64),
    /// Mean and deviation of the logarithm.
    Lognormal(f64, f64),
    /// The distribution itself.
    Gamma(Gamma<f64>),
}

impl Sampler {
    /// Prepares a distribution. One that does not exist, as a gamma without a mean, is constant.
    pub fn new(time: ServiceTime) -> Self {
        match time {
            ServiceTime::Exponential { mean_ns } => Self::Exponential(mean_ns as f64),
            ServiceTime::Lognormal { mean_ns, sigma } if mean_ns > 0 => {
                Self::Lognormal((mean_ns as f64).ln() - sigma * sigma / 2.0, sigma)
            }
            ServiceTime::Gamma { mean_ns, order } => match Gamma::new(order, mean_ns as f64 / order) {
                Ok(gamma) => Self::Gamma(gamma),
                Err(_) => Self::Constant(mean_ns),
            },
            ServiceTime::Lognormal { mean_ns, .. } | ServiceTime::Constant { mean_ns } => {
                Self::Constant(mean_ns)
            }
        }
    }

    /// One draw, in nanoseconds.
    #[inline]
    pub fn draw_ns(&self, random: &mut Xoshiro256PlusPlus) -> u64 {
        let time_ns: f64 = match self {
            Self::Constant(time_ns) => return *time_ns,
            Self::Exponential(mean) => {
                let unit: f64 = Exp1.sample(random);
                mean * unit
            }
            Self::Lognormal(mu, sigma) => {
                let unit: f64 = StandardNormal.sample(random);
                (mu + sigma * unit).exp()
            }
            Self::Gamma(gamma) => gamma.sample(random),
        };
        // Adding a half rounds; the conversion saturates.
        (time_ns + 0.5) as u64
    }
}

/// A server's work for one direction, prepared.
#[derive(Clone, Debug)]
pub struct Worker {
    sampler: Sampler,
    per_byte: u64,
}

impl Worker {
    /// Prepares a direction.
    pub fn new(work: &Work) -> Self {
        Self { sampler: Sampler::new(work.time), per_byte: work.stream_bytes_per_s.map_or(0, per_byte) }
    }

    /// Time for one I/O that moves `bytes`.
    #[inline]
    pub fn draw_ns(&self, bytes: u64, random: &mut Xoshiro256PlusPlus) -> u64 {
        self.sampler.draw_ns(random).saturating_add(transfer_ns(bytes, self.per_byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn distributions_have_the_mean_and_deviation_that_their_names_promise() {
        let mean_ns = 100_000;
        let sigma: f64 = 0.4;
        for (time, deviation_share) in [
            (ServiceTime::Constant { mean_ns }, 0.0),
            (ServiceTime::Exponential { mean_ns }, 1.0),
            (ServiceTime::Lognormal { mean_ns, sigma }, (sigma * sigma).exp_m1().sqrt()),
            (ServiceTime::Gamma { mean_ns, order: 4.0 }, 0.5),
        ] {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
            let sampler = Sampler::new(time);
            let draws: Vec<f64> = (0..200_000).map(|_| sampler.draw_ns(&mut random) as f64).collect();
            let mean = draws.iter().sum::<f64>() / draws.len() as f64;
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws.len() as f64;
            assert!((mean / mean_ns as f64 - 1.0).abs() < 0.01, "{time:?}: mean {mean}");
            let deviation = variance.sqrt() / mean;
            assert!((deviation - deviation_share).abs() < 0.02, "{time:?}: deviation {deviation}");
        }
    }
}
