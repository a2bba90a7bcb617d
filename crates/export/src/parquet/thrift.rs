//! Thrift's compact protocol, as far as Parquet's footers and page headers need it.
//!
//! Source: `doc/specs/thrift-compact-protocol.md` of Apache Thrift.

/// Types of fields.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Writes one structure after the other into bytes.
#[derive(Debug, Default)]
pub struct Compact {
    /// What was written.
    pub bytes: Vec<u8>,
    last: i16,
    outer: Vec<i16>,
}

impl Compact {
    /// A field's header: its number as the distance from the one before, and its type.
    fn field(&mut self, number: i16, kind: u8) {
        let distance = number - self.last;
        if (1..=15).contains(&distance) {
            self.bytes.push((distance as u8) << 4 | kind);
        } else {
            self.bytes.push(kind);
            self.signed(i64::from(number));
        }
        self.last = number;
    }

    /// A 32-bit number.
    pub fn i32(&mut self, number: i16, value: i32) {
        self.field(number, I32);
        self.signed(i64::from(value));
    }

    /// A 64-bit number.
    pub fn i64(&mut self, number: i16, value: i64) {
        self.field(number, I64);
        self.signed(value);
    }

    /// A text.
    pub fn text(&mut self, number: i16, text: &str) {
        self.field(number, BINARY);
        self.raw_text(text);
    }

    /// A list of structures, each written by `write`.
    pub fn structs<T>(&mut self, number: i16, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.field(number, LIST);
        self.list_header(items.len(), STRUCT);
        for item in items {
            self.open();
            write(self, item);
            self.close();
        }
    }

    /// A list of 32-bit numbers.
    pub fn i32s(&mut self, number: i16, items: &[i32]) {
        self.field(number, LIST);
        self.list_header(items.len(), I32);
        items.iter().for_each(|item| self.signed(i64::from(*item)));
    }

    /// A list of one text.
    pub fn one_text(&mut self, number: i16, text: &str) {
        self.field(number, LIST);
        self.list_header(1, BINARY);
        self.raw_text(text);
    }

    /// A structure within this one.
    pub fn inner(&mut self, number: i16, write: impl FnOnce(&mut Self)) {
        self.field(number, STRUCT);
        self.open();
        write(self);
        self.close();
    }

    /// Ends the outermost structure.
    pub fn stop(&mut self) {
        self.bytes.push(0);
        self.last = 0;
    }

    fn open(&mut self) {
        self.outer.push(self.last);
        self.last = 0;
    }

    fn close(&mut self) {
        self.bytes.push(0);
        self.last = self.outer.pop().unwrap_or(0);
    }

    fn list_header(&mut self, length: usize, kind: u8) {
        if length < 15 {
            self.bytes.push((length as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            self.unsigned(length as u64);
        }
    }

    fn raw_text(&mut self, text: &str) {
        self.unsigned(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    /// Zigzag, so that small negative numbers are short.
    fn signed(&mut self, value: i64) {
        self.unsigned(((value << 1) ^ (value >> 63)) as u64);
    }

    fn unsigned(&mut self, value: u64) {
        varint(&mut self.bytes, value);
    }
}

/// Seven bits a byte, the lowest first; the eighth says that more follow.
pub fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_fields_are_written_as_the_protocol_says() {
        let mut compact = Compact::default();
        compact.i32(1, -1);
        compact.i64(20, 300);
        compact.one_text(21, "ab");
        compact.stop();
        // Field 1 as i32, zigzag 1; field 20 in its long form, zigzag 600 as two bytes; a list of one text.
        assert_eq!(compact.bytes, [0x15, 1, 6, 40, 0xd8, 4, 0x19, 0x18, 2, b'a', b'b', 0]);
    }
}
