//! Splits a finished series where its level changed: for reading a record, not for stopping.
//!
//! PELT (Killick, Fearnhead and Eckley 2012) on batch means: the split with the least sum of squares plus a
//! price for each change. The price is that of the long-run variance, taken from differences of
//! neighbours, so that noise with memory is not cut into pieces; changes below the tolerance are put
//! together again.

use crate::student::mean;

/// Seconds in a batch.
const BATCH_S: usize = 10;
/// Fewest batches of a segment.
const SHORTEST: usize = 6;
/// Price of a change, in long-run variances times the logarithm of the number of batches.
const PRICE: f64 = 3.0;

/// A stretch on one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// First second.
    pub from: usize,
    /// Second after the last.
    pub to: usize,
    /// Mean rate.
    pub mean: f64,
}

/// The stretches of a series, in order and without gaps; levels of neighbours differ by more than
/// `tolerance_share`. A series that is too short or has values that are no numbers is one stretch or none.
pub fn split(rates: &[f64], tolerance_share: f64) -> Vec<Segment> {
    let Some(whole) = mean(rates) else { return Vec::new() };
    let batches: Vec<f64> = rates.chunks_exact(BATCH_S).filter_map(mean).collect();
    if batches.len() < 2 * SHORTEST {
        return vec![Segment { from: 0, to: rates.len(), mean: whole }];
    }
    let mut bounds: Vec<usize> = changes(&batches).into_iter().map(|batch| batch * BATCH_S).collect();
    bounds.insert(0, 0);
    bounds.push(rates.len());
    merge(rates, bounds, tolerance_share)
}

/// Batches at which a new level begins.
fn changes(batches: &[f64]) -> Vec<usize> {
    let count = batches.len();
    let price = PRICE * long_run_variance(batches) * (count as f64).ln();
    let centre = batches[0];
    let (mut sums, mut squares) = (vec![0.0; count + 1], vec![0.0; count + 1]);
    for (i, batch) in batches.iter().enumerate() {
        sums[i + 1] = sums[i] + (batch - centre);
        squares[i + 1] = squares[i] + (batch - centre).powi(2);
    }
    let cost = |from: usize, to: usize| {
        let sum: f64 = sums[to] - sums[from];
        squares[to] - squares[from] - sum * sum / (to - from) as f64
    };
    let mut best = vec![f64::INFINITY; count + 1];
    let mut before = vec![0; count + 1];
    best[0] = -price;
    let mut candidates = vec![0];
    for to in SHORTEST..=count {
        let total = |from: usize| best[from] + cost(from, to) + price;
        let from = candidates
            .iter()
            .copied()
            .filter(|from| to - from >= SHORTEST)
            .min_by(|a, b| total(*a).total_cmp(&total(*b)))
            .unwrap_or(0);
        (best[to], before[to]) = (total(from), from);
        let limit = best[to];
        candidates.retain(|from| to - from < SHORTEST || best[*from] + cost(*from, to) <= limit);
        candidates.push(to);
    }
    let mut found = Vec::new();
    let mut at = before[count];
    while at > 0 {
        found.push(at);
        at = before[at];
    }
    found.reverse();
    found
}

/// Variance of a batch mean as a long stretch feels it, from differences of neighbours: a few changes of
/// level do not show in their median.
fn long_run_variance(batches: &[f64]) -> f64 {
    let differences: Vec<f64> = batches.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let spread = median(differences.iter().map(|d| d.abs()).collect()) / 0.6745;
    // Of a series with memory r, neighbouring differences correlate by -(1 - r) / 2.
    let typical: Vec<f64> = differences.iter().map(|d| d.clamp(-4.0 * spread, 4.0 * spread)).collect();
    let memory = (1.0 + 2.0 * crate::stopping::within::neighbour_correlation(&typical)).clamp(0.0, 0.9);
    let variance = spread * spread / (2.0 * (1.0 - memory));
    let floor = (1e-6 * batches.iter().map(|b| b.abs()).fold(0.0, f64::max)).powi(2);
    (variance * (1.0 + memory) / (1.0 - memory)).max(floor)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Puts neighbours together, the most alike first, until all differ by more than the tolerance.
fn merge(rates: &[f64], mut bounds: Vec<usize>, tolerance_share: f64) -> Vec<Segment> {
    loop {
        let segments: Vec<Segment> = bounds
            .windows(2)
            .filter_map(|pair| {
                Some(Segment { from: pair[0], to: pair[1], mean: mean(&rates[pair[0]..pair[1]])? })
            })
            .collect();
        let step = |i: usize| {
            let (a, b) = (segments[i].mean, segments[i + 1].mean);
            (a - b).abs() / a.abs().max(b.abs()).max(f64::MIN_POSITIVE)
        };
        let least = (0..segments.len().saturating_sub(1)).min_by(|a, b| step(*a).total_cmp(&step(*b)));
        match least {
            Some(i) if step(i) <= tolerance_share => drop(bounds.remove(i + 1)),
            _ => return segments,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_truth::random_process::noise_process::autoregressive;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn levels_are_found_where_they_change() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
        let noise = autoregressive(1800, 0.7, 0.03, &mut rng);
        let level = |i: usize| {
            if i < 600 {
                100.0
            } else if i < 1200 {
                40.0
            } else {
                60.0
            }
        };
        let rates: Vec<f64> = noise.iter().enumerate().map(|(i, n)| level(i) * (1.0 + n)).collect();
        let found = split(&rates, 0.05);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].to.abs_diff(600) <= 10 && found[1].to.abs_diff(1200) <= 10, "{found:?}");
    }

    #[test]
    fn even_noise_with_memory_is_one_stretch() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        let whole = (0..100)
            .filter(|_| {
                let noise = autoregressive(3600, 0.9, 0.05, &mut rng);
                split(&noise.iter().map(|n| 1.0 + n).collect::<Vec<_>>(), 0.05).len() == 1
            })
            .count();
        assert!(whole >= 98, "{whole} of 100");
    }

    proptest! {
        #[test]
        fn segments_cover_the_series(rates in prop::collection::vec(0.0..1e6f64, 0..400)) {
            let found = split(&rates, 0.05);
            let ends: Vec<usize> = found.iter().map(|segment| segment.to).collect();
            let starts: Vec<usize> = found.iter().map(|segment| segment.from).collect();
            if !rates.is_empty() {
                prop_assert_eq!(starts[0], 0);
                prop_assert_eq!(ends.last().copied(), Some(rates.len()));
                prop_assert_eq!(&starts[1..], &ends[..ends.len() - 1]);
            }
        }
    }
}
