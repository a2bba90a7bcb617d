//! Numbers of a table's cells, from bytes: plain ones in one pass, all others as the language reads them.

/// Digits that a mantissa takes without loss.
const DIGITS: usize = 15;
/// Powers of ten that are exact, by which a mantissa is divided with one rounding.
const TENS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// A cell's number; `None` for anything that is no number from 0 up.
pub fn number(cell: &[u8]) -> Option<f64> {
    plain(cell).or_else(|| {
        let value: f64 = std::str::from_utf8(cell).ok()?.trim().parse().ok()?;
        (value.is_finite() && value >= 0.0).then_some(value)
    })
}

/// Digits with at most one point: the mantissa and the power of ten are exact, so that one division rounds
/// as the whole number would (Clinger, "How to read floating point numbers accurately", 1990).
fn plain(cell: &[u8]) -> Option<f64> {
    let (mut mantissa, mut digits, mut point) = (0u64, 0usize, None);
    for byte in cell {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa * 10 + u64::from(byte - b'0');
                digits += 1;
                if digits > DIGITS {
                    return None;
                }
            }
            b'.' if point.is_none() => point = Some(digits),
            _ => return None,
        }
    }
    let decimals = digits - point.unwrap_or(digits);
    (digits > 0).then(|| mantissa as f64 / TENS[decimals])
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

    #[test]
    fn what_is_no_number_is_none() {
        for cell in ["", "-1", "NaN", "inf", "1.2.3", "x", "."] {
            assert_eq!(number(cell.as_bytes()), None, "{cell}");
        }
        assert_eq!(number(b" 7 "), Some(7.0));
    }
}
