//! Traces as tables: which column holds what, by a header or by the shape of a published trace's lines.
//!
//! Sources: MSR Cambridge traces (SNIA IOTTA, `readme.txt`); Alibaba block traces (github.com/alibaba/block-traces);
//! Tencent CBS traces (SNIA IOTTA 27917); SPC format (UMass Trace Repository); Systor '17 traces (SNIA IOTTA 4964).

use super::{Gathering, Line, TRACE, moment};
use crate::Refusal;

const SECTOR_BYTES: u64 = 512;

/// Columns by their names, in the order of [`Layout::at`].
const MEANINGS: [(&str, &[&str]); 5] = [
    ("time", &["timestamp", "time", "ts"]),
    ("op", &["op", "type", "opcode", "iotype", "io_type", "rw", "direction"]),
    ("offset", &["offset", "offset_bytes", "byte_offset"]),
    ("bytes", &["size", "length", "bytes", "size_bytes"]),
    ("device", &["disk_number", "disknumber", "device_id", "device", "lun", "volume_id", "volume", "asu"]),
];

/// Where a line has what.
#[derive(Clone, Copy)]
struct Layout {
    kind: &'static str,
    /// Time, direction, offset, size; and the disk, where there is a column for it.
    at: [usize; 4],
    device: Option<usize>,
    /// Bytes of the offset's and the size's unit.
    units: [u64; 2],
    header: bool,
}

const MSR: Layout =
    Layout { kind: "MSR trace", at: [0, 3, 4, 5], device: Some(2), units: [1, 1], header: false };
const ALIBABA: Layout =
    Layout { kind: "Alibaba trace", at: [4, 1, 2, 3], device: Some(0), units: [1, 1], header: false };
const TENCENT: Layout = Layout {
    kind: "Tencent trace",
    at: [0, 3, 1, 2],
    device: Some(4),
    units: [SECTOR_BYTES, SECTOR_BYTES],
    header: false,
};
const SPC: Layout =
    Layout { kind: "SPC trace", at: [4, 3, 1, 2], device: Some(0), units: [SECTOR_BYTES, 1], header: false };

fn cells(line: &str) -> Vec<&str> {
    line.split(',').map(str::trim).collect()
}

/// Whether it is a write; absent for what neither reads nor writes.
fn is_write(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "r" | "read" | "0" => Some(false),
        "w" | "write" | "1" => Some(true),
        _ => None,
    }
}

impl Layout {
    fn of(first: &str, mapping: &str) -> Option<Self> {
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
        Some(Self { kind: "trace", at, device: column(MEANINGS[4]), units: [1, 1], header: true })
    }
}

/// Whether a text begins like such a table.
pub fn recognise(start: &str, mapping: &str) -> bool {
    let start = start.trim_start_matches('\u{feff}');
    let first = start.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|first| Layout::of(first, mapping).is_some())
}

/// Takes the I/Os of a table, and says which one it is.
pub fn read<'a>(
    text: &'a str,
    mapping: &str,
    device: Option<&str>,
    into: &mut Gathering<'a>,
) -> Result<&'static str, Refusal> {
    let mut lines =
        text.trim_start_matches('\u{feff}').lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let layout = lines.clone().next().and_then(|(_, first)| Layout::of(first, mapping)).ok_or_else(|| {
        Refusal::new(TRACE, "its columns are not known")
            .at("line 1")
            .or("name them, as --columns time=...,op=...,offset=...,bytes=...")
    })?;
    if layout.header {
        lines.next();
    }
    for (number, line) in lines {
        let cells = cells(line);
        let wrong = |cause: String| Refusal::new(TRACE, cause).at(format!("line {}", number + 1));
        let cell = |at: usize| cells.get(at).copied().unwrap_or("");
        let amount = |at: usize, unit: u64| match cell(at).parse::<u64>() {
            Ok(value) => Ok(value.saturating_mul(unit)),
            Err(_) => Err(wrong(format!("{:?} is no address or size", cell(at)))),
        };
        let [time, op, offset, bytes] = layout.at;
        let Some(write) = is_write(cell(op)) else {
            into.left_out += 1;
            continue;
        };
        let at_ns =
            moment::any_ns(cell(time)).ok_or_else(|| wrong(format!("{:?} is no time", cell(time))))?;
        let (offset, bytes) = (amount(offset, layout.units[0])?, amount(bytes, layout.units[1])?);
        into.take(&Line { at_ns, device: layout.device.map_or("", cell), offset, bytes, write }, device)?;
    }
    Ok(layout.kind)
}
