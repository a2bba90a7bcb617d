//! Values as the text of JSON, and back. The store, plans kept with campaigns, pages and what is printed have it from
//! here: a second writer or reader would be each kind of record compiled once more. Rows that go to a file one by one are
//! written where they are made.

mod read;

use std::io::{self, Write};

pub use read::{read, read_bytes};
use serde::Serialize;

/// A value's JSON, on one line.
///
/// # Errors
/// When it has no JSON form, as a map with keys that are not text.
pub fn text<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    bytes(value).map(|bytes| String::from_utf8(bytes).expect("JSON of texts and numbers is text"))
}

/// The same as bytes.
///
/// # Errors
/// As of [`text`].
pub fn bytes<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Vec<u8>> {
    let mut written = NumberWriter { bytes: vec![0; FIRST_BYTES], length: 0 };
    serde_json::to_writer(&mut written, value)?;
    Ok(written.finish())
}

/// What a small document takes.
const FIRST_BYTES: usize = 256;

/// Takes each comma and each number by one call into this room, which is built for speed: a vector's own writing is
/// compiled where the record is, in rooms built for size, as three calls.
struct NumberWriter {
    /// Zeros from `length` on, so that what is written has its place already.
    bytes: Vec<u8>,
    length: usize,
}

impl NumberWriter {
    #[cold]
    fn grow(&mut self, least: usize) {
        self.bytes.resize(least.max(2 * self.bytes.len()), 0);
    }

    fn finish(mut self) -> Vec<u8> {
        self.bytes.truncate(self.length);
        self.bytes
    }
}

impl Write for NumberWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let end = self.length + bytes.len();
        if end > self.bytes.len() {
            self.grow(end);
        }
        copy(&mut self.bytes[self.length..end], bytes);
        self.length = end;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Copies to a place as long. Of records most writes are a comma or some digits, of which the call that copies any length
/// would be most of the time: up to 16 bytes are two pieces of one length, from both ends, which may overlap.
#[inline]
fn copy(to: &mut [u8], from: &[u8]) {
    match from.len() {
        1 => to[0] = from[0],
        2..=3 => ends::<2>(to, from),
        4..=7 => ends::<4>(to, from),
        8..=16 => ends::<8>(to, from),
        _ => to.copy_from_slice(from),
    }
}

#[inline]
fn ends<const LENGTH: usize>(to: &mut [u8], from: &[u8]) {
    if let Some((to, from)) = to.first_chunk_mut::<LENGTH>().zip(from.first_chunk::<LENGTH>()) {
        *to = *from;
    }
    if let Some((to, from)) = to.last_chunk_mut::<LENGTH>().zip(from.last_chunk::<LENGTH>()) {
        *to = *from;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn it_is_what_serde_json_writes() {
        let value = serde_json::json!({
            "text": "a \"b\"\n\u{1f980}",
            "numbers": [0, -1, u64::MAX, 0.1, 1e300],
            "none": null,
            "deep": [[[{}]], true],
            "long": "x".repeat(3 * FIRST_BYTES),
        });
        assert_eq!(text(&value).unwrap(), serde_json::to_string(&value).unwrap());
        assert_eq!(bytes(&value).unwrap(), serde_json::to_vec(&value).unwrap());
    }

    #[test]
    fn pieces_of_any_length_follow_each_other() {
        let source: Vec<u8> = (0..=255).cycle().take(4 * FIRST_BYTES).collect();
        let mut written = NumberWriter { bytes: vec![0; 3], length: 0 };
        let (mut from, mut wanted) = (0, Vec::new());
        for length in (0..40).chain([3 * FIRST_BYTES]).chain((0..40).rev()) {
            let piece = &source[from % 100..from % 100 + length];
            written.write_all(piece).unwrap();
            wanted.extend_from_slice(piece);
            from += length;
        }
        assert_eq!(written.finish(), wanted);
    }

    #[test]
    fn what_has_no_form_is_refused() {
        assert!(text(&BTreeMap::from([((1, 2), 3)])).is_err());
    }
}
