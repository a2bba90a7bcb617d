//! JSON as a stream of values, without a tree, over a file that passes by: what is not wanted is skipped at the
//! speed of the memory, and nothing is allocated for it.
//!
//! It is as lenient as files in the wild need: a value that is cut off, or followed by other text, is told from
//! one that is wrong, and numbers may be `nan` or `inf`, which fio prints.

use std::io::BufRead;
use std::ops::Deref;

use super::streamed_file::{InputEnd, StreamedFile};
use crate::Refusal;
use crate::digits::leading_count;

/// Nesting above this is refused: fio's goes 7 deep, and each level is a frame of the stack.
const DEEPEST: u32 = 64;

const EIGHT_SPACES: u64 = u64::from_le_bytes(*b"        ");

/// Why a value stopped making sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The bytes end in the middle of it.
    End,
    /// A byte that cannot stand here, or nesting without an end.
    Wrong,
}

/// A place in a file.
pub struct Scanner<'a> {
    passing: StreamedFile<'a>,
    depth: u32,
    /// Room for a list of bins while it comes.
    pub bins: Vec<(u64, u64)>,
}

/// A number as it stands, or a string as it stands between its quotes, escapes and all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// A number; absent for `nan`.
    Number(Option<f64>, &'a [u8]),
    /// A string.
    Text(&'a [u8]),
    /// `null`, `true` or `false`.
    Word,
}

/// What kind of value is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `{`
    Object,
    /// `[`
    Array,
    /// Anything else.
    Scalar,
}

type Step<T> = Result<T, Stop>;

impl<'a> Scanner<'a> {
    /// Starts at the beginning of a file.
    pub fn new(input: &'a mut dyn BufRead) -> Self {
        Self { passing: StreamedFile::new(input), depth: 0, bins: Vec::new() }
    }

    /// The number of the line that was reached.
    pub fn line(&mut self) -> usize {
        self.passing.line()
    }

    /// Keeps no more of the file than is needed to go on.
    pub fn let_go(&mut self) {
        self.passing.let_go();
    }

    /// Passes over all that is left, and says what is known of the file.
    ///
    /// # Errors
    /// When it could not be read to its end, or is too large.
    pub fn finish(self, expected: &'static str) -> Result<InputEnd, Refusal> {
        self.passing.finish(expected)
    }

    /// Goes to the next object, whatever stands before it, and begins anew there; absent where none comes. Whether
    /// there was anything but white space before it, or before the end, is added to `has_text`.
    pub fn next_object(&mut self, has_text: &mut bool) -> Option<()> {
        self.depth = 0;
        loop {
            let rest = self.passing.rest();
            let found = memchr::memchr(b'{', rest);
            let before = &rest[..found.unwrap_or(rest.len())];
            *has_text |= before.iter().any(|byte| !byte.is_ascii_whitespace());
            let length = before.len();
            self.passing.pass(length);
            if found.is_some() {
                return Some(());
            }
            if !self.passing.more() {
                return None;
            }
        }
    }

    /// The kind of the next value.
    pub fn kind(&mut self) -> Step<Kind> {
        Ok(match self.peek()? {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            _ => Kind::Scalar,
        })
    }

    /// The next byte that is no white space.
    #[inline]
    fn peek(&mut self) -> Step<u8> {
        loop {
            let rest = behind_white_space(self.passing.rest());
            let (found, left) = (rest.first().copied(), rest.len());
            self.passing.pass_to(left);
            match found {
                Some(byte) => return Ok(byte),
                None if self.passing.more() => {}
                None => return Err(Stop::End),
            }
        }
    }

    fn expect(&mut self, wanted: u8) -> Step<()> {
        if self.peek()? != wanted {
            return Err(Stop::Wrong);
        }
        self.passing.pass(1);
        Ok(())
    }

    /// Calls `entry` at each entry of what stands between two brackets.
    #[inline]
    fn list(
        &mut self,
        (opening, closing): (u8, u8),
        mut entry: impl FnMut(&mut Self) -> Step<()>,
    ) -> Step<()> {
        self.expect(opening)?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Stop::Wrong);
        }
        // fio has printed a comma after the last member.
        while self.peek()? != closing {
            entry(self)?;
            match self.peek()? {
                b',' => self.passing.pass(1),
                byte if byte == closing => break,
                _ => return Err(Stop::Wrong),
            }
        }
        self.passing.pass(1);
        self.depth -= 1;
        Ok(())
    }

    /// Calls `member` at each value of an object, with its key; `member` takes or skips the value.
    pub fn object(&mut self, mut member: impl FnMut(&mut Self, &[u8]) -> Step<()>) -> Step<()> {
        self.list((b'{', b'}'), |scanner| {
            let key = Key::of(scanner.string()?);
            scanner.expect(b':')?;
            member(scanner, &key)
        })
    }

    /// Calls `entry` at each value of an array; `entry` takes or skips the value.
    pub fn array(&mut self, entry: impl FnMut(&mut Self) -> Step<()>) -> Step<()> {
        self.list((b'[', b']'), entry)
    }

    /// Calls `member` at each member of an object whose key and value are whole numbers; others are passed over.
    pub fn counts(&mut self, mut member: impl FnMut(u64, u64)) -> Step<()> {
        const CLOSING: u8 = b'}';
        self.list((b'{', CLOSING), |scanner| {
            // Bins are more than all else in a file, and hardly ever anything but digits.
            scanner.bare_counts(&mut member);
            if scanner.peek()? == CLOSING {
                return Ok(());
            }
            let key = count_of(scanner.string()?);
            scanner.expect(b':')?;
            if let Some((key, value)) = key.zip(scanner.count()?) {
                member(key, value);
            }
            Ok(())
        })
    }

    /// Takes members as `"1234" : 5,`, each with its comma, for as long as nothing else stands there.
    #[inline]
    fn bare_counts(&mut self, member: &mut impl FnMut(u64, u64)) {
        let mut rest = self.passing.rest();
        while let Some((key, value, behind)) = bare_count(rest) {
            member(key, value);
            rest = behind_white_space(behind);
        }
        let left = rest.len();
        self.passing.pass_to(left);
    }

    /// The bytes between the quotes of a string.
    #[inline]
    pub fn string(&mut self) -> Step<&[u8]> {
        self.expect(b'"')?;
        let mut end = 0;
        while !ends_string(self.passing.rest(), &mut end) {
            if !self.passing.more() {
                self.passing.pass_all();
                return Err(Stop::End);
            }
        }
        self.passing.pass(end + 1);
        Ok(self.passing.passed(end + 1).split_last().map_or(&[], |(_, inner)| inner))
    }

    /// A value that is neither object nor array.
    pub fn scalar(&mut self) -> Step<Scalar<'_>> {
        match self.peek()? {
            b'"' => self.string().map(Scalar::Text),
            b'{' | b'[' => Err(Stop::Wrong),
            _ => {
                let mut length = 0;
                while !ends_word(self.passing.rest(), &mut length) {
                    if !self.passing.more() {
                        return Err(Stop::End);
                    }
                }
                self.passing.pass(length);
                word_value(self.passing.passed(length))
            }
        }
    }

    /// A number; `None` for any other scalar, and for one that is not finite.
    pub fn number(&mut self) -> Step<Option<f64>> {
        // Up to 2^53 the digits are the number.
        if let Some((count, length)) = self.digits()?.filter(|(count, _)| *count <= 1 << f64::MANTISSA_DIGITS)
        {
            self.passing.pass(length);
            return Ok(Some(count as f64));
        }
        Ok(match self.taken()? {
            Some(Scalar::Number(value, _)) => value.filter(|value| value.is_finite()),
            Some(Scalar::Text(text)) => std::str::from_utf8(text).ok().and_then(|t| t.trim().parse().ok()),
            _ => None,
        })
    }

    /// A whole number that is not below zero, to its last digit.
    #[inline]
    pub fn count(&mut self) -> Step<Option<u64>> {
        if let Some((count, length)) = self.digits()? {
            self.passing.pass(length);
            return Ok(Some(count));
        }
        Ok(match self.taken()? {
            Some(Scalar::Number(value, word)) => {
                let exact = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
                exact.or_else(|| value.filter(|v| *v >= 0.0 && *v < u64::MAX as f64).map(|v| v as u64))
            }
            Some(Scalar::Text(text)) => std::str::from_utf8(text).ok().and_then(|t| t.trim().parse().ok()),
            _ => None,
        })
    }

    /// What comes next, if it is digits and nothing else, and how many.
    #[inline]
    fn digits(&mut self) -> Step<Option<(u64, usize)>> {
        self.peek()?;
        let rest = self.passing.rest();
        let found = leading_count(rest);
        Ok(found.filter(|(_, length)| rest.get(*length).is_some_and(|next| !is_of_word(*next))))
    }

    /// A string as text, its escapes resolved; `None` for any other value.
    pub fn text(&mut self) -> Step<Option<String>> {
        Ok(match self.taken()? {
            Some(Scalar::Text(text)) => Some(unescaped(text)),
            Some(Scalar::Number(_, word)) => Some(String::from_utf8_lossy(word).into_owned()),
            _ => None,
        })
    }

    /// The next scalar; an object or an array in its place is skipped.
    fn taken(&mut self) -> Step<Option<Scalar<'_>>> {
        if self.kind()? == Kind::Scalar { self.scalar().map(Some) } else { self.skip().map(|()| None) }
    }

    /// Passes over any value.
    pub fn skip(&mut self) -> Step<()> {
        match self.kind()? {
            Kind::Object => self.list((b'{', b'}'), |scanner| {
                scanner.string()?;
                scanner.expect(b':')?;
                scanner.skip()
            }),
            Kind::Array => self.array(Scanner::skip),
            Kind::Scalar => self.scalar().map(drop),
        }
    }
}

/// Bytes of a key that are held without memory of their own: fio's are shorter.
const SHORT: usize = 48;

/// The bytes of a key, held while the scanner goes on.
#[derive(Clone)]
pub struct Key {
    short: [u8; SHORT],
    length: usize,
    /// A longer one, whole.
    long: Vec<u8>,
}

impl Key {
    /// Holds these bytes.
    #[inline]
    pub fn of(bytes: &[u8]) -> Self {
        let mut key = Self { short: [0; SHORT], length: bytes.len(), long: Vec::new() };
        match key.short.get_mut(..bytes.len()) {
            Some(short) => short.copy_from_slice(bytes),
            None => key.long = bytes.to_vec(),
        }
        key
    }
}

impl Deref for Key {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.short.get(..self.length).unwrap_or(&self.long)
    }
}

/// Whether a byte belongs to a number or a word without quotes.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// Goes on to the quote that ends a string; whether it is there.
#[inline]
fn ends_string(bytes: &[u8], at: &mut usize) -> bool {
    while let Some(byte) = bytes.get(*at) {
        match byte {
            b'"' => return true,
            b'\\' => *at += 2,
            _ => *at += 1,
        }
    }
    false
}

/// Goes on to the end of a number or a word without quotes; whether it is there.
#[inline]
fn ends_word(bytes: &[u8], at: &mut usize) -> bool {
    while let Some(byte) = bytes.get(*at) {
        if !is_of_word(*byte) {
            return true;
        }
        *at += 1;
    }
    false
}

/// Bytes without the white space that they begin with, of which fio prints more than of anything else: lines of bins
/// stand behind a dozen spaces.
#[inline]
fn behind_white_space(bytes: &[u8]) -> &[u8] {
    let mut rest = bytes;
    while let Some((byte, after)) = rest.split_first() {
        if !byte.is_ascii_whitespace() {
            return rest;
        }
        rest = after;
        while let Some((eight, after)) = rest.split_first_chunk::<8>() {
            let others = u64::from_le_bytes(*eight) ^ EIGHT_SPACES;
            if others != 0 {
                rest = &rest[others.trailing_zeros() as usize / 8..];
                break;
            }
            rest = after;
        }
    }
    rest
}

/// What `"1234" : 5,` says, if nothing but digits stands there, and what comes behind the comma.
#[inline]
fn bare_count(bytes: &[u8]) -> Option<(u64, u64, &[u8])> {
    let [b'"', start @ ..] = bytes else { return None };
    let (key, length) = leading_count(start)?;
    let [b'"', rest @ ..] = start.get(length..)? else { return None };
    let ([b' ', b':', rest @ ..] | [b':', rest @ ..]) = rest else { return None };
    let ([b' ', rest @ ..] | rest) = rest;
    let (value, length) = leading_count(rest)?;
    let [b',', rest @ ..] = rest.get(length..)? else { return None };
    Some((key, value, rest))
}

/// A key that is a whole number, as those of bins are.
#[inline]
pub fn count_of(key: &[u8]) -> Option<u64> {
    match leading_count(key) {
        Some((count, length)) if length == key.len() => Some(count),
        _ => std::str::from_utf8(key).ok()?.trim().parse().ok(),
    }
}

fn word_value(word: &[u8]) -> Step<Scalar<'_>> {
    match word {
        b"null" | b"true" | b"false" => return Ok(Scalar::Word),
        b"nan" | b"-nan" | b"NaN" | b"inf" | b"-inf" | b"Infinity" => return Ok(Scalar::Number(None, word)),
        _ => {}
    }
    let text = std::str::from_utf8(word).map_err(|_| Stop::Wrong)?;
    if !word.first().is_some_and(|b| b.is_ascii_digit() || *b == b'-') {
        return Err(Stop::Wrong);
    }
    text.parse().map(|value| Scalar::Number(Some(value), word)).map_err(|_| Stop::Wrong)
}

/// A string's text: the escapes of JSON resolved, anything odd left as it is.
pub fn unescaped(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    if !text.contains('\\') {
        return text.into_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b' | 'f') => out.push(' '),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                out.push(code.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_taken_skipped_or_told_to_be_cut_off() {
        let text =
            br#"{"a": 18446744073709551615, "b": {"c": [1, 2, {"d": "x\"y"}]}, "e": -nan, "f": "0x1",}"#;
        let (mut a, mut e) = (None, Some(0.0));
        let mut input = text.as_slice();
        let mut scanner = Scanner::new(&mut input);
        scanner
            .object(|s, key| match key {
                b"a" => s.count().map(|n| a = n),
                b"e" => s.number().map(|n| e = n),
                _ => s.skip(),
            })
            .unwrap();
        assert_eq!((a, e, scanner.kind()), (Some(u64::MAX), None, Err(Stop::End)));
        for end in 1..text.len() {
            assert_eq!(Scanner::new(&mut &text[..end]).skip(), Err(Stop::End), "{end}");
        }
        for wrong in ["{1}", "[1 2]", "{\"a\" 1}", "[}", "<<<<<<< HEAD"] {
            assert_eq!(Scanner::new(&mut format!("{wrong} ").as_bytes()).skip(), Err(Stop::Wrong), "{wrong}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(Scanner::new(&mut deep.as_bytes()).skip(), Err(Stop::Wrong));
    }

    #[test]
    fn numbers_keep_their_last_digit_however_long() {
        for (text, count, number) in [
            ("0 ", Some(0), Some(0.0)),
            ("007,", Some(7), Some(7.0)),
            ("9999999999999999999]", Some(9_999_999_999_999_999_999), Some(1e19)),
            ("18446744073709551615 ", Some(u64::MAX), Some(u64::MAX as f64)),
            ("9007199254740993 ", Some(9_007_199_254_740_993), Some(9_007_199_254_740_992.0)),
            ("12.75 ", Some(12), Some(12.75)),
            ("1e3 ", Some(1000), Some(1000.0)),
            ("-5 ", None, Some(-5.0)),
            ("\"42\" ", Some(42), Some(42.0)),
        ] {
            let text = format!("        \t        {text}");
            assert_eq!(Scanner::new(&mut text.as_bytes()).count(), Ok(count), "{text}");
            assert_eq!(Scanner::new(&mut text.as_bytes()).number(), Ok(number), "{text}");
        }
        assert_eq!(
            Scanner::new(&mut b"42".as_slice()).count(),
            Err(Stop::End),
            "the next digit may be cut off"
        );
        assert_eq!(Scanner::new(&mut b"42x ".as_slice()).count(), Err(Stop::Wrong));
        assert_eq!((count_of(b"120"), count_of(b" 7 "), count_of(b"+7")), (Some(120), Some(7), Some(7)));
        assert_eq!((count_of(b""), count_of(b"1x"), count_of(b"99999999999999999999")), (None, None, None));
    }

    #[test]
    fn members_of_whole_numbers_are_taken_however_they_are_written() {
        let text = br#"{"120":3, "7" : 4 ,"8"  :  5,
            " 9 ": "6", "10": 1e2, "x": 7, "11": {"12": 13}, "14": nan, "0015": 16,
            "18446744073709551615": 18446744073709551615,}"#;
        let mut found = Vec::new();
        Scanner::new(&mut text.as_slice()).counts(|key, value| found.push((key, value))).unwrap();
        let wanted = [(120, 3), (7, 4), (8, 5), (9, 6), (10, 100), (15, 16), (u64::MAX, u64::MAX)];
        assert_eq!(found, wanted);
        for end in 0..text.len() {
            assert_eq!(Scanner::new(&mut &text[..end]).counts(|_, _| ()), Err(Stop::End), "{end}");
        }
        for wrong in [r#"{"1" 2}"#, r#"{"1": 2 "3": 4}"#, r#"{"1": 2x}"#, r#"{1: 2}"#, "{,}"] {
            assert_eq!(Scanner::new(&mut wrong.as_bytes()).counts(|_, _| ()), Err(Stop::Wrong), "{wrong}");
        }
    }

    #[test]
    fn text_comes_without_its_escapes() {
        assert_eq!(unescaped(br"C\:\\fio\u0041\t\"), "C:\\fioA\t\\");
    }
}
