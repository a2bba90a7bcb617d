//! Whether two stretches of runs have different levels.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{Change, LEVEL};
use crate::student::{CONFIDENCE, t_quantile};

/// The memory of neighbours is estimated too low from few runs, by about so much over their number (Marriott and Pope,
/// 1954, with the two means that are taken off).
const MEMORY_BIAS: f64 = 3.0;
/// Memory beyond this cannot be told from a level that wanders.
const MEMORY_MAX: f64 = 0.9;

/// The moments of one stretch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) mean: f64,
    /// Sum of the squared distances from the mean.
    pub(super) squares: f64,
}

impl Side {
    pub(super) fn of(values: &[f64]) -> Self {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Self { mean, squares: values.iter().map(|value| (value - mean) * (value - mean)).sum() }
    }
}

/// The second stretch against the first, on logarithms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judgement {
    difference: f64,
    half_width: f64,
    pub(super) p_value: f64,
}

impl Judgement {
    /// Whether it is beyond chance, and its interval beyond `least`, a share.
    pub(super) fn is_told(self, least: f64) -> bool {
        let matters = if self.difference < 0.0 { -(-least).ln_1p() } else { least.ln_1p() };
        self.p_value < LEVEL && self.difference.abs() - self.half_width > matters
    }

    pub(super) fn change(self) -> Change {
        let at = |log: f64| log.exp();
        Change {
            ratio: at(self.difference),
            low: at(self.difference - self.half_width),
            high: at(self.difference + self.half_width),
            p_value: self.p_value,
        }
    }
}

/// The difference of two neighbouring stretches with one deviation for both, since a short one cannot show its own;
/// `None` with fewer than three runs in all.
pub(super) fn between(before: &[f64], after: &[f64]) -> Option<Judgement> {
    let runs = before.len() + after.len();
    let degrees = runs.checked_sub(2).filter(|degrees| *degrees > 0)?;
    let (one, other) = (Side::of(before), Side::of(after));
    let variance = (one.squares + other.squares) / degrees as f64;
    let memory = memory(before, after, one, other);
    let longer = (1.0 + memory) / (1.0 - memory);
    let error = (variance * (1.0 / before.len() as f64 + 1.0 / after.len() as f64) * longer).sqrt();
    let difference = other.mean - one.mean;
    // Runs that do not scatter at all: any difference is one.
    let t = if error > 0.0 {
        difference.abs() / error
    } else if difference == 0.0 {
        0.0
    } else {
        f64::INFINITY
    };
    let p_value =
        if t.is_finite() { 2.0 * StudentsT::new(0.0, 1.0, degrees as f64).ok()?.sf(t) } else { 0.0 };
    Some(Judgement { difference, half_width: t_quantile(CONFIDENCE, degrees)? * error, p_value })
}

/// Correlation of neighbouring runs around their level, 0 to [`MEMORY_MAX`].
fn memory(before: &[f64], after: &[f64], one: Side, other: Side) -> f64 {
    let squares = one.squares + other.squares;
    if squares <= 0.0 {
        return 0.0;
    }
    let rest: Vec<f64> =
        before.iter().map(|v| v - one.mean).chain(after.iter().map(|v| v - other.mean)).collect();
    let products: f64 = rest.windows(2).map(|pair| pair[0] * pair[1]).sum();
    (products / squares + MEMORY_BIAS / rest.len() as f64).clamp(0.0, MEMORY_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_memory_it_is_students_test() {
        // Alternating values have negative memory, which is not used.
        let judged = between(&[1.0, 3.0, 1.0, 3.0], &[5.0, 7.0, 5.0, 7.0]).unwrap();
        // Means 2 and 6, variance 8/6, error sqrt(8/6 * 1/2) = 0.8165, t = 4.899 with 6 degrees.
        assert!((judged.difference - 4.0).abs() < 1e-12);
        assert!((judged.half_width - 2.4469 * 0.8165).abs() < 1e-3, "{judged:?}");
        assert!((judged.p_value - 0.00271).abs() < 1e-4, "{judged:?}");
    }

    #[test]
    fn memory_makes_the_interval_wider() {
        let slow = between(&[1.0, 1.0, 3.0, 3.0, 1.0, 1.0, 3.0, 3.0], &[2.0; 8]).unwrap();
        let quick = between(&[1.0, 3.0, 1.0, 3.0, 1.0, 3.0, 1.0, 3.0], &[2.0; 8]).unwrap();
        assert!(slow.half_width > 1.2 * quick.half_width, "{slow:?} {quick:?}");
    }

    #[test]
    fn falls_and_rises_of_one_share_matter_alike() {
        let judged = |difference: f64| Judgement { difference, half_width: 0.0, p_value: 0.0 };
        assert!(judged(1.021_f64.ln()).is_told(0.02) && !judged(1.019_f64.ln()).is_told(0.02));
        assert!(judged(0.979_f64.ln()).is_told(0.02) && !judged(0.981_f64.ln()).is_told(0.02));
    }
}
