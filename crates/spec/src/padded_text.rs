//! Text fields of fixed width, padded with spaces.

use core::fmt;

/// An ASCII field. Displays without its padding, and with `?` for what is not printable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a>(pub &'a [u8]);

impl<'a> Text<'a> {
    /// The bytes between leading and trailing spaces and zeros: some devices pad with either.
    pub fn trimmed(&self) -> &'a [u8] {
        let padding = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
        let start = self.0.iter().position(|b| !padding(b)).unwrap_or(self.0.len());
        let end = self.0.iter().rposition(|b| !padding(b)).map_or(start, |last| last + 1);
        &self.0[start..end]
    }

    /// Whether there is nothing but padding.
    pub fn is_empty(&self) -> bool {
        self.trimmed().is_empty()
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &byte in self.trimmed() {
            let printable = byte.is_ascii_graphic() || byte == b' ';
            fmt::Write::write_char(f, if printable { char::from(byte) } else { '?' })?;
        }
        Ok(())
    }
}
