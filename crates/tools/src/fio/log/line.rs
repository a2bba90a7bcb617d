//! One line of a log: whole numbers apart by commas.

use std::io::BufRead;

use crate::Refusal;

/// No line of a log is longer: one of a histogram log has 1859 numbers.
const LONGEST_LINE_BYTES: usize = 1 << 20;

/// Lines of a file one after the other, in one buffer.
pub struct Lines<'a> {
    input: &'a mut dyn BufRead,
    buffer: Vec<u8>,
    number: u64,
    expected: &'static str,
}

impl<'a> Lines<'a> {
    pub fn new(input: &'a mut dyn BufRead, expected: &'static str) -> Self {
        Self { input, buffer: Vec::new(), number: 0, expected }
    }

    /// The number of the line that was given last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The next line without its end, and whether the file ends before the line does.
    pub fn next(&mut self) -> Result<Option<(&[u8], bool)>, Refusal> {
        self.buffer.clear();
        let failed =
            |error: std::io::Error, expected| Refusal::new(expected, format!("reading failed: {error}"));
        let mut limited = std::io::Read::take(&mut *self.input, LONGEST_LINE_BYTES as u64);
        let read =
            limited.read_until(b'\n', &mut self.buffer).map_err(|error| failed(error, self.expected))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let is_cut = self.buffer.last() != Some(&b'\n');
        if is_cut && read == LONGEST_LINE_BYTES {
            let refusal = Refusal::new(self.expected, "a line of over 1 MiB");
            return Err(refusal.at(format!("line {}", self.number)));
        }
        while self.buffer.last().is_some_and(u8::is_ascii_whitespace) {
            self.buffer.pop();
        }
        Ok(Some((&self.buffer, is_cut)))
    }
}

/// The numbers of a line; a priority may be hexadecimal.
pub fn numbers(line: &[u8]) -> impl Iterator<Item = Option<u64>> + '_ {
    line.split(|b| *b == b',').map(|field| number(field.trim_ascii()))
}

fn number(field: &[u8]) -> Option<u64> {
    if let Some(digits) = field.strip_prefix(b"0x") {
        return u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    }
    if field.is_empty() {
        return None;
    }
    field.iter().try_fold(0u64, |value, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

/// One sample of a bandwidth, IOPS or latency log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    pub at_ms: u64,
    pub value: u64,
    /// 0 read, 1 write, 2 trim.
    pub direction: usize,
    /// Of the one I/O that the sample is of; 0 for a mean over several.
    pub bytes: u64,
    /// How many numbers the line has.
    pub columns: usize,
    /// Whether the last one is written in hexadecimal digits, as priorities are since 3.31.
    pub has_hex: bool,
}

impl Sample {
    /// Whether a line without an end is whole: what may be cut off of it is a priority, or nothing, as no number but 0
    /// begins with 0.
    pub fn is_whole_without_end(&self) -> bool {
        self.columns > 4 || self.bytes == 0
    }
}

/// A line as a sample.
pub fn sample(line: &[u8]) -> Option<Sample> {
    let mut fields = numbers(line);
    let at_ms = fields.next()??;
    let value = fields.next()??;
    let direction = usize::try_from(fields.next()??).ok().filter(|direction| *direction < 3)?;
    let bytes = fields.next()??;
    let mut columns = 4;
    for field in fields {
        field?;
        columns += 1;
    }
    let has_hex = line.windows(2).any(|pair| pair == b"0x");
    (columns <= 8).then_some(Sample { at_ms, value, direction, bytes, columns, has_hex })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_sample_or_nothing() {
        let one = Sample { at_ms: 500, value: 223, direction: 1, bytes: 0, columns: 6, has_hex: true };
        assert_eq!(sample(b"500, 223, 1, 0, 0, 0x0000"), Some(one));
        assert_eq!(sample(b"876,168,1,4096").map(|s| (s.value, s.bytes, s.columns)), Some((168, 4096, 4)));
        for wrong in [
            "",
            "500",
            "1, 2, 3, 4",
            "a, b, c, d",
            "1, 2, 0, ",
            "1, 99999999999999999999, 0, 0",
            "-1, 2, 0, 0",
        ] {
            assert_eq!(sample(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn lines_end_where_they_end() {
        let mut text: &[u8] = b"1, 2\r\n3";
        let mut lines = Lines::new(&mut text, "x");
        assert_eq!(lines.next().unwrap(), Some((b"1, 2".as_slice(), false)));
        assert_eq!(lines.next().unwrap(), Some((b"3".as_slice(), true)));
        assert_eq!(lines.next().unwrap(), None);
        let long = vec![b'1'; LONGEST_LINE_BYTES + 10];
        let mut long = long.as_slice();
        assert!(Lines::new(&mut long, "x").next().is_err());
    }
}
