//! Whether a series of 1-s rates is steady: four gates, which all have to hold.
//!
//! 0. **Guard**: every known hidden state is used up ([`crate::exposure`]). Statistics cannot see a bucket
//!    that has not run out, so this one is not a matter of statistics.
//! 1. **Transient**: MSER-5 finds the end of the settling ([`transient`]); it must lie before the middle.
//! 2. **Drift**: a straight line through batch means, its slope with a standard error that allows for
//!    correlated batches. The slope *and* its uncertainty must stay within the tolerance over the window
//!    and over the horizon that the claim is for: an equivalence test, so that noise cannot pass for
//!    steadiness ([`drift`]).
//! 3. **Level**: the means of the three thirds agree, and the mean itself is known well enough.
//!
//! A rate with a period is judged over whole periods ([`period`]). The series is judged at 120 s and then
//! whenever it has grown by 15 % ([`schedule`]), not each second: each look is a chance to be wrong. After
//! a verdict [`cusum`] continues to look; [`segments`] splits a finished record.
//!
//! White 1997 and White and Robinson (MSER); Schuirmann 1987 (two one-sided tests); Wang and Glynn 2016
//! (MSER alone can fail). The error rates are measured by the suite `steady` of `cargo xtask statistics`.

pub mod cusum;
pub mod drift;
mod gates;
mod outlook;
pub mod period;
pub mod schedule;
pub mod segments;
pub mod snia;
pub mod steady_sentence;
pub mod transient;

use fathom_record::exposure_guard::ExposureGuard;
use fathom_record::steadiness::{Gates, GuardGate, Steadiness, SteadyVerdict};

use gates::GatedSeries;

/// Tolerances and lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyRule {
    /// Tolerated change, as a share of the mean.
    pub tolerance_share: f64,
    /// How far ahead the mean is to be valid, in seconds.
    pub horizon_s: f64,
}

impl Default for SteadyRule {
    /// 5 % over ten minutes.
    fn default() -> Self {
        Self { tolerance_share: 0.05, horizon_s: 600.0 }
    }
}

/// Seconds below which nothing is claimed, whatever the budget.
pub const SHORTEST_WINDOW_S: usize = 120;

/// Judges a whole series of 1-s rates, oldest first, in any unit.
///
/// The guard is that of the moment after the last second; what was exposed before the first second (a
/// preconditioning, an earlier run) counts through its `exposed_s`.
pub fn judge(rates: &[f64], guard: &ExposureGuard, rule: &SteadyRule) -> Steadiness {
    let guard_gate = guard_gate(rates.len(), guard);
    let mut result = Steadiness {
        verdict: SteadyVerdict::NotEnoughData,
        reason: String::new(),
        seconds: rates.len() as f64,
        discarded_s: 0.0,
        window_s: rates.len() as f64,
        mean: crate::student::mean(rates),
        gates: Gates { guard: guard_gate, ..Gates::default() },
        horizon_s: None,
        period: None,
        snia: snia::last_rounds(rates),
        remaining_s: None,
        next_check_s: schedule::after(rates.len()) as f64,
        not_excluded: guard.unknown().collect(),
    };
    if let Some(reason) = unusable(rates) {
        (result.verdict, result.mean) = (SteadyVerdict::Unusable, None);
        result.reason = reason;
        return result;
    }
    if rates.len() < SHORTEST_WINDOW_S {
        result.reason = format!("{} s of {SHORTEST_WINDOW_S} s: a shorter series is not judged", rates.len());
        result.remaining_s = Some((SHORTEST_WINDOW_S - rates.len()) as f64);
        return result;
    }
    let judged = GatedSeries::of(rates, guard_gate, rule);
    judged.write(&mut result);
    result.remaining_s = outlook::remaining_s(&result, rule);
    result.reason = steady_sentence::reason(&result, guard);
    result
}

/// Why a series cannot be judged at all.
fn unusable(rates: &[f64]) -> Option<String> {
    if rates.iter().any(|rate| !rate.is_finite() || *rate < 0.0) {
        return Some("a second has no rate: values must be numbers from 0 on".to_owned());
    }
    (!rates.is_empty() && rates.iter().all(|rate| *rate == 0.0))
        .then(|| "no I/O ended in any second".to_owned())
}

/// The guard in seconds of this series.
fn guard_gate(length: usize, guard: &ExposureGuard) -> GuardGate {
    let before_s = (guard.exposed_s - length as f64).max(0.0);
    let from_s = guard.guard_s().map(|guard_s| (guard_s - before_s).max(0.0));
    GuardGate { passed: guard.met() && from_s.is_some_and(|from_s| from_s <= length as f64), from_s }
}
