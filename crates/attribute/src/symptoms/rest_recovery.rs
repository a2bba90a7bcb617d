//! What a rest, or a lighter load, brought back: operations that were not done are done later, where somebody counts them
//! out (credits) or where something drained meanwhile (a cache of writes).
//!
//! Source: conservation in a token bucket. What is spent above the sustained rate was earned below it.

use crate::curve_shape::CurveShape;
use crate::evidence::Feature;
use crate::input::{ExperimentAnswer, MeasuredPattern};
use crate::printed;

use super::Symptom;

/// Least share of what was earned that is told from nothing.
const LEAST: f64 = 0.05;
/// A rest that lasts more runs than this earns more than a run can spend.
const MOST_RUNS: f64 = 4.0;
/// Change of a rate that is one.
const CHANGED: f64 = 0.05;
/// Rates that are the same again.
const ALIKE: f64 = 0.03;
/// Shares of what was earned that are spent, by a rate that is above the sustained one after a lighter load.
const SPENT: std::ops::RangeInclusive<f64> = 0.3..=1.1;

/// What was spent over what was earned: after a rest, or in a repetition after the run of a lone I/O.
pub fn seen(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> Option<Symptom> {
    let answer = |experiment| pattern.answers.iter().find(|answer| answer.experiment == experiment);
    let rested = answer(Feature::Idle).and_then(|idle| after_rest(pattern, idle));
    let (share, error, after) = rested.or_else(|| {
        let again = answer(Feature::Repeat)?;
        let share = after_light_load(again, shape)?;
        Some((share, 0.1, "After a run of a lone I/O")).filter(|_| is_spent(again, shape))
    })?;
    let text = if share > LEAST {
        format!(
            "{after} it caught up on {} of the I/Os not done in the meantime, on top of its rate.",
            printed::percent(share)
        )
    } else {
        format!("{after} it caught up on none of the I/Os not done in the meantime.")
    };
    Symptom::new(Feature::Earned, share.max(LEAST).ln(), error, text)
}

/// Share, its standard error as a logarithm, and after what.
fn after_rest(pattern: &MeasuredPattern<'_>, idle: &ExperimentAnswer) -> Option<(f64, f64, &'static str)> {
    let run_minutes = pattern.workload.length.time_ns? as f64 / 60e9;
    let runs = pattern.means.rest_minutes / run_minutes;
    if !(runs > 0.0 && runs <= MOST_RUNS && idle.before_per_s > 0.0 && idle.operations_per_s > 0.0) {
        return None;
    }
    let share = (idle.operations_per_s / idle.before_per_s - 1.0) / runs;
    let error = (idle.error_share / runs / share.max(LEAST)).min(1.0);
    Some((share, error, "After the rest"))
}

/// What a repetition did above the rate before it, over what a lone I/O between them left undone in as long a run.
fn after_light_load(again: &ExperimentAnswer, shape: &CurveShape<'_>) -> Option<f64> {
    let left_undone = again.before_per_s - shape.unloaded?.x_per_s;
    (left_undone > CHANGED * again.before_per_s)
        .then(|| (again.operations_per_s - again.before_per_s) / left_undone)
}

/// Whether a repetition was faster by what a lone I/O between them left undone.
pub fn is_spent(again: &ExperimentAnswer, shape: &CurveShape<'_>) -> bool {
    let is_faster = again.operations_per_s > (1.0 + CHANGED) * again.before_per_s;
    is_faster && after_light_load(again, shape).is_some_and(|share| SPENT.contains(&share))
}

/// Whether a rate that rose in the repetition settled where it had been before; `ln_share` is what it settled at.
pub fn has_returned(answers: &[ExperimentAnswer], ln_share: f64) -> bool {
    let again = answers.iter().find(|answer| answer.experiment == Feature::Repeat);
    again.is_some_and(|again| {
        let rose = (again.operations_per_s / again.before_per_s).ln();
        rose > CHANGED && (rose + ln_share).abs() <= ALIKE
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(experiment: Feature, before_per_s: f64, operations_per_s: f64) -> ExperimentAnswer {
        ExperimentAnswer { experiment, operations_per_s, before_per_s, error_share: 0.005, inferred: None }
    }

    #[test]
    fn a_rate_that_rises_once_and_settles_where_it_was_has_returned() {
        let rose = [answer(Feature::Repeat, 1000.0, 1500.0)];
        assert!(has_returned(&rose, -1.5f64.ln()));
        // It settled between, or never rose.
        assert!(!has_returned(&rose, -0.2));
        assert!(!has_returned(&[answer(Feature::Repeat, 1000.0, 1010.0)], -0.01));
        assert!(!has_returned(&[], -0.4));
    }
}
