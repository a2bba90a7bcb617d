//! Shares of a whole.

use std::fmt;
use std::str::FromStr;

use super::UnitError;
use super::decimal_text::{split, trimmed};

/// A share between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Share(pub f64);

impl FromStr for Share {
    type Err = UnitError;

    /// Reads `70%` or `0.7`; a bare number above 1 is refused rather than guessed.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        split(text)
            .and_then(|(value, unit)| {
                let share = match unit {
                    "%" => value / 100.0,
                    "" => value,
                    _ => return None,
                };
                (share <= 1.0).then_some(Self(share))
            })
            .ok_or_else(|| UnitError {
                input: text.to_owned(),
                expected: "a share",
                example: "a percentage with its sign, e.g. 70%, or a fraction, e.g. 0.7",
            })
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", trimmed(self.0 * 100.0, 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percentages_or_fractions() {
        assert_eq!("70%".parse(), Ok(Share(0.7)));
        assert_eq!("0.7".parse(), Ok(Share(0.7)));
        assert!("70".parse::<Share>().is_err());
        assert!("101%".parse::<Share>().is_err());
        assert_eq!(Share(0.7).to_string(), "70 %");
    }
}
