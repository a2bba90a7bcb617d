//! The smoothed bound `X(N) = ((N/R0)^-p + Xm^-p)^(-1/p)`: both asymptotes of operational analysis and
//! how sharply the curve bends between them. p = 1 is the hyperbola of one queue, 2 to 4 a usual device,
//! above 8 a hard cap.

use super::nelder_mead::minimise;

/// Exponent from which the bend is as sharp as only an enforced limit makes it.
pub const HARD_CAP_EXPONENT: f64 = 8.0;
/// Largest exponent that is told apart from an infinite one.
const MAX_EXPONENT: f64 = 32.0;

/// A fitted curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PNorm {
    /// Latency of an unloaded target, in nanoseconds.
    pub r0_ns: f64,
    /// Rate that the curve leads to, in operations per second.
    pub x_max_per_s: f64,
    /// Exponent p.
    pub exponent: f64,
    /// Root mean square of the relative residuals.
    pub residual: f64,
}

impl PNorm {
    /// Rate at a concurrency, in operations per second.
    pub fn rate(&self, in_flight: f64) -> f64 {
        rate(&[(self.r0_ns / 1e9).ln(), self.x_max_per_s.ln(), self.exponent.ln()], in_flight)
    }

    /// Concurrency at which the asymptotes cross.
    pub fn crossing(&self) -> f64 {
        self.x_max_per_s * self.r0_ns / 1e9
    }

    /// Whether the curve bends as sharply as an enforced limit does.
    pub fn is_hard_cap(&self) -> bool {
        self.exponent > HARD_CAP_EXPONENT
    }
}

fn rate([r0, x_max, p]: &[f64; 3], in_flight: f64) -> f64 {
    // Relative to the larger asymptote, so that great exponents do not leave the range of numbers.
    let (a, b) = (in_flight.ln() - r0, *x_max);
    let (low, p) = (a.min(b), p.exp().min(MAX_EXPONENT));
    (low - (1.0 + (-p * (a - b).abs()).exp()).ln() / p).exp()
}

/// Fits pairs of in-flight I/Os and rate, by least squares of logarithms; `None` for fewer than four
/// usable ones or without both sides of the bend.
pub fn fit_p_norm(points: &[(f64, f64)]) -> Option<PNorm> {
    let usable: Vec<(f64, f64)> = points
        .iter()
        .filter(|(n, x)| n.is_finite() && x.is_finite() && *n > 0.0 && *x > 0.0)
        .map(|(n, x)| (*n, x.ln()))
        .collect();
    if usable.len() < 4 {
        return None;
    }
    let r0 = usable.iter().map(|(n, x)| n.ln() - x).min_by(f64::total_cmp)?;
    let top = usable.iter().map(|(_, x)| *x).max_by(f64::total_cmp)?;
    let cost = |theta: &[f64; 3]| {
        let squares: f64 = usable.iter().map(|(n, x)| (rate(theta, *n).ln() - x).powi(2)).sum();
        // Keeps the exponent where data leave it open.
        let outside = (theta[2] - MAX_EXPONENT.ln()).max(0.0) + (0.5f64.ln() - theta[2]).max(0.0);
        squares + outside * outside
    };
    let fits = [(0.0, 2.0f64), (0.2, 1.0), (0.0, 8.0)]
        .map(|(lift, p)| minimise(cost, [r0, top + lift, p.ln()], 0.2));
    let (theta, least) = fits.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let fitted = PNorm {
        r0_ns: theta[0].exp() * 1e9,
        x_max_per_s: theta[1].exp(),
        exponent: theta[2].exp().min(MAX_EXPONENT),
        residual: (least / usable.len() as f64).sqrt(),
    };
    let deepest = usable.iter().map(|(n, _)| *n).max_by(f64::total_cmp)?;
    let is_bent = fitted.crossing() < deepest && fitted.residual.is_finite();
    is_bent.then_some(fitted)
}
