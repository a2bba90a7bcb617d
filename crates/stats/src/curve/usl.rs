//! The universal scalability law over jobs, `X = g J / (1 + a (J-1) + b J (J-1))` (Gunther): used for one
//! question only, whether more jobs make it slower (b above zero beyond its error).
//!
//! It cannot bend sharply, so as a curve over depth it misses the highest rate by 2 to 9 %.

use super::nelder_mead::minimise;
use crate::student::{CONFIDENCE, t_quantile};

/// Variance of relative residuals below which a fit is not believed: 0.1 % each.
const FLOOR: f64 = 1e-6;

/// A fitted scaling law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// Rate of one job, in operations per second.
    pub per_job_per_s: f64,
    /// Share that is serial (contention), a.
    pub contention: f64,
    /// Cost of keeping jobs coherent, b.
    pub coherence: f64,
    /// Lower end of the 95 % interval of b; absent with too few points to know it.
    pub coherence_low: Option<f64>,
    /// Root mean square of the relative residuals.
    pub residual: f64,
}

impl Scaling {
    /// Whether the rate falls with more jobs, beyond the error of the fit.
    pub fn is_retrograde(&self) -> bool {
        self.coherence_low.is_some_and(|low| low > 0.0)
    }

    /// Jobs of the highest rate; `None` where it does not fall.
    pub fn best_jobs(&self) -> Option<f64> {
        (self.coherence > 0.0).then(|| ((1.0 - self.contention).max(0.0) / self.coherence).sqrt())
    }
}

/// Fits pairs of jobs and rate; `None` for fewer than three usable ones.
///
/// In `J/X = (1 + a (J-1) + b J (J-1)) / g` the law is linear: the fit is least squares weighted to
/// relative errors with a and b not below zero, and the interval of b comes from how the cost rises when b
/// is held at zero (likelihood ratio, as F with 1 and n - 3 degrees).
pub fn fit_usl(points: &[(f64, f64)]) -> Option<Scaling> {
    let usable: Vec<(f64, f64)> = points
        .iter()
        .filter(|(j, x)| j.is_finite() && x.is_finite() && *j >= 1.0 && *x > 0.0)
        .copied()
        .collect();
    if usable.len() < 3 {
        return None;
    }
    let start = usable.iter().map(|(j, x)| (x / j).ln()).max_by(f64::total_cmp)?;
    let misfit = |ln_g: f64, a: f64, b: f64| {
        let residual = |(j, x): &(f64, f64)| {
            (ln_g + j.ln() - (1.0 + a * (j - 1.0) + b * j * (j - 1.0)).ln() - x.ln()).powi(2)
        };
        usable.iter().map(residual).sum::<f64>()
    };
    let whole = [1e-3f64, 3e-2]
        .map(|b| minimise(|t: &[f64; 3]| misfit(t[0], t[1].exp(), t[2].exp()), [start, -3.0, b.ln()], 0.5))
        .into_iter()
        .min_by(|x, y| x.1.total_cmp(&y.1))?;
    let flat = minimise(|t: &[f64; 2]| misfit(t[0], t[1].exp(), 0.0), [start, -3.0], 0.5);
    let coherence = whole.0[2].exp();
    let degrees = usable.len() - 3;
    let coherence_low = t_quantile(CONFIDENCE, degrees).map(|t| {
        let variance = (whole.1 / degrees as f64).max(FLOOR);
        let error = coherence / ((flat.1 - whole.1).max(0.0) / variance).sqrt();
        if error.is_finite() { coherence - t * error } else { 0.0 }
    });
    Some(Scaling {
        per_job_per_s: whole.0[0].exp(),
        contention: whole.0[1].exp(),
        coherence,
        coherence_low,
        residual: (whole.1 / usable.len() as f64).sqrt(),
    })
}
