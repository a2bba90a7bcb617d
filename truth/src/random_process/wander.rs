//! Stationary 1-s rates around a known mean, by kind of noise: what stopping rules must cope with.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::noise_process::{autoregressive, normal};

/// Kind of noise around the mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wander {
    /// Independent seconds, 5 %.
    White,
    /// Neighbouring seconds correlate by 0.6, 5 %.
    Memory6,
    /// Neighbouring seconds correlate by 0.9, 5 %.
    Memory9,
    /// Dips by 20 % for 10 s in a mean, every 70 s in a mean; 2 % beside.
    Dips,
    /// The level itself wanders by 3 % with a memory of 200 s; 2 % beside.
    Level,
    /// One second in a hundred falls by 70 %; 2 % beside.
    Spikes,
}

impl Wander {
    /// All kinds, easiest first.
    pub const ALL: [Wander; 6] =
        [Wander::White, Wander::Memory6, Wander::Memory9, Wander::Dips, Wander::Level, Wander::Spikes];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Wander::White => "independent seconds",
            Wander::Memory6 => "memory 0.6",
            Wander::Memory9 => "memory 0.9",
            Wander::Dips => "dips",
            Wander::Level => "wandering level",
            Wander::Spikes => "spikes",
        }
    }

    /// The true mean rate.
    pub fn mean(self) -> f64 {
        match self {
            Wander::White | Wander::Memory6 | Wander::Memory9 | Wander::Level => 1.0,
            Wander::Dips => 1.0 - 0.2 * 10.0 / 70.0,
            Wander::Spikes => 1.0 - 0.01 * 0.7,
        }
    }

    /// A series of `seconds` rates.
    pub fn series(self, seconds: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<f64> {
        match self {
            Wander::White => around_one(autoregressive(seconds, 0.0, 0.05, rng)),
            Wander::Memory6 => around_one(autoregressive(seconds, 0.6, 0.05, rng)),
            Wander::Memory9 => around_one(autoregressive(seconds, 0.9, 0.05, rng)),
            Wander::Level => {
                let level = autoregressive(seconds, (-1.0f64 / 200.0).exp(), 0.03, rng);
                level.into_iter().map(|wander| 1.0 + wander + 0.02 * normal(rng)).collect()
            }
            Wander::Dips => dips(seconds, rng),
            Wander::Spikes => (0..seconds)
                .map(|_| {
                    let level = if rng.random_bool(0.01) { 0.3 } else { 1.0 };
                    level * (1.0 + 0.02 * normal(rng))
                })
                .collect(),
        }
    }
}

fn around_one(noise: Vec<f64>) -> Vec<f64> {
    noise.into_iter().map(|value| 1.0 + value).collect()
}

/// A chain of two states, in the long run one seventh of the time in the dip.
fn dips(seconds: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let mut dipped = rng.random_bool(10.0 / 70.0);
    (0..seconds)
        .map(|_| {
            dipped = if dipped { !rng.random_bool(0.1) } else { rng.random_bool(1.0 / 60.0) };
            let level = if dipped { 0.8 } else { 1.0 };
            level * (1.0 + 0.02 * normal(rng))
        })
        .collect()
}
