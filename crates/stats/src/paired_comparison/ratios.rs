//! Logarithms of ratios, one a pair: their mean, interval and tests.

use fathom_record::comparison::{Ratio, Side, UndecidedReason};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::student::{deviation, mean, t_quantile};

/// Pairs from which exchanging the sides can show anything at 5 %.
const MIN_EXCHANGE_PAIRS: usize = 6;
/// Pairs up to which every exchange is tried.
const MAX_EXHAUSTIVE_PAIRS: usize = 12;
/// Exchanges drawn beyond that.
const DRAWS: u64 = 10_000;
/// Deviations at or below this are rounding, not variation.
const ROUNDING: f64 = 1e-12;

/// `ln(B/A)` of the usable pairs of one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRatios {
    values: Vec<f64>,
    mean: f64,
    deviation: f64,
    /// Relative error that all pairs may share, as half a histogram bucket: no interval is narrower.
    resolution: f64,
}

impl LogRatios {
    /// From pairs of values of A and B, all above zero.
    ///
    /// # Errors
    /// Fewer than `need` pairs, a value without a ratio, or pairs that never vary while the values'
    /// resolution does not explain it.
    pub fn of(pairs: &[(f64, f64)], resolution: f64, need: usize) -> Result<Self, UndecidedReason> {
        for (a, b) in pairs {
            for (side, value) in [(Side::A, a), (Side::B, b)] {
                if !(value.is_finite() && *value > 0.0) {
                    return Err(UndecidedReason::NotPositive { side: Some(side) });
                }
            }
        }
        if pairs.len() < need.max(2) {
            let have = pairs.len() as u32;
            return Err(UndecidedReason::TooFewPairs { have, need: need.max(2) as u32, run_s: None });
        }
        let values: Vec<f64> = pairs.iter().map(|(a, b)| b.ln() - a.ln()).collect();
        let resolution = if resolution > 0.0 { resolution } else { 0.0 };
        let (Some(mean), Some(spread)) = (mean(&values), deviation(&values)) else {
            return Err(UndecidedReason::NoVariation);
        };
        let deviation = if spread <= ROUNDING { 0.0 } else { spread };
        if deviation == 0.0 && resolution == 0.0 {
            return Err(UndecidedReason::NoVariation);
        }
        Ok(Self { values, mean, deviation, resolution })
    }

    /// One value a pair.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Pairs.
    pub fn pairs(&self) -> usize {
        self.values.len()
    }

    /// Mean of the logarithms.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Standard deviation from pair to pair; 0 where only the resolution is known.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    fn error(&self) -> f64 {
        self.deviation / (self.values.len() as f64).sqrt()
    }

    /// Half-width of the interval of the logarithm at a confidence.
    pub fn half_width(&self, confidence: f64) -> f64 {
        let t = t_quantile(confidence, self.values.len() - 1).unwrap_or(f64::INFINITY);
        // Infinite t times no error at all is no number.
        let random = if self.deviation > 0.0 { t * self.error() } else { 0.0 };
        random.max(self.resolution)
    }

    /// The ratio with its interval at a confidence.
    pub fn ratio(&self, confidence: f64) -> Ratio {
        let half = self.half_width(confidence);
        Ratio {
            ratio: self.mean.exp(),
            low: (self.mean - half).exp(),
            high: (self.mean + half).exp(),
            confidence,
        }
    }

    /// Two-sided p-value of "no difference".
    pub fn p_value(&self) -> f64 {
        if self.mean.abs() <= self.resolution {
            return 1.0;
        }
        2.0 * self.tail(self.mean.abs())
    }

    /// P-value of "differs by `margin` or more" (the larger of two one-sided tests, Schuirmann 1987).
    pub fn equivalence_p_value(&self, margin: f64) -> f64 {
        let room = margin - self.mean.abs();
        if room <= self.resolution { 1.0 } else { self.tail(room) }
    }

    /// Chance that Student's t exceeds a distance in units of the error.
    fn tail(&self, distance: f64) -> f64 {
        if self.deviation == 0.0 {
            return 0.0;
        }
        let degrees = (self.values.len() - 1) as f64;
        StudentsT::new(0.0, 1.0, degrees).map_or(1.0, |t| t.sf(distance / self.error()))
    }
}

/// Two-sided p-value by exchanging the sides within pairs: the share of exchanges whose mean is at least
/// as far from zero. `None` for fewer than six pairs. All exchanges are tried up to 12 pairs, 10,000
/// drawn from `seed` beyond.
pub fn exchange_p_value(values: &[f64], seed: u64) -> Option<f64> {
    if values.len() < MIN_EXCHANGE_PAIRS {
        return None;
    }
    let seen = values.iter().sum::<f64>().abs() * (1.0 - 1e-12);
    let is_extreme = |flips: &dyn Fn(usize) -> bool| {
        values.iter().enumerate().map(|(i, v)| if flips(i) { -v } else { *v }).sum::<f64>().abs() >= seen
    };
    if values.len() <= MAX_EXHAUSTIVE_PAIRS {
        let all = 1u64 << values.len();
        let extreme = (0..all).filter(|mask| is_extreme(&|i| mask >> i & 1 == 1)).count();
        return Some(extreme as f64 / all as f64);
    }
    let flips = |draw: u64, i: usize| super::first_side(seed ^ draw.rotate_left(20), i as u32) == Side::B;
    let extreme = (0..DRAWS).filter(|draw| is_extreme(&|i| flips(*draw, i))).count();
    Some((extreme + 1) as f64 / (DRAWS + 1) as f64)
}
