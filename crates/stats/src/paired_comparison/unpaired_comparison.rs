//! Two sides that were measured at different times: Welch's interval, widened by what sessions differ.
//!
//! Runs of one session share its temperature, fill and neighbours. Comparing A then B as if their runs were
//! independent called identical devices different in 11 to 75 % of simulated cases. Only more sessions can
//! show that variance, so it is allowed for here, and the price is said: no number of runs tells
//! differences below it.

use fathom_record::comparison::{MetricComparison, Ratio, Side, UndecidedReason};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::judge::{decide, without_number};
use super::{Metric, Rules};
use crate::student::{CONFIDENCE, deviation, mean, t_quantile};

/// Relative standard deviation between sessions where none is known: the slow wander of a shared machine
/// under which the published error rates were found.
pub const ASSUMED_SESSION_DEVIATION: f64 = 0.05;
/// Fewest runs of a side.
const MIN_RUNS: usize = 3;

/// The runs of one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Runs<'a> {
    /// One value a run.
    pub values: &'a [f64],
    /// Their unit.
    pub unit: &'a str,
}

/// Compares the runs of two sessions. `session_deviation` is the relative standard deviation between
/// sessions of the same device, where it is known from at least three of them. The result always carries
/// [`UndecidedReason::NotInterleaved`] when it has a number.
pub fn unpaired(
    metric: &Metric,
    a: Runs<'_>,
    b: Runs<'_>,
    rules: &Rules,
    session_deviation: Option<f64>,
) -> MetricComparison {
    match compared(metric, a, b, rules, session_deviation) {
        Ok(result) => result,
        Err(reason) => without_number(metric, reason),
    }
}

/// Mean and squared error of the logarithms of one side.
fn side(runs: Runs<'_>, side: Side) -> Result<(f64, f64), UndecidedReason> {
    if !runs.values.iter().all(|v| v.is_finite() && *v > 0.0) {
        return Err(UndecidedReason::NotPositive { side: Some(side) });
    }
    if runs.values.len() < MIN_RUNS {
        let have = runs.values.len() as u32;
        return Err(UndecidedReason::TooFewRuns { side: Some(side), have, need: MIN_RUNS as u32 });
    }
    let logs: Vec<f64> = runs.values.iter().map(|v| v.ln()).collect();
    let (Some(mean), Some(deviation)) = (mean(&logs), deviation(&logs)) else {
        return Err(UndecidedReason::NoVariation);
    };
    Ok((mean, deviation * deviation / logs.len() as f64))
}

fn compared(
    metric: &Metric,
    a: Runs<'_>,
    b: Runs<'_>,
    rules: &Rules,
    session_deviation: Option<f64>,
) -> Result<MetricComparison, UndecidedReason> {
    if a.unit != b.unit {
        return Err(UndecidedReason::UnitsDiffer { a: a.unit.to_owned(), b: b.unit.to_owned() });
    }
    let ((mean_a, error_a), (mean_b, error_b)) = (side(a, Side::A)?, side(b, Side::B)?);
    let within = error_a + error_b;
    if within <= 1e-24 && metric.resolution <= 0.0 {
        return Err(UndecidedReason::NoVariation);
    }
    let session =
        session_deviation.filter(|s| s.is_finite() && *s >= 0.0).unwrap_or(ASSUMED_SESSION_DEVIATION);
    let between = 2.0 * session * session;
    let error = (within + between).sqrt();
    // Welch and Satterthwaite; the allowance is given, not estimated, and costs no degrees.
    let degrees = |error: f64, runs: usize| error * error / (runs - 1) as f64;
    let divisor = degrees(error_a, a.values.len()) + degrees(error_b, b.values.len());
    let degrees = ((within + between) * (within + between) / divisor).min(1e6);
    let half_at = |confidence: f64| {
        t_quantile(confidence, degrees as usize).map_or(f64::INFINITY, |t| t * error).max(metric.resolution)
    };
    let difference = mean_b - mean_a;
    let half = half_at(1.0 - rules.alpha);
    let is_equivalent = difference.abs() + half_at(1.0 - 2.0 * rules.alpha) < rules.ln_margin();
    let decision = decide(rules, metric.better, difference, half, difference.abs() > half, is_equivalent);
    let p_value = StudentsT::new(0.0, 1.0, degrees).ok().map(|t| 2.0 * t.sf(difference.abs() / error));
    let least = t_quantile(CONFIDENCE, 1_000_000).unwrap_or(f64::INFINITY) * between.sqrt();
    Ok(MetricComparison {
        pairs: a.values.len().min(b.values.len()) as u32,
        ratio: Some(Ratio {
            ratio: difference.exp(),
            low: (difference - half).exp(),
            high: (difference + half).exp(),
            confidence: 1.0 - rules.alpha,
        }),
        decision,
        p_value,
        ..without_number(
            metric,
            UndecidedReason::NotInterleaved { session_deviation: session, least_difference: least.exp_m1() },
        )
    })
}
