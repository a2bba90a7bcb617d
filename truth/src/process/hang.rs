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

    /// The rate in the long run.
    pub fn lasting(&self) -> f64 {
        1.0 - self.length_s / self.every_s
    }

    /// The rate seen in a window, with noise.
    pub fn window(&self, start_s: f64, seconds: f64, rng: &mut Xoshiro256PlusPlus) -> f64 {
        let stalled_until = |at_s: f64| {
            let since_s = at_s - self.phase_s;
            let periods = (since_s / self.every_s).floor();
            periods * self.length_s + (since_s - periods * self.every_s).min(self.length_s)
        };
        let stalled_s = stalled_until(start_s + seconds) - stalled_until(start_s);
        (1.0 - stalled_s / seconds) * normal(NOISE, rng).exp()
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
        assert!((hang.window(600.0, 6000.0, &mut rng) - 0.9).abs() < 0.02);
        let rates = [0.0, 26.0, 60.0].map(|start_s| hang.window(start_s, 30.0, &mut rng));
        for (rate, truth) in rates.into_iter().zip([0.8, 1.0, 0.8]) {
            assert!((rate - truth).abs() < 0.02, "{rates:?}");
        }
    }
}
