//! A file's bytes as text: whole up to a limit.

use std::borrow::Cow;
use std::io::{self, BufRead, Read as _};

use fathom_record::RecordOrigin;

use crate::Refusal;

/// Formats that are read whole are refused above this; larger ones are read as a stream.
pub const LARGEST_WHOLE_BYTES: u64 = 1 << 30;

/// All bytes of a file.
///
/// # Errors
/// When it is too large, or cannot be read to its end.
pub fn whole(input: &mut dyn BufRead, expected: &'static str) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let read = input.take(LARGEST_WHOLE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(expected, error))?;
    if bytes.len() as u64 > LARGEST_WHOLE_BYTES {
        return Err(too_large(expected));
    }
    Ok(bytes)
}

/// That a file could not be read to its end.
pub fn unreadable(expected: &'static str, error: io::Error) -> Refusal {
    Refusal::new(expected, format!("reading failed: {error}")).with_source(error)
}

/// That a file is larger than [`LARGEST_WHOLE_BYTES`].
pub fn too_large(expected: &'static str) -> Refusal {
    let cause = format!("the file is larger than {} MiB", LARGEST_WHOLE_BYTES >> 20);
    Refusal::new(expected, cause).or("split it into parts")
}

/// Bytes as text, and notes in the origin what was odd about them: a byte order mark, bytes that are no UTF-8.
/// What is in UTF-16 came here as UTF-8.
pub fn text<'a>(bytes: &'a [u8], origin: &mut RecordOrigin) -> Cow<'a, str> {
    let rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if rest.len() < bytes.len() {
        origin.quirk("byte_order_mark", "a UTF-8 byte order mark at the beginning was left out");
    }
    let text = lossy(rest);
    if matches!(text, Cow::Owned(_)) {
        origin.quirk("not_utf8", "bytes that are not UTF-8 were replaced by a mark");
    }
    text
}

/// Bytes as text, with a mark in the place of each that is no UTF-8. Most are UTF-8 throughout, of which the check alone is
/// several times quicker than the search for what is none.
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_whatever_its_encoding() {
        let read = |bytes: &[u8]| {
            let mut origin = RecordOrigin::default();
            let text = text(bytes, &mut origin).into_owned();
            (text, origin.quirks.into_iter().map(|quirk| quirk.name).collect::<Vec<_>>())
        };
        assert_eq!(read(b"IOPS"), ("IOPS".to_owned(), vec![]));
        assert_eq!(read(b"\xef\xbb\xbfIOPS"), ("IOPS".to_owned(), vec!["byte_order_mark".to_owned()]));
        assert_eq!(read(b"\xb5s"), ("\u{fffd}s".to_owned(), vec!["not_utf8".to_owned()]));
    }
}
