//! Times of traces in nanoseconds: seconds with a fraction, or whole units since 1970 or 1601.

/// Seconds from 1601, where Windows counts from, to 1970.
const WINDOWS_EPOCH_S: i128 = 11_644_473_600;
const SECOND_NS: i128 = 1_000_000_000;

/// `12.000000345` as nanoseconds, exactly; absent where it is no such number.
pub fn seconds_ns(text: &str) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 18 || !digits(whole) || !digits(fraction) {
        return None;
    }
    let mut nanoseconds: i128 = 0;
    for place in 0..9 {
        let digit = fraction.as_bytes().get(place).map_or(0, |byte| byte - b'0');
        nanoseconds = nanoseconds * 10 + i128::from(digit);
    }
    Some(whole.parse::<i128>().ok()? * SECOND_NS + nanoseconds)
}

/// A time of which only its size tells the unit: seconds with or without a fraction, milliseconds,
/// microseconds or nanoseconds since 1970, or 100 ns since 1601.
pub fn any_ns(text: &str) -> Option<i128> {
    let Ok(number) = text.parse::<u64>() else {
        return if text.contains('.') { seconds_ns(text) } else { None };
    };
    let number = i128::from(number);
    Some(match number {
        n if n < 100_000_000_000 => n * SECOND_NS,
        n if n < 100_000_000_000_000 => n * 1_000_000,
        n if n < 50_000_000_000_000_000 => n * 1000,
        // 1.16e17 is 1970 since 1601; nanoseconds since 1970 passed 5e17 in 1985.
        n if n < 500_000_000_000_000_000 => n * 100 - WINDOWS_EPOCH_S * SECOND_NS,
        n => n,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_told_by_size_and_nothing_is_rounded() {
        let second = 1_577_808_000_i128;
        for text in
            ["1577808000", "1577808000000", "1577808000000000", "1577808000000000000", "132222816000000000"]
        {
            assert_eq!(any_ns(text), Some(second * SECOND_NS), "{text}");
        }
        assert_eq!(seconds_ns("1455592804.002157211"), Some(1_455_592_804_002_157_211));
        assert_eq!((any_ns("-1"), any_ns("1.2.3"), any_ns(""), seconds_ns(".5")), (None, None, None, None));
    }
}
