//! A device that stands still from time to time, at times of its own clock: its rate over any stretch in closed
//! form.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::sides::normal;

/// Deviation of one window's rate that has nothing to do with the stalls.
const NOISE: f64 = 0.004;

/// Stalls of one length at equal distances; between them the rate is 1.
#[derive(Clone, Copy, Debug)]
pub struct Hang {
    every_s: f64,
    length_s: f64,
    phase_s: f64,
}

impl Hang {
    /// Draws one: periods of 10 s to 10 min, of which 2 to 30 % are stalled.
    pub fn random(rng: &mut Xoshiro256PlusPlus) -> Self {
        let every_s = rng.random_range(10f64.ln()..600f64.ln()).exp();
        let length_s = every_s * rng.random_range(0.02..0.3);
        Self { every_s, length_s, phase_s: rng.random_range(0.0..every_s) }
    }

    /// One that never does.
    pub fn never() -> Self {
        Self { every_s: 1.0, length_s: 0.0, phase_s: 0.0 }
    }

    /// The rate in the long run.
    pub fn lasting(&self) -> f64 {
        1.0 - self.length_s / self.every_s
    }

    /// The rates of a window's seconds, with noise that all of them share.
    pub fn seconds(&self, start_s: f64, seconds: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<f64> {
        let noise = normal(NOISE, rng).exp();
        (0..seconds).map(|at| self.moving(start_s + at as f64, 1.0) * noise).collect()
    }

    /// The share of a stretch in which it does not stand still.
    fn moving(&self, start_s: f64, seconds: f64) -> f64 {
        let stalled_until = |at_s: f64| {
            let since_s = at_s - self.phase_s;
            let periods = (since_s / self.every_s).floor();
            periods * self.length_s + (since_s - periods * self.every_s).min(self.length_s)
        };
        let stalled_s = stalled_until(start_s + seconds) - stalled_until(start_s);
        1.0 - stalled_s / seconds
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn whole_periods_have_the_lasting_rate_and_stalls_go_on_between_windows() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let hang = Hang { every_s: 60.0, length_s: 6.0, phase_s: 20.0 };
        let mut mean = |hang: Hang, start_s, seconds| {
            hang.seconds(start_s, seconds, &mut rng).iter().sum::<f64>() / seconds as f64
        };
        assert!((mean(hang, 600.0, 6000) - 0.9).abs() < 0.02);
        assert!((mean(Hang::never(), 600.0, 60) - 1.0).abs() < 0.02);
        let rates = [0.0, 26.0, 60.0].map(|start_s| mean(hang, start_s, 30));
        for (rate, truth) in rates.into_iter().zip([0.8, 1.0, 0.8]) {
            assert!((rate - truth).abs() < 0.02, "{rates:?}");
        }
    }
}
