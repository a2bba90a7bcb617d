//! Numbers of a table's cells, from bytes: plain ones in one pass, all others as the language reads them.

/// Digits that a mantissa takes without loss.
const DIGITS: usize = 15;
/// Powers of ten that are exact, by which a mantissa is divided with one rounding.
const TENS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
/// The same for up to eight digits that follow others.
const WHOLE_TENS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// A cell's number; `None` for anything that is no number from 0 up.
pub fn number(cell: &[u8]) -> Option<f64> {
    let plain = leading(cell).filter(|(_, length)| *length == cell.len());
    plain.map(|(value, _)| value).or_else(|| {
        let value: f64 = std::str::from_utf8(cell).ok()?.trim().parse().ok()?;
        (value.is_finite() && value >= 0.0).then_some(value)
    })
}

/// The plain number that a text begins with, and its length: digits, with a point between them or without.
/// `None` for what is written in another way or with more digits than are exact.
///
/// The mantissa and the power of ten are exact, so that one division rounds as the whole number would
/// (Clinger, "How to read floating point numbers accurately", 1990).
pub fn leading(text: &[u8]) -> Option<(f64, usize)> {
    let (whole, length) = digits(text);
    if length == 0 || length > DIGITS {
        return None;
    }
    if text.get(length) != Some(&b'.') {
        return Some((whole as f64, length));
    }
    let (part, decimals) = digits(&text[length + 1..]);
    if decimals == 0 || length + decimals > DIGITS {
        return None;
    }
    let mantissa = whole * TENS[decimals] as u64 + part;
    Some((mantissa as f64 / TENS[decimals], length + 1 + decimals))
}

/// The digits that a text begins with as a number, and how many they are; of more than 16 the first 16.
fn digits(text: &[u8]) -> (u64, usize) {
    let (first, length) = eight(text);
    if length < 8 {
        return (first, length);
    }
    let (second, more) = eight(&text[8..]);
    (first * WHOLE_TENS[more] + second, 8 + more)
}

/// Up to eight digits at once: those behind the last are shifted out, and neighbours are joined pair by pair
/// (Lemire, "Number parsing at a gigabyte per second", 2021, section 4).
fn eight(text: &[u8]) -> (u64, usize) {
    let Some(bytes) = text.first_chunk() else { return one_by_one(text) };
    let values = u64::from_le_bytes(*bytes) ^ 0x3030_3030_3030_3030;
    // The highest bit of each byte that is no digit; one may carry into those behind it, which do not count.
    let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let length = others.trailing_zeros() / 8;
    if length == 0 {
        return (0, 0);
    }
    let values = values << (64 - 8 * length);
    let pairs = (values.wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000 << 32 | 1) >> 32, length as usize)
}

/// The same of a text's last bytes.
fn one_by_one(text: &[u8]) -> (u64, usize) {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold((0, 0), |(value, length), byte| (value * 10 + u64::from(byte - b'0'), length + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_those_of_the_language(value in 0.0f64..1e18, places in 0usize..8) {
            for text in [format!("{value:.places$}"), format!("{value}"), format!("{value:e}")] {
                prop_assert_eq!(number(text.as_bytes()), text.parse().ok(), "{}", text);
            }
        }

        #[test]
        fn any_bytes_are_a_number_or_none(bytes in prop::collection::vec(any::<u8>(), 0..24)) {
            let by_language = std::str::from_utf8(&bytes).ok().and_then(|text| text.trim().parse::<f64>().ok());
            prop_assert_eq!(number(&bytes), by_language.filter(|value| value.is_finite() && *value >= 0.0));
        }
    }

    proptest! {
        #[test]
        fn a_number_ends_where_its_digits_do(value in "[0-9]{1,18}(\\.[0-9]{1,9})?", behind in "([^0-9.].{0,12})?") {
            let text = format!("{value}{behind}");
            match leading(text.as_bytes()) {
                Some((found, length)) => prop_assert_eq!((found, length), (value.parse().unwrap(), value.len())),
                None => prop_assert!(value.len() > DIGITS, "{}", text),
            }
        }
    }

    #[test]
    fn what_is_no_number_is_none() {
        for cell in ["", "-1", "NaN", "inf", "1.2.3", "x", "."] {
            assert_eq!(number(cell.as_bytes()), None, "{cell}");
        }
        assert_eq!(number(b" 7 "), Some(7.0));
    }
}
