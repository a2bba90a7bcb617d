//! A stretch of a comma-separated table as runs of rows, one volume after the other.
//!
//! A row belongs to the stretch that its first byte lies in, so that stretches side by side hold each row
//! once. Cells may be quoted, but hold no line's end.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use fathom_tools::Refusal;

use super::cell_numbers::{leading, number};
use super::moment::{leading_moment, moment_ns};
use super::run_builder::{RowGatherer, SizeCell};
use super::{Layout, RunSink};
use crate::{Hints, Interval};

/// Bytes that are read at once; a line is not longer.
const BUFFER_BYTES: usize = 1 << 20;
const TABLE: &str = "a fleet's table";

/// What the first line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The columns.
    pub layout: Layout,
    /// Where the rows begin, in bytes.
    pub rows_at: u64,
}

/// Reads the header of a table from its first bytes.
///
/// # Errors
/// When they hold no line, or one that does not name the columns.
pub fn header(start: &[u8], hints: &Hints<'_>) -> Result<Header, Refusal> {
    let marked = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let mut at = start.len() - marked.len();
    loop {
        let Some(length) = start[at..].iter().position(|byte| *byte == b'\n') else {
            return Err(Refusal::new(TABLE, "its first line does not end"));
        };
        let line = &start[at..at + length];
        at += length + 1;
        if line.first() == Some(&b'#') || line.trim_ascii().is_empty() {
            continue;
        }
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(line);
        let names = reader.headers().map_err(|error| Refusal::caused_by(TABLE, error))?;
        let names: Vec<String> = names.iter().map(str::to_owned).collect();
        return Ok(Header { layout: Layout::find(&names, hints)?, rows_at: at as u64 });
    }
}

/// Reads the rows that begin in a stretch of the table.
///
/// # Errors
/// As the file reports them.
pub fn read_text(
    mut file: impl Read + Seek,
    header: &Header,
    stretch: Range<u64>,
    taker: &mut impl RunSink,
) -> io::Result<()> {
    let start = stretch.start.max(header.rows_at);
    // The line that the stretch begins in is the one before's, unless it begins right here.
    let mut at = if start > header.rows_at { start - 1 } else { start };
    let mut skip = start > header.rows_at;
    file.seek(SeekFrom::Start(at))?;
    let mut rows = Rows::new(&header.layout, taker);
    let mut buffer = vec![0u8; BUFFER_BYTES];
    let mut held = 0;
    loop {
        let read = file.read(&mut buffer[held..])?;
        let full = held + read;
        let whole = match buffer[..full].iter().rposition(|byte| *byte == b'\n') {
            Some(last) => last + 1,
            None if read == 0 => full,
            None if full == buffer.len() => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a line of more than 1 MiB"));
            }
            None => {
                held = full;
                continue;
            }
        };
        let mut rest = &buffer[..whole];
        if skip {
            let line = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
            at += line as u64;
            rest = &rest[line..];
            skip = false;
        }
        while !rest.is_empty() && at < stretch.end {
            let length = rows.plain_row(rest).unwrap_or_else(|| rows.row(rest, at));
            at += length as u64;
            rest = &rest[length..];
        }
        if at >= stretch.end || read == 0 {
            break;
        }
        buffer.copy_within(whole..full, 0);
        held = full - whole;
    }
    rows.gather.finish();
    Ok(())
}

/// Turns lines into runs.
struct Rows<'a, T> {
    layout: &'a Layout,
    /// What each column is, up to the last that is needed.
    columns: Vec<Option<Cell>>,
    /// Made for the first line that needs it.
    cells: Option<Cells>,
    gather: RowGatherer<'a, T>,
}

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Volume,
    /// Of the demand, by its place there.
    Demand(usize),
    Fact(Fact),
}

/// What a row may say of its volume beside the demand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fact {
    Size,
    Current,
    Instance,
    Group,
}

/// How many there are.
const FACTS: usize = 4;

impl<'a, T: RunSink> Rows<'a, T> {
    fn new(layout: &'a Layout, taker: &'a mut T) -> Self {
        let demand = layout.demand.iter().enumerate().map(|(place, at)| (Some(*at), Cell::Demand(place)));
        let others = [
            (layout.volume, Cell::Volume),
            (layout.size, Cell::Fact(Fact::Size)),
            (layout.current, Cell::Fact(Fact::Current)),
            (layout.instance, Cell::Fact(Fact::Instance)),
            (layout.group, Cell::Fact(Fact::Group)),
        ];
        let mut columns = Vec::new();
        for (at, cell) in demand.chain(others) {
            let Some(at) = at else { continue };
            if columns.len() <= at {
                columns.resize(at + 1, None);
            }
            columns[at] = Some(cell);
        }
        Self { layout, columns, cells: None, gather: RowGatherer::new(taker) }
    }

    /// Takes the first line of some if it is of the volume of the line before and all its cells are written
    /// plainly, as most are: in one pass, without a look for the cells' ends first. Otherwise nothing is taken.
    fn plain_row(&mut self, text: &[u8]) -> Option<usize> {
        let mut at = 0;
        let mut end_ns = 0;
        let mut flows = [0.0; 4];
        let mut facts: [&[u8]; FACTS] = [&[]; FACTS];
        for (number, column) in self.columns.iter().enumerate() {
            let rest = &text[at..];
            let length = match column {
                Some(Cell::Volume) => {
                    let volume = self.gather.volume().as_bytes();
                    let length = (!volume.is_empty() && rest.starts_with(volume)).then_some(volume.len())?;
                    if !self.gather.is_wanted() && rest.get(length) == Some(&b',') {
                        let end = memchr::memchr(b'\n', rest)?;
                        self.gather.same();
                        return Some(at + end + 1);
                    }
                    length
                }
                Some(Cell::Demand(0)) => {
                    let (moment, length) = leading_moment(rest)?;
                    end_ns = moment;
                    length
                }
                Some(Cell::Demand(place)) => {
                    let (value, length) = leading(rest)?;
                    flows[place - 1] = value;
                    length
                }
                None => plain_cell(rest)?,
                Some(Cell::Fact(fact)) => {
                    let length = plain_cell(rest)?;
                    facts[*fact as usize] = &rest[..length];
                    length
                }
            };
            at += length + 1;
            let last = number + 1 == self.columns.len();
            match rest.get(length)? {
                b'\n' if last => {}
                b'\r' if last && rest.get(length + 1) == Some(&b'\n') => at += 1,
                b',' if last => at += memchr::memchr(b'\n', &text[at..])? + 1,
                b',' => {}
                _ => return None,
            }
        }
        self.gather.same();
        if self.gather.is_wanted() {
            self.facts(Some(end_ns), facts);
            let [reads, writes, read_bytes, write_bytes] = flows;
            self.gather.interval(Interval { end_ns, reads, writes, read_bytes, write_bytes });
        }
        Some(at)
    }

    /// Takes the first line of some, and says how long it is with its end.
    fn row(&mut self, text: &[u8], at: u64) -> usize {
        let length = memchr::memchr(b'\n', text).map_or(text.len(), |end| end + 1);
        let mut cells = self.cells.take().unwrap_or_default();
        cells.read(&text[..length], self.columns.len());
        let mut demand: [&[u8]; 5] = [&[]; 5];
        let mut volume: &[u8] = &[];
        let mut facts: [&[u8]; FACTS] = [&[]; FACTS];
        for (cell, column) in cells.iter().zip(&self.columns) {
            match column {
                None => {}
                Some(Cell::Volume) => volume = cell,
                Some(Cell::Demand(place)) => demand[*place] = cell,
                Some(Cell::Fact(fact)) => facts[*fact as usize] = cell,
            }
        }
        let is_blank = volume.is_empty() && text[..length].trim_ascii().is_empty();
        if !is_blank && self.gather.row(volume) {
            let at_ns = self.interval(demand, at);
            self.facts(at_ns, facts);
        }
        self.cells = Some(cells);
        length
    }

    fn facts(&mut self, at_ns: Option<i64>, [size, current, instance, group]: [&[u8]; FACTS]) {
        if !group.is_empty() {
            self.gather.group(at_ns, group);
        }
        if size.is_empty() && current.is_empty() && instance.is_empty() {
            return;
        }
        let size = match number(size) {
            Some(value) => SizeCell::Gib(self.layout.gib(value)),
            None if size.is_empty() => SizeCell::Empty,
            None => SizeCell::Wrong,
        };
        self.gather.facts(at_ns, size, current, instance);
    }

    /// Puts in a row's demand; gives its time, where all of it is there.
    fn interval(&mut self, demand: [&[u8]; 5], at: u64) -> Option<i64> {
        if demand.iter().any(|cell| cell.is_empty()) {
            self.gather.empty();
            return None;
        }
        let interval = || {
            Some(Interval {
                end_ns: moment_ns(demand[0])?,
                reads: number(demand[1])?,
                writes: number(demand[2])?,
                read_bytes: number(demand[3])?,
                write_bytes: number(demand[4])?,
            })
        };
        let interval = interval();
        match interval {
            Some(interval) => self.gather.interval(interval),
            None => self.gather.trouble(i64::try_from(at).unwrap_or(i64::MAX), || {
                let cells: Vec<_> = demand.iter().map(|cell| String::from_utf8_lossy(cell)).collect();
                format!("a row makes no sense: byte {at}, {:?}", cells.join(","))
            }),
        }
        interval.map(|interval| interval.end_ns)
    }
}

/// Length of a cell that is not quoted and has no blanks around it; behind it a comma or the line's end.
fn plain_cell(text: &[u8]) -> Option<usize> {
    let end = memchr::memchr2(b',', b'\n', text)?;
    let plain = |byte: Option<&u8>| byte.is_none_or(|byte| *byte > b' ' && *byte != b'"');
    (plain(text[..end].first()) && plain(text[..end].last())).then_some(end)
}

/// The first cells of a line, however they are written.
struct Cells {
    reader: csv_core::Reader,
    /// The line that is read.
    line: Vec<u8>,
    /// All of them without their quotes, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
}

impl Default for Cells {
    fn default() -> Self {
        // What ends a line is known before; a carriage return is a blank as any other.
        let reader = csv_core::ReaderBuilder::new().terminator(csv_core::Terminator::Any(b'\n')).build();
        Self { reader, line: Vec::new(), bytes: Vec::new(), ends: Vec::new(), count: 0 }
    }
}

impl Cells {
    /// Reads at most so many.
    fn read(&mut self, line: &[u8], most: usize) {
        close_up(line, &mut self.line);
        let line = self.line.as_slice();
        self.bytes.resize(self.bytes.len().max(line.len()), 0);
        self.ends.resize(most, 0);
        self.reader.reset();
        let (_, read, bytes, count) = self.reader.read_record(line, &mut self.bytes, &mut self.ends);
        self.count = count;
        // What is left open at the end ends there: the last line, or a quote.
        if read == line.len() {
            let (_, _, _, more) =
                self.reader.read_record(&[], &mut self.bytes[bytes..], &mut self.ends[count..]);
            self.count += more;
        }
    }

    /// Without the blanks around them.
    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends[..self.count]
            .iter()
            .map(move |end| self.bytes[std::mem::replace(&mut start, *end)..*end].trim_ascii())
    }
}

/// The line without the blanks that stand between a comma and a quote: behind them a quote would be a letter of its cell.
fn close_up(line: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let (mut begins, mut blanks) = (true, 0);
    // Whether the cell began with a quote, and whether the last of its quotes opened.
    let (mut is_quoted, mut is_open) = (false, false);
    for &byte in line {
        if begins && matches!(byte, b' ' | b'\t') {
            blanks += 1;
            out.push(byte);
            continue;
        }
        if begins {
            is_quoted = byte == b'"';
            out.truncate(out.len() - if is_quoted { blanks } else { 0 });
        }
        is_open ^= is_quoted && byte == b'"';
        (begins, blanks) = (byte == b',' && !is_open, 0);
        out.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Values;
    use crate::demand_tables::{Interest, Run};
    use std::io::Cursor;

    #[derive(Default)]
    struct All {
        runs: Vec<Run>,
        not: &'static str,
    }

    impl RunSink for All {
        fn interest(&self, volume: &[u8]) -> Interest {
            if volume == self.not.as_bytes() { Interest::Name } else { Interest::Rows }
        }

        fn take(&mut self, run: Run) {
            self.runs.push(run);
        }
    }

    const TEXT: &str = "# fleet\nvolume,time,read_iops,write_iops,read_bytes,write_bytes,size\n\
        a,60,1,2,4096,8192,10\na,120,1,2.5,4096,8192,10\n\
        \"b\",60,3,,1,1,20\r\nb,120,3,0,12288,0,20\nb,180,-3,0,1,1,\n\nc,60,1,1,4096,4096";

    const WHOLE: Range<u64> = 0..u64::MAX;

    fn read(stretches: &[Range<u64>], not: &'static str) -> Vec<Run> {
        let header = header(TEXT.as_bytes(), &Hints::default()).unwrap();
        let mut all = All { not, ..All::default() };
        for stretch in stretches {
            read_text(Cursor::new(TEXT), &header, stretch.clone(), &mut all).unwrap();
        }
        all.runs
    }

    #[test]
    fn rows_become_runs_and_what_is_wrong_is_kept() {
        let runs = read(std::slice::from_ref(&WHOLE), "");
        let names: Vec<&str> = runs.iter().map(|run| run.volume.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(
            (runs[0].rows, runs[0].size_gib.get(), runs[0].intervals[1].writes),
            (2, Some(&10.0), 2.5)
        );
        assert_eq!((runs[1].rows, runs[1].empty, runs[1].intervals.len()), (3, 1, 1));
        assert!(runs[1].trouble.as_ref().unwrap().contains("180,-3"), "{:?}", runs[1].trouble);
        assert_eq!((runs[2].intervals.len(), runs[2].size_gib.get()), (1, None));
        assert_eq!(read(std::slice::from_ref(&WHOLE), "a")[0].intervals, []);
    }

    #[test]
    fn cells_are_quoted_or_not() {
        let mut cells = Cells::default();
        for (line, most, wanted) in [
            ("a,b,c\n", 2, ["a", "b"].as_slice()),
            ("a,b\r\n", 3, &["a", "b"]),
            ("\"a,1\" , \"b\",\"c\"\"d\"\n", 3, &["a,1", "b", "c\"d"]),
            ("  \"a, \"\"1\", \t\"b,2\" , 5\" disk, \"c\"\n", 4, &["a, \"1", "b,2", "5\" disk", "c"]),
            ("a,,\n", 3, &["a", "", ""]),
            ("a,\"open, still\n", 4, &["a", "open, still"]),
            ("last", 1, &["last"]),
            ("\n", 2, &[]),
        ] {
            cells.read(line.as_bytes(), most);
            let read: Vec<_> = cells.iter().map(|cell| std::str::from_utf8(cell).unwrap()).collect();
            assert_eq!(read, wanted, "{line:?}");
        }
    }

    #[test]
    fn a_row_that_makes_no_sense_is_left_out_and_many_are_refused() {
        let of = |wrong: &[i64]| {
            let row = |minute: i64| {
                let reads = if wrong.contains(&minute) { "NaN" } else { "60" };
                format!("a,{},{reads},0,245760,0\n", 1_700_000_000 + minute * 60)
            };
            let rows: String = (0..40).map(row).collect();
            let text = format!("volume,time,reads,writes,read_bytes,write_bytes\n{rows}");
            let hints = Hints { values: Some(Values::PerRow), ..Hints::default() };
            let header = header(text.as_bytes(), &hints).unwrap();
            let mut all = All::default();
            read_text(Cursor::new(&text), &header, WHOLE, &mut all).unwrap();
            all.runs[0].demand(Values::PerRow)
        };
        let seen = of(&[7]).unwrap();
        assert_eq!(seen.demand.gaps, std::slice::from_ref(&(7..8)));
        assert_eq!(seen.demand.read.operations[8], 60);
        assert!(seen.notes.iter().any(|note| note.contains("1 rows were left out") && note.contains("NaN")));
        assert!(of(&[7, 8, 9]).unwrap_err().cause.contains("makes no sense"));
    }

    #[test]
    fn stretches_hold_each_row_once_wherever_they_are_cut() {
        let whole = read(std::slice::from_ref(&WHOLE), "");
        for cut in 0..TEXT.len() as u64 {
            let mut joined: Vec<Run> = Vec::new();
            for run in read(&[0..cut, cut..u64::MAX], "") {
                match joined.last_mut() {
                    Some(last) if last.volume == run.volume => last.append(run),
                    _ => joined.push(run),
                }
            }
            assert_eq!(joined, whole, "cut at {cut}");
        }
    }
}
