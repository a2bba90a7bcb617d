//! What experiments answered, as logarithms of the new rate over the old one.

use crate::curve_shape::CurveShape;
use crate::evidence::{CUT_SHORT, Feature};
use crate::experiments::far_ratio;
use crate::input::{ExperimentAnswer, MeasuredPattern};
use crate::nearness::Nearness;
use crate::printed;
use crate::rate_bounds::in_operations;

use super::{Symptom, blocks, jobs, rest_recovery};

/// Share of the 1-s rates' variation that the mean of a run may be off by: noise of a device is correlated over seconds.
const OF_VARIATION: f64 = 0.5;
/// Most that it counts for, as what varies more is no noise.
const MOST_NOISE: f64 = 0.05;

/// What was answered.
///
/// Where the target settled at a lower rate meanwhile, as a cache that filled up, that is a drop of its own, and what
/// was answered from then on is compared with the rate after it.
pub fn seen(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>, mean_bytes: f64) -> Vec<Symptom> {
    let noise =
        shape.telemetry.variation().map_or(0.0, |variation| (OF_VARIATION * variation).min(MOST_NOISE));
    let settled = settled(pattern.answers);
    let mut found: Vec<Symptom> = rest_recovery::seen(pattern, shape).into_iter().collect();
    let has_returned =
        settled.is_some_and(|settled| rest_recovery::has_returned(pattern.answers, settled.ln_share));
    if let Some(RateDrop { from, ln_share }) = settled {
        let text = format!(
            "From the experiment \"{}\" on the rate was {} of what it had been, whatever was changed.",
            pattern.answers[from].experiment.name(),
            printed::percent(ln_share.exp())
        );
        found.extend(Symptom::new(Feature::Drop, ln_share, 0.02, text));
    }
    for (at, answer) in pattern.answers.iter().enumerate() {
        let since = settled.filter(|settled| at >= settled.from);
        let before_per_s = answer.before_per_s * since.map_or(1.0, |settled| settled.ln_share.exp());
        // The one before may have met the fall half-way.
        let is_between = settled.is_some_and(|settled| at + 1 == settled.from && is_lower(answer));
        // Faster once and then as before: what came back was earned, and its size is told by that.
        let is_once =
            answer.experiment == Feature::Repeat && (has_returned || rest_recovery::is_spent(answer, shape));
        if !is_between && !is_once {
            let answer =
                ExperimentAnswer { before_per_s, error_share: answer.error_share.hypot(noise), ..*answer };
            found.extend(one(pattern, &answer, mean_bytes).map(|seen| by_doublings(seen, shape.focus.jobs)));
        }
    }
    blocks::seen(pattern, &mut found);
    jobs::seen(pattern, shape, &mut found);
    found
}

/// Where a target settled at a lower rate.
#[derive(Clone, Copy)]
struct RateDrop {
    /// The first answer after it.
    from: usize,
    /// Logarithm of the rate after it over that before.
    ln_share: f64,
}

/// A fall that counts.
const FELL: f64 = -0.1;
/// Answers that are one rate.
const ALIKE: f64 = 0.03;

fn ln(answer: &ExperimentAnswer) -> f64 {
    (answer.operations_per_s / answer.before_per_s).ln()
}

fn is_lower(answer: &ExperimentAnswer) -> bool {
    ln(answer) < FELL
}

/// The last answers, where several are one lower rate: three, or two of which one is the same again or half the block,
/// which nothing makes slower. A contended lock makes both more jobs and more depth as slow, so two of others are none.
fn settled(answers: &[ExperimentAnswer]) -> Option<RateDrop> {
    let changes_load = |answer: &&ExperimentAnswer| {
        let is_of_size_or_load = matches!(
            answer.experiment,
            Feature::DoubleDepth
                | Feature::DoubleJobs
                | Feature::HalfBlock
                | Feature::DoubleBlock
                | Feature::Sequential
                | Feature::Repeat
        );
        is_of_size_or_load && answer.inferred.is_none()
    };
    let last = answers.iter().rfind(changes_load).map(ln).filter(|value| *value < FELL)?;
    let is_alike = |answer: &ExperimentAnswer| !changes_load(&answer) || (ln(answer) - last).abs() <= ALIKE;
    let from = answers.iter().rposition(|answer| !is_alike(answer)).map_or(0, |at| at + 1);
    let alike: Vec<&ExperimentAnswer> = answers[from..].iter().filter(changes_load).collect();
    let tells =
        |answer: &&&ExperimentAnswer| matches!(answer.experiment, Feature::HalfBlock | Feature::Repeat);
    let is_settled = alike.len() >= 3 || (alike.len() == 2 && alike.iter().any(|answer| tells(&answer)));
    let ln_share = alike.iter().map(|answer| ln(answer)).sum::<f64>() / alike.len() as f64;
    is_settled.then_some(RateDrop { from, ln_share })
}

/// Whether an experiment ended at a known limit that did not bind before: its rate is then no answer to how
/// much more there would have been.
fn is_cut_short(pattern: &MeasuredPattern<'_>, answer: &ExperimentAnswer, mean_bytes: f64) -> bool {
    let bytes = match answer.experiment {
        Feature::HalfBlock => mean_bytes / 2.0,
        Feature::DoubleBlock => mean_bytes * 2.0,
        Feature::FarBlock => mean_bytes * far_ratio(pattern).unwrap_or(1.0),
        _ => mean_bytes,
    };
    let is_at = |rate: f64, known, bytes| {
        in_operations(pattern, known, bytes).is_some_and(|(bound, _)| Nearness::of(rate / bound).is_at())
    };
    // A rate that was next to the limit before is told by it: what it lacked is no answer that was cut.
    let is_near = |known| {
        let before = in_operations(pattern, known, mean_bytes);
        before.is_some_and(|(bound, _)| Nearness::of(answer.before_per_s / bound).is_near())
    };
    pattern.known.iter().any(|known| is_at(answer.operations_per_s, known, bytes) && !is_near(known))
}

fn one(pattern: &MeasuredPattern<'_>, answer: &ExperimentAnswer, mean_bytes: f64) -> Option<Symptom> {
    let ratio = answer.operations_per_s / answer.before_per_s;
    if !(ratio.is_finite() && ratio > 0.0) {
        return None;
    }
    let is_cut_short = is_cut_short(pattern, answer, mean_bytes);
    let (done, rate) = match answer.inferred {
        Some(inferred) => {
            (format!("Blocks of {} gave", printed::bytes(inferred.block_bytes)), inferred.operations_per_s)
        }
        None => (crate::experiments::done(answer.experiment), answer.operations_per_s),
    };
    let text = format!(
        "{done} {} instead of {} ({}){}.",
        printed::iops(rate),
        printed::iops(answer.before_per_s),
        change(rate / answer.before_per_s),
        if is_cut_short { ", where another known limit stopped it" } else { "" }
    );
    let is_bound = answer.inferred.is_some_and(|inferred| inferred.is_bound);
    let error = if is_cut_short || is_bound { CUT_SHORT } else { answer.error_share };
    let mut seen = Symptom::new(answer.experiment, ratio.ln(), error, text)?;
    // A rate that fell to a limit was held by what made it fall; one that rose would have risen further, and one of other
    // blocks would have been higher.
    let is_resized =
        [Feature::HalfBlock, Feature::DoubleBlock, Feature::FarBlock].contains(&answer.experiment);
    if is_bound || is_cut_short && (ratio > 1.0 || is_resized) {
        seen.figure.at_least = Some(answer.error_share);
    }
    Some(seen)
}

/// One connection more as what twice as many would bring, which is the scale of its row.
fn by_doublings(mut seen: Symptom, connections: u32) -> Symptom {
    if seen.figure.feature == Feature::OneConnection {
        let doublings = (f64::from(connections) + 1.0).ln() - f64::from(connections.max(1)).ln();
        let times = std::f64::consts::LN_2 / doublings;
        seen.figure.value *= times;
        seen.figure.error *= times;
    }
    seen
}

fn change(ratio: f64) -> String {
    match ratio {
        r if (r - 1.0).abs() < 0.005 => "no change".to_owned(),
        r if r >= 2.0 => printed::times(r),
        r if r > 1.0 => format!("{} more", printed::percent(r - 1.0)),
        r => format!("{} less", printed::percent(1.0 - r)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(rates: &[(Feature, f64)]) -> Vec<ExperimentAnswer> {
        let answer = |(experiment, rate): &(Feature, f64)| ExperimentAnswer {
            experiment: *experiment,
            operations_per_s: 1000.0 * rate,
            before_per_s: 1000.0,
            error_share: 0.005,
            inferred: None,
        };
        rates.iter().map(answer).collect()
    }

    #[test]
    fn a_target_that_settles_lower_is_told_and_from_where() {
        use Feature::{DoubleBlock, DoubleDepth, DoubleJobs, HalfBlock, Repeat, SecondTarget, Sequential};
        let fell = answers(&[
            (Repeat, 1.0),
            (HalfBlock, 0.8),
            (DoubleBlock, 0.4),
            (DoubleDepth, 0.41),
            (Sequential, 0.4),
        ]);
        let settled_at = settled(&fell).unwrap();
        assert_eq!(settled_at.from, 2);
        assert!((settled_at.ln_share.exp() - 0.403).abs() < 0.01);
        // What has nothing to do with the load changes nothing of it.
        let beside = answers(&[(Repeat, 1.0), (HalfBlock, 0.5), (SecondTarget, 2.0), (Repeat, 0.5)]);
        assert_eq!(settled(&beside).unwrap().from, 1);
        for none in [
            answers(&[(Repeat, 1.0), (DoubleBlock, 0.5)]),
            answers(&[(Repeat, 1.0), (DoubleJobs, 0.85), (DoubleDepth, 0.86)]),
            answers(&[(DoubleBlock, 0.5), (DoubleDepth, 0.5), (Sequential, 0.5), (Repeat, 1.0)]),
            answers(&[]),
        ] {
            assert!(settled(&none).is_none(), "{none:?}");
        }
    }
}
