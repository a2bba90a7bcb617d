//! A ring of lines in a file: places of a fixed length, written one after the other and over again.
//!
//! Each line has its number and a sum before it. A reader knows by them a line that is not there yet, one that is just
//! being written, and one that was overwritten before it was read; no lock is between them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::live_lines::{LiveEvent, RingHead};
use crate::record_ids::tag_of;

/// Bytes of the head's place.
const HEAD_BYTES: usize = 8192;
/// Bytes of a line's place.
const LINE_BYTES: usize = 1024;
/// Lines that a ring holds: somewhat over five minutes.
pub const LINES_MAX: u64 = 512;
/// Length of the file.
const FILE_BYTES: u64 = HEAD_BYTES as u64 + LINES_MAX * LINE_BYTES as u64;
/// Number, length of the text and sum, in digits of base 16 with a space behind each.
const PREFIX_BYTES: usize = 16 + 1 + 4 + 1 + 16 + 1;
/// So often a head that is just being written is read again.
const HEAD_ATTEMPTS: u32 = 5;

/// A text at its place; `None` where it is too long for it.
fn framed(number: u64, text: &str, place_bytes: usize) -> Option<Vec<u8>> {
    if text.len() + PREFIX_BYTES + 1 > place_bytes {
        return None;
    }
    let sum = tag_of(&format!("{number:016x} {text}"));
    let mut bytes = format!("{number:016x} {:04x} {sum:016x} {text}", text.len()).into_bytes();
    bytes.resize(place_bytes - 1, b' ');
    bytes.push(b'\n');
    Some(bytes)
}

/// Number and text of a place, where they are whole.
fn unframed(bytes: &[u8]) -> Option<(u64, &str)> {
    let prefix = std::str::from_utf8(bytes.get(..PREFIX_BYTES)?).ok()?;
    let mut parts = prefix.split(' ').map(|part| u64::from_str_radix(part, 16).ok());
    let (number, length, sum) = (parts.next()??, parts.next()??, parts.next()??);
    let end = PREFIX_BYTES.checked_add(usize::try_from(length).ok()?)?;
    let text = std::str::from_utf8(bytes.get(PREFIX_BYTES..end)?).ok()?;
    (tag_of(&format!("{number:016x} {text}")) == sum).then_some((number, text))
}

/// Where the line of a number lies.
fn place_of(number: u64) -> u64 {
    HEAD_BYTES as u64 + number % LINES_MAX * LINE_BYTES as u64
}

/// Writes a ring.
#[derive(Debug)]
pub struct RingWriter {
    file: File,
    next: u64,
    revision: u64,
}

impl RingWriter {
    /// In an empty file.
    ///
    /// # Errors
    /// When the file takes no bytes.
    pub fn begin(file: File, head: &RingHead) -> io::Result<Self> {
        file.set_len(FILE_BYTES)?;
        let mut writer = Self { file, next: 0, revision: 0 };
        writer.head(head)?;
        Ok(writer)
    }

    /// Writes the head anew.
    ///
    /// # Errors
    /// When the file takes no bytes, or the head is too long.
    pub fn head(&mut self, head: &RingHead) -> io::Result<()> {
        let text = fathom_json::text(head)?;
        let bytes = framed(self.revision, &text, HEAD_BYTES).ok_or(io::ErrorKind::InvalidInput)?;
        self.revision += 1;
        self.write(0, &bytes)
    }

    /// Writes a line; one that is too long for its place is left out.
    ///
    /// # Errors
    /// When the file takes no bytes.
    pub fn put(&mut self, event: &LiveEvent) -> io::Result<()> {
        let text = fathom_json::text(event)?;
        let Some(bytes) = framed(self.next, &text, LINE_BYTES) else { return Ok(()) };
        self.write(place_of(self.next), &bytes)?;
        self.next += 1;
        Ok(())
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write_all(bytes)
    }
}

/// What a reader finds at its place.
#[derive(Clone, Debug, PartialEq)]
pub enum RingItem {
    /// A line, and its number.
    Line(u64, LiveEvent),
    /// Lines were overwritten before they were read, or are damaged.
    Gap,
    /// No new line yet.
    Nothing,
}

/// Reads a ring from some line on.
#[derive(Debug)]
pub struct RingReader {
    file: File,
    next: u64,
}

impl RingReader {
    /// Of a file that another process may be writing; from its first line on.
    ///
    /// # Errors
    /// When its length is not that of a ring.
    pub fn of(file: File) -> io::Result<Self> {
        if file.metadata()?.len() != FILE_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its length is not that of a ring"));
        }
        Ok(Self { file, next: 0 })
    }

    /// The head; `None` where none is whole, or it is of another version.
    pub fn head(&mut self) -> Option<RingHead> {
        (0..HEAD_ATTEMPTS).find_map(|_| {
            let bytes = self.read::<HEAD_BYTES>(0).ok()?;
            let head: RingHead = fathom_json::read(unframed(&bytes)?.1).ok()?;
            (head.format == super::live_lines::FORMAT && head.version == super::live_lines::VERSION)
                .then_some(head)
        })
    }

    /// The file that is read.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Goes on with the line of this number; one that is no longer there, or never was, with the oldest. Whether it goes
    /// on where it was asked to.
    pub fn go_to(&mut self, number: u64) -> bool {
        let (mut oldest, mut newest) = (None, None);
        for at in 0..LINES_MAX {
            let found = self.number_at(at);
            oldest = found.into_iter().chain(oldest).min();
            newest = found.into_iter().chain(newest).max();
        }
        let next = newest.map_or(0, |newest: u64| newest.saturating_add(1));
        let oldest = oldest.unwrap_or(0);
        let is_there = (oldest..=next).contains(&number);
        self.next = if is_there { number } else { oldest };
        is_there
    }

    /// The number of the line at the place of `number`, where it is whole and belongs there.
    fn number_at(&mut self, number: u64) -> Option<u64> {
        let bytes = self.read::<LINE_BYTES>(place_of(number)).ok()?;
        unframed(&bytes).map(|(found, _)| found).filter(|found| place_of(*found) == place_of(number))
    }

    /// The next line.
    pub fn find(&mut self) -> RingItem {
        let Ok(bytes) = self.read::<LINE_BYTES>(place_of(self.next)) else { return RingItem::Nothing };
        let belongs = |(found, _): &(u64, &str)| place_of(*found) == place_of(self.next);
        match unframed(&bytes).filter(belongs) {
            Some((number, text)) if number == self.next => {
                self.next = self.next.saturating_add(1);
                // What cannot be read is of a later version.
                RingItem::Line(number, fathom_json::read(text).unwrap_or(LiveEvent::Unknown))
            }
            Some((number, _)) if number > self.next => {
                let before = self.next;
                self.go_to(before);
                // Onwards, whatever the file holds.
                self.next = self.next.max(before.saturating_add(1));
                RingItem::Gap
            }
            Some(_) => RingItem::Nothing,
            None if self.number_at(self.next.saturating_add(1)) == self.next.checked_add(1) => {
                self.next += 1;
                RingItem::Gap
            }
            None => RingItem::Nothing,
        }
    }

    fn read<const BYTES: usize>(&mut self, at: u64) -> io::Result<[u8; BYTES]> {
        let mut bytes = [0; BYTES];
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}
