//! Quantile intervals of one run: how often they hold the true quantile.

use fathom_stats::tail::quantile_interval;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Effort;
use crate::random_process::tail_process::{FIVE, THIRTY, Tail, TailTruth};
use crate::{Bound, Figure};

/// Coverage from twelve recurrences on, and below that for show.
pub fn run(effort: Effort) -> Vec<Figure> {
    let at_least = Bound::AtLeast(0.9);
    let short: &[(Tail, usize, Bound)] = &[(Tail::Independent, 120, at_least), (Tail::Jitter, 300, at_least)];
    let full: &[(Tail, usize, Bound)] = &[
        (Tail::Independent, 300, at_least),
        (Tail::Jitter, 300, at_least),
        (Tail::Jitter, 1200, at_least),
        (FIVE, 1200, Bound::Shown),
        (FIVE, 3600, at_least),
        (THIRTY, 3600, Bound::Shown),
        (THIRTY, 7200, at_least),
    ];
    let truth = TailTruth::new();
    let mut figures = Vec::new();
    for (index, (tail, seconds, bound)) in match effort {
        Effort::Short => short,
        Effort::Full => full,
    }
    .iter()
    .enumerate()
    {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(300 + index as u64);
        let orders = [0.5, 0.99, 0.999, 0.9999];
        let mut tallies = [Tally::default(); 4];
        for _ in 0..effort.trials(40, 200) {
            let (series, mean) = truth.run(*tail, *seconds, &mut rng);
            for (q, tally) in orders.into_iter().zip(&mut tallies) {
                let at_ns = truth.quantile_ns(mean, q);
                tally.runs += 1;
                let Ok(interval) = quantile_interval(&series, q, &[]) else { continue };
                tally.bounded += 1;
                tally.stated += u32::from(interval.value_ns.is_some());
                let below = interval.high_ns.is_none_or(|high| at_ns <= high as f64);
                tally.covered += u32::from(interval.low_ns as f64 <= at_ns && below);
            }
        }
        for (q, tally) in orders.into_iter().zip(tallies) {
            let scenario = format!("{}, {seconds} s, p{}", tail.name(), 100.0 * q);
            let covered = f64::from(tally.covered) / f64::from(tally.bounded);
            figures.push(Figure::share(&scenario, "interval holds the truth", covered, *bound));
            let stated = f64::from(tally.stated) / f64::from(tally.runs);
            figures.push(Figure::share(&scenario, "stated with both ends", stated, Bound::Shown));
        }
    }
    figures
}

/// Runs of one process and quantile.
#[derive(Clone, Copy, Default)]
struct Tally {
    runs: u32,
    bounded: u32,
    stated: u32,
    covered: u32,
}
