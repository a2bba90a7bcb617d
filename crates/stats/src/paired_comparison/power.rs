//! How many pairs a difference needs, and which difference so many pairs find.

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::gamma::ln_gamma;

use crate::student::t_quantile;

/// More pairs than this are not planned: the answer is "not by repeating".
const MAX_PLANNED: u32 = 1000;
/// Steps of the quadrature over the distribution of the deviation.
const STEPS: usize = 120;

/// Chance that `pairs` pairs with standard deviation `deviation` show a difference `effect` (both of the
/// logarithm of the ratio) at a two-sided error of `alpha`: the noncentral t.
pub fn power(pairs: u32, effect: f64, deviation: f64, alpha: f64) -> f64 {
    let Some(degrees) = pairs.checked_sub(1).filter(|d| *d > 0) else { return 0.0 };
    let Some(critical) = t_quantile(1.0 - alpha, degrees as usize) else { return 0.0 };
    if deviation <= 0.0 {
        return if effect == 0.0 { alpha } else { 1.0 };
    }
    let Ok(normal) = Normal::new(0.0, 1.0) else { return 0.0 };
    let shift = effect.abs() * f64::from(pairs).sqrt() / deviation;
    let (degrees, d) = (f64::from(degrees), f64::from(degrees) / 2.0);
    // T = (Z + shift) / u with u = sqrt(chi2 / degrees); integrate over the density of u.
    let spread = 8.0 / (2.0 * degrees).sqrt();
    let (from, to) = ((1.0 - spread).max(0.0), 1.0 + spread);
    let step = (to - from) / STEPS as f64;
    let constant = 2f64.ln() + d * d.ln() - ln_gamma(d);
    let (mut mass, mut found) = (0.0, 0.0);
    for i in 0..=STEPS {
        let u = from + step * i as f64;
        if u <= 0.0 {
            continue;
        }
        let density = (constant + (degrees - 1.0) * u.ln() - d * u * u).exp();
        let weight = density
            * if i == 0 || i == STEPS {
                1.0
            } else if i % 2 == 1 {
                4.0
            } else {
                2.0
            };
        mass += weight;
        found += weight * (normal.sf(critical * u - shift) + normal.cdf(-critical * u - shift));
    }
    found / mass
}

/// Fewest pairs that find `effect` with a chance of `wanted`; `None` above 1000.
pub fn pairs_for(effect: f64, deviation: f64, alpha: f64, wanted: f64) -> Option<u32> {
    fewest(|pairs| power(pairs, effect, deviation, alpha) >= wanted)
}

/// Fewest pairs that show a difference `effect` to be within `margin`, at a one-sided error of `alpha`,
/// with a chance of `wanted`; `None` above 1000 or where the effect is not within it.
pub fn equivalence_pairs(effect: f64, deviation: f64, margin: f64, alpha: f64, wanted: f64) -> Option<u32> {
    let room = margin - effect.abs();
    if room <= 0.0 {
        return None;
    }
    // Near the middle both tests can fail, so the miss is shared between them.
    let miss = if effect.abs() < 0.2 * margin { (1.0 - wanted) / 2.0 } else { 1.0 - wanted };
    fewest(|pairs| {
        let Some(degrees) = pairs.checked_sub(1).filter(|d| *d > 0) else { return false };
        let quantiles = t_quantile(1.0 - 2.0 * alpha, degrees as usize)
            .zip(t_quantile(1.0 - 2.0 * miss, degrees as usize));
        quantiles.is_some_and(|(a, b)| (a + b) * deviation / f64::from(pairs).sqrt() <= room)
    })
}

/// Least relative difference that `pairs` pairs find with a chance of `wanted`:
/// `(t(1 - alpha/2) + t(wanted)) s / sqrt(n)`. `None` for fewer than two pairs.
pub fn minimum_detectable(pairs: u32, deviation: f64, alpha: f64, wanted: f64) -> Option<f64> {
    let degrees = pairs.checked_sub(1)? as usize;
    let t = t_quantile(1.0 - alpha, degrees)? + t_quantile(2.0 * wanted - 1.0, degrees)?;
    Some((t * deviation / f64::from(pairs).sqrt()).exp_m1())
}

fn fewest(suffices: impl Fn(u32) -> bool) -> Option<u32> {
    let mut high = 2;
    while !suffices(high) {
        if high >= MAX_PLANNED {
            return None;
        }
        high = (high * 2).min(MAX_PLANNED);
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = (low + high) / 2;
        if suffices(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.stats.nct`, version 1.17.
    #[test]
    fn power_is_that_of_the_noncentral_t() {
        for (pairs, effect, deviation, alpha, truth) in [
            (10, 0.02, 0.02, 0.05, 0.8030968566327219),
            (5, 0.02, 0.01, 0.05, 0.9088848681009404),
            (12, 0.02, 0.02, 0.03, 0.8191404025986473),
            (6, 0.02, 0.028_284_271_247_461_9, 0.05, 0.29147046034821683),
        ] {
            let found = power(pairs, effect, deviation, alpha);
            assert!((found - truth).abs() < 1e-4, "{pairs} pairs: {found} against {truth}");
        }
    }

    /// The published table: pairs for 1, 2 and 3 % at deviations of 1, 2 and 5 %.
    #[test]
    fn pairs_needed_are_those_of_the_method() {
        for (deviation, truth) in [(0.01, [10, 5, 4]), (0.02, [34, 10, 6]), (0.05, [199, 52, 24])] {
            let found = [0.01, 0.02, 0.03].map(|effect| pairs_for(effect, deviation, 0.05, 0.8).unwrap());
            assert_eq!(found, truth);
        }
        assert_eq!(pairs_for(0.05, 0.05, 0.05, 0.8), Some(10));
        assert_eq!(pairs_for(1e-6, 0.05, 0.05, 0.8), None);
        assert_eq!(pairs_for(f64::NAN, 0.05, 0.05, 0.8), None);
    }

    #[test]
    fn equivalence_takes_more_pairs_near_the_margin() {
        let at = |effect| equivalence_pairs(effect, 0.02, 0.03, 0.05, 0.8);
        assert!(at(0.0).unwrap() < at(0.015).unwrap());
        assert_eq!(at(0.03), None);
        assert!(
            minimum_detectable(12, 0.02, 0.05, 0.8).unwrap()
                < minimum_detectable(6, 0.02, 0.05, 0.8).unwrap()
        );
        assert_eq!(minimum_detectable(1, 0.02, 0.05, 0.8), None);
    }
}
