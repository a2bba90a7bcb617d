//! Figures of one text that cannot all be right.

use std::collections::BTreeMap;

use super::printed_numbers::Number;
use super::text_sheet::{Report, Sheet};

/// A rule that figures of one thing break, once or in many reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    /// The rule, e.g. `r/s x rareq-sz = rkB/s`.
    pub rule: &'static str,
    /// Which device, processor or interface; empty for the machine.
    pub thing: String,
    /// Reports that break it.
    pub broken: u64,
    /// Reports that it could be held against.
    pub checked: u64,
    /// Worst of them: which report, from 1 in the order of the text.
    pub report: u64,
    /// What is stated there.
    pub stated: f64,
    /// What the other figures there give.
    pub expected: f64,
    /// Why that is, where it is known, or what it means for the figures.
    pub meaning: &'static str,
}

/// Contradictions while they are collected, one for each rule and thing.
#[derive(Debug, Default)]
pub struct Contradictions {
    found: BTreeMap<(&'static str, String), Contradiction>,
}

/// The figures of one thing in one report.
#[derive(Debug, Default)]
pub struct Row<'a> {
    cells: Vec<(&'a str, Number)>,
}

impl<'a> Row<'a> {
    /// The figure of a column.
    pub fn get(&self, column: &str) -> Option<Number> {
        self.cells.iter().find(|(name, _)| *name == column).map(|(_, number)| *number)
    }

    /// All columns and figures.
    pub fn cells(&self) -> &[(&'a str, Number)] {
        &self.cells
    }
}

/// The rows of a table of one report, by thing; figures with unit letters are left out, because they
/// are rounded to no known digit.
pub fn rows<'a>(sheet: &'a Sheet, report: &Report, table: &str) -> BTreeMap<&'a str, Row<'a>> {
    let mut rows: BTreeMap<&str, Row<'_>> = BTreeMap::new();
    for cell in sheet.cells_of(report).filter(|cell| !cell.number.in_bytes) {
        let (of, column) = sheet.column(cell.column);
        if of == table {
            rows.entry(sheet.things.word(cell.thing)).or_default().cells.push((column, cell.number));
        }
    }
    rows
}

impl Contradictions {
    /// Holds a stated figure against what others give; `slack` is by how much rounding lets them differ.
    pub fn hold(
        &mut self,
        rule: (&'static str, &'static str),
        thing: &str,
        report: usize,
        (stated, expected): (f64, f64),
        slack: f64,
    ) {
        let (rule, meaning) = rule;
        let found = self.found.entry((rule, thing.to_owned())).or_insert_with(|| Contradiction {
            rule,
            thing: thing.to_owned(),
            broken: 0,
            checked: 0,
            report: 0,
            stated,
            expected,
            meaning,
        });
        found.checked += 1;
        let off = (stated - expected).abs();
        if off <= slack {
            return;
        }
        if found.broken == 0 || off > (found.stated - found.expected).abs() {
            (found.report, found.stated, found.expected) = (report as u64 + 1, stated, expected);
        }
        found.broken += 1;
    }

    /// Those that were broken at least once.
    pub fn finish(self) -> Vec<Contradiction> {
        self.found.into_values().filter(|found| found.broken > 0).collect()
    }
}

impl Contradiction {
    /// It as one sentence.
    pub fn sentence(&self) -> String {
        let Self { rule, broken, checked, report, stated, expected, meaning, .. } = self;
        let of = if self.thing.is_empty() { String::new() } else { format!("{}: ", self.thing) };
        let times = format!("in {broken} of {checked} reports");
        format!(
            "{of}{rule} does not hold {times}; report {report} states {stated:.2} where {expected:.2} follows: {meaning}"
        )
    }
}
