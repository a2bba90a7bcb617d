//! Reads single quantities, and writes them so that they read back as the very same value. What is not one is refused
//! with what to write, as a sentence without a full stop.

use fathom_measure::{Bytes, Nanos, Rate, Share};
use fathom_record::Fault;

/// Above this a float no longer holds every integer, and units are read through floats.
const EXACT_FLOAT_LIMIT: u64 = 1 << 53;
/// More processors than this in a list is a mistake.
const MAX_CPUS: usize = 4096;

/// A size in bytes; digits alone are exact over the whole range.
pub fn bytes(text: &str) -> Result<u64, Fault> {
    match digits(text) {
        Some(number) => Ok(number),
        None => text.parse::<Bytes>().map(|bytes| bytes.0).map_err(Fault::from),
    }
}

/// A size as people write it, e.g. `4k`.
pub fn write_bytes(bytes: u64) -> String {
    for (factor, unit) in [(1u64 << 40, "t"), (1 << 30, "g"), (1 << 20, "m"), (1 << 10, "k")] {
        if bytes != 0 && bytes.is_multiple_of(factor) && bytes < EXACT_FLOAT_LIMIT {
            return format!("{}{unit}", bytes / factor);
        }
    }
    bytes.to_string()
}

/// A duration in nanoseconds.
pub fn time_ns(text: &str) -> Result<u64, Fault> {
    text.parse::<Nanos>().map(|nanos| nanos.0).map_err(Fault::from)
}

/// How long something takes that people wait for: a bare number is of seconds, as tools of this kind have it.
pub fn length_ns(text: &str) -> Result<u64, Fault> {
    match decimal(text.trim()) {
        Ok(_) => time_ns(&format!("{}s", text.trim())),
        Err(_) => time_ns(text),
    }
}

/// A duration of so many nanoseconds, e.g. `1s500ms`.
pub fn write_time_ns(ns: u64) -> String {
    let (seconds, rest) = (ns / 1_000_000_000, ns % 1_000_000_000);
    if ns == 0 {
        return "0s".to_owned();
    }
    let mut text = if seconds > 0 { format!("{seconds}s") } else { String::new() };
    for (factor, unit) in [(1_000_000, "ms"), (1_000, "us"), (1, "ns")] {
        if rest > 0 && rest.is_multiple_of(factor) {
            text += &format!("{}{unit}", rest / factor);
            break;
        }
    }
    text
}

/// A share, 0 to 1.
pub fn share(text: &str) -> Result<f64, Fault> {
    text.parse::<Share>().map(|share| share.0).map_err(Fault::from)
}

/// As a percentage where that reads back as the same number, otherwise as a fraction.
pub fn write_share(share: f64) -> String {
    let share = share.abs();
    for digits in 0..=2 {
        let percent = format!("{:.digits$}%", share * 100.0);
        if percent.parse() == Ok(Share(share)) {
            return percent;
        }
    }
    share.to_string()
}

/// A percentile as a quantile, by moving the decimal point: dividing by 100 would give
/// 0.9990000000000001 for 99.9.
pub fn quantile(percentile: &str) -> Option<f64> {
    let (whole, fraction) = percentile.split_once('.').unwrap_or((percentile, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || whole.len() > 2 || !digits(whole) || !digits(fraction) {
        return None;
    }
    let quantile: f64 = format!("0.{whole:0>2}{fraction}").parse().ok()?;
    (quantile > 0.0 && quantile < 1.0).then_some(quantile)
}

/// The inverse of [`quantile`].
pub(crate) fn write_percentile(quantile: f64) -> String {
    let text = quantile.to_string();
    let digits = text.strip_prefix("0.").unwrap_or("0");
    let digits = format!("{digits:0<2}");
    let (whole, fraction) = digits.split_at(2);
    let whole = whole.strip_prefix('0').unwrap_or(whole);
    if fraction.is_empty() { format!("p{whole}") } else { format!("p{whole}.{fraction}") }
}

/// Operations per second.
pub(crate) fn rate_per_s(text: &str) -> Result<f64, Fault> {
    text.parse::<Rate>().map(|rate| rate.0).map_err(Fault::from)
}

pub(crate) fn write_rate_per_s(rate_per_s: f64) -> String {
    for (factor, unit) in [(1e6, "M"), (1e3, "k")] {
        let text = format!("{}{unit}", rate_per_s / factor);
        if rate_per_s % factor == 0.0 && text.parse() == Ok(Rate(rate_per_s)) {
            return text;
        }
    }
    rate_per_s.to_string()
}

/// A plain decimal above 0, e.g. `0.99`.
pub(crate) fn decimal(text: &str) -> Result<f64, Fault> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match text.parse::<f64>() {
        Ok(value) if plain && value.is_finite() => Ok(value),
        _ => Err(Fault::from(format!("`{text}` is not a number: write a decimal, e.g. 0.99"))),
    }
}

/// A whole number; `k` and `M` are decimal, as on a rate.
pub fn count(text: &str) -> Result<u64, Fault> {
    if let Some(number) = digits(text) {
        return Ok(number);
    }
    let refused =
        || Fault::from(format!("`{text}` is not a whole number: write digits, e.g. 32, 500k or 2M"));
    let trimmed = text.trim();
    let (number, factor) = match trimmed.strip_suffix(['k', 'K']) {
        Some(number) => (number, 1_000),
        None => (trimmed.strip_suffix(['m', 'M']).ok_or_else(refused)?, 1_000_000),
    };
    digits(number).and_then(|number| number.checked_mul(factor)).ok_or_else(refused)
}

/// A whole number that fits 32 bits.
pub fn small_count(text: &str) -> Result<u32, Fault> {
    let number = count(text)?;
    u32::try_from(number).map_err(|_| Fault::from(format!("{number} is too many: at most {}", u32::MAX)))
}

fn digits(text: &str) -> Option<u64> {
    let text = text.trim();
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The scheduler's choice.
const ANY_CPU: &str = "any";

/// Processors by number, `0-3,6`; `any` names none.
pub(crate) fn cpus(text: &str) -> Result<Vec<u32>, Fault> {
    if text == ANY_CPU {
        return Ok(Vec::new());
    }
    let refused = || format!("`{text}` is not a list of CPUs: write numbers and ranges, e.g. 0-3,6, or any");
    let mut list = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| digits(text).and_then(|n| u32::try_from(n).ok()).ok_or_else(refused);
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(Fault::from(format!("`{part}` runs backwards: write `{last}-{first}`")));
        }
        if last as usize >= MAX_CPUS || list.len() + (last - first) as usize >= MAX_CPUS {
            return Err(Fault::from(format!("`{part}`: CPUs are numbered below {MAX_CPUS}")));
        }
        list.extend(first..=last);
    }
    Ok(list)
}

pub(crate) fn write_cpus(cpus: &[u32]) -> String {
    if cpus.is_empty() {
        return ANY_CPU.to_owned();
    }
    let mut parts: Vec<String> = Vec::new();
    for run in cpus.chunk_by(|a, b| a.checked_add(1) == Some(*b)) {
        match run {
            [one] => parts.push(one.to_string()),
            [first, .., last] => parts.push(format!("{first}-{last}")),
            [] => {}
        }
    }
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantities_are_written_as_people_write_them() {
        assert_eq!(write_bytes(4096), "4k");
        assert_eq!(write_bytes(3 << 29), "1536m");
        assert_eq!(write_bytes(0), "0");
        assert_eq!(write_bytes(u64::MAX), "18446744073709551615");
        assert_eq!(write_time_ns(30_000_000_000), "30s");
        assert_eq!(write_time_ns(1_500_000_000), "1s500ms");
        assert_eq!(write_time_ns(0), "0s");
        assert_eq!(write_share(0.7), "70%");
        assert_eq!(write_share(-0.0), "0%");
        assert_eq!(write_share(1.0 / 3.0), "0.3333333333333333");
        assert_eq!(write_rate_per_s(5000.0), "5k");
        assert_eq!(write_rate_per_s(2.5e6), "2500k");
        assert_eq!(write_cpus(&[0, 1, 2, 3, 6]), "0-3,6");
    }

    #[test]
    fn a_length_without_a_unit_is_of_seconds_and_no_other_time_is() {
        assert_eq!(length_ns("30"), Ok(30_000_000_000));
        assert_eq!(length_ns("0.5"), Ok(500_000_000));
        assert_eq!(length_ns("2m"), Ok(120_000_000_000));
        assert!(length_ns("-1").is_err() && length_ns("").is_err() && time_ns("30").is_err());
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(cpus("0-4294967295").is_err());
        assert!(cpus("3-1").unwrap_err().cause.contains("write `1-3`"));
        assert!(cpus("").is_err());
        assert!(cpus("0-4095,0-4095").is_err());
        for text in ["", "1.5", "-1", "1e3", "k", "99999999999999999999", "18446744073709551615k"] {
            assert!(count(text).is_err(), "{text}");
        }
        assert_eq!(count("500k"), Ok(500_000));
        for text in ["", ".", "1e5", "inf", "-1", "1.2.3"] {
            assert!(decimal(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(any in any::<u64>(), shift in 0u32..64, part in 0f64..=1.0, rate in 1e-3..1e15f64) {
            let number = any >> shift;
            prop_assert_eq!(bytes(&write_bytes(number)), Ok(number));
            prop_assert_eq!(time_ns(&write_time_ns(number)), Ok(number));
            prop_assert_eq!(count(&number.to_string()), Ok(number));
            prop_assert_eq!(share(&write_share(part)), Ok(part));
            prop_assert_eq!(rate_per_s(&write_rate_per_s(rate)), Ok(rate));
            prop_assert_eq!(rate_per_s(&write_rate_per_s(rate.trunc() + 1.0)), Ok(rate.trunc() + 1.0));
            prop_assert_eq!(decimal(&part.to_string()), Ok(part));
        }

        #[test]
        fn processors_read_back(list in proptest::collection::vec(0u32..4096, 0..100)) {
            prop_assert_eq!(cpus(&write_cpus(&list)), Ok(list));
        }
    }

    #[test]
    fn percentiles_move_the_point_and_back() {
        for (text, value) in
            [("99", 0.99), ("99.9", 0.999), ("50", 0.5), ("5", 0.05), ("0.1", 0.001), ("99.99", 0.9999)]
        {
            assert_eq!(quantile(text), Some(value), "{text}");
            assert_eq!(write_percentile(value), format!("p{text}"));
        }
    }
}
