//! Changes of level over a series of runs: how often one is told where there is none, and how soon one that is there.

use fathom_stats::change_points::{Trend, trend};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Effort;
use crate::random_process::noise_process::{autoregressive, normal};
use crate::{Bound, Figure};

type Rng = Xoshiro256PlusPlus;

/// Runs of a series without a change.
const RUNS: usize = 60;
/// Runs before a step.
const BEFORE: usize = 30;
/// Runs after it that have to be enough.
const AFTER: usize = 4;
/// The least difference that matters, as a share.
const LEAST: f64 = 0.02;

/// How runs scatter around one level.
#[derive(Clone, Copy)]
enum Scatter {
    Normal,
    /// Two levels 5 % apart, each run on one of them.
    TwoLevels,
    /// One run in seven is 10 % above the others.
    RareLevel,
    /// Neighbours have a correlation of 0.5.
    Memory,
    /// One run in twenty is up to 20 % off.
    Outliers,
}

const SCATTERS: [(Scatter, &str); 5] = [
    (Scatter::Normal, "normal"),
    (Scatter::TwoLevels, "two levels"),
    (Scatter::RareLevel, "a rare level"),
    (Scatter::Memory, "memory 0.5"),
    (Scatter::Outliers, "outliers 1 in 20"),
];

impl Scatter {
    /// Values around 1 with this relative deviation.
    fn draw(self, runs: usize, deviation: f64, rng: &mut Rng) -> Vec<f64> {
        let memory = if matches!(self, Scatter::Memory) { 0.5 } else { 0.0 };
        let mut logs = autoregressive(runs, memory, deviation, rng);
        for log in &mut logs {
            match self {
                Scatter::Normal | Scatter::Memory => {}
                Scatter::TwoLevels => *log += if rng.random_bool(0.5) { 0.05 } else { 0.0 },
                Scatter::RareLevel => *log += if rng.random_bool(1.0 / 7.0) { 0.10 } else { 0.0 },
                Scatter::Outliers => {
                    *log += if rng.random_bool(0.05) { rng.random_range(-0.2..0.2) } else { 0.0 }
                }
            }
        }
        logs.into_iter().map(f64::exp).collect()
    }
}

/// False changes of stationary series, and steps of 5 % told within four runs.
pub fn run(effort: Effort) -> Vec<Figure> {
    let mut figures = Vec::new();
    // One in 200; few trials scatter around it.
    let most = if effort == Effort::Full { 0.005 } else { 0.0125 };
    for (deviation, bound) in [(0.01, Bound::AtMost(most)), (0.03, Bound::Shown)] {
        for (index, (scatter, name)) in SCATTERS.into_iter().enumerate() {
            let trials = effort.trials(400, 4000);
            let mut rng = Rng::seed_from_u64(900 + index as u64);
            let changed =
                (0..trials).filter(|_| changes(&scatter.draw(RUNS, deviation, &mut rng)) > 0).count();
            let share = changed as f64 / trials as f64;
            let name = format!("{name}, {:.0} %", 100.0 * deviation);
            figures.push(Figure::share(name, "false change in 60 runs", share, bound));
        }
    }
    figures.extend(steps(effort.trials(400, 4000)));
    figures
}

fn steps(trials: usize) -> Vec<Figure> {
    let figure = |step: f64, name: &str, bound| {
        let mut rng = Rng::seed_from_u64(950);
        let told = (0..trials)
            .filter(|_| {
                let mut values: Vec<f64> =
                    (0..BEFORE + AFTER).map(|_| (0.01 * normal(&mut rng)).exp()).collect();
                values[BEFORE..].iter_mut().for_each(|value| *value *= step);
                last_change(&values).is_some_and(|at| at.abs_diff(BEFORE) <= 1)
            })
            .count();
        Figure::share(name, "told within 4 runs", told as f64 / trials as f64, bound)
    };
    vec![
        figure(0.95, "5 % slower, 1 %", Bound::AtLeast(0.95)),
        figure(1.05, "5 % faster, 1 %", Bound::AtLeast(0.95)),
        figure(0.97, "3 % slower, 1 %", Bound::Shown),
    ]
}

fn changes(values: &[f64]) -> usize {
    match trend(values, LEAST) {
        Some(Trend::Levels(levels)) => levels.len() - 1,
        _ => 0,
    }
}

/// The run at which the last change is.
fn last_change(values: &[f64]) -> Option<usize> {
    match trend(values, LEAST)? {
        Trend::Levels(levels) => levels.last().filter(|level| level.change.is_some()).map(|level| level.from),
        Trend::Unknown { .. } => None,
    }
}
