//! An hour of 1-s rates that settle, drift, fall off a cliff or stay, with the level of their last third.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::noise_process::autoregressive;

/// Length of a series, in seconds.
pub const LENGTH_S: usize = 3600;

/// What the rate does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// Stays.
    Stationary,
    /// Rises from 40 % of its level, with a time constant of 20 to 180 s.
    WarmUp,
    /// Falls from 1.8 times its level, with a time constant of 60 to 500 s, as garbage collection sets in.
    Settling,
    /// Falls to less than half at second 120 to 1500, and settles there: a write cache that is full.
    Cliff,
    /// Falls to a tenth at second 300 to 1800: credits that are spent.
    Bucket,
    /// 10 % up and down with a period of 40 to 150 s.
    Cycle,
    /// Falls by 20 or 40 % in the hour.
    Drift,
    /// One second in a hundred falls by 70 %.
    Stalls,
}

/// A series and its truth.
#[derive(Clone, Debug)]
pub struct DrawnSeries {
    /// Rate of each second.
    pub rates: Vec<f64>,
    /// The same without noise and stalls.
    pub base: Vec<f64>,
    /// Mean of the last third without noise.
    pub level: f64,
    /// Second of the fall, for a cliff or a bucket.
    pub fall: Option<usize>,
}

impl Course {
    /// All courses.
    pub const ALL: [Course; 8] = [
        Course::Stationary,
        Course::WarmUp,
        Course::Settling,
        Course::Cliff,
        Course::Bucket,
        Course::Cycle,
        Course::Drift,
        Course::Stalls,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Course::Stationary => "stationary",
            Course::WarmUp => "warm-up",
            Course::Settling => "settling 1.8 to 1",
            Course::Cliff => "write cliff",
            Course::Bucket => "token bucket",
            Course::Cycle => "cycle of 10 %",
            Course::Drift => "drift 20-40 %/h",
            Course::Stalls => "stalls",
        }
    }

    /// Whether what happens cannot be seen before it does, so that only the ledger guards against it.
    pub fn is_hidden(self) -> bool {
        matches!(self, Course::Cliff | Course::Bucket)
    }

    /// Draws a series: noise of 1, 2 or 5 % with a memory of 0, 0.5 or 0.9; half a percent for a bucket.
    pub fn draw(self, rng: &mut Xoshiro256PlusPlus) -> DrawnSeries {
        let spread = if self == Course::Bucket { 0.005 } else { one_of([0.01, 0.02, 0.05], rng) };
        let memory = one_of([0.0, 0.5, 0.9], rng);
        let (base, fall) = self.base(rng);
        let noise = autoregressive(LENGTH_S, memory, spread, rng);
        let mut rates: Vec<f64> = base.iter().zip(noise).map(|(base, noise)| base * (1.0 + noise)).collect();
        let mut level = base[LENGTH_S - LENGTH_S / 3..].iter().sum::<f64>() / (LENGTH_S / 3) as f64;
        if self == Course::Stalls {
            for rate in rates.iter_mut().filter(|_| rng.random_bool(0.01)) {
                *rate *= 0.3;
            }
            level *= 1.0 - 0.007;
        }
        DrawnSeries { rates, base, level, fall }
    }

    /// The rate without noise, and the second of a fall.
    fn base(self, rng: &mut Xoshiro256PlusPlus) -> (Vec<f64>, Option<usize>) {
        let over_time = |rate: &dyn Fn(f64) -> f64| (0..LENGTH_S).map(|second| rate(second as f64)).collect();
        match self {
            Course::Stationary | Course::Stalls => (vec![1.0; LENGTH_S], None),
            Course::WarmUp => {
                let constant = one_of([20.0, 60.0, 180.0], rng);
                (over_time(&|t| 1.0 - 0.6 * (-t / constant).exp()), None)
            }
            Course::Settling => {
                let constant = one_of([60.0, 200.0, 500.0], rng);
                (over_time(&|t| 1.0 + 0.8 * (-t / constant).exp()), None)
            }
            Course::Cliff => {
                let fall = rng.random_range(120..1500);
                let after = |t: f64| 0.3 + 0.15 * (-(t - fall as f64) / 120.0).exp();
                (over_time(&|t| if t < fall as f64 { 1.0 } else { after(t) }), Some(fall))
            }
            Course::Bucket => {
                let fall = rng.random_range(300..1800);
                (over_time(&|t| if t < fall as f64 { 1.0 } else { 0.1 }), Some(fall))
            }
            Course::Cycle => {
                let period = f64::from(rng.random_range(40..150));
                let phase = rng.random_range(0.0..6.0);
                let wave = |t: f64| (std::f64::consts::TAU * t / period + phase).sin().signum();
                (over_time(&|t| 1.0 + 0.1 * wave(t)), None)
            }
            Course::Drift => {
                let rate = one_of([0.2, 0.4], rng);
                (over_time(&|t| 1.0 - rate * t / LENGTH_S as f64), None)
            }
        }
    }
}

fn one_of<const N: usize>(values: [f64; N], rng: &mut Xoshiro256PlusPlus) -> f64 {
    values[rng.random_range(0..N)]
}
