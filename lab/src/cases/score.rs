//! How often fathom was right, and whether it knew: accuracy, calibration, false alarms.

use std::collections::BTreeMap;

use super::case::{Place, Truth};
use super::explain_answer::Answer;

/// From here on an answer counts as given.
pub const ANSWERED: f64 = 0.95;
/// From here on a verdict is confident, and a false alarm is one.
pub const CONFIDENT: f64 = 0.8;
/// Bins of the calibration.
const BINS: usize = 10;

/// A case and what came of it.
#[derive(Clone, Debug)]
pub struct JudgedCase {
    pub id: String,
    pub truth: Truth,
    pub place: Place,
    pub arguments: Vec<String>,
    /// The answer, or why there is none.
    pub answer: Result<Answer, String>,
}

/// Answers whose probability is in a tenth of the range.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    pub count: usize,
    pub mean_probability: f64,
    pub right_share: f64,
}

/// Counts of one truth or place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub cases: usize,
    pub first: usize,
    pub passive_two: usize,
    pub answered: usize,
    pub answered_right: usize,
    pub experiments: usize,
}

/// The figures of a lab.
#[derive(Clone, Debug, Default)]
pub struct Score {
    pub all: Row,
    /// Cases that gave no answer.
    pub silent: usize,
    /// Mean distance between how sure and how often right, weighted by the cases of each bin.
    pub calibration_error: f64,
    /// Mean squared distance between how sure and right (1) or wrong (0).
    pub brier: f64,
    pub bins: [Bin; BINS],
    /// Confident verdicts where nothing that fathom knows binds.
    pub false_alarms: Vec<String>,
    pub by_truth: BTreeMap<String, Row>,
    pub by_place: BTreeMap<Place, Row>,
    /// Time of all runs on their targets, in seconds.
    pub busy_s: f64,
    pub wall_s: f64,
}

impl Row {
    fn add(&mut self, truth: &Truth, answer: &Answer) {
        let first = answer.first();
        let right = truth.allows(&first.cause);
        let answered = first.probability >= ANSWERED;
        self.cases += 1;
        self.first += usize::from(right);
        self.passive_two +=
            usize::from(answer.passive.iter().take(2).any(|named| truth.allows(&named.cause)));
        self.answered += usize::from(answered);
        self.answered_right += usize::from(answered && right);
        self.experiments += answer.experiments.len();
    }
}

/// `part` of `whole`; of nothing, all.
pub fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// Adds up all cases that have an answer.
pub fn score(judged: &[JudgedCase]) -> Score {
    let mut score = Score::default();
    for case in judged {
        let Ok(answer) = &case.answer else {
            score.silent += 1;
            continue;
        };
        let first = answer.first();
        let right = case.truth.allows(&first.cause);
        for row in [
            &mut score.all,
            score.by_truth.entry(case.truth.to_string()).or_default(),
            score.by_place.entry(case.place).or_default(),
        ] {
            row.add(&case.truth, answer);
        }
        if first.probability >= CONFIDENT && case.truth.is_false_alarm(&first.cause) {
            score.false_alarms.push(format!("{}: {} {:.2}", case.id, first.cause, first.probability));
        }
        let bin = &mut score.bins[((first.probability * BINS as f64) as usize).min(BINS - 1)];
        bin.count += 1;
        bin.mean_probability += first.probability;
        bin.right_share += f64::from(u8::from(right));
        score.brier += (first.probability - f64::from(u8::from(right))).powi(2);
        score.wall_s += answer.wall_s;
        score.busy_s += answer.busy_s;
    }
    let cases = score.all.cases.max(1) as f64;
    score.brier /= cases;
    for bin in score.bins.iter_mut().filter(|bin| bin.count > 0) {
        bin.mean_probability /= bin.count as f64;
        bin.right_share /= bin.count as f64;
        score.calibration_error += bin.count as f64 / cases * (bin.mean_probability - bin.right_share).abs();
    }
    score
}

/// One figure against what is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    pub name: &'static str,
    pub value: String,
    pub bound: String,
    pub holds: bool,
}

/// Fewer cases than this give no calibration.
const MANY: usize = 100;

/// Every figure against its bound. Few cases are held to looser ones, which chance alone does not break.
pub fn judge(score: &Score) -> Vec<Figure> {
    let many = score.all.cases >= MANY;
    let at_least = |name, part, whole, bound: f64| Figure {
        name,
        value: format!("{:.1} % ({part} of {whole})", 100.0 * share(part, whole)),
        bound: format!("at least {:.0} %", 100.0 * bound),
        holds: share(part, whole) >= bound,
    };
    let count = |name, number: usize| Figure {
        name,
        value: number.to_string(),
        bound: "none".to_owned(),
        holds: number == 0,
    };
    let all = &score.all;
    let mut figures = vec![
        at_least("right cause first", all.first, all.cases, if many { 0.92 } else { 0.75 }),
        at_least("passive: among the first two", all.passive_two, all.cases, if many { 0.85 } else { 0.6 }),
        count("confident where nothing known binds", score.false_alarms.len()),
        count("cases without an answer", score.silent),
    ];
    if many {
        figures.insert(1, at_least("right where sure (0.95)", all.answered_right, all.answered, 0.97));
        figures.insert(
            2,
            Figure {
                name: "expected calibration error",
                value: format!("{:.3}", score.calibration_error),
                bound: "at most 0.05".to_owned(),
                holds: score.calibration_error <= 0.05,
            },
        );
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::super::explain_answer::NamedCause;
    use super::*;

    fn judged(truth: Truth, cause: &str, probability: f64, passive: &[&str]) -> JudgedCase {
        let named = |cause: &str, probability| NamedCause { cause: cause.to_owned(), probability };
        let answer = Answer {
            active: vec![named(cause, probability)],
            passive: passive.iter().map(|cause| named(cause, 0.3)).collect(),
            busy_s: 1.0,
            wall_s: 1.0,
            symptoms: Vec::new(),
            experiments: Vec::new(),
            report: String::new(),
        };
        JudgedCase {
            id: "case".to_owned(),
            truth,
            place: Place::Sim,
            arguments: Vec::new(),
            answer: Ok(answer),
        }
    }

    #[test]
    fn figures_are_those_of_a_hand_count() {
        let cases = [
            judged(Truth::one("link"), "link", 0.96, &["rate_cap", "link"]),
            judged(Truth::one("link"), "rate_cap", 0.96, &["rate_cap", "tags", "link"]),
            judged(Truth::Nothing, "link", 0.85, &["demand"]),
            judged(Truth::Nothing, "demand", 0.55, &["demand"]),
        ];
        let score = score(&cases);
        assert_eq!((score.all.first, score.all.passive_two), (2, 3));
        assert_eq!((score.all.answered, score.all.answered_right), (2, 1));
        assert_eq!(score.false_alarms.len(), 1);
        // Bins: 0.96 with 1 of 2 right, 0.85 with none, 0.55 with one.
        let expected = (2.0 * 0.46 + 0.85 + 0.45) / 4.0;
        assert!((score.calibration_error - expected).abs() < 1e-9, "{}", score.calibration_error);
        let brier = (0.04f64.powi(2) + 0.96f64.powi(2) + 0.85f64.powi(2) + 0.45f64.powi(2)) / 4.0;
        assert!((score.brier - brier).abs() < 1e-9);
        assert_eq!(score.by_truth["demand"].first, 1);
        assert!(judge(&score).iter().any(|figure| !figure.holds));
    }

    #[test]
    fn what_is_asked_is_held_only_by_what_reaches_it() {
        let right = || judged(Truth::one("link"), "link", 0.97, &["link"]);
        let mut cases: Vec<JudgedCase> = (0..200).map(|_| right()).collect();
        assert!(judge(&score(&cases)).iter().all(|figure| figure.holds));
        for case in cases.iter_mut().take(17) {
            *case = judged(Truth::one("link"), "tags", 0.1, &["link"]);
        }
        let failed: Vec<_> = judge(&score(&cases)).into_iter().filter(|f| !f.holds).map(|f| f.name).collect();
        assert_eq!(failed, ["right cause first"]);
        cases[0].answer = Err("stopped".to_owned());
        assert!(judge(&score(&cases)).iter().any(|f| f.name == "cases without an answer" && !f.holds));
    }
}
