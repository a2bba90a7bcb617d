//! fio's logs of I/Os (`write_iolog`, `read_iolog`), versions 2 and 3, and what one holds.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};

use crate::Refusal;

const LOG: &str = "a block trace";
/// A longer line is no log's.
const LONGEST_LINE: u64 = 1 << 16;
/// An I/O larger than this is a mistake in its line: no block layer passes it on whole.
const LARGEST_IO: u64 = 1 << 30;
/// More sizes than this are told as their range.
const LISTED: usize = 32;

/// One I/O of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedLine<'a> {
    /// When it started, in nanoseconds from the log's start; 0 in version 2.
    pub at_ns: i128,
    /// The file or device, as the log names it.
    pub device: &'a str,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// How long it is.
    pub bytes: u64,
    /// Whether it writes; it reads otherwise.
    pub write: bool,
}

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A read or a write.
    Io(LoggedLine<'a>),
    /// A file is named, opened or closed.
    OfFile,
    /// A trim, a flush or a wait.
    Other,
}

/// The version of a log that begins like this; absent where it is none.
pub fn version(start: &str) -> Option<u8> {
    match start.lines().next()?.trim() {
        "fio version 2 iolog" => Some(2),
        "fio version 3 iolog" => Some(3),
        _ => None,
    }
}

/// One line behind the first: `12 data read 4096 8192`, where version 2 has no time.
///
/// # Errors
/// When it is no such line.
pub fn event(text: &str, version: u8) -> Result<Event<'_>, Refusal> {
    let broken = || Refusal::new(LOG, format!("{text:?} is not a line of fio's log of I/Os"));
    let mut words = text.split_whitespace();
    let at_us = match version {
        2 => 0,
        _ => words.next().and_then(|word| word.parse::<u64>().ok()).ok_or_else(broken)?,
    };
    let device = words.next().ok_or_else(broken)?;
    let write = match words.next().ok_or_else(broken)? {
        "add" | "open" | "close" => return Ok(Event::OfFile),
        "sync" | "datasync" | "trim" | "wait" => return Ok(Event::Other),
        "read" => false,
        "write" => true,
        _ => return Err(broken()),
    };
    let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).ok_or_else(broken);
    let (offset, bytes) = (number()?, number()?);
    Ok(Event::Io(LoggedLine { at_ns: i128::from(at_us) * 1000, device, offset, bytes, write }))
}

/// What a log holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IoLogFacts {
    /// Whether it says when its I/Os started.
    pub timed: bool,
    /// Its files, in their order.
    pub files: Vec<String>,
    /// Reads and writes.
    pub operations: [u64; 2],
    /// How many reads and how many writes there are of each size, as far as they are few; none otherwise.
    pub sizes: [BTreeMap<u64, u64>; 2],
    /// Least and largest size of reads, and of writes.
    pub extremes: [Option<(u64, u64)>; 2],
    /// End of the I/O that reaches furthest.
    pub extent_bytes: u64,
    /// Whether all offsets and sizes are multiples of 4096, of 512, or neither.
    pub block_bytes: u64,
    /// Trims, flushes and waits.
    pub others: u64,
    /// I/Os without a size, or one above 1 GiB.
    pub odd: u64,
}

/// Reads a whole log; absent where it is none of fio's.
///
/// # Errors
/// With the line that makes no sense.
pub fn survey(mut input: impl BufRead) -> Result<Option<IoLogFacts>, Refusal> {
    let unreadable = |error: std::io::Error| Refusal::caused_by(LOG, error);
    let mut line = Vec::new();
    let mut known: Option<u8> = None;
    let mut facts = IoLogFacts { block_bytes: 4096, ..IoLogFacts::default() };
    for number in 1u64.. {
        line.clear();
        let length = (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(unreadable)? as u64;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        let Some(version) = known else {
            known = version(text);
            let Some(version) = known else { return Ok(None) };
            facts.timed = version == 3;
            continue;
        };
        if length == 0 {
            break;
        }
        if length == LONGEST_LINE {
            return Err(Refusal::new(LOG, "it is longer than any of a log").at(format!("line {number}")));
        }
        // With a letter replaced, a name is another file's.
        if std::str::from_utf8(&line).is_err() {
            return Err(Refusal::new(LOG, "it is not valid UTF-8").at(format!("line {number}")));
        }
        if !text.is_empty() {
            let place = |refusal: Refusal| refusal.at(format!("line {number}"));
            facts.take(event(text, version).map_err(place)?);
        }
    }
    for direction in 0..2 {
        if facts.sizes[direction].len() > LISTED {
            facts.sizes[direction].clear();
        }
    }
    Ok(Some(facts))
}

impl IoLogFacts {
    fn take(&mut self, event: Event<'_>) {
        let LoggedLine { device, offset, bytes, write, .. } = match event {
            Event::Io(line) => line,
            Event::OfFile => return,
            Event::Other => {
                self.others += 1;
                return;
            }
        };
        if bytes == 0 || bytes > LARGEST_IO {
            self.odd += 1;
            return;
        }
        if self.files.last().is_none_or(|last| last != device)
            && !self.files.iter().any(|file| file == device)
        {
            self.files.push(device.to_owned());
        }
        let direction = usize::from(write);
        self.operations[direction] += 1;
        // One beyond those that are listed says that there are too many.
        let sizes = &mut self.sizes[direction];
        if sizes.len() <= LISTED || sizes.contains_key(&bytes) {
            *sizes.entry(bytes).or_default() += 1;
        }
        let (least, most) = self.extremes[direction].unwrap_or((bytes, bytes));
        self.extremes[direction] = Some((least.min(bytes), most.max(bytes)));
        self.extent_bytes = self.extent_bytes.max(offset.saturating_add(bytes));
        while self.block_bytes > 1 && !(offset | bytes).is_multiple_of(self.block_bytes) {
            self.block_bytes = if self.block_bytes == 4096 { 512 } else { 1 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMED: &str = "fio version 3 iolog\n0 data add\n0 data open\n5 data read 0 4096\n9 data write 8192 512\n9 data datasync 0 0\n12 data close\n";

    #[test]
    fn a_log_says_what_it_holds() {
        let facts = survey(TIMED.as_bytes()).unwrap().unwrap();
        assert!(facts.timed && facts.files == ["data"]);
        assert_eq!((facts.operations, facts.extent_bytes, facts.others), ([1, 1], 8704, 1));
        assert_eq!((facts.block_bytes, facts.extremes), (512, [Some((4096, 4096)), Some((512, 512))]));
        let old = survey("fio version 2 iolog\na add\na open\na read 0 8192\na read 3 5\n".as_bytes());
        let old = old.unwrap().unwrap();
        assert!(!old.timed && old.block_bytes == 1 && old.sizes[0].len() == 2);
        assert_eq!(survey("something else\n".as_bytes()), Ok(None));
        assert_eq!(survey("".as_bytes()), Ok(None));
        let foreign = survey(&b"fio version 2 iolog\n\xff.bin add\n"[..]).unwrap_err();
        assert!(foreign.to_string().contains("not valid UTF-8"), "{foreign}");
        let broken = survey("fio version 3 iolog\n0 a read 0\n".as_bytes()).unwrap_err();
        assert_eq!(broken.place, "line 2");
        let many: String = (1..100).map(|at| format!("a read 0 {}\n", at * 512)).collect();
        let many = survey(format!("fio version 2 iolog\n{many}").as_bytes()).unwrap().unwrap();
        assert!(many.sizes[0].is_empty() && many.extremes[0] == Some((512, 99 * 512)));
    }
}
