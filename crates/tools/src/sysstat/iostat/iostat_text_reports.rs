//! Text: reports of a processor line and device lines, each under its header.

use super::TOOL;
use crate::Refusal;
use std::rc::Rc;

use crate::foreign_series::{
    Number, ReportKind, Sheet, Timeline, banner, bare_number, decimal, number, stamp,
};

/// What the lines below a header are.
struct Header {
    table: &'static str,
    columns: Vec<u32>,
    /// Where the device's name stands: first, or last with `--pretty` and `--compact`.
    name_last: bool,
}

/// Where in the text the reading is.
#[derive(Default)]
struct Place {
    header: Option<Rc<Header>>,
    timeline: Option<Timeline>,
    /// Time of the report that comes.
    at_ns: Option<i64>,
    /// Tables that this report already had, so that a table that comes again begins the next one.
    had: Vec<u32>,
    /// Whether the first report after the tool's first line is still to come.
    first: bool,
}

/// Reads a text.
///
/// # Errors
/// When no header names its columns.
pub fn read(text: &str) -> Result<Sheet, Refusal> {
    let mut sheet = Sheet::default();
    let mut place = Place::default();
    let mut headers = 0_u64;
    let (mut words, mut numbers) = (Vec::new(), Vec::new());
    let mut known = KnownHeaders::default();
    for line in lines_of(text) {
        if bare_row(&mut sheet, place.header.as_deref(), line, &mut numbers) {
            continue;
        }
        words.clear();
        words.extend(line.split_ascii_whitespace());
        // Most lines are rows, and no other line ends in as many numbers as a header has columns.
        if row(&mut sheet, place.header.as_deref(), &words, &mut numbers) {
            continue;
        }
        if let Some(header) = known.get(line) {
            headers += 1;
            place.open(&mut sheet, header);
        } else if let Some(read) = banner(line) {
            sheet.banner.get_or_insert(read);
            place = Place { first: true, timeline: place.timeline, ..Place::default() };
        } else if let Some(header) = header(&mut sheet, line) {
            headers += 1;
            place.open(&mut sheet, known.put(line, header));
        } else if let Some((at, rest)) = stamp(line).filter(|(_, rest)| rest.trim().is_empty()) {
            let _ = rest;
            let zero = sheet.zero.get_or_insert_with(|| (at, line.trim().to_owned())).0;
            let timeline = place.timeline.get_or_insert_with(|| Timeline::new(zero, at));
            place.at_ns = Some(timeline.advance(at));
            place.had.clear();
            place.header = None;
        } else {
            sheet.strange_line(line);
        }
    }
    if headers == 0 {
        return Err(no_header(text));
    }
    Ok(sheet)
}

impl Place {
    /// Goes below a header; where it begins a new report, begins that.
    fn open(&mut self, sheet: &mut Sheet, header: Rc<Header>) {
        let first = header.columns.first().copied().unwrap_or_default();
        if self.had.is_empty() || self.had.contains(&first) {
            let again = !self.had.is_empty();
            if again {
                // Reports without a stamp of their own after one with a stamp have no time.
                self.at_ns = None;
            }
            let first = std::mem::take(&mut self.first);
            let kind = if first { ReportKind::SinceBoot } else { ReportKind::Interval };
            sheet.begin(self.at_ns, kind);
            self.had.clear();
        }
        self.had.push(first);
        self.header = Some(header);
    }
}

/// The lines of a text that are not empty, without white space behind them.
fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    let lines = ends.scan(0, |from, end| Some(&text[std::mem::replace(from, end + 1)..end]));
    lines.map(str::trim_end).filter(|line| !line.is_empty())
}

/// Lines that were headers: each report has the same again.
#[derive(Default)]
struct KnownHeaders<'a> {
    headers: Vec<(&'a str, Rc<Header>)>,
}

impl<'a> KnownHeaders<'a> {
    fn get(&self, line: &str) -> Option<Rc<Header>> {
        self.headers.iter().find(|(known, _)| *known == line).map(|(_, header)| Rc::clone(header))
    }

    fn put(&mut self, line: &'a str, header: Header) -> Rc<Header> {
        /// A report of more kinds than these has its other headers read each time.
        const MOST: usize = 8;
        let header = Rc::new(header);
        if self.headers.len() < MOST {
            self.headers.push((line, Rc::clone(&header)));
        }
        header
    }
}

/// Reads a line of numbers as nearly all are, with one blank or several between a name in one word and digits;
/// whether it is one. What is not may be a row all the same.
fn bare_row(sheet: &mut Sheet, header: Option<&Header>, line: &str, numbers: &mut Vec<Number>) -> bool {
    let Some(Header { table, columns, name_last: false }) = header else { return false };
    let name_bytes = if *table == "avg-cpu" { 0 } else { line.find(' ').unwrap_or(0) };
    if (*table == "avg-cpu") != (name_bytes == 0) {
        return false;
    }
    let (name, figures) = line.split_at(name_bytes);
    let mut rest = figures.as_bytes();
    numbers.clear();
    while let [b' ', after @ ..] = rest {
        rest = after;
        if let [b' ', ..] = rest {
            continue;
        }
        let Some((number, length)) = bare_number(rest) else { return false };
        numbers.push(number);
        rest = &rest[length..];
    }
    if !rest.is_empty() || numbers.len() != columns.len() || name.contains(|c: char| c.is_ascii_whitespace())
    {
        return false;
    }
    let thing = sheet.thing_number(name);
    sheet.put_row(columns, thing, numbers);
    true
}

/// Reads a header line: its columns get numbers.
fn header(sheet: &mut Sheet, line: &str) -> Option<Header> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let first = words.first()?.trim_end_matches(':');
    let (table, name_last) = match first {
        "avg-cpu" if words.len() > 1 => ("avg-cpu", false),
        "Device" if words.len() > 1 => ("disk", false),
        _ if words.last() == Some(&"Device") && words.len() > 1 => ("disk", true),
        _ => return None,
    };
    if name_last {
        words.pop();
    } else {
        words.remove(0);
    }
    let columns = words.iter().map(|word| sheet.column_number(table, word)).collect();
    Some(Header { table, columns, name_last })
}

/// Reads a line of numbers; whether it is one that fits its header.
fn row(sheet: &mut Sheet, header: Option<&Header>, words: &[&str], numbers: &mut Vec<Number>) -> bool {
    let Some(header) = header else { return false };
    let columns = header.columns.len();
    let Some(names) = words.len().checked_sub(columns) else { return false };
    let has_name = header.table != "avg-cpu";
    if has_name != (names > 0) {
        return false;
    }
    // Group names and device-mapper names may have blanks in them.
    let (name, figures) = if header.name_last {
        let (figures, name) = words.split_at(columns);
        (name, figures)
    } else {
        words.split_at(names)
    };
    numbers.clear();
    numbers.extend(figures.iter().map_while(|word| number(word)));
    if numbers.len() != columns {
        return false;
    }
    let thing = match name {
        [only] => sheet.thing_number(only),
        several => sheet.things.number(&several.join(" ")),
    };
    sheet.put_row(&header.columns, thing, numbers);
    true
}

/// Why a text without any header is not read.
fn no_header(text: &str) -> Refusal {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let bare = lines.clone().next().is_some() && lines.all(|line| decimal(line).is_some());
    if bare {
        let cause = "a column of numbers alone: nothing says which column, device or interval it is of";
        return Refusal::new(TOOL, cause)
            .or("keep iostat's own output, or put its column's name on the first line");
    }
    Refusal::new(TOOL, "no line names columns like `Device r/s w/s ...`").or("import the whole output")
}
