//! What came of all pairs: a line for each failure as it happens, and a table of the doors at the end.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::pair::PairResult;

/// The counts of one door.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub tried: usize,
    /// Something changed that was not named.
    pub changed: usize,
    /// Carried out where it was to be refused, and nothing changed.
    pub admitted: usize,
    pub odd: usize,
    /// Could not be set up.
    pub skipped: usize,
}

/// The counts of all doors.
#[derive(Clone, Debug, Default)]
pub struct Report {
    doors: BTreeMap<String, Counts>,
    reasons: BTreeMap<String, usize>,
}

impl Report {
    /// Adds a pair.
    pub fn add(&mut self, door: &str, outcome: &Result<PairResult, String>) {
        let counts = self.doors.entry(door.to_owned()).or_default();
        match outcome {
            Ok(tried) => {
                counts.tried += 1;
                counts.changed += usize::from(!tried.changed.is_empty());
                counts.admitted += usize::from(tried.admitted && tried.changed.is_empty());
                counts.odd += usize::from(!tried.odd.is_empty());
            }
            Err(reason) => {
                counts.skipped += 1;
                *self.reasons.entry(without_names(reason)).or_default() += 1;
            }
        }
    }

    /// Sums over all doors.
    pub fn all(&self) -> Counts {
        self.doors.values().fold(Counts::default(), |sum, counts| Counts {
            tried: sum.tried + counts.tried,
            changed: sum.changed + counts.changed,
            admitted: sum.admitted + counts.admitted,
            odd: sum.odd + counts.odd,
            skipped: sum.skipped + counts.skipped,
        })
    }

    /// Doors with their counts, the worst first, and what could not be set up.
    pub fn table(&self) -> String {
        let mut rows: Vec<(&String, &Counts)> = self.doors.iter().collect();
        rows.sort_by_key(|(name, counts)| {
            (std::cmp::Reverse((counts.changed, counts.admitted, counts.odd)), (*name).clone())
        });
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(4);
        let mut text = format!("{:<width$}  tried  changed  admitted  odd endings\n", "door");
        for (name, counts) in rows {
            let Counts { tried, changed, admitted, odd, .. } = counts;
            let _ = writeln!(text, "{name:<width$}  {tried:>5}  {changed:>7}  {admitted:>8}  {odd:>11}");
        }
        for (reason, count) in &self.reasons {
            let _ = writeln!(text, "not set up, {count} times: {reason}");
        }
        text
    }
}

/// A reason without the numbers and paths that tell pairs apart.
fn without_names(reason: &str) -> String {
    let word = |word: &str| {
        let named = word.contains("pair-") || word.contains("/dev/");
        if named { "...".to_owned() } else { word.to_owned() }
    };
    reason.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// All that is worth saying of a pair, or nothing.
pub fn lines(number: usize, door: &str, tried: &PairResult, again: &str, always: bool) -> Option<String> {
    let failed = !tried.changed.is_empty() || !tried.odd.is_empty();
    if !failed && !tried.admitted && !always {
        return None;
    }
    let word = match (tried.changed.is_empty(), tried.admitted, failed) {
        (false, _, _) => "CHANGED",
        (true, true, _) => "ADMITTED",
        (true, false, true) => "ODD",
        _ => "kept",
    };
    let mut text = format!("{word}  pair {number}, {door}: {}\n", tried.victim);
    for change in tried.changed.iter().chain(&tried.odd) {
        let _ = writeln!(text, "    {change}");
    }
    for command in &tried.commands {
        let _ = writeln!(text, "    $ {command}");
    }
    let _ = writeln!(text, "    again: {again}");
    if always {
        tried.said.lines().for_each(|line| {
            let _ = writeln!(text, "      {line}");
        });
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_by_their_worst() {
        let mut report = Report::default();
        let changed = PairResult {
            changed: vec!["x".into()],
            admitted: true,
            odd: vec!["panic".into()],
            ..PairResult::default()
        };
        let admitted = PairResult { admitted: true, ..PairResult::default() };
        for outcome in
            [Ok(changed.clone()), Ok(admitted), Ok(PairResult::default()), Err("no /dev/loop7".to_owned())]
        {
            report.add("run", &outcome);
        }
        report.add("other", &Ok(PairResult::default()));
        let counts = Counts { tried: 4, changed: 1, admitted: 1, odd: 1, skipped: 1 };
        assert_eq!(report.all(), counts);
        let table = report.table();
        assert!(table.lines().nth(1).unwrap().starts_with("run "), "{table}");
        assert!(table.contains("not set up, 1 times: no ..."), "{table}");
        assert!(lines(1, "run", &PairResult::default(), "", false).is_none());
        assert!(lines(1, "run", &changed, "again", false).unwrap().starts_with("CHANGED"));
    }
}
