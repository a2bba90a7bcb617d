//! Figures as fio writes them for people: `109k`, `2241.5K`, `24.0GiB`, lists of `name=value`.
//!
//! Their grammar is not that of fio's options: units of 1024 are printed as `KB` by 2.x, and as `KiB` by 3.x, whose
//! `kB` is 1000.

/// A number with thousands as `k` or `K`, millions as `M` and so on.
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "" => 1.0,
        "k" | "K" => 1e3,
        "m" | "M" => 1e6,
        "g" | "G" => 1e9,
        _ => return None,
    };
    let number: f64 = digits.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number * factor)
}

/// The value behind `name=`, up to a comma or the end.
pub fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let fits = |part: &&str| part.trim_start().starts_with(name);
    line.split(',').find(fits)?.split_once('=').map(|(_, value)| value.trim())
}

/// Bytes as `452656KB`, `24.0GiB` or `4096B`: nearly those that were moved.
pub fn bytes(text: &str) -> Option<u64> {
    let text = text.trim().trim_end_matches(|c: char| c == ',' || c.is_whitespace());
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    let (base, power): (f64, i32) = match text[digits..].trim().trim_end_matches("/s") {
        "" | "B" => (1.0, 0),
        "kB" => (1000.0, 1),
        "K" | "KB" | "k" | "Ki" | "KiB" => (1024.0, 1),
        "M" | "MB" | "m" | "Mi" | "MiB" => (1024.0, 2),
        "G" | "GB" | "g" | "Gi" | "GiB" => (1024.0, 3),
        "T" | "TB" | "t" | "Ti" | "TiB" => (1024.0, 4),
        "P" | "PB" | "p" | "Pi" | "PiB" => (1024.0, 5),
        _ => return None,
    };
    let bytes = number * base.powi(power);
    (bytes < u64::MAX as f64).then_some(bytes as u64)
}

/// How many bytes more than printed there may have been: fio 3.1 cuts fractions, and prints `24.0GiB` for
/// all below 25 GiB. 0 where a fraction other than 0 stands there, which is rounded.
pub fn cut_off(text: &str) -> u64 {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    if text[..end].ends_with(".0") { bytes(&format!("1{}", &text[end..])).unwrap_or(0) } else { 0 }
}

/// Nanoseconds of a unit's name.
pub fn unit_ns(name: &str) -> Option<u64> {
    Some(match name {
        "nsec" => 1,
        "usec" => 1000,
        "msec" => 1_000_000,
        "sec" => 1_000_000_000,
        _ => return None,
    })
}

/// The digits before `msec`, which are the run time of a line of rates.
pub fn milliseconds(line: &str) -> Option<u64> {
    let before = &line[..line.find("msec")?];
    let digits = before.trim_end().rsplit(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// All whole numbers of a text, in order.
pub fn counts(text: &str) -> Vec<u64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_their_suffixes() {
        assert_eq!(number("109k"), Some(109_000.0));
        assert_eq!(number(" 2241.5K"), Some(2_241_500.0));
        assert_eq!(number("5x"), None);
        assert_eq!(bytes("452656KB"), Some(452_656 << 10));
        assert_eq!(bytes("4096B"), Some(4096));
        assert_eq!(
            [bytes("24.0GiB"), bytes("64.0KiB"), bytes("1kB")],
            [Some(24 << 30), Some(65536), Some(1000)]
        );
        assert_eq!([bytes("4x"), bytes("-1"), bytes("")], [None; 3]);
        assert_eq!(["24.0GiB", "24.9GiB", "24GiB"].map(cut_off), [1 << 30, 0, 0]);
        assert_eq!(milliseconds("io=1KB, bw=1KB/s, iops=201, runt= 60687msec"), Some(60687));
        assert_eq!(milliseconds("BW=1KiB/s (1kB/s)(6168KiB/41644msec); 0 zone resets"), Some(41644));
        assert_eq!(value("min=9 , max=38, avg= 6.03", "avg"), Some("6.03"));
        assert_eq!(counts("r=113164/w=0/d=5"), [113_164, 0, 5]);
    }
}
