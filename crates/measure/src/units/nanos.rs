//! Durations in nanoseconds.

use std::fmt;
use std::str::FromStr;

use super::UnitError;
use super::decimal_text::{split, three_digits, trimmed, whole};

/// A duration in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// One second.
    pub const SECOND: Nanos = Nanos(1_000_000_000);

    /// The duration in seconds, for rates and prints.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Whole nanoseconds of a number of seconds; negative or absurd numbers saturate.
    pub fn from_seconds(seconds: f64) -> Self {
        Nanos((seconds * 1e9) as u64)
    }

    /// For times that people wait for: whole units in two parts at most from 10 s on (`1 min 30 s`), three
    /// digits below unless they are whole seconds.
    pub fn coarse(self) -> String {
        if self.0 < 10_000_000_000 && !self.0.is_multiple_of(1_000_000_000) {
            return self.to_string();
        }
        let seconds = (self.0 + 500_000_000) / 1_000_000_000;
        match seconds {
            0..60 => format!("{seconds} s"),
            60..3600 if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
            60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
            _ if (seconds / 60).is_multiple_of(60) => format!("{} h", seconds / 3600),
            _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        }
    }
}

fn factor(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" | "nsec" => 1,
        "us" | "µs" | "μs" | "usec" => 1_000,
        "ms" | "msec" => 1_000_000,
        "s" | "sec" | "secs" | "second" | "seconds" => 1_000_000_000,
        "m" | "min" | "mins" | "minute" | "minutes" => 60_000_000_000,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600_000_000_000,
        "d" | "day" | "days" => 86_400_000_000_000,
        _ => return None,
    })
}

impl FromStr for Nanos {
    type Err = UnitError;

    /// Reads `30s`, `2m`, `1.5h`, `10us`, `1m30s`; a number without a unit is refused, because tools
    /// differ on what it means.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let error = || UnitError {
            input: text.to_owned(),
            expected: "a time",
            example: "a number with its unit, e.g. 30s, 2m, 1h30m, 10us or 1.5ms",
        };
        let mut rest = text.trim();
        let mut total = 0u64;
        if rest == "0" {
            return Ok(Self(0));
        }
        if rest.is_empty() {
            return Err(error());
        }
        while !rest.is_empty() {
            let number_end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
            let unit_end = rest[number_end..]
                .find(|c: char| c.is_ascii_digit())
                .map_or(rest.len(), |at| at + number_end);
            let part = split(&rest[..unit_end])
                .and_then(|(value, unit)| whole(value, factor(unit)?))
                .ok_or_else(error)?;
            total = total.checked_add(part).ok_or_else(error)?;
            rest = rest[unit_end..].trim_start();
        }
        Ok(Self(total))
    }
}

impl fmt::Display for Nanos {
    /// Three digits in the unit that fits: `850 ns`, `12.3 us`, `1.20 ms`, `4.00 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0..1_000 => write!(f, "{} ns", self.0),
            1_000..999_500 => write!(f, "{} us", three_digits(self.0 as f64 / 1e3)),
            999_500..999_500_000 => write!(f, "{} ms", three_digits(self.0 as f64 / 1e6)),
            999_500_000..120_000_000_000 => write!(f, "{} s", three_digits(self.0 as f64 / 1e9)),
            _ => write!(f, "{} min", trimmed(self.0 as f64 / 60e9, 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_need_a_unit_and_may_have_parts() {
        for (text, ns) in [
            ("30s", 30_000_000_000),
            ("1m30s", 90_000_000_000),
            ("1.5ms", 1_500_000),
            ("10us", 10_000),
            ("1h 30m", 5_400_000_000_000),
            ("0", 0),
            ("30sec", 30_000_000_000),
            ("2 minutes 5 secs", 125_000_000_000),
            ("1hour", 3_600_000_000_000),
            ("250usec", 250_000),
        ] {
            assert_eq!(text.parse(), Ok(Nanos(ns)), "{text}");
        }
        for text in ["", "30", "s", "-1s", "1.5ns", "1y", "5 0 s x", "99999999999h", "1m30"] {
            assert!(text.parse::<Nanos>().is_err(), "{text}");
        }
    }

    #[test]
    fn times_print_with_their_unit() {
        assert_eq!(Nanos(850).to_string(), "850 ns");
        assert_eq!(Nanos(12_345).to_string(), "12.3 us");
        assert_eq!(Nanos(999_700).to_string(), "1.00 ms");
        assert_eq!(Nanos(90_000_000_000).to_string(), "90.0 s");
        assert_eq!(Nanos(90_000_000_000).coarse(), "1 min 30 s");
        assert_eq!(Nanos(500_000_000).coarse(), "500 ms");
        assert_eq!(Nanos(2_000_000_000).coarse(), "2 s");
    }
}
