//! The common grammar of sar and mpstat: every line begins with a time, headers are repeated, and
//! `Average:` stands for the time at the end.

use std::collections::HashMap;

use super::banner::banner;
use super::printed_numbers::number;
use super::report_time::{Stamp, Timeline, stamp};
use super::text_sheet::{Cell, ReportKind, Sheet};

/// In what the two tools differ.
#[derive(Clone, Copy, Debug)]
pub struct Grammar {
    /// Columns that name a row's thing, first or last in a header.
    pub keys: &'static [&'static str],
    /// Whether a row with its header's own time covers the time since the machine started.
    pub same_time_is_since_boot: bool,
    /// Words behind a time that make a line a remark, as `LINUX RESTART`.
    pub remarks: &'static [&'static str],
}

/// A header, ready for the rows below it.
struct Header<'a> {
    table: &'a str,
    words: Vec<&'a str>,
    /// Places and numbers of the columns that are no names.
    columns: Vec<(usize, u32)>,
    key: Option<usize>,
    device: Option<usize>,
    stamp: Option<Stamp>,
}

/// What a line begins with.
enum Start {
    At(Stamp),
    Average,
}

/// Reads such a text. Lines that fit nowhere are counted as strange and never shifted into columns.
pub fn read_stamped(text: &str, grammar: Grammar) -> Sheet {
    let mut sheet = Sheet::default();
    let mut header: Option<Header<'_>> = None;
    let mut timelines: HashMap<String, Timeline> = HashMap::new();
    for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        if let Some(read) = banner(line) {
            sheet.banner.get_or_insert(read);
            continue;
        }
        let Some((start, rest)) = start(line) else {
            sheet.strange_line(line);
            continue;
        };
        if grammar.remarks.iter().any(|remark| rest.trim_start().starts_with(remark)) {
            remark(&mut sheet, line);
            continue;
        }
        let words: Vec<&str> = rest.split_whitespace().collect();
        if words.iter().all(|word| number(word).is_none()) {
            header = Some(open_header(&mut sheet, words, &start, line, grammar));
            if let (Some(header), Start::At(at)) = (&header, &start) {
                advance(&mut timelines, &sheet, header.table, *at);
            }
            continue;
        }
        let Some(known) = &header else {
            sheet.strange_line(line);
            continue;
        };
        if !row(&mut sheet, known, &words, &start, &mut timelines, grammar) {
            sheet.strange_line(line);
        }
    }
    sheet
}

fn start(line: &str) -> Option<(Start, &str)> {
    if let Some((at, rest)) = stamp(line) {
        return Some((Start::At(at), rest));
    }
    // `Average:`, `Moyenne :`, `Durchschn.:` and, for file systems, `Summary:`.
    let (word, rest) = line.split_once(':')?;
    let named = word.trim_end().chars().all(|c| c.is_alphabetic() || c == '.') && !word.is_empty();
    named.then_some((Start::Average, rest))
}

/// Remembers a remark, the first few of each text.
fn remark(sheet: &mut Sheet, line: &str) {
    const MOST: usize = 20;
    let note = format!("the text notes: {}", line.split_whitespace().collect::<Vec<_>>().join(" "));
    if sheet.notes.len() < MOST && !sheet.notes.contains(&note) {
        sheet.notes.push(note);
    }
}

fn open_header<'a>(
    sheet: &mut Sheet,
    words: Vec<&'a str>,
    start: &Start,
    line: &'a str,
    grammar: Grammar,
) -> Header<'a> {
    let is_key = |at: usize| words.get(at).is_some_and(|word| grammar.keys.contains(word));
    let last = words.len().saturating_sub(1);
    let key = if is_key(0) { Some(0) } else { is_key(last).then_some(last) };
    // `TEMP degC %temp DEVICE`: the key counts the sensors of the device that stands last.
    let device = (key == Some(0) && last > 0 && words[last] == "DEVICE").then_some(last);
    let table = key.or(Some(0)).and_then(|at| words.get(at)).copied().unwrap_or(line);
    let of = |at: usize| Some(at) != key && Some(at) != device;
    let columns = words.iter().enumerate().filter(|(at, _)| of(*at));
    let columns = columns.map(|(at, word)| (at, sheet.column_number(table, word))).collect();
    let stamp = if let Start::At(at) = start { Some(*at) } else { None };
    if let (None, Some(at)) = (&sheet.zero, stamp) {
        sheet.zero = Some((at, stamp_text(line, sheet)));
    }
    Header { table, words, columns, key, device, stamp }
}

/// The stamp as the line writes it, behind the date of the first line.
fn stamp_text(line: &str, sheet: &Sheet) -> String {
    let rest = stamp(line).map_or("", |(_, rest)| rest);
    let time = line.strip_suffix(rest).unwrap_or(line).trim();
    match &sheet.banner {
        Some(banner) => format!("{} {time}", banner.date),
        None => time.to_owned(),
    }
}

/// When a stamp of a table lies. Tables go through the same time one after the other, so that each has
/// its own line.
fn advance(timelines: &mut HashMap<String, Timeline>, sheet: &Sheet, table: &str, at: Stamp) -> Option<i64> {
    let zero = sheet.zero.as_ref()?.0;
    let timeline = timelines.entry(table.to_owned()).or_insert_with(|| Timeline::new(zero, at));
    Some(timeline.advance(at))
}

fn row(
    sheet: &mut Sheet,
    header: &Header<'_>,
    words: &[&str],
    start: &Start,
    timelines: &mut HashMap<String, Timeline>,
    grammar: Grammar,
) -> bool {
    // What is plugged in has names with blanks and is no series.
    if header.table == "BUS" {
        return true;
    }
    let Some(places) = places(header, words) else { return false };
    let thing = match (header.key, header.device) {
        (Some(key), Some(device)) => format!("{} {}", words[places[device]], words[places[key]]),
        (Some(key), None) if key == header.words.len() - 1 => words[places[key]..].join(" "),
        (Some(key), None) => words[places[key]].to_owned(),
        (None, _) => String::new(),
    };
    let thing = if matches!(thing.as_str(), "all" | "sum") { "" } else { &thing };
    let (at_ns, kind) = match start {
        Start::Average => (None, ReportKind::Average),
        Start::At(at) => {
            let at_ns = advance(timelines, sheet, header.table, *at);
            let boot = grammar.same_time_is_since_boot && header.stamp == Some(*at);
            (at_ns, if boot { ReportKind::SinceBoot } else { ReportKind::Interval })
        }
    };
    let same = sheet.reports.last().is_some_and(|last| last.at_ns == at_ns && last.kind == kind);
    if !same {
        sheet.begin(at_ns, kind);
    }
    let thing = sheet.things.number(thing);
    for (at, column) in &header.columns {
        if let Some(number) = words.get(places[*at]).and_then(|word| number(word)) {
            sheet.put_cell(Cell { column: *column, thing, number });
        }
    }
    true
}

/// Where in a row each word of the header stands; `usize::MAX` for none. Absent when the row does not
/// fit the header.
fn places(header: &Header<'_>, words: &[&str]) -> Option<Vec<usize>> {
    const TOPOLOGY: [&str; 3] = ["CORE", "SOCK", "NODE"];
    let (want, have) = (header.words.len(), words.len());
    let last_is_key = header.key.is_some_and(|key| key + 1 == want && key > 0);
    if want == have || (last_is_key && have > want) {
        return Some((0..want).collect());
    }
    // The row of all processors has blanks for where a processor sits.
    let blank = header.words.iter().skip(1).filter(|word| TOPOLOGY.contains(word)).count();
    if words.first() != Some(&"all") || have + blank != want {
        return None;
    }
    let mut next = 0;
    let mut places = Vec::with_capacity(want);
    for (at, word) in header.words.iter().enumerate() {
        if at > 0 && TOPOLOGY.contains(word) {
            places.push(usize::MAX);
        } else {
            places.push(next);
            next += 1;
        }
    }
    Some(places)
}
