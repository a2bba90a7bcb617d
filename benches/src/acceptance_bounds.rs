//! What is asked of a ratio or a number, and whether it was reached.

use super::ratio_statistics::Ratio;

/// A bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    AtLeast(f64),
    AtMost(f64),
    /// The interval must hold this: two things that are the same must look the same.
    Includes(f64),
}

impl Bound {
    /// Whether one number keeps it.
    pub fn kept_by(self, value: f64) -> bool {
        match self {
            Self::AtLeast(bound) => value >= bound,
            Self::AtMost(bound) => value <= bound,
            Self::Includes(bound) => value == bound,
        }
    }

    /// How a ratio stands to it: by its median, and whether the whole interval says the same.
    pub fn verdict(self, ratio: Ratio) -> &'static str {
        let across = |bound: f64| ratio.low < bound && bound < ratio.high;
        match self {
            Self::Includes(bound) if across(bound) => "met",
            Self::Includes(_) => "not met",
            Self::AtLeast(bound) | Self::AtMost(bound) => match (self.kept_by(ratio.median), across(bound)) {
                (true, false) => "met",
                (true, true) => "met, but the interval reaches across",
                (false, true) => "not met, but the interval reaches across",
                (false, false) => "not met",
            },
        }
    }
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AtLeast(bound) => write!(f, "at least {bound:.2}"),
            Self::AtMost(bound) => write!(f, "at most {bound:.2}"),
            Self::Includes(bound) => write!(f, "interval holds {bound:.2}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_the_median_and_name_the_doubt() {
        let ratio = |median, low, high| Ratio { median, low, high };
        for (bound, ratio, verdict) in [
            (Bound::AtLeast(1.0), ratio(1.1, 1.05, 1.2), "met"),
            (Bound::AtLeast(1.0), ratio(1.1, 0.9, 1.2), "met, but the interval reaches across"),
            (Bound::AtLeast(1.0), ratio(0.99, 0.9, 1.2), "not met, but the interval reaches across"),
            (Bound::AtLeast(1.0), ratio(0.9, 0.8, 0.95), "not met"),
            (Bound::AtMost(0.67), ratio(0.5, 0.4, 0.6), "met"),
            (Bound::AtMost(0.67), ratio(0.7, 0.68, 0.8), "not met"),
            (Bound::Includes(1.0), ratio(1.01, 0.99, 1.03), "met"),
            (Bound::Includes(1.0), ratio(1.02, 1.01, 1.03), "not met"),
        ] {
            assert_eq!(bound.verdict(ratio), verdict, "{bound} {ratio:?}");
        }
    }
}
