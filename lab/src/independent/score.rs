//! What the answers to all cases come to.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::generate::Case;
use crate::cases::NamedCause;

/// Above this an answer is sure.
const SURE: f64 = 0.95;

/// A case with the causes that fathom named, most probable first; empty where it gave no answer.
pub struct AnsweredCase {
    pub case: Case,
    pub named: Vec<NamedCause>,
}

impl AnsweredCase {
    fn first(&self) -> (&str, f64) {
        self.named.first().map_or(("no_answer", 0.0), |named| (named.cause.as_str(), named.probability))
    }

    fn right_among(&self, count: usize) -> bool {
        self.named.iter().take(count).any(|named| self.case.right.contains(&named.cause.as_str()))
    }
}

/// Figures and the confusion table, as Markdown.
pub fn markdown(asked: &[AnsweredCase], close: usize) -> String {
    let total = asked.len().max(1) as f64;
    let first = asked.iter().filter(|one| one.right_among(1)).count();
    let two = asked.iter().filter(|one| one.right_among(2)).count();
    let sure: Vec<&AnsweredCase> = asked.iter().filter(|one| one.first().1 >= SURE).collect();
    let sure_right = sure.iter().filter(|one| one.right_among(1)).count();
    let none = asked.iter().filter(|one| one.named.is_empty()).count();
    let mut text = format!(
        "| figure | independent cases |\n|---|---|\n| cases; draws left out, two bind | {}; {close} |\n\
         | right first | {first} ({:.1} %) |\n| right among two | {two} ({:.1} %) |\n\
         | sure (0.95) | {} |\n| of these right | {sure_right} |\n| calibration error | {:.3} |\n\
         | no answer | {none} |\n\n| label | first | cases | of these right |\n|---|---|---|---|\n",
        asked.len(),
        100.0 * first as f64 / total,
        100.0 * two as f64 / total,
        sure.len(),
        calibration_error(asked),
    );
    let mut pairs: BTreeMap<(&str, &str), (u32, u32)> = BTreeMap::new();
    for one in asked {
        let pair = pairs.entry((one.case.right[0], one.first().0)).or_default();
        *pair = (pair.0 + 1, pair.1 + u32::from(one.right_among(1)));
    }
    for ((label, said), (count, right)) in pairs {
        let _ = writeln!(text, "| {label} | {said} | {count} | {right} |");
    }
    text
}

/// Mean distance between what was said and what was right, over ten equal bins of probability, weighted by cases.
/// What was not answered says nothing.
fn calibration_error(asked: &[AnsweredCase]) -> f64 {
    let mut bins = [(0.0, 0.0); 10];
    let answered: Vec<&AnsweredCase> = asked.iter().filter(|one| !one.named.is_empty()).collect();
    for one in &answered {
        let bin = &mut bins[((one.first().1 * 10.0) as usize).min(9)];
        *bin = (bin.0 + one.first().1, bin.1 + f64::from(u8::from(one.right_among(1))));
    }
    bins.iter().map(|(said, right)| (said - right).abs()).sum::<f64>() / answered.len().max(1) as f64
}

/// A line a case: seed, number, what was asked, what is right, and both causes named first.
///
/// # Errors
/// Where the table cannot be made.
pub fn csv(asked: &[AnsweredCase]) -> Result<Vec<u8>, String> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let head = ["seed", "number", "arguments", "label", "right", "first", "probability", "second"];
    table.write_record(head).map_err(|error| error.to_string())?;
    for one in asked {
        let (first, probability) = one.first();
        let second = one.named.get(1).map_or("", |named| named.cause.as_str());
        let row = [
            one.case.seed.to_string(),
            one.case.number.to_string(),
            one.case.setup.arguments().join(" "),
            one.case.right[0].to_owned(),
            one.case.right.join(" or "),
            first.to_owned(),
            format!("{probability:.3}"),
            second.to_owned(),
        ];
        table.write_record(&row).map_err(|error| error.to_string())?;
    }
    table.into_inner().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_count_what_is_right_and_bins_weigh_what_was_said() {
        let (cases, _) = super::super::generate::cases(1, 4);
        let asked: Vec<AnsweredCase> = cases
            .into_iter()
            .enumerate()
            .map(|(n, case)| {
                let cause = if n < 3 { case.right[0] } else { "thermal" };
                AnsweredCase { named: vec![NamedCause { cause: cause.to_owned(), probability: 0.95 }], case }
            })
            .collect();
        assert!((calibration_error(&asked) - 0.2).abs() < 1e-9, "said 0.95, right 0.75");
        assert!(markdown(&asked, 5).contains("| right first | 3 (75.0 %) |"));
        assert_eq!(String::from_utf8(csv(&asked).unwrap()).unwrap().lines().count(), 5);
    }
}
