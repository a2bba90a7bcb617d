//! The shift function: the ratio of every quantile, with a band that holds all of them at once.

use fathom_record::comparison::{ShiftFunction, ShiftPoint, Side, UndecidedReason};

use crate::student::{CONFIDENCE, deviation, mean, t_quantile};

/// Quantiles of the shift function.
pub const SHIFT_QUANTILES: [f64; 10] = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999];
/// Fewest pairs.
const MIN_PAIRS: usize = 5;
/// Pairs up to which every pattern of signs is tried.
const MAX_EXHAUSTIVE_PAIRS: usize = 12;
/// Patterns drawn beyond that.
const DRAWS: u64 = 4096;

/// Quantiles of the two runs of a pair, by order; absent where a run does not resolve one.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantilePair {
    /// Side A.
    pub a: Vec<Option<f64>>,
    /// Side B.
    pub b: Vec<Option<f64>>,
}

/// The shift function of pairs of runs. Each side of a pair has one entry for each order in `orders`,
/// above zero; absent where its run does not resolve it. An order that a pair lacks is left out.
/// `resolution` is the relative error that all values may share; no band is narrower.
///
/// The band's width comes from the largest t over all orders when the residuals of whole pairs change
/// their signs together, so it is as narrow as the orders' correlation allows; Bonferroni's where that is
/// narrower, as it is for few pairs. Taking the signs of the differences themselves, without their mean,
/// gives bands that cover 87 to 93 %; these cover 94 to 97 %.
///
/// # Errors
/// Fewer than five pairs, or a value without a ratio.
pub fn shift_function(
    orders: &[f64],
    pairs: &[QuantilePair],
    resolution: f64,
    seed: u64,
) -> Result<ShiftFunction, UndecidedReason> {
    if pairs.len() < MIN_PAIRS {
        return Err(UndecidedReason::TooFewPairs {
            have: pairs.len() as u32,
            need: MIN_PAIRS as u32,
            run_s: None,
        });
    }
    let mut rows = Vec::new();
    for (at, q) in orders.iter().enumerate() {
        let values: Vec<(f64, f64)> = pairs
            .iter()
            .filter_map(|p| p.a.get(at).copied().flatten().zip(p.b.get(at).copied().flatten()))
            .collect();
        if values.len() < pairs.len() {
            continue;
        }
        for (a, b) in &values {
            for (side, value) in [(Side::A, a), (Side::B, b)] {
                if !(value.is_finite() && *value > 0.0) {
                    return Err(UndecidedReason::NotPositive { side: Some(side) });
                }
            }
        }
        rows.push((*q, values.iter().map(|(a, b)| b.ln() - a.ln()).collect::<Vec<f64>>()));
    }
    let logs: Vec<&[f64]> = rows.iter().map(|(_, values)| values.as_slice()).collect();
    let critical = critical_t(&logs, seed);
    let root = (pairs.len() as f64).sqrt();
    let points = rows
        .iter()
        .filter_map(|(q, values)| {
            let (mean, error) = (mean(values)?, deviation(values)? / root);
            let half = (critical * error).max(resolution);
            Some(ShiftPoint { q: *q, ratio: mean.exp(), low: (mean - half).exp(), high: (mean + half).exp() })
        })
        .collect();
    Ok(ShiftFunction { points, pairs: pairs.len() as u32, confidence: CONFIDENCE })
}

/// The t beyond which none of the rows' means lies by chance, at [`CONFIDENCE`].
fn critical_t(rows: &[&[f64]], seed: u64) -> f64 {
    let Some(pairs) = rows.first().map(|r| r.len()) else { return f64::INFINITY };
    let single = 1.0 - (1.0 - CONFIDENCE) / rows.len() as f64;
    let bonferroni = t_quantile(single, pairs - 1).unwrap_or(f64::INFINITY);
    let residuals: Vec<Vec<f64>> = rows
        .iter()
        .filter_map(|values| {
            let centre = mean(values)?;
            Some(values.iter().map(|v| v - centre).collect())
        })
        .collect();
    let exhaustive = pairs <= MAX_EXHAUSTIVE_PAIRS;
    // A pattern and its mirror have the same |t|, so the first sign stays.
    let patterns = if exhaustive { 1u64 << (pairs - 1) } else { DRAWS };
    let mut largest: Vec<f64> = (0..patterns)
        .map(|pattern| {
            let bits = if exhaustive { pattern << 1 } else { mixed(seed, pattern) };
            residuals.iter().map(|r| signed_t(r, bits, seed ^ pattern)).fold(0.0, f64::max)
        })
        .collect();
    largest.sort_by(f64::total_cmp);
    let rank = (CONFIDENCE * patterns as f64).ceil() as usize;
    largest[rank.clamp(1, largest.len()) - 1].min(bonferroni)
}

/// |t| of the values with their signs changed where a bit is set; 0 where nothing varies.
fn signed_t(values: &[f64], bits: u64, seed: u64) -> f64 {
    let count = values.len() as f64;
    let sign = |i: usize| {
        let word = if i < 64 { bits } else { mixed(seed, i as u64 / 64) };
        if word >> (i % 64) & 1 == 1 { -1.0 } else { 1.0 }
    };
    let sum: f64 = values.iter().enumerate().map(|(i, v)| sign(i) * v).sum();
    let squares: f64 = values.iter().map(|v| v * v).sum();
    let variance = (squares - sum * sum / count) / (count - 1.0);
    if squares <= 1e-24 {
        0.0
    } else if variance <= squares * 1e-12 {
        f64::INFINITY
    } else {
        (sum / count).abs() / (variance / count).sqrt()
    }
}

/// 64 fair bits from a seed and a number (SplitMix64).
fn mixed(seed: u64, number: u64) -> u64 {
    let mut x = seed ^ number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}
