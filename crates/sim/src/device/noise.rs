//! Speed that varies slowly: an Ornstein-Uhlenbeck process, from time to a factor with mean 1.

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::parameters::Noise;

/// Steps in which one correlation time is resolved; the factor is constant within a step.
const STEPS_PER_CORRELATION: u64 = 20;

/// Idle steps after which nothing is left of the past (e^-8 of it) and a fresh start is as good.
const FORGOTTEN_STEPS: u64 = 8 * STEPS_PER_CORRELATION;

/// The process at its current step.
#[derive(Clone, Debug)]
pub struct Speed {
    step_ns: u64,
    next_step_at_ns: u64,
    keep: f64,
    renew: f64,
    sigma: f64,
    level: f64,
    factor: f64,
    random: Xoshiro256PlusPlus,
}

impl Speed {
    /// The process in its stationary state at time 0.
    pub fn new(noise: &Noise, seed: u64) -> Self {
        let step_ns = (noise.correlation_ns / STEPS_PER_CORRELATION).max(1);
        let keep = (-(step_ns as f64) / noise.correlation_ns.max(1) as f64).exp();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let level: f64 = StandardNormal.sample(&mut random);
        let mut speed = Self {
            step_ns,
            next_step_at_ns: step_ns,
            keep,
            renew: (1.0 - keep * keep).sqrt(),
            // Log-normal with mean 1 and the wanted deviation.
            sigma: (noise.deviation_share * noise.deviation_share).ln_1p().sqrt(),
            level,
            factor: 1.0,
            random,
        };
        speed.set_factor();
        speed
    }

    fn set_factor(&mut self) {
        self.factor = (self.sigma * self.level - self.sigma * self.sigma / 2.0).exp();
    }

    /// Speed at a time, as a factor on the nominal one. Times before the last one asked for give
    /// the same as that.
    #[inline]
    pub fn at(&mut self, now_ns: u64) -> f64 {
        if now_ns >= self.next_step_at_ns {
            self.advance(now_ns);
        }
        self.factor
    }

    #[cold]
    fn advance(&mut self, now_ns: u64) {
        let steps = (now_ns - self.next_step_at_ns) / self.step_ns + 1;
        if steps > FORGOTTEN_STEPS {
            self.level = StandardNormal.sample(&mut self.random);
        } else {
            for _ in 0..steps {
                let fresh: f64 = StandardNormal.sample(&mut self.random);
                self.level = self.keep * self.level + self.renew * fresh;
            }
        }
        self.next_step_at_ns = self.next_step_at_ns.saturating_add(steps.saturating_mul(self.step_ns));
        self.set_factor();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_the_deviation_and_the_correlation_asked_for() {
        let noise = Noise { deviation_share: 0.10, correlation_ns: 1_000_000_000 };
        let mut speed = Speed::new(&noise, 7);
        // 20,000 correlation times, four samples in each: the errors of mean, deviation and
        // correlation have standard deviations of about 0.1 %, 0.7 % and 1 %.
        let samples: Vec<f64> = (0..80_000u64).map(|i| speed.at(i * 250_000_000)).collect();
        let mean = samples.iter().sum::<f64>() / samples.len() as f64;
        let variance = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / samples.len() as f64;
        assert!((mean - 1.0).abs() < 0.005, "mean {mean}");
        assert!((variance.sqrt() / 0.10 - 1.0).abs() < 0.03, "deviation {}", variance.sqrt());
        for (lag, expected) in [(1, (-0.25f64).exp()), (4, (-1.0f64).exp()), (8, (-2.0f64).exp())] {
            let pairs = samples.iter().zip(&samples[lag..]);
            let covariance = pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / samples.len() as f64;
            let got = covariance / variance;
            assert!((got - expected).abs() < 0.04, "lag {lag}: {got} against {expected}");
        }
    }
}
