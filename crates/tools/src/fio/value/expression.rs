//! Arithmetic in parentheses, with units, as fio's parser does it.

use super::{KiloBase, byte_factor, time_factor};
use crate::Fault;

/// What the units of an expression mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Sizes; the result is bytes.
    Bytes,
    /// Times whose bare number is seconds; the result is microseconds.
    Seconds,
    /// Times whose bare number is microseconds; the result is microseconds.
    Micros,
    /// None; the result is a number.
    None,
}

/// Parentheses within one another that are still an expression of a person.
const DEEPEST: usize = 32;

/// The value of an expression of numbers, `+ - * / % ^` and parentheses.
///
/// # Errors
/// Where it is no expression, divides by nothing, or is negative.
pub fn evaluate(text: &str, base: KiloBase, units: Units) -> Result<u64, Fault> {
    let mut reader = Reader { rest: text.trim(), base, units, depth: 0 };
    let value = reader.sum().and_then(|value| match reader.rest.trim_start() {
        "" => Ok(value),
        left => Err(format!("nothing is expected at `{left}`").into()),
    });
    // A bare number in seconds got its unit at the number.
    match value {
        Ok(value) if value.is_finite() && (0.0..1.8e19).contains(&value) => Ok(value as u64),
        Ok(_) => Err(format!("`{text}` is not a number from 0 on").into()),
        Err(fault) => Err(format!("`{text}` is not an expression: {fault}").into()),
    }
}

struct Reader<'a> {
    rest: &'a str,
    base: KiloBase,
    units: Units,
    depth: usize,
}

impl Reader<'_> {
    fn take(&mut self, wanted: &[char]) -> Option<char> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next().filter(|c| wanted.contains(c))?;
        self.rest = &self.rest[first.len_utf8()..];
        Some(first)
    }

    fn sum(&mut self) -> Result<f64, Fault> {
        let mut value = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let next = self.product()?;
            value = if sign == '+' { value + next } else { value - next };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, Fault> {
        let mut value = self.power()?;
        while let Some(sign) = self.take(&['*', '/', '%']) {
            let next = self.power()?;
            if sign != '*' && next == 0.0 {
                return Err("it divides by 0".into());
            }
            value = match sign {
                '*' => value * next,
                '/' => value / next,
                _ => value % next,
            };
        }
        Ok(value)
    }

    fn power(&mut self) -> Result<f64, Fault> {
        let base = self.term()?;
        match self.take(&['^']) {
            Some(_) => {
                let exponent = self.power_nested()?;
                Ok(base.powf(exponent))
            }
            None => Ok(base),
        }
    }

    fn power_nested(&mut self) -> Result<f64, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("it is nested too deeply".into());
        }
        let value = self.power();
        self.depth -= 1;
        value
    }

    fn term(&mut self) -> Result<f64, Fault> {
        if self.take(&['-']).is_some() {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err("it is nested too deeply".into());
            }
            let value = self.term()?;
            self.depth -= 1;
            return Ok(-value);
        }
        if self.take(&['(']).is_some() {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err("it is nested too deeply".into());
            }
            let value = self.sum()?;
            self.depth -= 1;
            return match self.take(&[')']) {
                Some(_) => Ok(value),
                None => Err("a parenthesis is open".into()),
            };
        }
        self.number()
    }

    fn number(&mut self) -> Result<f64, Fault> {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        let number: f64 = digits.parse().map_err(|_| "a number is missing")?;
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (suffix, rest) = rest.split_at(end);
        self.rest = rest;
        let factor = match self.units {
            Units::None if suffix.is_empty() => Some(1),
            Units::None => None,
            Units::Bytes => byte_factor(suffix, self.base),
            Units::Seconds | Units::Micros => time_factor(suffix),
        };
        let factor = factor.ok_or_else(|| format!("`{suffix}` is not a valid unit"))?;
        Ok(number * factor as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_is_as_in_arithmetic() {
        let value = |text: &str| evaluate(text, KiloBase::Binary, Units::None);
        assert_eq!(value("(2+3*4)"), Ok(14));
        assert_eq!(value("2*(3+4)"), Ok(14));
        assert_eq!(value("2^3^2"), Ok(512));
        assert_eq!(value("7%4"), Ok(3));
        assert_eq!(value("-2+5"), Ok(3));
        for wrong in ["", "(", "1/0", "1+", "(1", "1)", "2-5", "2k", "abc"] {
            assert!(value(wrong).is_err(), "{wrong}");
        }
        assert!(value(&"(".repeat(100_000)).is_err(), "depth is bounded");
        assert!(value(&"-".repeat(100_000)).is_err(), "depth is bounded");
        assert!(value(&"2^".repeat(100_000)).is_err(), "depth is bounded");
    }
}
