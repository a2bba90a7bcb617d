//! Little's law on stated figures: what was in flight, against what could have been.

use super::{Finding, Rule, Weight, figure};

/// Rounding of published figures, and of latencies that leave out a part of an I/O's time.
const ABOVE: f64 = 1.05;
/// Below this share of what was asked for, the depth was not what was measured.
const BELOW: f64 = 0.9;

/// I/Os in flight by rate and mean latency.
pub fn in_flight(operations_per_s: f64, mean_ns: f64) -> f64 {
    operations_per_s * mean_ns / 1e9
}

/// Holds them against what was asked for; without that, the number alone is the finding.
pub fn judge(subject: &str, figures: (f64, f64), asked: Option<f64>) -> Finding {
    judge_of(subject, figures, asked, f64::INFINITY)
}

/// The same of so many I/Os: those in flight when the measurement began and when it ended are in it with a part of their
/// time alone, or with more than that, and weigh where there are few others.
pub fn judge_of(
    subject: &str,
    (operations_per_s, mean_ns): (f64, f64),
    asked: Option<f64>,
    ios: f64,
) -> Finding {
    let found = in_flight(operations_per_s, mean_ns);
    let ends = 2.0 * asked.unwrap_or(0.0) / ios.max(1.0);
    let law = format!(
        "{} operations/s x {} us mean latency are {} I/Os in flight",
        figure(operations_per_s),
        figure(mean_ns / 1000.0),
        figure(found)
    );
    let (weight, text) = match asked.filter(|asked| *asked > 0.0) {
        None => (Weight::Note, law),
        Some(asked) if found > (ABOVE + ends) * asked => (
            Weight::Contradiction,
            format!(
                "{law}, and only {} could be: a unit, a rate or a latency is not what it says, or they are of different runs",
                figure(asked)
            ),
        ),
        Some(asked) if found < (BELOW - ends) * asked => (
            Weight::Caution,
            format!(
                "{law} of the {} asked for ({:.0} %): the depth that was asked for was not what was measured",
                figure(asked),
                100.0 * found / asked
            ),
        ),
        Some(asked) => (Weight::Note, format!("{law} of {} asked for", figure(asked))),
    };
    Finding { subject: subject.to_owned(), rule: Rule::LittlesLaw, weight, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_flight_is_held_against_what_was_asked_for() {
        let weight = |asked| judge("x", (658_590.0, 1_166_000.0), asked).weight;
        assert_eq!(weight(Some(768.0)), Weight::Note);
        assert_eq!(weight(Some(384.0)), Weight::Contradiction);
        assert_eq!(weight(Some(1152.0)), Weight::Caution);
        // Two seconds of a slow disk: 16 of 366 I/Os were in flight at either end.
        let of = |ios| judge_of("disk", (183.0, 93_499_000.0), Some(16.0), ios).weight;
        assert_eq!([of(366.0), of(1e6)], [Weight::Note, Weight::Contradiction]);
        assert!(judge("x", (658_590.0, 1_166_000.0), None).text.ends_with("are 768 I/Os in flight"));
    }
}
