//! Columns that were cut out of the output, under a header that somebody typed again.

use super::TOOL;
use super::iostat_columns::column;
use crate::Refusal;
use crate::foreign_series::{Cell, Column, ReportKind, Sheet, number};

/// What the device of cut columns is called: its name is lost.
const DEVICE: &str = "unnamed device";

/// Columns of such a header, the one that counts time among them.
pub struct Header {
    columns: Vec<String>,
    time: Option<usize>,
}

/// Reads `time (seconds) <tab> tps`, or `r_await w_await`: nothing but known columns and a time.
pub fn header(line: &str) -> Option<Header> {
    let columns: Vec<String> = if line.contains('\t') {
        line.split('\t').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
    } else {
        line.split_whitespace().map(str::to_owned).collect()
    };
    let is_time = |name: &String| {
        matches!(name.as_str(), "time (seconds)" | "time (s)" | "time" | "seconds" | "time[s]" | "Time (s)")
    };
    let known = |name: &String| !matches!(column("disk", name), Column::Unknown);
    let named = columns.iter().any(known);
    let whole = columns.iter().all(|name| known(name) || is_time(name));
    let time = columns.iter().position(|name| is_time(name) && name.contains('s'));
    (named && whole).then_some(Header { columns, time })
}

/// Reads the columns below such a header.
///
/// # Errors
/// When no line has a number for each column.
pub fn read(text: &str, header: &Header) -> Result<Sheet, Refusal> {
    let mut sheet = Sheet::default();
    let thing = sheet.things.number(DEVICE);
    let mut columns = Vec::with_capacity(header.columns.len());
    for (at, name) in header.columns.iter().enumerate() {
        columns.push(if Some(at) == header.time { 0 } else { sheet.column_number("disk", name) });
    }
    for line in text.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let numbers: Vec<_> = line.split_whitespace().map_while(number).collect();
        if numbers.len() != columns.len() {
            sheet.strange_line(line);
            continue;
        }
        let at_ns = header.time.map(|time| (numbers[time].value * 1e9) as i64);
        sheet.begin(at_ns, ReportKind::Interval);
        for (at, number) in numbers.iter().enumerate().filter(|(at, _)| Some(*at) != header.time) {
            sheet.put_cell(Cell { column: columns[at], thing, number: *number });
        }
    }
    if sheet.is_empty() {
        return Err(Refusal::new(TOOL, "no line has a number for each column of the first line").at("line 2"));
    }
    sheet.notes.push("columns were cut out: the device's name is lost".to_owned());
    sheet.notes.push("the first value may be the mean since the machine started; nothing says so".to_owned());
    Ok(sheet)
}
