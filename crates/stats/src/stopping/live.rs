//! An interval for the live display: it may be looked at after every batch, and holds at all looks at once.
//!
//! A normal-mixture confidence sequence (Robbins 1970; Howard, Ramdas, McAuliffe and Sekhon, *Time-uniform,
//! nonparametric, nonasymptotic confidence sequences*, 2021; with an estimated deviation it is asymptotic).
//! About twice as wide as the interval at a planned end, and it takes the batches as independent, so it is
//! shown and never decides.

use crate::student::{CONFIDENCE, MeanInterval, deviation, mean};

/// Fewest batches for which something is shown.
pub const FEWEST_BATCHES: usize = 8;

/// The mean of batch means so far, with a half-width that holds at every look; `planned` is the number of
/// batches at which it is to be narrowest. `None` below [`FEWEST_BATCHES`] or when one is not finite.
pub fn live_interval(batches: &[f64], planned: usize) -> Option<MeanInterval> {
    if batches.len() < FEWEST_BATCHES {
        return None;
    }
    let error: f64 = 1.0 - CONFIDENCE;
    let odds = -2.0 * error.ln();
    let mixture = (odds + odds.ln() + 1.0) / planned.max(FEWEST_BATCHES) as f64;
    let count = batches.len() as f64;
    let grown = count * mixture + 1.0;
    let width = (2.0 * grown / (count * count * mixture) * (grown.sqrt() / error).ln()).sqrt();
    let deviation = deviation(batches)?;
    Some(MeanInterval { runs: batches.len(), mean: mean(batches)?, deviation, half_width: deviation * width })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_truth::process::noise::normal;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn looking_after_every_batch_does_not_spoil_it() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut held = 0;
        for _ in 0..400 {
            let batches: Vec<f64> = (0..200).map(|_| 10.0 + normal(&mut rng)).collect();
            let misses = |end: usize| {
                let shown = live_interval(&batches[..end], 60).unwrap();
                (shown.mean - 10.0).abs() > shown.half_width
            };
            held += i32::from(!(FEWEST_BATCHES..=200).any(misses));
        }
        assert!(held >= 370, "{held} of 400");
    }

    #[test]
    fn it_is_wider_than_a_planned_interval_but_not_without_end() {
        let batches: Vec<f64> = (0..60).map(|i| 10.0 + f64::from(i % 5)).collect();
        let live = live_interval(&batches, 60).unwrap().half_width;
        let planned = crate::student::mean_interval(&batches).unwrap().half_width;
        assert!((1.2..2.2).contains(&(live / planned)), "{}", live / planned);
        assert_eq!(live_interval(&batches[..7], 60), None);
    }
}
