//! Operations per second.

use std::fmt;
use std::str::FromStr;

use super::UnitError;
use super::decimal_text::{split, three_digits};

/// Operations per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Rate(pub f64);

impl FromStr for Rate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bare = text.trim().strip_suffix("/s").unwrap_or(text);
        split(bare)
            .and_then(|(value, unit)| {
                let factor = match unit {
                    "" => 1.0,
                    "k" | "K" => 1e3,
                    "m" | "M" => 1e6,
                    _ => return None,
                };
                (value > 0.0).then_some(Self(value * factor))
            })
            .ok_or_else(|| UnitError {
                input: text.to_owned(),
                expected: "a rate",
                example: "operations per second, e.g. 5000, 5k or 1.2M",
            })
    }
}

impl fmt::Display for Rate {
    /// Three or more digits: `950`, `12.3 k`, `1.20 M`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            v if v >= 999_500.0 => write!(f, "{} M", three_digits(v / 1e6)),
            v if v >= 9_999.5 => write!(f, "{} k", three_digits(v / 1e3)),
            v if v >= 99.95 => write!(f, "{v:.0}"),
            v => f.write_str(&three_digits(v)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_use_decimal_thousands() {
        assert_eq!("5k".parse(), Ok(Rate(5000.0)));
        assert_eq!("1.2M/s".parse(), Ok(Rate(1.2e6)));
        assert!("0".parse::<Rate>().is_err());
        assert!("5ki".parse::<Rate>().is_err());
        assert_eq!(Rate(12_345.0).to_string(), "12.3 k");
        assert_eq!(Rate(3000.0).to_string(), "3000");
    }
}
