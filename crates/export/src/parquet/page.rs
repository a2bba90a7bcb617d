//! The bytes of one column's values: which are there, and what they are.
//!
//! Source: `Encodings.md` of apache/parquet-format.

use super::super::record_columns::{Kind, Value};

/// One column's values of a row group, as a dictionary page (texts only) and a data page.
pub struct Pages {
    /// Distinct texts, one after the other, and how many; absent for other kinds.
    pub dictionary: Option<(Vec<u8>, usize)>,
    /// Which rows have a value, then the values.
    pub data: Vec<u8>,
}

/// Encodes a column.
pub fn pages(kind: Kind, values: &[Value]) -> Pages {
    let mut data = Vec::new();
    let present = runs(values.iter().map(|value| u64::from(*value != Value::Absent)), 1);
    data.extend((present.len() as u32).to_le_bytes());
    data.extend(present);
    let dictionary = match kind {
        Kind::Text => Some(texts(values, &mut data)),
        Kind::Integer => {
            for value in values {
                if let Value::Integer(number) = value {
                    // The format's numbers are signed; none of ours comes near the limit.
                    data.extend(i64::try_from(*number).unwrap_or(i64::MAX).to_le_bytes());
                }
            }
            None
        }
        Kind::Real => {
            for value in values {
                if let Value::Real(number) = value {
                    data.extend(number.to_le_bytes());
                }
            }
            None
        }
        Kind::Flag => {
            let flags: Vec<bool> = values
                .iter()
                .filter_map(|value| if let Value::Flag(flag) = value { Some(*flag) } else { None })
                .collect();
            for eight in flags.chunks(8) {
                data.push(eight.iter().enumerate().map(|(bit, flag)| u8::from(*flag) << bit).sum());
            }
            None
        }
    };
    Pages { dictionary, data }
}

/// Texts as numbers of a dictionary, which is given with how many it holds.
fn texts(values: &[Value], data: &mut Vec<u8>) -> (Vec<u8>, usize) {
    let mut known = std::collections::HashMap::new();
    let (mut dictionary, mut numbers) = (Vec::new(), Vec::new());
    for value in values {
        if let Value::Text(text) = value {
            let next = known.len() as u64;
            let number = *known.entry(text.as_str()).or_insert_with(|| {
                dictionary.extend((text.len() as u32).to_le_bytes());
                dictionary.extend(text.as_bytes());
                next
            });
            numbers.push(number);
        }
    }
    let bits = (u64::BITS - (known.len().saturating_sub(1) as u64).leading_zeros()).max(1);
    data.push(bits as u8);
    data.extend(runs(numbers.into_iter(), bits));
    (dictionary, known.len())
}

/// Numbers of so many bits as runs of equal ones: the hybrid encoding without its packed half.
fn runs(numbers: impl Iterator<Item = u64>, bits: u32) -> Vec<u8> {
    let width = bits.div_ceil(8) as usize;
    let mut bytes = Vec::new();
    let mut run: Option<(u64, u64)> = None;
    let mut write = |(value, length): (u64, u64)| {
        varint(&mut bytes, length << 1);
        bytes.extend(&value.to_le_bytes()[..width]);
    };
    for number in numbers {
        match &mut run {
            Some((value, length)) if *value == number => *length += 1,
            _ => {
                if let Some(done) = run.replace((number, 1)) {
                    write(done);
                }
            }
        }
    }
    if let Some(done) = run {
        write(done);
    }
    bytes
}

/// Seven bits a byte, the lowest first; the eighth says that more follow.
fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_its_levels_and_its_values() {
        let text = |text: &str| Value::Text(text.to_owned());
        let pages = pages(Kind::Text, &[text("a"), Value::Absent, text("b"), text("b")]);
        // Levels 1 0 1 1 as three runs; then one bit a number: 0 once, 1 twice.
        assert_eq!(pages.data, [6, 0, 0, 0, 2, 1, 2, 0, 4, 1, 1, 2, 0, 4, 1]);
        assert_eq!(pages.dictionary, Some((vec![1, 0, 0, 0, b'a', 1, 0, 0, 0, b'b'], 2)));
        let flags = super::pages(Kind::Flag, &[Value::Flag(true), Value::Flag(false), Value::Flag(true)]);
        assert_eq!(flags.data, [2, 0, 0, 0, 6, 1, 0b101]);
    }
}
