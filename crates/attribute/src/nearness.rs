//! How near a rate came to a bound: the one scale and the one wording for records and for published tables.

use crate::printed;
use crate::thresholds::{ABOVE_BOUND, AT_BOUND, NEXT_TO_BOUND};

/// A rate as a share of a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearness(f64);

impl Nearness {
    /// Of a rate over its bound.
    pub const fn of(share: f64) -> Self {
        Self(share)
    }

    /// At the bound, and not above it.
    pub fn is_at(self) -> bool {
        AT_BOUND.contains(&self.0)
    }

    /// At the bound or anywhere above it.
    pub(crate) fn is_reached(self) -> bool {
        self.0 >= *AT_BOUND.start()
    }

    /// Next to the bound, at it, or anywhere above it.
    pub fn is_near(self) -> bool {
        self.0 >= NEXT_TO_BOUND
    }

    /// Above the bound, by more than counters and rounding blur.
    pub fn is_passed(self) -> bool {
        self.is_passed_by(0.0)
    }

    /// Above the bound, by more than counters, rounding and this error of the share blur.
    pub(crate) fn is_passed_by(self, error_share: f64) -> bool {
        self.0 > AT_BOUND.end() + error_share
    }

    /// So far above the bound that it did not hold the rate.
    pub fn is_beyond(self) -> bool {
        self.0 > ABOVE_BOUND
    }

    /// Next to the bound or at it: the bound may have held the rate.
    pub fn may_be_held(self) -> bool {
        self.is_near() && self.0 < ABOVE_BOUND
    }
}

/// A bound that is known, and how near a rate came to it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReachedBound<'a> {
    /// The rate as a share of the bound.
    pub share: f64,
    /// Half-width of that share's interval, relative; 0 where none is known.
    pub error_share: f64,
    /// The bound with its unit, e.g. "3000 IOPS".
    pub figure: String,
    /// What a reader calls the bound.
    pub name: &'a str,
}

impl ReachedBound<'_> {
    /// `97 % (95 % interval 96 % to 98 %) of the 3000 IOPS`, without an interval too narrow to show.
    pub(crate) fn in_words(&self) -> String {
        let Self { share, error_share, ref figure, .. } = *self;
        if share >= 2.0 {
            return format!("{} the {figure}", printed::times(share));
        }
        let low = printed::percent(share * (1.0 - error_share).max(0.0));
        let high = printed::percent(share * (1.0 + error_share));
        if low == high {
            format!("{} of the {figure}", printed::percent(share))
        } else {
            format!("{} (95 % interval {low} to {high}) of the {figure}", printed::percent(share))
        }
    }

    /// The same as a sentence, with the bound's name.
    pub(crate) fn sentence(&self) -> String {
        format!("The rate is {} of \"{}\".", self.in_words(), self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_next_to_a_bound_at_it_or_above_it() {
        let of = |share: f64| {
            let near = Nearness::of(share);
            [near.is_near(), near.is_at(), near.is_passed(), near.is_beyond(), near.may_be_held()]
        };
        assert_eq!(of(0.92), [false; 5]);
        assert_eq!(of(0.95), [true, false, false, false, true]);
        assert_eq!(of(1.0), [true, true, false, false, true]);
        assert_eq!(of(1.05), [true, false, true, false, true]);
        assert_eq!(of(1.2), [true, false, true, true, false]);
        assert!(!Nearness::of(1.05).is_passed_by(0.03));
    }

    #[test]
    fn an_interval_is_said_where_it_shows() {
        let said = |share, error_share| {
            ReachedBound { share, error_share, figure: "3000 IOPS".to_owned(), name: "the volume" }.sentence()
        };
        assert_eq!(said(0.97, 0.0), "The rate is 97 % of the 3000 IOPS of \"the volume\".");
        let expected = "The rate is 97 % (95 % interval 96 % to 98 %) of the 3000 IOPS of \"the volume\".";
        assert_eq!(said(0.97, 0.01), expected);
        assert_eq!(said(2.5, 0.1), "The rate is 2.5 times the 3000 IOPS of \"the volume\".");
    }
}
