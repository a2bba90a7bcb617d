//! Text in UTF-16, known by its byte order mark, as UTF-8; and what files that are packed begin with.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use fathom_record::shell::shell_word;

use crate::Fault;

/// What some programs of Windows put before a text in UTF-8.
pub const UTF_8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Which byte of a unit comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

/// What the first bytes of UTF-16 are, in either order.
fn order(start: &[u8]) -> Option<Order> {
    match start {
        [0xff, 0xfe, ..] => Some(Order::Little),
        [0xfe, 0xff, ..] => Some(Order::Big),
        _ => None,
    }
}

/// Whether bytes begin with the mark of UTF-16, which PowerShell writes.
pub fn is_wide(start: &[u8]) -> bool {
    order(start).is_some()
}

/// Bytes of a text as UTF-8, without the mark of UTF-16; other bytes as they are.
pub fn narrow(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !is_wide(bytes) {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len() / 2);
    // A slice is read without an error.
    let _ = Utf8Reader::new(bytes).read_to_end(&mut out);
    Cow::Owned(out)
}

/// A text of any length as UTF-8, whichever of the two it is in.
pub struct Utf8Reader<R> {
    inner: R,
    /// Found at the first byte.
    order: Option<Option<Order>>,
    /// The first byte of a unit whose second is still to come.
    half: Option<u8>,
    /// The first unit of a pair whose second is still to come.
    high: Option<u16>,
    out: Vec<u8>,
    at: usize,
}

impl<R: BufRead> Utf8Reader<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, order: None, half: None, high: None, out: Vec::new(), at: 0 }
    }

    /// Takes two bytes in.
    fn unit(&mut self, unit: u16) {
        let high = self.high.take();
        match (high, unit) {
            (Some(high), 0xdc00..=0xdfff) => {
                let code = 0x1_0000 + ((u32::from(high) - 0xd800) << 10) + (u32::from(unit) - 0xdc00);
                self.put(char::from_u32(code));
                return;
            }
            (Some(_), _) => self.put(None),
            (None, _) => {}
        }
        match unit {
            0xd800..=0xdbff => self.high = Some(unit),
            // Half of a pair alone is no character, which `from_u32` knows.
            unit => self.put(char::from_u32(u32::from(unit))),
        }
    }

    fn put(&mut self, letter: Option<char>) {
        let letter = letter.unwrap_or(char::REPLACEMENT_CHARACTER);
        self.out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// Takes in what comes next.
    fn refill(&mut self, order: Order) -> io::Result<()> {
        self.out.clear();
        self.at = 0;
        while self.out.is_empty() {
            let bytes = self.inner.fill_buf()?;
            let length = bytes.len();
            if length == 0 {
                if self.half.take().is_some() | self.high.take().is_some() {
                    self.put(None);
                }
                return Ok(());
            }
            // So that a slice of any length is taken in parts, each longer than the longest line of fio's logs.
            let part: Vec<u8> = bytes[..length.min(1 << 16)].to_vec();
            self.inner.consume(part.len());
            for byte in part {
                let Some(first) = self.half.take() else {
                    self.half = Some(byte);
                    continue;
                };
                let unit = match order {
                    Order::Little => u16::from_le_bytes([first, byte]),
                    Order::Big => u16::from_be_bytes([first, byte]),
                };
                self.unit(unit);
            }
        }
        Ok(())
    }
}

impl<R: BufRead> BufRead for Utf8Reader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let found = match self.order {
            Some(found) => found,
            None => {
                let found = order(self.inner.fill_buf()?);
                if found.is_some() {
                    self.inner.consume(2);
                }
                *self.order.insert(found)
            }
        };
        let Some(order) = found else { return self.inner.fill_buf() };
        if self.at == self.out.len() {
            self.refill(order)?;
        }
        Ok(&self.out[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        match self.order {
            Some(Some(_)) => self.at = (self.at + amount).min(self.out.len()),
            _ => self.inner.consume(amount),
        }
    }
}

impl<R: BufRead> Read for Utf8Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let found = self.fill_buf()?;
        let length = found.len().min(buffer.len());
        buffer[..length].copy_from_slice(&found[..length]);
        self.consume(length);
        Ok(length)
    }
}

/// A kind of packed file: its first bytes, its name, and the command that unpacks it and keeps it.
type Packing = (&'static [u8], &'static str, &'static str);

const PACKINGS: [Packing; 5] = [
    (b"\x1f\x8b", "gzip", "gunzip --keep"),
    (b"\xfd7zXZ\0", "xz", "unxz --keep"),
    (b"\x28\xb5\x2f\xfd", "zstd", "unzstd"),
    (b"BZh", "bzip2", "bunzip2 --keep"),
    (b"PK\x03\x04", "zip (or it is a workbook: export that as CSV)", "unzip"),
];

/// Why a file that begins so is to be unpacked before it is read, and with what; `name` is what to type for it. Whoever
/// knows what the file was to be makes the refusal of it.
pub fn packed(start: &[u8], name: &str) -> Option<Fault> {
    let (_, packing, command) = PACKINGS.into_iter().find(|(magic, ..)| start.starts_with(magic))?;
    let name = if name.is_empty() { "FILE".to_owned() } else { shell_word(name) };
    let remedy = format!("decompress it first: {command} {name}");
    Some(Fault::new(format!("compressed with {packing}"), remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(unit).collect()
    }

    #[test]
    fn both_orders_of_bytes_are_one_text() {
        // Long enough for several parts, with characters of one, two, three and four bytes.
        let text = "IOPS=1 \u{b5}s \u{20ac} \u{1f4be}\r\n".repeat(9000);
        for bytes in [wide(&text, u16::to_le_bytes), wide(&text, u16::to_be_bytes)] {
            assert!(narrow(&bytes) == text.as_bytes());
            let mut out = String::new();
            let slow = io::BufReader::with_capacity(7, bytes.as_slice());
            Utf8Reader::new(slow).read_to_string(&mut out).unwrap();
            assert!(out == text, "in parts of seven bytes");
        }
        assert_eq!(narrow(b"IOPS"), Cow::Borrowed(b"IOPS"));
    }

    #[test]
    fn halves_of_characters_are_marked() {
        assert_eq!(narrow(b"\xff\xfeI\0O"), "I\u{fffd}".as_bytes());
        assert_eq!(narrow(b"\xfe\xff\xd8\x3d\0I"), "\u{fffd}I".as_bytes());
        assert_eq!(narrow(b"\xfe\xff\xdc\x00"), "\u{fffd}".as_bytes());
        assert_eq!(narrow(b"\xff\xfe\x3d\xd8"), "\u{fffd}".as_bytes());
        assert_eq!(narrow(b"\xff\xfe"), b"".as_slice());
    }

    #[test]
    fn a_packed_file_is_named_with_what_unpacks_it() {
        let found = packed(b"\x1f\x8b\x08\0", "a b.json.gz").unwrap();
        assert_eq!(found.cause, "compressed with gzip");
        assert_eq!(found.remedy, "decompress it first: gunzip --keep 'a b.json.gz'");
        assert!(packed(b"\xfd7zXZ\0\0", "w.xz").unwrap().remedy.ends_with(": unxz --keep w.xz"));
        assert!(packed(b"\x28\xb5\x2f\xfd\x04", "").unwrap().remedy.ends_with(": unzstd FILE"));
        assert_eq!(packed(b"fio-3.33", "a"), None);
    }
}
