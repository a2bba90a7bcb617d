//! Volumes of a fleet: a course of the day, noise, and bursts that come at random, over a past and a future
//! that are drawn by one law. How far the future exceeds the past is then chance alone.

use fathom_sizing::{Demand, Flow};
use rand::RngExt;
use rand_distr::{Distribution, Exp, LogNormal, Normal, Pareto, Poisson};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Length of a tick.
pub const TICK_S: u32 = 300;
/// Ticks of a day.
const DAY: usize = 288;
/// Days that are known.
pub const PAST_DAYS: usize = 14;
/// Days that are to come.
pub const FUTURE_DAYS: usize = 7;

/// How a fleet's volumes burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bursts {
    /// Two to eight times the mean, 3 to 50 a day.
    Many,
    /// Once in some days, with heights that have no scale: most pasts have not seen what is to come.
    Rare,
    /// None: a course of the day and noise.
    None,
    /// None, nor a course of the day: noise alone.
    Steady,
    /// A hundredth of the others, now and then.
    Idle,
}

impl Bursts {
    /// Kinds that fleets of one kind are drawn of.
    pub const ALL: [Self; 3] = [Self::Many, Self::Rare, Self::None];
    /// Kinds of a fleet in which all are mixed.
    pub const MIXED: [Self; 5] = [Self::Many, Self::Rare, Self::None, Self::Steady, Self::Idle];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Many => "many bursts",
            Self::Rare => "rare bursts",
            Self::None => "no bursts",
            Self::Steady => "steady",
            Self::Idle => "idle",
        }
    }
}

/// A volume's past and future.
#[derive(Clone, Debug)]
pub struct Life {
    /// What was seen.
    pub past: Demand,
    /// What is to come.
    pub future: Demand,
}

impl Life {
    /// Draws a volume.
    pub fn draw(bursts: Bursts, rng: &mut Xoshiro256PlusPlus) -> Self {
        let ticks = (PAST_DAYS + FUTURE_DAYS) * DAY;
        let level = drawn(LogNormal::new(8.0, 0.8), rng, 3000.0);
        let bytes = [4096.0, 8192.0, 16_384.0, 65_536.0][rng.random_range(0..4)];
        let reads = rng.random_range(0.1..0.9);
        let swing = if bursts == Bursts::Steady { 0.0 } else { rng.random_range(0.1..0.6) };
        let mut rates: Vec<f64> = (0..ticks)
            .map(|tick| {
                let angle = std::f64::consts::TAU * (tick % DAY) as f64 / DAY as f64;
                let noise = drawn(Normal::new(1.0, 0.08), rng, 1.0).max(0.2);
                let busy =
                    if bursts == Bursts::Idle { 0.01 * f64::from(rng.random_ratio(1, 10)) } else { 1.0 };
                level * (1.0 + swing * angle.sin()) * noise * busy
            })
            .collect();
        add_bursts(bursts, level, &mut rates, rng);
        let demand = |rates: &[f64]| {
            let flow = |share: f64| {
                let operations: Vec<u64> =
                    rates.iter().map(|rate| (rate * share * f64::from(TICK_S)) as u64).collect();
                Flow { bytes: operations.iter().map(|o| o * bytes as u64).collect(), operations }
            };
            Demand {
                tick_s: TICK_S,
                read: flow(reads),
                write: flow(1.0 - reads),
                gaps: Vec::new(),
                counted: None,
            }
        };
        let (past, future) = rates.split_at(PAST_DAYS * DAY);
        Self { past: demand(past), future: demand(future) }
    }
}

fn add_bursts(bursts: Bursts, level: f64, rates: &mut [f64], rng: &mut Xoshiro256PlusPlus) {
    let per_day = match bursts {
        Bursts::Many => rng.random_range(3.0..50.0),
        Bursts::Rare => 0.4,
        Bursts::None | Bursts::Steady | Bursts::Idle => return,
    };
    let days = rates.len() as f64 / DAY as f64;
    let count = drawn(Poisson::new(per_day * days), rng, per_day * days) as usize;
    for _ in 0..count {
        let height = match bursts {
            Bursts::Many => rng.random_range(1.0..7.0),
            _ => drawn(Pareto::new(1.0, 1.5), rng, 1.0).min(100.0),
        };
        let start = rng.random_range(0..rates.len());
        let length = 1 + drawn(Exp::new(0.5), rng, 2.0) as usize;
        let end = (start + length).min(rates.len());
        rates[start..end].iter_mut().for_each(|rate| *rate += height * level);
    }
}

/// A draw; what takes its place where the law makes no sense is never drawn with the constants above.
fn drawn<D: Distribution<f64>, E>(law: Result<D, E>, rng: &mut Xoshiro256PlusPlus, otherwise: f64) -> f64 {
    law.map_or(otherwise, |law| law.sample(rng))
}
