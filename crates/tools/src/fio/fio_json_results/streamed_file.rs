//! A file that passes by: the stretch of it that is held, and what is noticed of all of it on the way. So a file of
//! any length takes the memory of its longest value, and its bytes are worked on while they are near the processor.

use std::io::{self, BufRead};

use crate::Refusal;
use crate::result_import::{LARGEST_WHOLE_BYTES, too_large, unreadable};

/// Bytes that are asked for at once: as many as fill what the file is read through, so that they come without a copy.
const CHUNK: usize = 1 << 16;
/// What git puts before the first of two versions that it could not merge, at the start of a line.
const MARK: &[u8] = b"<<<<<<< ";

/// A file, from its first byte on to its last.
pub struct StreamedFile<'a> {
    input: &'a mut dyn BufRead,
    /// Up to `end` the stretch that is held.
    buffer: Vec<u8>,
    end: usize,
    /// Place in the stretch that was reached.
    at: usize,
    has_ended: bool,
    read: u64,
    failed: Option<Failure>,
    /// Ends of lines before a place of the stretch.
    lines: (usize, usize),
    /// The line of git's first mark.
    mark: Option<usize>,
    /// All of the file so far, until somebody says that it is not needed.
    kept: Option<Vec<u8>>,
}

/// Why reading stopped. Its own type: what the file was to be is known at its end alone, where the refusal is made.
enum Failure {
    Reading(io::Error),
    TooLarge,
}

/// What is known of a file behind its end.
pub struct InputEnd {
    /// The line of git's first mark of a conflict.
    pub mark: Option<usize>,
    /// All of it, if it was still needed.
    pub kept: Option<Vec<u8>>,
}

impl<'a> StreamedFile<'a> {
    /// Starts at the beginning; keeps all of it until [`let_go`](Self::let_go).
    pub fn new(input: &'a mut dyn BufRead) -> Self {
        let mut passing = Self {
            input,
            buffer: Vec::new(),
            end: 0,
            at: 0,
            has_ended: false,
            read: 0,
            failed: None,
            lines: (0, 0),
            mark: None,
            kept: Some(Vec::new()),
        };
        passing.more();
        passing
    }

    /// What is held of the bytes from the place that was reached on.
    #[inline]
    pub fn rest(&self) -> &[u8] {
        self.buffer.get(self.at..self.end).unwrap_or_default()
    }

    /// The last bytes that were passed, as many as were held before.
    #[inline]
    pub fn passed(&self, bytes: usize) -> &[u8] {
        self.buffer.get(self.at.saturating_sub(bytes)..self.at).unwrap_or_default()
    }

    /// Goes on by so many bytes of what is held.
    #[inline]
    pub fn pass(&mut self, bytes: usize) {
        self.at = self.end.min(self.at + bytes);
    }

    /// Goes on until so many bytes are left of what is held.
    #[inline]
    pub fn pass_to(&mut self, left: usize) {
        self.at = self.end.saturating_sub(left);
    }

    /// Goes to the end of what is held.
    pub fn pass_all(&mut self) {
        self.at = self.end;
    }

    /// Holds more bytes behind those that are held; whether there are any.
    #[cold]
    pub fn more(&mut self) -> bool {
        if self.has_ended {
            return false;
        }
        // A mark may begin in what was passed already, behind the end of a line.
        let from = self.at.saturating_sub(MARK.len());
        self.count_lines(from);
        self.lines.1 = self.lines.1.saturating_sub(from);
        self.buffer.copy_within(from..self.end, 0);
        (self.at, self.end) = (self.at - from, self.end - from);
        if self.buffer.len() - self.end < CHUNK {
            let larger = self.buffer.len().max(CHUNK) * 2;
            self.buffer.resize(larger, 0);
        }
        let came = loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(came) => break came,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failed = Some(Failure::Reading(error));
                    break 0;
                }
            }
        };
        self.has_ended = came == 0;
        self.read += came as u64;
        if self.read > LARGEST_WHOLE_BYTES {
            (self.failed, self.has_ended) = (Some(Failure::TooLarge), true);
            return false;
        }
        self.take(came);
        came > 0
    }

    /// Takes note of bytes that came.
    fn take(&mut self, came: usize) {
        let before = self.end;
        self.end += came;
        if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(&self.buffer[before..self.end]);
        }
        if self.mark.is_some() {
            return;
        }
        let from = before.saturating_sub(MARK.len() - 1);
        let first = self.read == self.end as u64;
        let starts_a_line =
            |at: &usize| if *at == 0 { first } else { self.buffer.get(at - 1) == Some(&b'\n') };
        let found = memchr::memmem::find_iter(&self.buffer[from..self.end], MARK);
        let found = found.map(|at| from + at).find(starts_a_line);
        let (lines, counted) = self.lines;
        self.mark = found.map(|at| 1 + lines + lines_in(self.buffer.get(counted..at).unwrap_or_default()));
    }

    fn count_lines(&mut self, to: usize) {
        let (lines, counted) = self.lines;
        if let Some(more) = self.buffer.get(counted..to) {
            self.lines = (lines + lines_in(more), to);
        }
    }

    /// The number of the line that was reached.
    pub fn line(&mut self) -> usize {
        self.count_lines(self.at);
        1 + self.lines.0
    }

    /// Keeps no more of the file than is held.
    pub fn let_go(&mut self) {
        self.kept = None;
    }

    /// Passes over all that is left, and says what is known.
    ///
    /// # Errors
    /// When it could not be read to its end, or is too large.
    pub fn finish(mut self, expected: &'static str) -> Result<InputEnd, Refusal> {
        while !self.has_ended {
            self.pass_all();
            self.more();
        }
        match self.failed {
            Some(Failure::Reading(error)) => Err(unreadable(expected, error)),
            Some(Failure::TooLarge) => Err(too_large(expected)),
            None => Ok(InputEnd { mark: self.mark, kept: self.kept }),
        }
    }
}

fn lines_in(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    /// Gives a byte at a time, so that each place is the end of what is held once.
    struct ByteReader<'a>(&'a [u8]);

    impl Read for ByteReader<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let one = buffer.len().min(1);
            self.0.read(&mut buffer[..one])
        }
    }

    fn passed(text: &[u8]) -> [InputEnd; 2] {
        let of = |input: &mut dyn BufRead| {
            let mut passing = StreamedFile::new(input);
            passing.pass_all();
            while passing.more() {
                passing.pass_all();
            }
            passing.finish("it").unwrap()
        };
        [of(&mut &*text), of(&mut BufReader::with_capacity(1, ByteReader(text)))]
    }

    #[test]
    fn marks_are_found_wherever_the_pieces_end() {
        for (text, line) in [
            ("<<<<<<< HEAD\n", Some(1)),
            ("a\nb\n<<<<<<< HEAD\n<<<<<<< HEAD\n", Some(3)),
            ("a\n<<<<<<<\n <<<<<<< HEAD", None),
            ("x<<<<<<< HEAD\n\n<<<<<<< HEAD", Some(3)),
            ("<<<<<<<<<<< HEAD\n", None),
        ] {
            for passed in passed(text.as_bytes()) {
                assert_eq!(passed.mark, line, "{text}");
                assert_eq!(passed.kept.as_deref(), Some(text.as_bytes()), "{text}");
            }
        }
    }

    #[test]
    fn lines_are_counted_over_all_that_passed() {
        let text = "line\n".repeat(100_000);
        let mut input = text.as_bytes();
        let mut passing = StreamedFile::new(&mut input);
        let mut left = text.len();
        loop {
            let held = passing.rest().len();
            passing.pass(held / 2);
            assert_eq!(passing.line(), 1 + (text.len() - left + held / 2) / 5);
            passing.pass(held);
            left -= held;
            if !passing.more() {
                break;
            }
        }
        assert_eq!((left, passing.line()), (0, 100_001));
    }

    #[test]
    fn a_file_that_cannot_be_read_to_its_end_is_refused() {
        struct BrokenStream;
        impl Read for BrokenStream {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        let mut input = BufReader::new("{".as_bytes().chain(BrokenStream));
        let refusal = StreamedFile::new(&mut input).finish("it").err().unwrap();
        assert_eq!(refusal.cause, "reading failed: gone");
    }
}
