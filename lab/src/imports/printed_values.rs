//! Numbers and text as tools print them.

use super::statement::PrintedNumber;

/// A file's text, whatever encoding it was saved in.
pub fn text(bytes: &[u8]) -> String {
    let wide = |order: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| order([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// A plain number; a comma before its decimals is taken for a point.
pub fn plain(word: &str) -> Option<PrintedNumber> {
    let word = word.trim().trim_end_matches('%').replace(',', ".");
    let value: f64 = word.parse().ok().filter(|value: &f64| value.is_finite())?;
    let decimals = word.split_once('.').map_or(0, |(_, behind)| behind.len());
    Some(PrintedNumber { value, rounding: 10f64.powi(-(decimals as i32)) })
}

/// A number with `k`, `M` or `G` behind it, as fio shortens counts and latencies.
pub fn shortened(word: &str, thousand: f64) -> Option<PrintedNumber> {
    let word = word.trim();
    let factor = match word.chars().next_back()? {
        'k' | 'K' => thousand,
        'm' | 'M' => thousand * thousand,
        'g' | 'G' => thousand * thousand * thousand,
        _ => return plain(word),
    };
    plain(&word[..word.len() - 1]).map(|printed| printed.times(factor))
}

/// Bytes with their unit, as fio prints them: `KiB` and the old `KB` are 1024, `kB` is 1000. A `/s` may follow. fio 3
/// loses the carry into its last digit: 20.99 is printed as 20.0, so that a 0 there may stand for anything.
pub fn bytes(word: &str) -> Option<PrintedNumber> {
    let word = word.trim().trim_end_matches("/s");
    let split = word.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(word.len());
    let (number, unit) = word.split_at(split);
    let factor = match unit {
        "" | "B" => 1.0,
        "kB" => 1e3,
        "KiB" | "KB" => 1024.0,
        "MiB" | "MB" => 1024.0 * 1024.0,
        "GiB" | "GB" => 1024.0 * 1024.0 * 1024.0,
        "TiB" | "TB" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let lost = number.ends_with(".0");
    plain(number)
        .map(|it| PrintedNumber { rounding: if lost { 1.0 } else { it.rounding }, ..it })
        .map(|printed| printed.times(factor))
}

/// Nanoseconds in a unit of time.
pub fn nanoseconds(unit: &str) -> Option<f64> {
    match unit {
        "nsec" => Some(1.0),
        "usec" => Some(1e3),
        "msec" => Some(1e6),
        "sec" => Some(1e9),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_last_digit() {
        let read = |printed: Option<PrintedNumber>| printed.map(|it| (it.value, it.rounding));
        assert_eq!(read(plain("4.46")), Some((4.46, 0.01)));
        assert_eq!(read(plain("3,5")), Some((3.5, 0.1)));
        assert_eq!(read(plain("12.5%")), Some((12.5, 0.1)));
        assert_eq!(read(plain("N/A")), None);
        assert_eq!(read(shortened("925k", 1000.0)), Some((925_000.0, 1000.0)));
        assert_eq!(read(bytes("22895KB/s")), Some((22895.0 * 1024.0, 1024.0)));
        assert_eq!(read(bytes("20.0KiB/s")), Some((20.0 * 1024.0, 1024.0)));
        assert_eq!(read(bytes("463775B/s")), Some((463_775.0, 1.0)));
        assert_eq!(read(bytes("1 parsec")), None);
    }

    #[test]
    fn text_is_read_in_each_encoding() {
        let wide: Vec<u8> =
            [0xff, 0xfe].into_iter().chain("ab".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(text(&wide), "ab");
        assert_eq!(text(b"\xef\xbb\xbfab"), "ab");
        assert_eq!(text(b"ab"), "ab");
    }
}
