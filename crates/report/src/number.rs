//! Numbers as people read them, each with its unit.

use fathom_measure::{ByteRate, Bytes, Nanos, Rate};

/// What stands where the machine could not know.
pub const NOT_MEASURED: &str = "not measured";

/// The text, or that it was not measured.
pub fn known(text: Option<String>) -> String {
    text.unwrap_or_else(|| NOT_MEASURED.to_owned())
}

fn finite(value: f64, print: impl Fn(f64) -> String) -> String {
    if value.is_finite() { print(value) } else { NOT_MEASURED.to_owned() }
}

/// Operations per second without its unit: `12.3 k`.
pub fn rate(operations_per_s: f64) -> String {
    finite(operations_per_s, |v| if v == 0.0 { "0".to_owned() } else { Rate(v).to_string() })
}

/// Operations per second: `12.3 k IOPS`.
pub fn iops(operations_per_s: f64) -> String {
    finite(operations_per_s, |v| format!("{} IOPS", rate(v)))
}

/// Throughput in decimal units: `50.4 MB/s`.
pub fn throughput(bytes_per_s: f64) -> String {
    finite(bytes_per_s, |v| if v == 0.0 { "0 B/s".to_owned() } else { ByteRate(v).to_string() })
}

/// A time: `12.3 us`. Below a nanosecond the instrument sees nothing.
pub fn time(ns: f64) -> String {
    finite(ns, |v| Nanos(v.round().max(0.0) as u64).to_string())
}

/// A size in binary units: `4 KiB`.
pub fn size(bytes: u64) -> String {
    Bytes(bytes).to_string()
}

/// A share as a percentage with as many digits as it can mean: `0.8 %`, `42 %`.
pub fn percent(share: f64) -> String {
    finite(share, |v| match (v * 100.0).abs() {
        p if p >= 9.95 => format!("{:.0} %", v * 100.0),
        0.0 => "0 %".to_owned(),
        p if p < 0.05 => format!("{:.2} %", v * 100.0),
        _ => format!("{:.1} %", v * 100.0),
    })
}

/// A probability: `92 %`, never nothing and never certain: `under 1 %`, `over 99 %`.
pub fn probability(share: f64) -> String {
    finite(share, |v| match v * 100.0 {
        p if p < 0.5 => "under 1 %".to_owned(),
        p if p > 99.5 => "over 99 %".to_owned(),
        p => format!("{p:.0} %"),
    })
}

/// A relative half-width: `± 0.8 %`.
pub fn interval(share: f64) -> String {
    finite(share, |v| format!("± {}", percent(v)))
}

/// A count of I/Os in flight: `63.8`, `255`.
pub fn in_flight(mean: f64) -> String {
    finite(mean, |v| if v >= 99.95 || v.fract() == 0.0 { format!("{v:.0}") } else { format!("{v:.1}") })
}

/// A whole number with its thousands set apart by thin spaces' plain kin: `12 345 678`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && digits.len() > 4 {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// The order of a quantile as it is spoken: `p99.9`.
pub fn quantile_name(q: f64) -> String {
    let text = format!("{:.4}", q * 100.0);
    format!("p{}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Jobs and depth of a cell: `4 × 16`.
pub fn cell(jobs: u32, depth: u32) -> String {
    format!("{jobs} × {depth}")
}

/// Jobs and depth in a sentence: `4 jobs × depth 16`.
pub fn cell_in_words(jobs: u32, depth: u32) -> String {
    if jobs == 1 { format!("1 job × depth {depth}") } else { format!("{jobs} jobs × depth {depth}") }
}

fn scaled(value: f64, steps: &[(f64, &str)]) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let (factor, unit) = steps.iter().rev().find(|(factor, _)| value >= factor * 0.9999).unwrap_or(&steps[0]);
    let text = format!("{:.2}", value / factor);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if unit.is_empty() { text.to_owned() } else { format!("{text} {unit}") }
}

/// A rate at an axis, without trailing zeros: `200 k`.
pub fn rate_tick(operations_per_s: f64) -> String {
    scaled(operations_per_s, &[(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G")])
}

/// A rate in as little room as its two first digits need: `1.4k`, `720k`.
pub fn rate_short(operations_per_s: f64) -> String {
    let steps = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    // What would be written as 1000 is one of the next unit.
    let (factor, unit) = steps.into_iter().find(|(f, _)| operations_per_s >= f * 0.9995).unwrap_or((1.0, ""));
    let value = operations_per_s / factor;
    if unit.is_empty() || value >= 9.95 { format!("{value:.0}{unit}") } else { format!("{value:.1}{unit}") }
}

/// A throughput at an axis: `1.5 GB/s`.
pub fn throughput_tick(bytes_per_s: f64) -> String {
    scaled(bytes_per_s, &[(1.0, "B/s"), (1e3, "kB/s"), (1e6, "MB/s"), (1e9, "GB/s"), (1e12, "TB/s")])
}

/// A time at an axis: `200 us`.
pub fn time_tick(ns: f64) -> String {
    scaled(ns, &[(1.0, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s")])
}

/// A share at an axis: `50 %`.
pub fn percent_tick(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Seconds at an axis: `10 s`.
pub fn seconds_tick(seconds: f64) -> String {
    if seconds == 0.0 { "0 s".to_owned() } else { scaled(seconds, &[(1.0, "s")]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(percent(0.4213), "42 %");
        assert_eq!(percent(0.0081), "0.8 %");
        assert_eq!(percent(0.0002), "0.02 %");
        assert_eq!(percent(0.0992), "9.9 %");
        assert_eq!(count(12_345_678), "12 345 678");
        assert_eq!(count(1234), "1234");
        assert_eq!(quantile_name(0.9999), "p99.99");
        assert_eq!(quantile_name(0.5), "p50");
        assert_eq!(
            (rate_tick(200e3), time_tick(1e6), time_tick(0.5e6)),
            ("200 k".into(), "1 ms".into(), "500 us".into())
        );
        assert_eq!(in_flight(63.84), "63.8");
        let rates = [0.0, 989.4, 999.6, 1425.0, 9960.0, 719_000.0, 1.36e6];
        assert_eq!(rates.map(rate_short), ["0", "989", "1.0k", "1.4k", "10k", "719k", "1.4M"]);
    }

    #[test]
    fn what_is_no_number_is_not_measured() {
        assert_eq!(iops(f64::NAN), NOT_MEASURED);
        assert_eq!(time(f64::INFINITY), NOT_MEASURED);
        assert_eq!(known(None), NOT_MEASURED);
    }
}
