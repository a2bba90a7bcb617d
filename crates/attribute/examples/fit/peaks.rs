//! One or two peaks through figures, by expectation and maximisation of heavy-tailed densities.

use fathom_attribute::evidence::Density;

/// A figure with its error and how much it counts.
#[derive(Clone, Copy)]
pub struct WeightedFigure {
    pub value: f64,
    pub error: f64,
    pub weight: f64,
}

/// How the densities of the table are made.
#[derive(Clone, Copy)]
pub struct Law {
    pub inflation: f64,
    pub freedom: f64,
}

/// Mean and deviation.
pub type Peak = (f64, f64);

/// The density that set by hand stands for this many cases.
const HAND_COUNTS: f64 = 8.0;
/// A deviation is at least this share of the one set by hand.
const NARROWEST: f64 = 0.6;
/// Rounds; the fit has settled long before.
const ROUNDS: usize = 60;
/// Orders 1/18, 3/18, ... of Student's t with four degrees of freedom.
const QUANTILES: [f64; 9] = [-2.039, -1.099, -0.642, -0.302, 0.0, 0.302, 0.642, 1.099, 2.039];

/// The peaks of a density.
pub fn peaks_of(density: Density) -> Vec<Peak> {
    density.peaks().map(|peak| (peak.mean, peak.deviation)).collect()
}

/// The hand's density as figures, so that few cases move it little.
fn as_figures(hand: &[Peak], law: Law) -> Vec<WeightedFigure> {
    let weight = HAND_COUNTS / (hand.len() * QUANTILES.len()) as f64;
    let of = |(mean, deviation): &Peak| {
        let (mean, scale) = (*mean, deviation * law.inflation);
        QUANTILES.map(|quantile| WeightedFigure { value: mean + quantile * scale, error: 0.0, weight })
    };
    hand.iter().flat_map(of).collect()
}

/// Peaks through figures and what was set by hand, beginning there: as many, in the same order.
pub fn through(figures: &[WeightedFigure], hand: &[Peak], law: Law) -> Vec<Peak> {
    let mut all = as_figures(hand, law);
    all.extend(figures);
    let mut peaks = hand.to_vec();
    for _ in 0..ROUNDS {
        let shares: Vec<Vec<f64>> = all.iter().map(|one| shares(one, &peaks, law)).collect();
        peaks = (0..peaks.len())
            .map(|at| {
                let of_peak = all.iter().zip(&shares).map(|(one, shares)| (one, shares[at]));
                moved(peaks[at], of_peak, NARROWEST * hand[at].1, law)
            })
            .collect();
    }
    peaks
}

/// A second peak beside one set by hand, where the figures that lie furthest away are.
pub fn split(figures: &[WeightedFigure], hand: Peak) -> Option<Vec<Peak>> {
    let away = |one: &&WeightedFigure| (one.value - hand.0).abs();
    let furthest = figures.iter().max_by(|a, b| away(a).total_cmp(&away(b)))?;
    Some(vec![hand, ((furthest.value + hand.0) / 2.0, hand.1)])
}

fn scale(deviation: f64, error: f64, law: Law) -> f64 {
    deviation.hypot(error) * law.inflation
}

fn ln(one: &WeightedFigure, peak: Peak, law: Law) -> f64 {
    let scale = scale(peak.1, one.error, law);
    let z = (one.value - peak.0) / scale;
    -scale.ln() - 0.5 * (law.freedom + 1.0) * (z * z / law.freedom).ln_1p()
}

/// Log density of a figure, up to a constant.
pub fn ln_density(one: &WeightedFigure, peaks: &[Peak], law: Law) -> f64 {
    let mean: f64 = peaks.iter().map(|peak| ln(one, *peak, law).exp()).sum::<f64>() / peaks.len() as f64;
    mean.max(f64::MIN_POSITIVE).ln()
}

/// How much of a figure is each peak's.
fn shares(one: &WeightedFigure, peaks: &[Peak], law: Law) -> Vec<f64> {
    let all: Vec<f64> = peaks.iter().map(|peak| ln(one, *peak, law)).collect();
    let highest = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = all.iter().map(|ln| (ln - highest).exp()).sum();
    all.iter().map(|ln| (ln - highest).exp() / total).collect()
}

/// A peak moved to its figures; far ones count less, as the tails are heavy.
fn moved<'a>(
    peak: Peak,
    figures: impl Iterator<Item = (&'a WeightedFigure, f64)>,
    narrowest: f64,
    law: Law,
) -> Peak {
    let (mut count, mut near, mut sum, mut squares, mut errors) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (one, share) in figures {
        let weight = one.weight * share;
        let z = (one.value - peak.0) / scale(peak.1, one.error, law);
        let close = weight * (law.freedom + 1.0) / (law.freedom + z * z);
        count += weight;
        near += close;
        sum += close * one.value;
        squares += close * (one.value - peak.0).powi(2);
        errors += weight * one.error * one.error;
    }
    if count < 0.5 || near <= 0.0 {
        return peak;
    }
    let own = squares / count / (law.inflation * law.inflation) - errors / count;
    (sum / near, own.max(narrowest * narrowest).sqrt())
}
