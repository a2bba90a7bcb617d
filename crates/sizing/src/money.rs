//! Amounts of money in whole millionths, so that sums of prices are exact.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Sub};

/// An amount in millionths of the currency's unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money {
    micros: i64,
}

impl Money {
    /// From millionths.
    pub const fn from_micros(micros: i64) -> Self {
        Self { micros }
    }

    /// In millionths.
    pub const fn micros(self) -> i64 {
        self.micros
    }

    /// `count` units at a price of `nanos` billionths each, rounded to the nearest millionth.
    pub fn of(count: u64, nanos: u64) -> Self {
        let total = (u128::from(count) * u128::from(nanos) + 500) / 1000;
        Self { micros: i64::try_from(total).unwrap_or(i64::MAX) }
    }

    /// So many times the amount.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        Self { micros: self.micros.saturating_mul(i64::try_from(count).unwrap_or(i64::MAX)) }
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { micros: self.micros.saturating_add(other.micros) }
    }
}

impl Sub for Money {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { micros: self.micros.saturating_sub(other.micros) }
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), Add::add)
    }
}

/// With two decimals, rounded to the nearest cent: `137.50`.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cents = (self.micros.unsigned_abs() + 5000) / 10_000;
        let sign = if self.micros < 0 && cents > 0 { "-" } else { "" };
        write!(f, "{sign}{}.{:02}", cents / 100, cents % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_add_up_to_the_cent() {
        // 1,000 GB, 7,000 IOPS above the free ones and 375 MiB/s at the prices of a list.
        let total = Money::of(1000, 95_200_000) + Money::of(7000, 6_000_000) + Money::of(375, 47_600_000);
        assert_eq!(total.to_string(), "155.05");
        assert_eq!((Money::default() - Money::from_micros(1_234_567)).to_string(), "-1.23");
    }
}
