//! Shapiro and Wilk's test of the normal distribution, in Royston's approximation.
//!
//! Royston, *Remark AS R94*, Applied Statistics 44 (1995), for 3 to 5000 values; the coefficients are his.

use fathom_record::precision::Normality;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::student::mean;

const FIRST: [f64; 6] = [0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056];
const SECOND: [f64; 6] = [0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633];
const SHIFT: [f64; 2] = [-2.273, 0.459];
const SMALL_MEAN: [f64; 4] = [0.544, -0.39978, 0.025054, -6.714e-4];
const SMALL_SPREAD: [f64; 4] = [1.3822, -0.77857, 0.062767, -0.0020322];
const LARGE_MEAN: [f64; 4] = [-1.5861, -0.31082, -0.083751, 0.0038915];
const LARGE_SPREAD: [f64; 3] = [-0.4803, -0.082676, 0.0030302];

/// W and its probability under a normal distribution; `None` for fewer than 3 or more than 5000 values, for
/// equal ones, or when one is not finite.
pub fn shapiro_wilk(values: &[f64]) -> Option<Normality> {
    let count = values.len();
    if !(3..=5000).contains(&count) {
        return None;
    }
    let centre = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    // Equal values leave only rounding, which has a distribution of its own.
    if sorted[count - 1] - sorted[0] <= 1e-12 * centre.abs() || !squares.is_normal() {
        return None;
    }
    let normal = Normal::standard();
    let weights = weights(count, &normal);
    let spread: f64 =
        weights.iter().enumerate().map(|(i, weight)| weight * (sorted[count - 1 - i] - sorted[i])).sum();
    let w = (spread * spread / squares).min(1.0);
    Some(Normality { w, p: probability(w, count, &normal) })
}

/// Weights of the differences of the outermost pair, the next pair, and so on.
fn weights(count: usize, normal: &Normal) -> Vec<f64> {
    if count == 3 {
        return vec![0.5f64.sqrt()];
    }
    let n = count as f64;
    let scores: Vec<f64> =
        (1..=count / 2).map(|i| -normal.inverse_cdf((i as f64 - 0.375) / (n + 0.25))).collect();
    let squares = 2.0 * scores.iter().map(|score| score * score).sum::<f64>();
    let root = 1.0 / n.sqrt();
    let first = polynomial(&FIRST, root) + scores[0] / squares.sqrt();
    let mut weights = vec![first];
    let (mut rest, mut left) = (squares - 2.0 * scores[0] * scores[0], 1.0 - 2.0 * first * first);
    if count > 5 {
        let second = polynomial(&SECOND, root) + scores[1] / squares.sqrt();
        weights.push(second);
        rest -= 2.0 * scores[1] * scores[1];
        left -= 2.0 * second * second;
    }
    let scale = (rest / left).sqrt();
    weights.extend(scores[weights.len()..].iter().map(|score| score / scale).collect::<Vec<_>>());
    weights
}

fn probability(w: f64, count: usize, normal: &Normal) -> f64 {
    let n = count as f64;
    if count == 3 {
        let p = 6.0 / std::f64::consts::PI * (w.sqrt().asin() - 0.75f64.sqrt().asin());
        return p.clamp(0.0, 1.0);
    }
    let far = (1.0 - w).ln();
    let (value, centre, spread) = if count <= 11 {
        let shift = polynomial(&SHIFT, n);
        if far >= shift {
            return 0.0;
        }
        (-(shift - far).ln(), polynomial(&SMALL_MEAN, n), polynomial(&SMALL_SPREAD, n).exp())
    } else {
        (far, polynomial(&LARGE_MEAN, n.ln()), polynomial(&LARGE_SPREAD, n.ln()).exp())
    };
    normal.sf((value - centre) / spread)
}

fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w_and_p_are_scipys() {
        // scipy.stats.shapiro
        let steps: Vec<f64> = (1..=20).map(|i| f64::from(i * i) / 10.0).collect();
        let mixed: Vec<f64> = (0..40).map(|i| f64::from(i * 7919 % 101)).collect();
        let weights = [148.0, 154.0, 158.0, 160.0, 161.0, 162.0, 166.0, 170.0, 182.0, 195.0, 236.0];
        for (values, w, p) in [
            (&[1.0, 2.0, 4.0][..], 0.9642857, 6.368868e-01),
            (&[2.1, 2.3, 1.9, 2.0, 9.5], 0.5940432, 5.209994e-04),
            (&weights, 0.7888147, 6.703814e-03),
            (&steps, 0.9061306, 5.380959e-02),
            (&mixed, 0.9553144, 1.156120e-01),
        ] {
            let found = shapiro_wilk(values).unwrap();
            assert!((found.w - w).abs() < 1e-5, "{} values: {found:?}", values.len());
            assert!((found.p / p - 1.0).abs() < 2e-3, "{} values: {found:?}", values.len());
        }
    }

    #[test]
    fn equal_few_and_broken_values_are_not_judged() {
        assert_eq!(shapiro_wilk(&[0.1 + 0.2; 9]), None);
        assert_eq!(shapiro_wilk(&[1.0, 2.0]), None);
        assert_eq!(shapiro_wilk(&[1.0, f64::INFINITY, 2.0]), None);
    }
}
