//! Runs as bytes, for files that hold more of them than memory does: what is read back is what was written.
//!
//! A block is its length and the volume's name, then what is known of the volume, then its rows. Numbers are written
//! in groups of seven bits, times as what their distance differs from the one before, and counts without a fraction
//! as whole numbers, so that a row of a usual series takes 10 to 20 bytes.
//!
//! Numbers of seven-bit groups are 20 lines of this; the rest is the form of a row. `postcard` writes the same numbers, but a
//! count that is whole or not as two values, five bytes a row more, and `serde` would be compiled into this room for it.

use super::{Latest, Run};
use crate::{Interval, Values};

/// Bytes of a block's length at its start.
const LENGTH_BYTES: usize = 4;
/// Whole numbers from here on are written as they stand in memory.
const LARGEST_WHOLE: f64 = (1u64 << 52) as f64;

/// Appends a run as a block. It holds no more rows than 4 GiB take.
pub fn put_block(run: &Run, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend([0; LENGTH_BYTES]);
    put_words(out, run.volume.as_bytes());
    for count in [run.rows, run.empty, run.wrong, run.wrong_sizes] {
        put_number(out, count);
    }
    put_latest(out, &run.size_gib, |out, gib| out.extend(gib.to_bits().to_le_bytes()));
    for words in [&run.current, &run.instance, &run.group] {
        put_latest(out, words, |out, words| put_words(out, words.as_bytes()));
    }
    out.push(match run.values {
        None => 0,
        Some(Values::PerSecond) => 1,
        Some(Values::PerRow) => 2,
    });
    out.push(u8::from(run.is_mixed));
    put_number(out, run.notes.len() as u64);
    run.notes.iter().for_each(|note| put_words(out, note.as_bytes()));
    out.push(u8::from(run.trouble.is_some()));
    put_words(out, run.trouble.as_deref().unwrap_or_default().as_bytes());
    put_rows(out, &run.intervals);
    let length =
        u32::try_from(out.len() - start - LENGTH_BYTES).expect("callers write runs of bounded length");
    out[start..start + LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
}

fn put_rows(out: &mut Vec<u8>, rows: &[Interval]) {
    put_number(out, rows.len() as u64);
    let (mut at_ns, mut step_ns) = (0i64, 0i64);
    for row in rows {
        let step = row.end_ns.wrapping_sub(at_ns);
        put_number(out, folded(step.wrapping_sub(step_ns)));
        (at_ns, step_ns) = (row.end_ns, step);
        for value in [row.reads, row.writes, row.read_bytes, row.write_bytes] {
            // The lowest bit tells a whole number from one with a fraction. A zero's sign is no count.
            if (0.0..LARGEST_WHOLE).contains(&value) && value.fract() == 0.0 {
                put_number(out, (value as u64) << 1);
            } else {
                out.push(1);
                out.extend(value.to_bits().to_le_bytes());
            }
        }
    }
}

fn put_latest<T: PartialOrd>(out: &mut Vec<u8>, latest: &Latest<T>, put: impl FnOnce(&mut Vec<u8>, &T)) {
    out.push(u8::from(latest.get().is_some()) + u8::from(latest.has_changed()));
    if let Some(value) = latest.get() {
        put_number(out, folded(latest.at_ns()));
        put(out, value);
    }
}

fn put_words(out: &mut Vec<u8>, words: &[u8]) {
    put_number(out, words.len() as u64);
    out.extend_from_slice(words);
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Numbers near zero, of either sign, as small ones.
fn folded(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn unfolded(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// The blocks in some bytes, each with the volume's name; ends where the bytes are none.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a>(pub &'a [u8]);

impl<'a> Iterator for Blocks<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (length, _) = self.0.split_first_chunk::<LENGTH_BYTES>()?;
        let whole = LENGTH_BYTES + u32::from_le_bytes(*length) as usize;
        let (block, rest) = self.0.split_at_checked(whole)?;
        let name = Reader(&block[LENGTH_BYTES..]).words()?;
        self.0 = rest;
        Some((name, block))
    }
}

/// The run that a block holds; absent if it is damaged.
pub fn run_of(block: &[u8]) -> Option<Run> {
    let mut reader = Reader(block.get(LENGTH_BYTES..)?);
    let mut run = Run { volume: reader.text()?, ..Run::default() };
    (run.rows, run.empty) = (reader.number()?, reader.number()?);
    (run.wrong, run.wrong_sizes) = (reader.number()?, reader.number()?);
    run.size_gib = reader.latest(Reader::real)?;
    run.current = reader.latest(Reader::text)?;
    run.instance = reader.latest(Reader::text)?;
    run.group = reader.latest(Reader::text)?;
    run.values = match reader.byte()? {
        0 => None,
        1 => Some(Values::PerSecond),
        2 => Some(Values::PerRow),
        _ => return None,
    };
    run.is_mixed = reader.byte()? == 1;
    for _ in 0..reader.number()? {
        run.notes.push(reader.text()?);
    }
    let is_trouble = reader.byte()? == 1;
    run.trouble = Some(reader.text()?).filter(|_| is_trouble);
    run.intervals = reader.rows()?;
    reader.0.is_empty().then_some(run)
}

/// What is left of a block.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn real(&mut self) -> Option<f64> {
        let (bits, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(f64::from_bits(u64::from_le_bytes(*bits)))
    }

    fn words(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (words, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(words)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.words()?.to_vec()).ok()
    }

    fn latest<T: PartialOrd>(&mut self, value: impl FnOnce(&mut Self) -> Option<T>) -> Option<Latest<T>> {
        match self.byte()? {
            0 => Some(Latest::default()),
            mark @ 1..=2 => {
                let at_ns = unfolded(self.number()?);
                Some(Latest::of(at_ns, value(self)?).changed(mark == 2))
            }
            _ => None,
        }
    }

    fn count(&mut self) -> Option<f64> {
        // A whole number's lowest bit is 0.
        if self.0.first() == Some(&1) {
            self.0 = &self.0[1..];
            return self.real();
        }
        Some((self.number()? >> 1) as f64)
    }

    fn rows(&mut self) -> Option<Vec<Interval>> {
        let rows = self.number()?;
        // A row takes five bytes at least, so that a damaged number takes no memory.
        let mut intervals = Vec::with_capacity(usize::try_from(rows).ok()?.min(self.0.len() / 5));
        let (mut at_ns, mut step_ns) = (0i64, 0i64);
        for _ in 0..rows {
            step_ns = step_ns.wrapping_add(unfolded(self.number()?));
            at_ns = at_ns.wrapping_add(step_ns);
            intervals.push(Interval {
                end_ns: at_ns,
                reads: self.count()?,
                writes: self.count()?,
                read_bytes: self.count()?,
                write_bytes: self.count()?,
            });
        }
        Some(intervals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = f64> {
        prop_oneof![(0u64..1 << 60).prop_map(|whole| whole as f64), 0.0f64..1e9, Just(0.0), Just(1e300)]
    }

    fn interval() -> impl Strategy<Value = Interval> {
        (any::<i64>(), value(), value(), value(), value()).prop_map(
            |(end_ns, reads, writes, read_bytes, write_bytes)| Interval {
                end_ns,
                reads,
                writes,
                read_bytes,
                write_bytes,
            },
        )
    }

    fn run() -> impl Strategy<Value = Run> {
        let facts = (proptest::option::of((any::<i64>(), 0.0f64..1e6)), "[a-z]{0,9}", any::<[u32; 3]>());
        let kept = (proptest::option::of("\\PC{0,9}"), 0u8..3, prop::collection::vec(interval(), 0..40));
        ("\\PC{0,12}", facts, kept).prop_map(
            |(volume, (size, current, counts), (trouble, values, intervals))| {
                let mut run = Run { volume, trouble, intervals, ..Run::default() };
                if let Some((at_ns, gib)) = size {
                    run.size_gib.put(at_ns, gib);
                }
                run.current.put_words(7, current.as_bytes());
                run.current.put_words(6, b"gp3");
                run.group.put_words(5, current.as_bytes());
                run.wrong = counts[0].into();
                (run.rows, run.empty) = (counts[0].into(), counts[1].into());
                run.wrong_sizes = counts[2].into();
                run.is_mixed = counts[2] & 1 == 1;
                run.notes = vec![current; usize::from(values)];
                run.values = [None, Some(Values::PerRow), Some(Values::PerSecond)][usize::from(values)];
                run
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_read_back_is_what_was_written(runs in prop::collection::vec(run(), 0..6)) {
            let mut bytes = Vec::new();
            runs.iter().for_each(|run| put_block(run, &mut bytes));
            let read: Vec<Run> = Blocks(&bytes).map(|(_, block)| run_of(block).unwrap()).collect();
            let names: Vec<&[u8]> = Blocks(&bytes).map(|(name, _)| name).collect();
            prop_assert_eq!(names, runs.iter().map(|run| run.volume.as_bytes()).collect::<Vec<_>>());
            prop_assert_eq!(read, runs);
        }

        #[test]
        fn damage_is_no_run_or_another(one in run(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = Vec::new();
            put_block(&one, &mut bytes);
            let at = at.index(bytes.len());
            prop_assert_eq!(run_of(&bytes[..at]), None);
            bytes[at] = byte;
            let _ = run_of(&bytes);
            prop_assert!(Blocks(&bytes).count() <= 1);
        }
    }

    #[test]
    fn a_usual_row_takes_few_bytes() {
        let row = |minute: u32| Interval {
            end_ns: i64::from(minute) * 60_000_000_000,
            reads: 6000.0,
            writes: 9000.0,
            read_bytes: 6000.0 * 16384.0,
            write_bytes: 9000.0 * 16384.0,
        };
        let run = Run { intervals: (0..1000).map(row).collect(), ..Run::default() };
        let mut bytes = Vec::new();
        put_block(&run, &mut bytes);
        assert!(bytes.len() < 16_000, "{}", bytes.len());
    }
}
