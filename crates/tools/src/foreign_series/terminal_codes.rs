//! Text without what terminals put into it.

use std::borrow::Cow;

use crate::Refusal;
use crate::result_import::lossy;

/// The bytes as text, without a byte-order mark; bytes that are no UTF-8 become replacement marks.
///
/// # Errors
/// When the bytes hold zeros, and so are no text.
pub fn plain_text<'a>(bytes: &'a [u8], expected: &'static str) -> Result<Cow<'a, str>, Refusal> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.contains(&0) {
        return Err(Refusal::new(expected, "the file is binary, not text"));
    }
    Ok(lossy(bytes))
}

/// The text without the colours that `S_COLORS=always` puts between the columns.
pub fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split("\u{1b}[");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        plain.push_str(rest.get(1..).unwrap_or_default());
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_and_text_stays() {
        let coloured = "13:20:19   \u{1b}[32;22m     all\u{1b}[0m\u{1b}[34;1m      2.15\u{1b}[0m";
        assert_eq!(without_colours(coloured), "13:20:19        all      2.15");
        assert_eq!(without_colours("\u{1b}[é\u{1b}["), "");
        assert_eq!(without_colours("plain"), "plain");
    }

    #[test]
    fn binary_is_no_text() {
        assert!(plain_text(b"a\0b", "sar").is_err());
        assert_eq!(plain_text(b"\xef\xbb\xbfab", "sar").unwrap(), "ab");
    }
}
