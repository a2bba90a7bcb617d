//! Two sides of a comparison on a machine that wanders: slow drift, a trend, and noise from run to run.

use fathom_record::comparison::Side;
use rand_distr::{Distribution, Normal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Length of a run, in minutes.
const RUN_MIN: f64 = 2.0;
/// Time over which the drift forgets, in minutes.
const MEMORY_MIN: f64 = 40.0;

/// How a machine disturbs its runs, all relative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disturbance {
    /// Standard deviation of the slow drift.
    pub drift: f64,
    /// Standard deviation from run to run.
    pub noise: f64,
    /// Change of the level a run, as of a drive that wears in.
    pub trend_per_run: f64,
    /// Size of a square wave with a period of two runs.
    pub wave: f64,
}

/// A quiet machine.
pub const QUIET: Disturbance = Disturbance { drift: 0.01, noise: 0.01, trend_per_run: 0.0, wave: 0.0 };
/// A shared one.
pub const NOISY: Disturbance = Disturbance { drift: 0.05, noise: 0.02, trend_per_run: 0.0, wave: 0.0 };

/// A machine in time: each call of [`run`](Machine::run) is one run.
pub struct Machine {
    disturbance: Disturbance,
    effect: f64,
    level: f64,
    runs: u32,
    starts_high: bool,
}

impl Machine {
    /// A machine on which side B is better by `effect`, of the logarithm.
    pub fn new(disturbance: Disturbance, effect: f64, rng: &mut Xoshiro256PlusPlus) -> Self {
        let level = normal(disturbance.drift, rng);
        let starts_high = normal(1.0, rng) > 0.0;
        Self { disturbance, effect, level, runs: 0, starts_high }
    }

    /// Rate of the next run.
    pub fn run(&mut self, side: Side, rng: &mut Xoshiro256PlusPlus) -> f64 {
        let kept = (-RUN_MIN / MEMORY_MIN).exp();
        self.level = kept * self.level + normal(self.disturbance.drift * (1.0 - kept * kept).sqrt(), rng);
        let is_high = self.runs.is_multiple_of(2) == self.starts_high;
        let ln = self.level
            + self.disturbance.trend_per_run * f64::from(self.runs)
            + if is_high { self.disturbance.wave } else { 0.0 }
            + if side == Side::B { self.effect } else { 0.0 }
            + normal(self.disturbance.noise, rng);
        self.runs += 1;
        100_000.0 * ln.exp()
    }

    /// Rates of A and B of a pair in which `first` runs first.
    pub fn pair(&mut self, first: Side, rng: &mut Xoshiro256PlusPlus) -> (f64, f64) {
        let one = self.run(first, rng);
        let two = self.run(first.other(), rng);
        if first == Side::A { (one, two) } else { (two, one) }
    }
}

/// A normal value around zero.
pub fn normal(deviation: f64, rng: &mut Xoshiro256PlusPlus) -> f64 {
    Normal::new(0.0, deviation).map_or(0.0, |d| d.sample(rng))
}
