//! Numbers as tools print them: decimal points and commas, percent signs, unit letters.

/// A number with what stood behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// Its value; in bytes where a unit letter stood behind it.
    pub value: f64,
    /// Whether a unit letter stood behind it, so that the column's own unit does not hold.
    pub in_bytes: bool,
    /// Digits behind the point: the number is rounded to so many.
    pub decimals: u8,
}

/// Marks a number in bytes; digits are fewer than 30.
const IN_BYTES: u8 = 1 << 7;

impl Number {
    /// A number of a JSON document of sysstat's, which are rounded to two digits.
    pub fn hundredths(value: f64) -> Self {
        Self { value, in_bytes: false, decimals: 2 }
    }

    /// What is known of it beside its value, in one byte.
    pub(super) fn mark(&self) -> u8 {
        const MOST: u8 = IN_BYTES - 1;
        self.decimals.min(MOST) | if self.in_bytes { IN_BYTES } else { 0 }
    }

    /// Of a value and such a byte.
    pub(super) fn of_mark(value: f64, mark: u8) -> Self {
        Self { value, in_bytes: mark & IN_BYTES > 0, decimals: mark & !IN_BYTES }
    }

    /// By how much the number that was rounded may be off, in its own unit.
    pub fn rounding(&self) -> f64 {
        0.5 * 10f64.powi(-i32::from(self.decimals))
    }
}

/// Reads `1.49`, `1,49`, `39.9%` and `222.1k`. Letters are sysstat's: `s` sectors of 512 bytes, `B`, `k`,
/// `M`, `G`, `T`, `P` in powers of 1024.
pub fn number(word: &str) -> Option<Number> {
    if let Some((value, decimals)) = short_decimal(word.strip_suffix('%').unwrap_or(word).as_bytes()) {
        return Some(Number { value, in_bytes: false, decimals });
    }
    if let Some(value) = decimal(word.strip_suffix('%').unwrap_or(word)) {
        return Some(Number { value, in_bytes: false, decimals: decimals(word) });
    }
    let unit = match word.chars().last()? {
        's' => 512.0,
        'B' => 1.0,
        'k' => 1024.0,
        'M' => 1024.0 * 1024.0,
        'G' => 1024.0 * 1024.0 * 1024.0,
        'T' => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        'P' => 1024.0 * 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    decimal(&word[..word.len() - 1]).map(|value| Number { value: value * unit, in_bytes: true, decimals: 0 })
}

/// Powers of ten, which are exact.
const TENS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// As [`decimal`], of few digits, with how many stand behind the point: then number and power of ten are exact, and so
/// their quotient is the nearest there is.
fn short_decimal(word: &[u8]) -> Option<(f64, u8)> {
    let (is_negative, digits) = match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        all => (false, all),
    };
    if digits.len() > TENS.len() || !digits.first()?.is_ascii_digit() {
        return None;
    }
    let (mut value, mut point) = (0u64, None);
    for (at, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => value = value * 10 + u64::from(byte - b'0'),
            b'.' | b',' if point.is_none() => point = Some(at),
            _ => return None,
        }
    }
    // 15 digits are below 2^53; with a point there are no more.
    if point.is_none() && digits.len() == TENS.len() {
        return None;
    }
    let decimals = point.map_or(0, |at| digits.len() - at - 1);
    let value = value as f64 / TENS[decimals];
    Some((if is_negative { -value } else { value }, decimals as u8))
}

/// As [`number`] of the word that bytes begin with, up to a blank or their end, and how long it is; absent for any
/// but few digits with a point or without.
#[inline]
pub fn bare_number(bytes: &[u8]) -> Option<(Number, usize)> {
    let (mut value, mut length, mut point) = (0u64, 0, None);
    while let Some(byte) = bytes.get(length).filter(|byte| **byte != b' ') {
        match byte {
            _ if length == TENS.len() - 1 => return None,
            b'0'..=b'9' => value = value * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() && length > 0 => point = Some(length),
            _ => return None,
        }
        length += 1;
    }
    let decimals = point.map_or(0, |at| length - at - 1);
    let number = Number { value: value as f64 / TENS[decimals], in_bytes: false, decimals: decimals as u8 };
    (length > 0).then_some((number, length))
}

fn decimals(word: &str) -> u8 {
    let digits = |tail: &str| tail.bytes().take_while(u8::is_ascii_digit).count() as u8;
    word.split_once(['.', ',']).map_or(0, |(_, tail)| digits(tail))
}

/// Reads a number in digits with at most one decimal point or comma; no exponent, no infinity.
pub fn decimal(word: &str) -> Option<f64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    let separators = digits.bytes().filter(|b| matches!(b, b'.' | b',')).count();
    let all = digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b','));
    if !all || separators > 1 || !digits.starts_with(|c: char| c.is_ascii_digit()) || digits.len() > 30 {
        return None;
    }
    if digits.contains(',') { word.replace(',', ".").parse().ok() } else { word.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_tools_print_them() {
        let plain = |word| number(word).map(|n| (n.value, n.in_bytes));
        assert_eq!(plain("1.49"), Some((1.49, false)));
        assert_eq!(plain("1,49"), Some((1.49, false)));
        assert_eq!(plain("39.9%"), Some((39.9, false)));
        assert_eq!(plain("-3"), Some((-3.0, false)));
        assert_eq!(plain("2k"), Some((2048.0, true)));
        assert_eq!(plain("3s"), Some((1536.0, true)));
        for word in [
            "0",
            "-0",
            "+7.",
            "000.10",
            "0.1",
            "123456789012345",
            "1234567890.12345",
            "99999.99",
            "0.000000000000001",
        ] {
            let read = number(word).unwrap();
            assert_eq!(read.value.to_bits(), word.parse::<f64>().unwrap().to_bits(), "{word}");
            assert_eq!(read.decimals, decimals(word), "{word}");
            let bare = bare_number(format!("{word} 7").as_bytes());
            assert_eq!(
                bare.is_some(),
                word.starts_with(|c: char| c.is_ascii_digit()) && word.len() < 16,
                "{word}"
            );
            assert!(bare.is_none_or(|found| found == (read, word.len())), "{word}");
        }
        for word in ["", "k", "1,234.5", "1,5", "1.2.3", "1e9", ".5", "12:30:00", "7%", "2k", "1\t2"] {
            assert_eq!(bare_number(word.as_bytes()), None, "{word}");
        }
        assert_eq!(plain("1234567890123456"), Some((1_234_567_890_123_456.0, false)), "longer");
        for word in ["", "k", "1,234.5", "1e9", "inf", "NaN", "--", ".5", "12:30:00", "sda", "0x1"] {
            assert_eq!(plain(word), None, "{word}");
        }
    }
}
