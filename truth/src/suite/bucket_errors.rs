//! Token buckets read from a series: the size and the prediction against the truth, and other courses that
//! must be refused.

use fathom_stats::bucket::identify;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Effort;
use crate::random_process::course::{Course, LENGTH_S};
use crate::{Bound, Figure};

/// Rate of the burst and of the base in the simulated course.
const BURST: f64 = 1.0;
const BASE: f64 = 0.1;
/// A run this long is predicted, in seconds.
const PREDICTED_S: f64 = 7200.0;

/// Buckets found, their size within 1 % and within the stated interval, and false buckets.
pub fn run(effort: Effort) -> Vec<Figure> {
    let trials = effort.trials(100, 1000);
    let mut figures = bucket(trials);
    for (index, course) in Course::ALL.into_iter().enumerate().filter(|(_, c)| *c != Course::Bucket) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(400 + index as u64);
        let found = (0..trials).filter(|_| identify(&course.draw(&mut rng).rates).is_ok()).count();
        let share = found as f64 / trials as f64;
        figures.push(Figure::share(course.name(), "called a bucket", share, Bound::AtMost(0.01)));
    }
    figures
}

fn bucket(trials: usize) -> Vec<Figure> {
    let name = Course::Bucket.name();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(401);
    let (mut found, mut near, mut held, mut predicted) = (0usize, 0usize, 0usize, 0usize);
    for _ in 0..trials {
        let drawn = Course::Bucket.draw(&mut rng);
        let (Some(fall), Ok(seen)) = (drawn.fall, identify(&drawn.rates)) else { continue };
        let tokens = fall as f64 * (BURST - BASE);
        let mean = (tokens + BASE * PREDICTED_S) / PREDICTED_S;
        found += 1;
        near += usize::from((seen.tokens / tokens - 1.0).abs() <= 0.01);
        held += usize::from((seen.tokens - tokens).abs() <= seen.tokens_half_width);
        predicted += usize::from((seen.mean_over(PREDICTED_S) / mean - 1.0).abs() <= 0.01);
    }
    let share = |count: usize| count as f64 / trials as f64;
    let hours = PREDICTED_S / LENGTH_S as f64;
    vec![
        Figure::share(name, "found", share(found), Bound::AtLeast(0.99)),
        Figure::share(name, "size within 1 %", share(near), Bound::AtLeast(0.95)),
        Figure::share(name, "interval holds the size", share(held), Bound::AtLeast(0.93)),
        Figure::share(
            name,
            format!("mean of {hours:.0} h within 1 %"),
            share(predicted),
            Bound::AtLeast(0.95),
        ),
    ]
}
