//! Figures as the sentences of a verdict print them.

use fathom_measure::{ByteRate, Bytes, Nanos, Rate, Share};

/// `12.3 k IOPS`.
pub fn iops(operations_per_s: f64) -> String {
    format!("{} IOPS", Rate(operations_per_s))
}

/// `50.4 MB/s`.
pub fn throughput(bytes_per_s: f64) -> String {
    ByteRate(bytes_per_s).to_string()
}

/// `64 KiB`.
pub fn bytes(count: u64) -> String {
    Bytes(count).to_string()
}

/// `12.3 us`.
pub fn time(ns: f64) -> String {
    Nanos(ns.round() as u64).to_string()
}

/// A share in percent: whole from 10 on, one decimal below.
pub fn percent(share: f64) -> String {
    let digits = if (share * 100.0).abs() >= 9.95 { 100.0 } else { 1000.0 };
    Share((share * digits).round() / digits).to_string()
}

/// A ratio: `2.4 times`.
pub fn times(factor: f64) -> String {
    if factor >= 9.95 { format!("{factor:.0} times") } else { format!("{factor:.1} times") }
}

/// A count of I/Os in flight: `63.8`, `256`.
pub fn count(value: f64) -> String {
    if value >= 99.95 || (value - value.round()).abs() < 0.05 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_units_and_no_false_digits() {
        assert_eq!(iops(3000.0), "3000 IOPS");
        assert_eq!(percent(0.98234), "98 %");
        assert_eq!(percent(0.0123), "1.2 %");
        assert_eq!(times(2.44), "2.4 times");
        assert_eq!(count(63.8), "63.8");
        assert_eq!(count(256.0), "256");
        assert_eq!(time(85_200.4), "85.2 us");
        assert_eq!(throughput(125e6), "125 MB/s");
    }
}
