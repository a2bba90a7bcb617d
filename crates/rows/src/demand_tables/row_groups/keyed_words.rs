//! Words of a column as runs of keys of its dictionary: of a table that is sorted by them, one for many rows, where
//! each row's own value would be counted in and out of use.
//!
//! Source: apache/parquet-format 2.11, `Encodings.md` ("PLAIN", "RLE / bit-packing hybrid", "Dictionary encoding") and
//! `README.md` ("Data pages", "Nulls").

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};
use parquet::errors::{ParquetError, Result};

/// Bits of a key at most.
const MOST_BITS: u8 = 32;
const LENGTH_BYTES: usize = 4;

/// A column of byte arrays whose pages are all of the encodings that are read here.
pub struct KeyedWords {
    pages: Box<dyn PageReader>,
    /// The definition level of a row that is not null.
    present: u32,
    /// Those of the dictionary, and behind them what pages without keys held in the rows that were read.
    words: Vec<Box<[u8]>>,
    dictionary: usize,
    page: Option<OpenPage>,
    /// The rows that were read: keys, none for null, and how many follow each other.
    runs: Vec<(Option<u32>, usize)>,
}

/// A page whose rows are being read.
struct OpenPage {
    page: Page,
    levels: Option<Hybrid>,
    values: Values,
    /// Rows that were not read yet.
    left: usize,
}

/// Where a page's next value is.
enum Values {
    Keys(Hybrid),
    /// Words themselves, from this place on.
    Plain(usize),
}

impl KeyedWords {
    /// Whether pages of these encodings are read here.
    #[allow(deprecated, reason = "old files say so of levels that they do not have")]
    pub fn reads(mut encodings: impl Iterator<Item = Encoding>) -> bool {
        encodings.all(|encoding| {
            matches!(
                encoding,
                Encoding::PLAIN
                    | Encoding::PLAIN_DICTIONARY
                    | Encoding::RLE_DICTIONARY
                    | Encoding::RLE
                    | Encoding::BIT_PACKED
            )
        })
    }

    /// The words of some pages; `present` is the definition level of rows that are not null.
    pub fn new(pages: Box<dyn PageReader>, present: i16) -> Self {
        let present = u32::try_from(present).unwrap_or(0);
        Self { pages, present, words: Vec::new(), dictionary: 0, page: None, runs: Vec::new() }
    }

    /// Reads the next rows, in place of those before.
    ///
    /// # Errors
    /// When the column is damaged or ends before them.
    pub fn read(&mut self, rows: usize) -> Result<()> {
        self.runs.clear();
        self.words.truncate(self.dictionary);
        let mut left = rows;
        while left > 0 {
            let Some(mut page) = self.page.take().filter(|page| page.left > 0) else {
                self.page = Some(self.next_page()?);
                continue;
            };
            let most = left.min(page.left);
            let (level, alike) = match &mut page.levels {
                None => (self.present, most),
                Some(levels) => levels.next(page.page.buffer(), most)?,
            };
            if level == self.present {
                self.read_values(&mut page, alike)?;
            } else {
                self.put(None, alike);
            }
            page.left -= alike;
            left -= alike;
            self.page = Some(page);
        }
        Ok(())
    }

    fn read_values(&mut self, page: &mut OpenPage, rows: usize) -> Result<()> {
        let mut left = rows;
        while left > 0 {
            let (key, alike) = match &mut page.values {
                Values::Keys(keys) => keys.next(page.page.buffer(), left)?,
                Values::Plain(at) => {
                    let word = plain(page.page.buffer(), at)?;
                    // Words that follow each other are mostly the same one.
                    if self.words.last().is_none_or(|last| **last != *word) {
                        self.words.push(word.into());
                    }
                    (u32::try_from(self.words.len() - 1)?, 1)
                }
            };
            if key as usize >= self.words.len() {
                return Err(damaged("a key is none of the dictionary's"));
            }
            self.put(Some(key), alike);
            left -= alike;
        }
        Ok(())
    }

    fn put(&mut self, key: Option<u32>, rows: usize) {
        match self.runs.last_mut() {
            Some((last, many)) if *last == key => *many += rows,
            _ => self.runs.push((key, rows)),
        }
    }

    /// The words of the rows that were read; empty for null. Those of one key are the same bytes in memory.
    pub fn texts(&self) -> Vec<&[u8]> {
        let mut texts = Vec::new();
        for (key, rows) in &self.runs {
            let text: &[u8] = key.map_or(&[], |key| &self.words[key as usize]);
            texts.resize(texts.len() + rows, text);
        }
        texts
    }

    /// The next page with rows; dictionaries before it are read.
    fn next_page(&mut self) -> Result<OpenPage> {
        loop {
            let Some(page) = self.pages.get_next_page()? else {
                return Err(ParquetError::EOF("a column ends before its row group does".to_owned()));
            };
            match &page {
                Page::DictionaryPage { num_values, .. } => {
                    self.words.clear();
                    let mut at = 0;
                    for _ in 0..*num_values {
                        self.words.push(plain(page.buffer(), &mut at)?.into());
                    }
                    self.dictionary = self.words.len();
                }
                _ if page.num_values() > 0 => return OpenPage::new(page, self.present),
                _ => {}
            }
        }
    }
}

impl OpenPage {
    fn new(page: Page, present: u32) -> Result<Self> {
        let bits = (u32::BITS - present.leading_zeros()) as u8;
        let buffer = page.buffer();
        let whole = |length: usize| {
            if length <= buffer.len() { Ok(length) } else { Err(damaged("its levels end behind its page")) }
        };
        let (levels, values) = match &page {
            Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
                let from = whole(*rep_levels_byte_len as usize)?;
                let end = whole(from.saturating_add(*def_levels_byte_len as usize))?;
                (from..end, end)
            }
            _ if present == 0 => (0..0, 0),
            Page::DataPage { def_level_encoding, .. } if *def_level_encoding != Encoding::RLE => {
                return Err(damaged(&format!("its levels are of the encoding {def_level_encoding}")));
            }
            _ => {
                let length =
                    buffer.first_chunk::<LENGTH_BYTES>().ok_or_else(|| damaged("it has no levels"))?;
                let end = LENGTH_BYTES.saturating_add(u32::from_le_bytes(*length) as usize);
                (LENGTH_BYTES..whole(end)?, end)
            }
        };
        let levels = (present > 0).then(|| Hybrid::new(levels.start, levels.end, bits)).transpose()?;
        let end = buffer.len();
        let values = match page.encoding() {
            Encoding::PLAIN => Values::Plain(values),
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => {
                // A page of nulls alone may have nothing behind its levels.
                let bits = buffer.get(values).copied().unwrap_or(0);
                Values::Keys(Hybrid::new((values + 1).min(end), end, bits)?)
            }
            other => return Err(damaged(&format!("a page of {other} is where none was said to be"))),
        };
        let left = page.num_values() as usize;
        Ok(Self { page, levels, values, left })
    }
}

/// Whole numbers as runs of one value, and as groups of eight packed bit by bit.
struct Hybrid {
    at: usize,
    end: usize,
    bits: u8,
    /// The value of the run and how often it is still to come.
    repeated: (u32, usize),
    /// The bit at which the next packed value begins, and how many are still to come.
    packed: (usize, usize),
}

impl Hybrid {
    fn new(at: usize, end: usize, bits: u8) -> Result<Self> {
        if bits > MOST_BITS {
            return Err(damaged("its keys have more than 32 bits"));
        }
        Ok(Self { at, end, bits, repeated: (0, 0), packed: (0, 0) })
    }

    /// The next value, and how often it follows itself, `most` times at most.
    fn next(&mut self, buffer: &[u8], most: usize) -> Result<(u32, usize)> {
        loop {
            if self.repeated.1 > 0 {
                let rows = self.repeated.1.min(most);
                self.repeated.1 -= rows;
                return Ok((self.repeated.0, rows));
            }
            if self.packed.1 > 0 {
                return self.next_packed(buffer, most);
            }
            self.next_run(buffer)?;
        }
    }

    fn next_packed(&mut self, buffer: &[u8], most: usize) -> Result<(u32, usize)> {
        let value = self.packed_value(buffer)?;
        let mut rows = 1;
        while rows < most && self.packed.1 > 0 {
            let before = self.packed;
            if self.packed_value(buffer)? != value {
                self.packed = before;
                break;
            }
            rows += 1;
        }
        Ok((value, rows))
    }

    fn packed_value(&mut self, buffer: &[u8]) -> Result<u32> {
        let (bit, left) = self.packed;
        let bits = usize::from(self.bits);
        // The last groups of a page may be cut where its values end: what is behind them is not read.
        let bytes = buffer.get(bit / 8..self.end).unwrap_or_default();
        if bytes.len() * 8 < bit % 8 + bits {
            return Err(ended());
        }
        let mut word = [0u8; 8];
        let taken = bytes.len().min(word.len());
        word[..taken].copy_from_slice(&bytes[..taken]);
        self.packed = (bit + bits, left - 1);
        Ok(((u64::from_le_bytes(word) >> (bit % 8)) & ((1u64 << bits) - 1)) as u32)
    }

    /// Reads the number that a run begins with: seven bits a byte, five bytes at most.
    fn head(&mut self, buffer: &[u8]) -> Result<u64> {
        let mut head = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = buffer.get(..self.end).and_then(|bytes| bytes.get(self.at)).ok_or_else(ended)?;
            self.at += 1;
            head |= u64::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                return Ok(head);
            }
        }
        Err(damaged("a run of its keys has no length"))
    }

    /// Begins the next run.
    fn next_run(&mut self, buffer: &[u8]) -> Result<()> {
        let head = self.head(buffer)?;
        let bits = usize::from(self.bits);
        let many = usize::try_from(head >> 1)?;
        if head & 1 == 1 {
            self.packed = (self.at * 8, many.saturating_mul(8));
            self.at = self.at.saturating_add(many.saturating_mul(bits)).min(self.end);
        } else {
            let bytes = bits.div_ceil(8);
            let value = buffer.get(self.at..self.at + bytes).filter(|_| self.at + bytes <= self.end);
            let mut word = [0u8; 4];
            word[..bytes].copy_from_slice(value.ok_or_else(ended)?);
            self.at += bytes;
            self.repeated = (u32::from_le_bytes(word), many);
        }
        Ok(())
    }
}

/// The word at a place, which moves behind it: four bytes of length, and its bytes.
fn plain<'a>(buffer: &'a [u8], at: &mut usize) -> Result<&'a [u8]> {
    let rest = buffer.get(*at..).unwrap_or_default();
    let word = rest
        .split_first_chunk::<LENGTH_BYTES>()
        .and_then(|(length, rest)| rest.get(..u32::from_le_bytes(*length) as usize));
    let word = word.ok_or_else(|| damaged("its words end behind its page"))?;
    *at += LENGTH_BYTES + word.len();
    Ok(word)
}

fn ended() -> ParquetError {
    damaged("its keys end before its rows")
}

fn damaged(cause: &str) -> ParquetError {
    ParquetError::General(format!("a column is damaged: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of a buffer, `most` at a time.
    fn all(buffer: &[u8], bits: u8, rows: usize, most: usize) -> Result<Vec<u32>> {
        let mut hybrid = Hybrid::new(0, buffer.len(), bits)?;
        let mut found = Vec::new();
        while found.len() < rows {
            let (value, many) = hybrid.next(buffer, most.min(rows - found.len()))?;
            found.resize(found.len() + many, value);
        }
        Ok(found)
    }

    #[test]
    fn runs_and_groups_are_read_whatever_is_taken_at_once() {
        // Encodings.md: the numbers 0 to 7 of three bits are packed as 10001000 11000110 11111010.
        let packed = [0b11, 0b1000_1000, 0b1100_0110, 0b1111_1010];
        let mut buffer = packed.to_vec();
        // Five times 6, then 300 times 1.
        buffer.extend([5 << 1, 6]);
        buffer.extend([0xd8, 0x04, 1]);
        let mut expected: Vec<u32> = (0..8).collect();
        expected.extend([6; 5]);
        expected.extend([1; 300]);
        for most in [1, 3, 1000] {
            assert_eq!(all(&buffer, 3, 313, most).unwrap(), expected);
        }
        assert!(all(&buffer, 3, 314, 7).is_err(), "it ends");
        for cut in 0..buffer.len() {
            assert!(all(&buffer[..cut], 3, 313, 7).is_err(), "{cut}");
        }
        // A column of one word has keys without bits.
        assert_eq!(all(&[20 << 1], 0, 20, 7).unwrap(), [0; 20]);
        assert_eq!(all(&[0b11], 0, 8, 3).unwrap(), [0; 8]);
        assert!(Hybrid::new(0, 0, 33).is_err());
        // Keys of 32 bits that begin within a byte do not occur: each has whole bytes.
        let wide = [0b11, 1, 0, 0, 0x80, 2, 0, 0, 0];
        assert_eq!(all(&wide, 32, 2, 1).unwrap(), [0x8000_0001, 2]);
        // An endless head, and runs of nothing.
        assert!(all(&[0xff; 20], 3, 1, 1).is_err());
        assert!(all(&[0, 5, 0, 5], 3, 1, 1).is_err());
    }

    #[test]
    fn words_are_cut_by_their_lengths() {
        let buffer = [2, 0, 0, 0, b'a', b'b', 0, 0, 0, 0, 9, 0, 0, 0];
        let mut at = 0;
        assert_eq!(plain(&buffer, &mut at).unwrap(), b"ab");
        assert_eq!(plain(&buffer, &mut at).unwrap(), b"");
        assert!(plain(&buffer, &mut at).is_err());
        assert!(plain(&buffer, &mut 99).is_err());
    }
}
