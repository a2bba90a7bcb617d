//! What experiments answered, as logarithms of the new rate over the old one.

use crate::ceilings::in_operations;
use crate::evidence::{CUT_SHORT, Feature};
use crate::input::{Answer, Pattern};
use crate::shape::Shape;
use crate::thresholds::AT_BOUND;
use crate::words;

use super::{Seen, earned};

/// Share of the 1-s rates' variation that the mean of a run may be off by: noise of a device is correlated over seconds.
const OF_VARIATION: f64 = 0.5;
/// Most that it counts for, as what varies more is no noise.
const MOST_NOISE: f64 = 0.05;

/// What was answered.
///
/// Where the target settled at a lower rate meanwhile, as a cache that filled up, that is a drop of its own, and what
/// was answered from then on is compared with the rate after it.
pub fn seen(pattern: &Pattern<'_>, shape: &Shape<'_>, mean_bytes: f64) -> Vec<Seen> {
    let noise =
        shape.telemetry.variation().map_or(0.0, |variation| (OF_VARIATION * variation).min(MOST_NOISE));
    let settled = settled(pattern.answers);
    let mut found: Vec<Seen> = earned::seen(pattern, shape).into_iter().collect();
    let has_returned = settled.is_some_and(|settled| earned::has_returned(pattern.answers, settled.ln_share));
    if let Some(Settled { from, ln_share }) = settled {
        let text = format!(
            "From the experiment \"{}\" on the rate was {} of what it had been, whatever was changed.",
            pattern.answers[from].experiment.name(),
            words::percent(ln_share.exp())
        );
        found.extend(Seen::new(Feature::Drop, ln_share, 0.02, text));
    }
    for (at, answer) in pattern.answers.iter().enumerate() {
        let since = settled.filter(|settled| at >= settled.from);
        let before_per_s = answer.before_per_s * since.map_or(1.0, |settled| settled.ln_share.exp());
        // The one before may have met the fall half-way.
        let is_between = settled.is_some_and(|settled| at + 1 == settled.from && is_lower(answer));
        // Faster once and then as before: what came back was earned, and its size is told by that.
        let is_once =
            answer.experiment == Feature::Repeat && (has_returned || earned::is_spent(answer, shape));
        if !is_between && !is_once {
            let answer = Answer { before_per_s, error_share: answer.error_share.hypot(noise), ..*answer };
            found.extend(one(pattern, &answer, mean_bytes).map(|seen| by_doublings(seen, shape.focus.jobs)));
        }
    }
    at_a_corner(&mut found);
    let line = service_line(&found);
    found.extend(line);
    found
}

/// Whether half and twice the block show a service that takes a time for each I/O and another for its bytes: what twice the
/// block adds is then twice what half of it saves. Where blocks count alike or as their bytes alone, nothing is told.
fn service_line(found: &[Seen]) -> Option<Seen> {
    /// Least distance of both answers from both laws of a limit.
    const OFF: f64 = 0.03;
    let of = |feature: Feature| {
        let seen = found.iter().find(|seen| seen.figure.feature == feature)?;
        let is_off = (OFF..=std::f64::consts::LN_2 - OFF).contains(&seen.figure.value.abs());
        (is_off && seen.figure.at_least.is_none()).then_some(seen.figure)
    };
    let (half, double) = (of(Feature::HalfBlock)?, of(Feature::DoubleBlock)?);
    // Times of an I/O over that of the block itself.
    let (less, more) = (1.0 - (-half.value).exp(), (-double.value).exp() - 1.0);
    if less <= 0.0 || more <= 0.0 {
        return None;
    }
    let error = (half.error / less).hypot(2.0 * double.error / more);
    let text = "Half and twice the block fit one line of time over size: each I/O takes a time, and its bytes another.";
    let text = if (more / (2.0 * less)).ln().abs() <= (2.0 * error).max(0.1) {
        text
    } else {
        "Half and twice the block fit no line of time over size."
    };
    Seen::new(Feature::ServiceLine, (more / (2.0 * less)).ln(), error, text)
}

/// Block sizes whose answers are one law are this near to it.
const ON_LAW: f64 = 0.02;

/// Where half the block changes nothing and twice the block less than bytes would, or the other way round, the block lies
/// near the corner of two limits: the answer on the far side of it was cut short by the other one.
fn at_a_corner(found: &mut [Seen]) {
    let value =
        |feature: Feature| found.iter().find(|seen| seen.figure.feature == feature).map(|s| s.figure.value);
    let (Some(half), Some(double)) = (value(Feature::HalfBlock), value(Feature::DoubleBlock)) else { return };
    let bytes = std::f64::consts::LN_2;
    let is_between = |value: f64| (ON_LAW..bytes - ON_LAW).contains(&value);
    let beyond = match (half, double) {
        (half, double) if half.abs() <= ON_LAW && is_between(-double) => Feature::DoubleBlock,
        (half, double) if (double + bytes).abs() <= ON_LAW && is_between(half) => Feature::HalfBlock,
        _ => return,
    };
    let is_whole = |seen: &&mut Seen| seen.figure.at_least.is_none();
    for seen in found.iter_mut().filter(|seen| seen.figure.feature == beyond).filter(is_whole) {
        seen.figure.at_least = Some(seen.figure.error);
        seen.figure.error = CUT_SHORT;
    }
}

/// Where a target settled at a lower rate.
#[derive(Clone, Copy)]
struct Settled {
    /// The first answer after it.
    from: usize,
    /// Logarithm of the rate after it over that before.
    ln_share: f64,
}

/// A fall that counts.
const FELL: f64 = -0.1;
/// Answers that are one rate.
const ALIKE: f64 = 0.03;

fn ln(answer: &Answer) -> f64 {
    (answer.operations_per_s / answer.before_per_s).ln()
}

fn is_lower(answer: &Answer) -> bool {
    ln(answer) < FELL
}

/// The last answers, where several are one lower rate: three, or two of which one is the same again or half the block,
/// which nothing makes slower. A contended lock makes both more jobs and more depth as slow, so two of others are none.
fn settled(answers: &[Answer]) -> Option<Settled> {
    let changes_load = |answer: &&Answer| {
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
    let is_alike = |answer: &Answer| !changes_load(&answer) || (ln(answer) - last).abs() <= ALIKE;
    let from = answers.iter().rposition(|answer| !is_alike(answer)).map_or(0, |at| at + 1);
    let alike: Vec<&Answer> = answers[from..].iter().filter(changes_load).collect();
    let tells = |answer: &&&Answer| matches!(answer.experiment, Feature::HalfBlock | Feature::Repeat);
    let is_settled = alike.len() >= 3 || (alike.len() == 2 && alike.iter().any(|answer| tells(&answer)));
    let ln_share = alike.iter().map(|answer| ln(answer)).sum::<f64>() / alike.len() as f64;
    is_settled.then_some(Settled { from, ln_share })
}

/// Whether an experiment ended at a known limit that did not bind before: its rate is then no answer to how
/// much more there would have been.
fn is_cut_short(pattern: &Pattern<'_>, answer: &Answer, mean_bytes: f64) -> bool {
    let bytes = match answer.experiment {
        Feature::HalfBlock => mean_bytes / 2.0,
        Feature::DoubleBlock => mean_bytes * 2.0,
        _ => mean_bytes,
    };
    let is_at = |rate: f64, known, bytes| {
        in_operations(pattern, known, bytes).is_some_and(|(bound, _)| AT_BOUND.contains(&(rate / bound)))
    };
    pattern.known.iter().any(|known| {
        is_at(answer.operations_per_s, known, bytes) && !is_at(answer.before_per_s, known, mean_bytes)
    })
}

fn one(pattern: &Pattern<'_>, answer: &Answer, mean_bytes: f64) -> Option<Seen> {
    let ratio = answer.operations_per_s / answer.before_per_s;
    if !(ratio.is_finite() && ratio > 0.0) {
        return None;
    }
    let is_cut_short = is_cut_short(pattern, answer, mean_bytes);
    let (done, rate) = match answer.inferred {
        Some(inferred) => {
            (format!("Blocks of {} gave", words::bytes(inferred.block_bytes)), inferred.operations_per_s)
        }
        None => (crate::experiments::done(answer.experiment).to_owned(), answer.operations_per_s),
    };
    let text = format!(
        "{done} {} instead of {} ({}){}.",
        words::iops(rate),
        words::iops(answer.before_per_s),
        change(rate / answer.before_per_s),
        if is_cut_short { ", where another known limit stopped it" } else { "" }
    );
    let is_bound = answer.inferred.is_some_and(|inferred| inferred.is_bound);
    let error = if is_cut_short || is_bound { CUT_SHORT } else { answer.error_share };
    let mut seen = Seen::new(answer.experiment, ratio.ln(), error, text)?;
    // A rate that fell to a limit was held by what made it fall; one that rose would have risen further, and one of other
    // blocks would have been higher.
    let is_resized = [Feature::HalfBlock, Feature::DoubleBlock].contains(&answer.experiment);
    if is_bound || is_cut_short && (ratio > 1.0 || is_resized) {
        seen.figure.at_least = Some(answer.error_share);
    }
    Some(seen)
}

/// One connection more as what twice as many would bring, which is the scale of its row.
fn by_doublings(mut seen: Seen, connections: u32) -> Seen {
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
        r if r >= 2.0 => words::times(r),
        r if r > 1.0 => format!("{} more", words::percent(r - 1.0)),
        r => format!("{} less", words::percent(1.0 - r)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(rates: &[(Feature, f64)]) -> Vec<Answer> {
        let answer = |(experiment, rate): &(Feature, f64)| Answer {
            experiment: *experiment,
            operations_per_s: 1000.0 * rate,
            before_per_s: 1000.0,
            error_share: 0.005,
            inferred: None,
        };
        rates.iter().map(answer).collect()
    }

    #[test]
    fn an_answer_beyond_a_corner_says_little() {
        let of = |half: f64, double: f64| {
            let seen = |feature, value| Seen::new(feature, value, 0.005, "").unwrap();
            let mut found = [seen(Feature::HalfBlock, half), seen(Feature::DoubleBlock, double)];
            at_a_corner(&mut found);
            found.map(|seen| seen.figure.error)
        };
        assert_eq!(of(0.0, -0.4), [0.005, CUT_SHORT]);
        assert_eq!(of(0.4, -0.69), [CUT_SHORT, 0.005]);
        for (half, double) in [(0.0, 0.0), (0.69, -0.69), (0.2, -0.3), (0.0, -0.69)] {
            assert_eq!(of(half, double), [0.005, 0.005], "{half} {double}");
        }
    }

    #[test]
    fn blocks_off_both_laws_are_held_against_a_line() {
        let of = |half: f64, double: f64| {
            let seen = |feature, value: f64| Seen::new(feature, value.ln(), 0.005, "").unwrap();
            service_line(&[seen(Feature::HalfBlock, half), seen(Feature::DoubleBlock, double)])
                .map(|seen| seen.figure.value)
        };
        // 70 us for each I/O and 163 us for its bytes.
        let line = of(233.0 / 151.5, 233.0 / 396.0).unwrap();
        assert!(line.abs() < 1e-9, "{line}");
        assert!(of(1.2, 0.55).unwrap().abs() > 0.5);
        for none in [(1.0, 1.0), (2.0, 0.5), (1.0, 0.6), (1.4, 0.5)] {
            assert_eq!(of(none.0, none.1), None, "{none:?}");
        }
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
