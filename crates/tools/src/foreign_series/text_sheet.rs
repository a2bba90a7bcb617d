//! A text in its tool's own words: reports, and in them columns, things and numbers.

use std::collections::HashMap;
use std::ops::Range;

use super::banner::Banner;
use super::printed_numbers::Number;
use super::report_time::Stamp;

/// Words that occur again and again, each kept once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    words: Vec<Box<str>>,
    known: HashMap<Box<str>, u32>,
}

impl Names {
    /// The word's number, new or old.
    pub fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.known.get(word) {
            return *number;
        }
        let number = self.words.len() as u32;
        self.words.push(word.into());
        self.known.insert(word.into(), number);
        number
    }

    /// The word of a number that this gave; empty for another.
    pub fn word(&self, number: u32) -> &str {
        self.words.get(number as usize).map_or("", AsRef::as_ref)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// What the numbers of a report cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportKind {
    /// The time since the report before.
    Interval = 0,
    /// The time since the machine started.
    SinceBoot = 1,
    /// All reports, averaged by the tool.
    Average = 2,
}

/// Numbers that belong to one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// When, in nanoseconds after the sheet's zero, if the text says it.
    pub at_ns: Option<i64>,
    /// What its numbers cover.
    pub kind: ReportKind,
    /// Its cells among the sheet's.
    pub cells: Range<usize>,
    /// Where the places of its cells begin among the sheet's.
    places: usize,
}

/// One number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Number of the column's name among the sheet's columns.
    pub column: u32,
    /// Number of the device's, processor's or interface's name among the sheet's things.
    pub thing: u32,
    /// As printed: in the column's unit, or in bytes where a unit letter stood behind it.
    pub number: Number,
}

/// Where a number stands in a report: its column, and the thing that it is of.
pub type Place = (u32, u32);

/// Cells of all reports, which are millions: beside its value one takes a byte, and its place is that of the same
/// cell of the report before, mostly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    values: Vec<f64>,
    marks: Vec<u8>,
    places: Vec<Place>,
}

/// The whole text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// The machine.
    pub banner: Option<Banner>,
    /// The moment that reports are counted from, and how the text writes it.
    pub zero: Option<(Stamp, String)>,
    /// Columns, each as `table|column`.
    pub columns: Names,
    /// Devices, processors, interfaces; empty for the whole machine.
    pub things: Names,
    /// Reports in the order of the text.
    pub reports: Vec<Report>,
    /// Cells of all reports.
    pub cells: Cells,
    /// Lines that are no part of the tool's output, and the first of them.
    pub strange: Option<(u64, String)>,
    /// What to tell of the reading, a sentence each.
    pub notes: Vec<String>,
}

impl Sheet {
    /// Begins a report; cells put from now on belong to it.
    pub fn begin(&mut self, at_ns: Option<i64>, kind: ReportKind) {
        let at = self.cells.values.len();
        let places = self.reports.last().map_or(0, |last| last.places);
        let report = Report { at_ns, kind, cells: at..at, places };
        match self.reports.last_mut() {
            Some(last) if last.cells.is_empty() => *last = report,
            _ => self.reports.push(report),
        }
    }

    /// Puts a number into the report begun last; without one, begins one.
    pub fn put(&mut self, table: &str, column: &str, thing: &str, number: Number) {
        let column = self.column_number(table, column);
        let thing = self.things.number(thing);
        self.put_cell(Cell { column, thing, number });
    }

    /// The number of a column, new or old.
    pub fn column_number(&mut self, table: &str, column: &str) -> u32 {
        self.columns.number(&format!("{table}|{column}"))
    }

    /// Puts a number under names that already have numbers.
    pub fn put_cell(&mut self, cell: Cell) {
        let Cell { column, thing, number } = cell;
        if self.reports.is_empty() {
            self.begin(None, ReportKind::Interval);
        }
        let Some(report) = self.reports.last_mut() else { return };
        let place = (column, thing);
        let at = report.places + report.cells.len();
        if self.cells.places.get(at).is_some_and(|known| *known != place) {
            // From here on the report is unlike the one before: it gets places of its own.
            let own = self.cells.places.len();
            self.cells.places.extend_from_within(report.places..at);
            report.places = own;
        }
        if report.places + report.cells.len() == self.cells.places.len() {
            self.cells.places.push(place);
        }
        self.cells.values.push(number.value);
        self.cells.marks.push(number.mark());
        report.cells.end = self.cells.values.len();
    }

    /// Puts numbers of one thing under their columns.
    pub fn put_row(&mut self, columns: &[u32], thing: u32, numbers: &[Number]) {
        let known = self.reports.last_mut().and_then(|report| {
            let at = report.places + report.cells.len();
            Some((self.cells.places.get(at..at + numbers.len())?, report))
        });
        let is_row =
            |places: &[Place]| places.iter().zip(columns).all(|(known, column)| *known == (*column, thing));
        match known.filter(|(places, _)| columns.len() == numbers.len() && is_row(places)) {
            Some((_, report)) => {
                self.cells.values.extend(numbers.iter().map(|number| number.value));
                self.cells.marks.extend(numbers.iter().map(Number::mark));
                report.cells.end = self.cells.values.len();
            }
            None => {
                for (column, number) in columns.iter().zip(numbers) {
                    self.put_cell(Cell { column: *column, thing, number: *number });
                }
            }
        }
    }

    /// The number of a thing, new or old. It mostly is the one that stood at the same place of the report before.
    pub fn thing_number(&mut self, word: &str) -> u32 {
        let expected =
            self.reports.last().and_then(|last| self.cells.places.get(last.places + last.cells.len()));
        match expected {
            Some((_, thing)) if self.things.word(*thing) == word => *thing,
            _ => self.things.number(word),
        }
    }

    /// Whether no report has a cell.
    pub fn is_empty(&self) -> bool {
        self.cells.values.is_empty()
    }

    /// Remembers a line that is no part of the tool's output.
    pub fn strange_line(&mut self, line: &str) {
        match &mut self.strange {
            Some((count, _)) => *count += 1,
            None => self.strange = Some((1, line.trim().chars().take(60).collect())),
        }
    }

    /// Table and column of a column's number.
    pub fn column(&self, number: u32) -> (&str, &str) {
        self.columns.word(number).split_once('|').unwrap_or_default()
    }

    /// Cells of a report.
    pub fn cells_of(&self, report: &Report) -> impl Iterator<Item = Cell> {
        let numbers = self.values_of(report).iter().zip(self.marks_of(report));
        numbers.zip(self.places_of(report)).map(|((value, mark), (column, thing))| Cell {
            column: *column,
            thing: *thing,
            number: Number::of_mark(*value, *mark),
        })
    }

    /// Places of a report's cells.
    pub fn places_of(&self, report: &Report) -> &[Place] {
        self.cells.places.get(report.places..report.places + report.cells.len()).unwrap_or_default()
    }

    /// Values of a report's cells.
    pub fn values_of(&self, report: &Report) -> &[f64] {
        self.cells.values.get(report.cells.clone()).unwrap_or_default()
    }

    /// What is known of a report's values beside them.
    pub(super) fn marks_of(&self, report: &Report) -> &[u8] {
        self.cells.marks.get(report.cells.clone()).unwrap_or_default()
    }

    /// Whether the cells of two reports stand at the same places.
    pub fn are_alike(&self, one: &Report, other: &Report) -> bool {
        one.places == other.places && one.cells.len() == other.cells.len()
    }
}
