//! One line of a log: whole numbers apart by commas.

use std::io::BufRead;

use memchr::memchr;

use crate::Refusal;
use crate::digits::leading_count;
use crate::result_import::unreadable;

/// No line of a log is longer: one of a histogram log has 1859 numbers.
const LONGEST_LINE_BYTES: usize = 1 << 20;

/// Lines of a file one after the other, where they lie in the reader's buffer, or gathered in one of its own.
pub struct Lines<'a> {
    input: &'a mut dyn BufRead,
    buffer: Vec<u8>,
    /// Bytes of the reader's buffer that the line given last takes.
    given: usize,
    number: u64,
    expected: &'static str,
}

impl<'a> Lines<'a> {
    pub fn new(input: &'a mut dyn BufRead, expected: &'static str) -> Self {
        Self { input, buffer: Vec::new(), given: 0, number: 0, expected }
    }

    /// The number of the line that was given last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The next line without its end, and whether the file ends before the line does.
    pub fn next(&mut self) -> Result<Option<(&[u8], bool)>, Refusal> {
        self.input.consume(std::mem::take(&mut self.given));
        if self.line_in_reader()? {
            let line = self.input.fill_buf().map_err(|error| unreadable(self.expected, error))?;
            return Ok(Some((line[..self.given].trim_ascii_end(), false)));
        }
        self.gathered()
    }

    /// Whether the next line lies in the reader's buffer as a whole; its length is noted.
    fn line_in_reader(&mut self) -> Result<bool, Refusal> {
        let held = self.input.fill_buf().map_err(|error| unreadable(self.expected, error))?;
        let Some(end) = memchr(b'\n', held).filter(|end| *end < LONGEST_LINE_BYTES) else { return Ok(false) };
        self.given = end + 1;
        self.number += 1;
        Ok(true)
    }

    /// The next line from as many of the reader's buffers as it takes.
    fn gathered(&mut self) -> Result<Option<(&[u8], bool)>, Refusal> {
        self.buffer.clear();
        let mut limited = std::io::Read::take(&mut *self.input, LONGEST_LINE_BYTES as u64);
        let read =
            limited.read_until(b'\n', &mut self.buffer).map_err(|error| unreadable(self.expected, error))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let is_cut = self.buffer.last() != Some(&b'\n');
        if is_cut && read == LONGEST_LINE_BYTES {
            let refusal = Refusal::new(self.expected, "a line of over 1 MiB");
            return Err(refusal.at(format!("line {}", self.number)));
        }
        Ok(Some((self.buffer.trim_ascii_end(), is_cut)))
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
    // So many digits surely fit.
    const FIT: usize = 19;
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
    if field.len() <= FIT {
        return field.iter().try_fold(0u64, |value, byte| Some(value * 10 + digit(byte)?));
    }
    field.iter().try_fold(0u64, |value, byte| value.checked_mul(10)?.checked_add(digit(byte)?))
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
    bare_sample(line).or_else(|| sample_of_numbers(line))
}

/// A line as fio writes it: numbers apart by a comma and a space or a comma alone, of which a priority that is
/// hexadecimal has a digit or four. Most of an import of a log is this.
fn bare_sample(line: &[u8]) -> Option<Sample> {
    let (at_ms, rest) = before_another(line)?;
    let (value, rest) = before_another(rest)?;
    let (direction, rest) = before_another(rest)?;
    let direction = usize::try_from(direction).ok().filter(|direction| *direction < 3)?;
    let (bytes, length) = leading_count(rest)?;
    let mut rest = rest.get(length..)?;
    let (mut columns, mut has_hex) = (4, false);
    while let Some(behind) = behind_comma(rest) {
        let is_hex = behind.starts_with(b"0x");
        let digits = if is_hex { &behind[2..] } else { behind };
        let (_, length) = leading_count(digits)?;
        has_hex |= is_hex;
        rest = &digits[length..];
        columns += 1;
    }
    (rest.is_empty() && columns <= 8).then_some(Sample { at_ms, value, direction, bytes, columns, has_hex })
}

/// A number, and the bytes of the one behind it.
fn before_another(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, length) = leading_count(bytes)?;
    behind_comma(bytes.get(length..)?).map(|rest| (number, rest))
}

/// What follows a comma and a space, or a comma alone.
fn behind_comma(bytes: &[u8]) -> Option<&[u8]> {
    match bytes {
        [b',', b' ', rest @ ..] | [b',', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// A line however its numbers are set apart.
fn sample_of_numbers(line: &[u8]) -> Option<Sample> {
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
    // Digits and commas alone have been read, and the letter of hexadecimal ones.
    let has_hex = columns > 4 && memchr(b'x', line).is_some();
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
    fn a_line_is_the_same_sample_in_one_pass_and_number_by_number() {
        let numbers = ["0", "7", "12345678", "123456789012", "9999999999999999999", "18446744073709551615"];
        let odd = ["", "x", "-1", "0x", "0x0004", "0xff", " 5", "5 ", "1.5"];
        for (at, first) in numbers.iter().chain(&odd).enumerate() {
            for (apart, tail) in
                [", ", ",", " , "].iter().zip(["", ", 0", ", 0, 0x0000"]).cycle().skip(at % 3).take(9)
            {
                for direction in ["0", "2", "3", "01"] {
                    for last in numbers.iter().chain(&odd) {
                        let line = [*first, *first, direction, *last].join(apart) + tail;
                        let found = bare_sample(line.as_bytes());
                        let whole = sample_of_numbers(line.as_bytes());
                        assert!(found.is_none() || found == whole, "{line}: {found:?} {whole:?}");
                        assert_eq!(sample(line.as_bytes()), whole, "{line}");
                    }
                }
            }
        }
        assert!(bare_sample(b"500, 223, 1, 4096, 0, 0x0000").is_some());
        assert!(bare_sample(b"500,223,1,4096").is_some());
    }

    #[test]
    fn lines_end_where_they_end() {
        let mut text: &[u8] = b"1, 2\r\n3";
        let mut lines = Lines::new(&mut text, "x");
        assert_eq!(lines.next().unwrap(), Some((b"1, 2".as_slice(), false)));
        assert_eq!(lines.next().unwrap(), Some((b"3".as_slice(), true)));
        assert_eq!(lines.next().unwrap(), None);
        // Over the ends of the reader's own buffer.
        let text = (0..1000).map(|at| format!("{at}, {}, 0, 4096\n", at * 7)).collect::<String>();
        let mut input = std::io::BufReader::with_capacity(33, text.as_bytes());
        let mut lines = Lines::new(&mut input, "x");
        for line in text.lines() {
            assert_eq!(lines.next().unwrap(), Some((line.as_bytes(), false)));
        }
        assert_eq!(lines.next().unwrap(), None);
        assert_eq!(lines.number(), 1000);
        let long = vec![b'1'; LONGEST_LINE_BYTES + 10];
        let mut long = long.as_slice();
        assert!(Lines::new(&mut long, "x").next().is_err());
    }
}
