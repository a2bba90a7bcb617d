//! What is counted now beside the baseline: a table, and for each case that changed where it did.

use std::fmt::Write as _;

use super::instruction_baseline::{Baseline, Cost};

/// A change above this share of the baseline matters: one compiler gives one count, and what it moves is meant.
const TOLERANCE: f64 = 0.01;
/// Of a build by another compiler than the baseline's: compilers and their libraries move a case by less.
const TOLERANCE_OF_COMPILERS: f64 = 0.05;
/// Places of a case that are listed.
const LISTED: usize = 6;

/// The table as text, and how many cases fail.
#[derive(Debug, Default)]
pub struct JudgedTable {
    pub text: String,
    pub failures: usize,
}

/// Holds each case against its baseline.
pub fn judge(before: &Baseline, now: &Baseline) -> JudgedTable {
    let mut judged = JudgedTable::default();
    let is_alike = before.toolchain == now.toolchain;
    let tolerance = if is_alike { TOLERANCE } else { TOLERANCE_OF_COMPILERS };
    let (mut moved, mut fell) = (String::new(), false);
    let _ = writeln!(judged.text, "{:<16} {:>9} {:>9} {:>8}", "instructions", "baseline", "now", "change");
    for (case, cost) in &now.cases {
        let Some(old) = before.cases.get(case) else {
            judged.failures += 1;
            let _ = writeln!(
                judged.text,
                "{case:<16} {:>9} {:>9.1}           not in the baseline",
                "", cost.instructions
            );
            continue;
        };
        let change = cost.instructions / old.instructions - 1.0;
        let verdict = match change {
            change if change > tolerance => format!("rose by more than {:.0} %", tolerance * 100.0),
            change if change < -tolerance => format!("fell by more than {:.0} %", tolerance * 100.0),
            _ => String::new(),
        };
        let row = format!(
            "{case:<16} {:>9.1} {:>9.1} {:>+7.1}%  {verdict}",
            old.instructions,
            cost.instructions,
            change * 100.0
        );
        let _ = writeln!(judged.text, "{}", row.trim_end());
        if !verdict.is_empty() {
            let _ = write!(moved, "\n{case} by place, instructions an I/O:\n{}", places(old, cost));
            judged.failures += usize::from(change > 0.0);
            fell |= change < 0.0;
        }
    }
    for case in before.cases.keys().filter(|case| !now.cases.contains_key(*case)) {
        judged.failures += 1;
        let _ = writeln!(judged.text, "{case:<16} is in the baseline and is no case any more");
    }
    judged.text.push_str(&moved);
    if !is_alike {
        let (old, new) = (&before.toolchain, &now.toolchain);
        let _ = writeln!(judged.text, "\nThe baseline was compiled by {old}, this by {new}.");
    }
    if judged.failures > 0 {
        judged.text.push_str("\nIf the rise is meant, accept it: cargo benches instructions --accept\n");
    } else if fell {
        judged.text.push_str("\nKeep what was won: cargo benches instructions --accept\n");
    }
    judged
}

/// The places whose cost differs most, as lines.
fn places(before: &Cost, now: &Cost) -> String {
    let names =
        before.places.keys().chain(now.places.keys().filter(|name| !before.places.contains_key(*name)));
    let cost = |cost: &Cost, name: &str| cost.places.get(name).copied().unwrap_or(0.0);
    let mut changes: Vec<(&str, f64, f64)> =
        names.map(|name| (name.as_str(), cost(before, name), cost(now, name))).collect();
    changes.sort_by(|a, b| (b.2 - b.1).abs().total_cmp(&(a.2 - a.1).abs()));
    let differs = |(_, before, now): &&(&str, f64, f64)| (now - before).abs() >= 0.1;
    let mut text = String::new();
    for (name, before, now) in changes.iter().filter(differs).take(LISTED) {
        let _ = writeln!(text, "  {before:>9.1} {now:>9.1} {:>+8.1}  {name}", now - before);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline(cases: &[(&str, f64)]) -> Baseline {
        let cost = |total: f64| Cost {
            instructions: total,
            places: [("steady.rs".to_owned(), 50.0), ("growing.rs".to_owned(), total - 50.0)].into(),
        };
        let cases = cases.iter().map(|(name, total)| ((*name).to_owned(), cost(*total))).collect();
        Baseline { toolchain: "rustc 1".to_owned(), host: "h".to_owned(), cases }
    }

    fn judged(before: &[(&str, f64)], now: &[(&str, f64)]) -> (usize, String) {
        let judged = judge(&baseline(before), &baseline(now));
        (judged.failures, judged.text)
    }

    #[test]
    fn a_rise_of_over_one_percent_fails_and_says_where() {
        let (failures, text) = judged(&[("a", 100.0), ("b", 100.0)], &[("a", 101.2), ("b", 100.8)]);
        assert_eq!(failures, 1);
        assert!(text.contains("100.0     101.2    +1.2%  rose by more than 1 %"), "{text}");
        assert!(text.contains("50.0      51.2     +1.2  growing.rs") && !text.contains("steady"), "{text}");
        assert!(text.contains("--accept"), "{text}");
    }

    #[test]
    fn a_fall_passes_and_asks_to_be_kept() {
        let (failures, text) = judged(&[("a", 100.0)], &[("a", 90.0)]);
        assert_eq!(failures, 0);
        assert!(text.contains("fell") && text.contains("-10.0") && text.contains("Keep"), "{text}");
        let (failures, text) = judged(&[("a", 100.0)], &[("a", 99.2)]);
        assert!(failures == 0 && !text.contains("accept"), "{text}");
    }

    #[test]
    fn cases_and_baseline_must_be_the_same() {
        let (failures, text) = judged(&[("a", 100.0), ("old", 1.0)], &[("a", 100.0), ("new", 1.0)]);
        assert_eq!(failures, 2);
        assert!(text.contains("not in the baseline") && text.contains("no case any more"), "{text}");
    }

    #[test]
    fn another_compiler_is_named_and_may_move_more() {
        let by_another = |total| Baseline { toolchain: "rustc 2".to_owned(), ..baseline(&[("a", total)]) };
        let within = judge(&baseline(&[("a", 100.0)]), &by_another(104.8));
        assert!(within.failures == 0 && within.text.contains("rustc 1, this by rustc 2"), "{}", within.text);
        let beyond = judge(&baseline(&[("a", 100.0)]), &by_another(105.2));
        assert!(beyond.failures == 1 && beyond.text.contains("rose by more than 5 %"), "{}", beyond.text);
    }
}
