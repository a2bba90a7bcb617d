//! Traces as tables: which column holds what, by a header or by the shape of a published trace's lines.
//!
//! Sources: MSR Cambridge traces (SNIA IOTTA, `readme.txt`); Alibaba block traces (github.com/alibaba/block-traces);
//! Tencent CBS traces (SNIA IOTTA 27917); SPC format (UMass Trace Repository); Systor '17 traces (SNIA IOTTA 4964).

use fathom_tools::{Refusal, RefusalAbout};

use super::{Line, TRACE, TraceCollector, TraceSelection, moment};

const SECTOR_BYTES: u64 = 512;

/// Columns by their names: the first four in the order of [`Layout::at`].
const MEANINGS: [(&str, &[&str]); 6] = [
    ("time", &["timestamp", "time", "ts"]),
    ("op", &["op", "type", "opcode", "iotype", "io_type", "rw", "direction"]),
    ("offset", &["offset", "offset_bytes", "byte_offset", "lbn", "lba", "sector"]),
    ("bytes", &["size", "length", "bytes", "size_bytes"]),
    ("device", &["disk_number", "disknumber", "device_id", "device", "lun", "volume_id", "volume", "asu"]),
    ("host", &["hostname", "host"]),
];
/// Names of columns that count sectors and no bytes.
const SECTORS: [&str; 3] = ["lbn", "lba", "sector"];
/// Reads and writes of SCSI by their operation codes, in hexadecimal digits: of 6, 10, 12 and 16 bytes (SBC-4).
const SCSI: [(&str, bool); 8] = [
    ("08", false),
    ("0a", true),
    ("28", false),
    ("2a", true),
    ("a8", false),
    ("aa", true),
    ("88", false),
    ("8a", true),
];

/// Where a line has what.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Which trace it is.
    pub kind: &'static str,
    /// Time, direction, offset, size; and the disk and its host, where there are columns for them.
    at: [usize; 4],
    device: Option<usize>,
    host: Option<usize>,
    /// The last of all these.
    last: usize,
    /// Bytes of the offset's and the size's unit.
    units: [u64; 2],
    /// Whether the first line names the columns.
    pub header: bool,
}

const ALIBABA: Layout = Layout {
    kind: "Alibaba trace",
    at: [4, 1, 2, 3],
    device: Some(0),
    host: None,
    last: 4,
    units: [1, 1],
    header: false,
};
const MSR: Layout =
    Layout { kind: "MSR trace", at: [0, 3, 4, 5], device: Some(2), host: Some(1), last: 5, ..ALIBABA };
const TENCENT: Layout = Layout {
    kind: "Tencent trace",
    at: [0, 3, 1, 2],
    device: Some(4),
    units: [SECTOR_BYTES, SECTOR_BYTES],
    ..ALIBABA
};
const SPC: Layout = Layout { kind: "SPC trace", at: [4, 3, 1, 2], units: [SECTOR_BYTES, 1], ..ALIBABA };

/// What a line of a table holds.
pub enum Row<'a> {
    /// A read or a write.
    Io(Line<'a>),
    /// Another operation, by its name there.
    Other(&'a str),
}

fn cells(line: &str) -> Vec<&str> {
    line.split(',').map(str::trim).collect()
}

/// Cells of a line that are found in one go; published traces have seven.
const SPLIT: usize = 12;

/// The cells of one line, of which those behind the last that is asked for stay unsplit.
struct Cells<'a> {
    line: &'a str,
    first: [&'a str; SPLIT],
}

impl<'a> Cells<'a> {
    /// Splits as far as the cell at `last`.
    #[inline]
    fn of(line: &'a str, last: usize) -> Self {
        let mut first = [""; SPLIT];
        let mut rest = line;
        for place in first.iter_mut().take(last + 1) {
            let Some(end) = rest.bytes().position(|byte| byte == b',') else {
                *place = rest;
                break;
            };
            *place = &rest[..end];
            rest = &rest[end + 1..];
        }
        Self { line, first }
    }

    /// The cell at a place; empty where there is none.
    #[inline]
    fn at(&self, at: usize) -> &'a str {
        let far = || self.line.split(',').nth(at).unwrap_or_default();
        trimmed(self.first.get(at).copied().unwrap_or_else(far))
    }
}

/// A text without white space around it, of which there mostly is none: two bytes tell.
#[inline]
fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => text,
        _ => text.trim(),
    }
}

/// Whether it is a write; absent for what neither reads nor writes.
fn is_write(text: &str) -> Option<bool> {
    let is = |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(["r", "read", "0"]) {
        return Some(false);
    }
    let code = text.strip_prefix("0x").unwrap_or(text);
    let scsi = || SCSI.iter().find(|(known, _)| code.eq_ignore_ascii_case(known)).map(|(_, write)| *write);
    if is(["w", "write", "1"]) { Some(true) } else { scsi() }
}

impl Layout {
    /// By the first line that is not empty, and what the user says of a header.
    pub fn of(first: &str, mapping: &str) -> Option<Self> {
        let cells = cells(first);
        let number = |at: usize| cells.get(at).is_some_and(|text| text.parse::<f64>().is_ok());
        let letter = |at: usize| cells.get(at).is_some_and(|text| !number(at) && is_write(text).is_some());
        let numbers = |at: &[usize]| at.iter().all(|at| number(*at));
        match cells.len() {
            7 if numbers(&[0, 2, 4, 5, 6]) && letter(3) => Some(MSR),
            5 if numbers(&[0, 2, 3, 4]) && letter(1) => Some(ALIBABA),
            5 if numbers(&[0, 1, 2, 4]) && letter(3) => Some(SPC),
            5 if numbers(&[0, 1, 2, 3, 4]) && matches!(cells[3], "0" | "1") => Some(TENCENT),
            _ => Self::named(&cells, mapping),
        }
    }

    /// What a line holds.
    ///
    /// # Errors
    /// When a cell is no time, address or size.
    pub fn line<'a>(&self, line: &'a str) -> Result<Row<'a>, Refusal> {
        let [time, op, offset, bytes] = self.at;
        let cells = Cells::of(line, self.last);
        let amount = |at: usize, unit: u64| match cells.at(at).parse::<u64>() {
            Ok(value) => Ok(value.saturating_mul(unit)),
            Err(_) => Err(Refusal::new(TRACE, format!("{:?} is not a valid address or size", cells.at(at)))),
        };
        let Some(write) = is_write(cells.at(op)) else { return Ok(Row::Other(cells.at(op))) };
        let at_ns = moment::any_ns(cells.at(time))
            .ok_or_else(|| Refusal::new(TRACE, format!("{:?} is not a valid time", cells.at(time))))?;
        let (offset, bytes) = (amount(offset, self.units[0])?, amount(bytes, self.units[1])?);
        let [host, device] = [self.host, self.device].map(|at| at.map_or("", |at| cells.at(at)));
        Ok(Row::Io(Line { at_ns, host, device, offset, bytes, write }))
    }

    /// By a header, and what the user says of it.
    fn named(header: &[&str], mapping: &str) -> Option<Self> {
        let own = |meaning: &str| {
            let pairs = mapping.split(',').filter_map(|part| part.split_once('='));
            pairs
                .map(|(of, name)| (of.trim(), name.trim()))
                .find(|(of, _)| *of == meaning)
                .map(|(_, name)| name)
        };
        let column = |(meaning, usual): (&str, &[&str])| {
            let is = |name: &str, wanted: &str| name.eq_ignore_ascii_case(wanted);
            match own(meaning) {
                Some(wanted) => header.iter().position(|name| is(name, wanted)),
                None => usual.iter().find_map(|wanted| header.iter().position(|name| is(name, wanted))),
            }
        };
        let at = [column(MEANINGS[0])?, column(MEANINGS[1])?, column(MEANINGS[2])?, column(MEANINGS[3])?];
        let counts_sectors = SECTORS.iter().any(|name| header[at[2]].eq_ignore_ascii_case(name));
        let units = [if counts_sectors { SECTOR_BYTES } else { 1 }, 1];
        let (device, host) = (column(MEANINGS[4]), column(MEANINGS[5]));
        let last = at.into_iter().chain(device).chain(host).max().unwrap_or_default();
        Some(Self { kind: "trace", at, device, host, last, units, header: true })
    }
}

/// Whether a text begins like such a table.
pub fn recognise(start: &str, mapping: &str) -> bool {
    let start = start.trim_start_matches('\u{feff}');
    let first = start.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|first| Layout::of(first, mapping).is_some())
}

/// What to do about columns that are not known, where they are named with this flag.
pub fn name_them(flag: &str) -> String {
    format!("name them, e.g. {flag} time=...,op=...,offset=...,bytes=...")
}

/// What is said of a table without a layout.
pub fn unknown() -> Refusal {
    Refusal::new(TRACE, "its columns are not known")
        .at("line 1")
        .about(RefusalAbout::WhichColumns)
        .or(name_them("--columns"))
}

/// The lines of a text that are not empty, each with its number from 0 on.
fn lines_of(text: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    let lines = ends.scan(0, |from, end| Some(&text[std::mem::replace(from, end + 1)..end]));
    lines.enumerate().filter(|(_, line)| !trimmed(line).is_empty())
}

/// Takes the I/Os of a table, and says which one it is.
pub fn read<'a>(
    text: &'a str,
    which: TraceSelection<'_>,
    into: &mut TraceCollector<'a>,
) -> Result<&'static str, Refusal> {
    let mut lines = lines_of(text.trim_start_matches('\u{feff}'));
    let layout =
        lines.clone().next().and_then(|(_, first)| Layout::of(first, which.columns)).ok_or_else(unknown)?;
    if layout.header {
        lines.next();
    }
    for (number, line) in lines {
        match layout.line(line).map_err(|refusal| refusal.at(format!("line {}", number + 1)))? {
            Row::Io(line) => into.take(&line, which)?,
            Row::Other(operation) => into.leave_out(operation),
        }
    }
    Ok(layout.kind)
}
