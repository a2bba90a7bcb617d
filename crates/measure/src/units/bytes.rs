//! Sizes in bytes and rates in bytes per second.

use std::fmt;
use std::str::FromStr;

use super::UnitError;
use super::decimal_text::{split, three_digits, trimmed, whole};

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// Bytes per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct ByteRate(pub f64);

const EXAMPLE: &str =
    "a number with an optional unit, e.g. 4096, 4k, 64KiB or 1GB (k and KiB are 1024, kB is 1000)";

fn factor(unit: &str) -> Option<u64> {
    let lower = unit.to_ascii_lowercase();
    let exponent =
        |letter: &str| ["k", "m", "g", "t", "p"].iter().position(|l| *l == letter).map(|i| i as u32 + 1);
    match lower.as_str() {
        "" | "b" => Some(1),
        other => {
            if let Some(letter) = other.strip_suffix("ib") {
                Some(1024u64.pow(exponent(letter)?))
            } else if let Some(letter) = other.strip_suffix('b') {
                Some(1000u64.pow(exponent(letter)?))
            } else {
                Some(1024u64.pow(exponent(other)?))
            }
        }
    }
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        split(text).and_then(|(value, unit)| whole(value, factor(unit)?)).map(Self).ok_or_else(|| UnitError {
            input: text.to_owned(),
            expected: "a size",
            example: EXAMPLE,
        })
    }
}

impl fmt::Display for Bytes {
    /// Exact in the largest binary unit that divides it evenly, otherwise three digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
        let exponent = (63 - (self.0 | 1).leading_zeros() as usize) / 10;
        let exponent = exponent.min(UNITS.len() - 1);
        let value = self.0 as f64 / (1u64 << (10 * exponent)) as f64;
        write!(f, "{} {}", trimmed(value, 2), UNITS[exponent])
    }
}

/// A rate in bits, as links have: `25Gbit/s` or `25Gbps`. Their units are decimal. To the nearest byte.
fn bits(text: &str) -> Option<ByteRate> {
    let (value, unit) = split(text)?;
    let unit = unit.to_ascii_lowercase();
    let prefix = unit.strip_suffix("bit/s").or_else(|| unit.strip_suffix("bps"))?;
    let factor = match prefix {
        "" => 1,
        "k" => 1_000,
        "m" => 1_000_000,
        "g" => 1_000_000_000,
        "t" => 1_000_000_000_000,
        _ => return None,
    };
    Some(ByteRate((whole(value, factor)? as f64 / 8.0).round()))
}

impl FromStr for ByteRate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        if let Some(rate) = bits(text) {
            return Ok(rate);
        }
        let bare = text.trim().strip_suffix("/s").unwrap_or(text);
        bare.parse::<Bytes>().map(|bytes| Self(bytes.0 as f64)).map_err(|_| UnitError {
            input: text.to_owned(),
            expected: "a throughput",
            example: "a size per second, e.g. 250MB/s, 100MiB/s or 25Gbit/s",
        })
    }
}

impl fmt::Display for ByteRate {
    /// Decimal units, as vendors and networks count: MB/s is 10^6 bytes per second.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"];
        let mut value = self.0;
        let mut unit = 0;
        while value >= 999.5 && unit < UNITS.len() - 1 {
            value /= 1000.0;
            unit += 1;
        }
        write!(f, "{} {}", three_digits(value), UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_people_write_them() {
        for (text, bytes) in [
            ("4096", 4096),
            ("4k", 4096),
            ("4K", 4096),
            ("4KiB", 4096),
            ("4kB", 4000),
            ("1m", 1 << 20),
            ("1MB", 1_000_000),
            ("32.7MB", 32_700_000),
            (" 1.5 GiB ", 3 << 29),
            ("512b", 512),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
        for text in ["", "k", "-4k", "4x", "4 k i", "0.3", "1e9", "20p000", "99999999t", "nan", "–4k"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_print_exactly_where_they_can() {
        assert_eq!(Bytes(4096).to_string(), "4 KiB");
        assert_eq!(Bytes(0).to_string(), "0 B");
        assert_eq!(Bytes(3 << 29).to_string(), "1.5 GiB");
        assert_eq!(Bytes(u64::MAX).to_string(), "16384 PiB");
        assert_eq!(ByteRate(123.4e6).to_string(), "123 MB/s");
        assert_eq!("250MB/s".parse(), Ok(ByteRate(250e6)));
        for text in ["25Gbit/s", "25Gbps", "25000 mbit/s"] {
            assert_eq!(text.parse(), Ok(ByteRate(3.125e9)), "{text}");
        }
        for text in ["Gbit/s", "25Gibit/s", "25bits", "25G bit/s/s", "-1Gbps"] {
            assert!(text.parse::<ByteRate>().is_err(), "{text}");
        }
    }
}
