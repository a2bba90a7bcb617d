//! A difference between the two tools, and when numbers are the same.

use std::fmt;

/// What differs, and both sides of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// A path of words, as `io.sizes.read`.
    pub kind: String,
    pub fio: String,
    pub fathom: String,
}

impl Difference {
    pub fn new(kind: impl Into<String>, fio: impl fmt::Display, fathom: impl fmt::Display) -> Self {
        Self { kind: kind.into(), fio: fio.to_string(), fathom: fathom.to_string() }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: fio {}, fathom {}", self.kind, self.fio, self.fathom)
    }
}

/// Where differences of a pair are gathered.
#[derive(Default)]
pub struct Differences(pub Vec<Difference>);

impl Differences {
    /// Notes it unless both sides are the same.
    pub fn unless(
        &mut self,
        same: bool,
        kind: impl Into<String>,
        fio: impl fmt::Display,
        fathom: impl fmt::Display,
    ) {
        if !same {
            self.0.push(Difference::new(kind, fio, fathom));
        }
    }

    /// Two counts, which may differ by a share of the larger one and by a number.
    pub fn counts(&mut self, kind: impl Into<String>, fio: u64, fathom: u64, tolerance: Tolerance) {
        self.unless(tolerance.allows(fio as f64, fathom as f64), kind, fio, fathom);
    }

    /// Two shares of a whole, which may differ by this much.
    pub fn shares(&mut self, kind: impl Into<String>, fio: f64, fathom: f64, within: f64) {
        let same = (fio - fathom).abs() <= within;
        self.unless(same, kind, format!("{:.1} %", 100.0 * fio), format!("{:.1} %", 100.0 * fathom));
    }
}

/// By how much two numbers may differ.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// Of the larger one.
    pub share: f64,
    pub number: f64,
}

impl Tolerance {
    /// Not at all.
    pub const NONE: Self = Self { share: 0.0, number: 0.0 };

    /// Whether it allows these two.
    pub fn allows(self, a: f64, b: f64) -> bool {
        (a - b).abs() <= self.number.max(self.share * a.max(b)) + 1e-9
    }
}

/// Half the sum of the differences of two distributions: the share that would have to move.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    let at = |shares: &[f64], index: usize| shares.get(index).copied().unwrap_or(0.0);
    (0..a.len().max(b.len())).map(|index| (at(a, index) - at(b, index)).abs()).sum::<f64>() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_are_of_a_share_or_a_number() {
        let tolerance = Tolerance { share: 0.05, number: 3.0 };
        assert!(tolerance.allows(10.0, 13.0) && !tolerance.allows(10.0, 14.0));
        assert!(tolerance.allows(100.0, 105.0) && !tolerance.allows(100.0, 106.0));
        assert!(!Tolerance::NONE.allows(1.0, 2.0));
        assert_eq!(distance(&[0.5, 0.5], &[1.0]), 0.5);
        let mut found = Differences::default();
        found.counts("a", 1, 1, Tolerance::NONE);
        found.shares("b", 0.1, 0.4, 0.1);
        assert_eq!(found.0[0].to_string(), "b: fio 10.0 %, fathom 40.0 %");
    }
}
