//! Latencies with a body and a tail whose share moves: evenly, from second to second, or in bursts.

use fathom_measure::Histogram;
use fathom_measure::histogram::{bucket_bounds, bucket_of};
use fathom_stats::tail::LatencySeries;
use rand::RngExt;
use rand_distr::{Distribution, Normal, Poisson};
use rand_xoshiro::Xoshiro256PlusPlus;

/// I/Os a second.
const RATE: f64 = 20_000.0;

/// How the share of slow I/Os moves from second to second.
#[derive(Clone, Copy, Debug)]
pub enum Tail {
    /// Not at all.
    Independent,
    /// Lognormal, correlated.
    Jitter,
    /// Bursts of mean length, apart by mean gaps, in seconds.
    Bursts {
        /// Mean length of a burst.
        length: f64,
        /// Mean time between two.
        gap: f64,
    },
}

impl Tail {
    /// The process in a few words.
    pub fn name(self) -> String {
        match self {
            Tail::Independent => "independent I/Os".to_owned(),
            Tail::Jitter => "jittering seconds".to_owned(),
            Tail::Bursts { length, gap } => format!("bursts of {length} s every {} s", length + gap),
        }
    }
}

/// Bursts of 5 s every 250 s.
pub const FIVE: Tail = Tail::Bursts { length: 5.0, gap: 245.0 };
/// Bursts of 30 s every 600 s.
pub const THIRTY: Tail = Tail::Bursts { length: 30.0, gap: 570.0 };

/// Edges of the distributions' bins, 16 to a doubling, 32 us to 262 ms.
fn edges() -> Vec<f64> {
    (0..13 * 16).map(|i| 32e3 * f64::from(i / 16).exp2() * (1.0 + f64::from(i % 16) / 16.0)).collect()
}

/// Body lognormal around 100 us, tail Pareto from 400 us on.
pub struct TailTruth {
    body: Vec<f64>,
    tail: Vec<f64>,
    edges: Vec<f64>,
}

impl TailTruth {
    /// The distributions, cut into bins.
    #[expect(clippy::new_without_default, reason = "nothing about it is a default")]
    pub fn new() -> Self {
        use statrs::distribution::{ContinuousCDF, LogNormal};
        let edges = edges();
        let body = LogNormal::new(100e3f64.ln(), 0.25).expect("the parameters are in range");
        let tail =
            |x: f64| if x <= 400e3 { 0.0 } else { 1.0 - (1.0 + 0.3 * (x - 400e3) / 800e3).powf(-1.0 / 0.3) };
        let share = |cdf: &dyn Fn(f64) -> f64| {
            let mut shares: Vec<f64> = edges.windows(2).map(|e| cdf(e[1]) - cdf(e[0])).collect();
            shares.push(0.0);
            let sum: f64 = shares.iter().sum();
            shares.into_iter().map(|s| s / sum).collect::<Vec<f64>>()
        };
        Self { body: share(&|x| body.cdf(x)), tail: share(&tail), edges }
    }

    /// Value of the bin that holds a quantile, for a mean share of slow I/Os.
    pub fn quantile_ns(&self, slow: f64, q: f64) -> f64 {
        let mut sum = 0.0;
        for (i, (b, t)) in self.body.iter().zip(&self.tail).enumerate() {
            sum += (1.0 - slow) * b + slow * t;
            if sum >= q {
                return self.edges[i];
            }
        }
        f64::INFINITY
    }

    /// A run of so many seconds, and the true mean share of slow I/Os.
    pub fn run(&self, tail: Tail, seconds: usize, rng: &mut Xoshiro256PlusPlus) -> (LatencySeries, f64) {
        let (shares, mean) = slow_shares(tail, seconds, rng);
        let mut series = LatencySeries::of_seconds(seconds);
        for (second, slow) in shares.into_iter().enumerate() {
            let counts =
                self.edges.iter().zip(self.body.iter().zip(&self.tail)).filter_map(|(edge, (b, t))| {
                    let expected = RATE * ((1.0 - slow) * b + slow * t);
                    let count = if expected > 1e-9 {
                        Poisson::new(expected).expect("the parameters are in range").sample(rng) as u64
                    } else {
                        0
                    };
                    (count > 0).then(|| (bucket_of(*edge as u64), count))
                });
            let counts: Vec<(usize, u64)> = counts.collect();
            let value = |bucket: usize| bucket_bounds(bucket).0;
            let sum = counts.iter().map(|(b, c)| u128::from(value(*b)) * u128::from(*c)).sum();
            let (low, high) = (value(counts[0].0), value(counts[counts.len() - 1].0));
            let histogram =
                Histogram::from_parts(counts, sum, low, high).expect("the parameters are in range");
            series.add_histogram(second, &histogram).expect("the parameters are in range");
        }
        (series, mean)
    }
}

/// The share of slow I/Os in each second, and its true mean.
fn slow_shares(tail: Tail, seconds: usize, rng: &mut Xoshiro256PlusPlus) -> (Vec<f64>, f64) {
    match tail {
        Tail::Independent => (vec![2e-4; seconds], 2e-4),
        Tail::Jitter => {
            let (step, mut z) = (
                Normal::new(0.0, 0.8 * 0.6).expect("the parameters are in range"),
                Normal::new(0.0, 0.8).expect("the parameters are in range").sample(rng),
            );
            let shares = (0..seconds)
                .map(|_| {
                    z = 0.8 * z + step.sample(rng);
                    2e-4 * f64::exp(z)
                })
                .collect();
            (shares, 2e-4 * 0.32f64.exp())
        }
        Tail::Bursts { length, gap } => {
            let (quiet, slow) = (1e-4, 1e-2);
            let mut bursting = rng.random_range(0.0..1.0) < length / (length + gap);
            let shares = (0..seconds)
                .map(|_| {
                    let change = rng.random_range(0.0..1.0);
                    bursting = if bursting { change > 1.0 / length } else { change < 1.0 / gap };
                    if bursting { slow } else { quiet }
                })
                .collect();
            (shares, quiet + (slow - quiet) * length / (length + gap))
        }
    }
}
