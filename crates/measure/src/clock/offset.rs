//! How far another machine's clock is from this one's, from questions and answers, and how wrong that can be.
//!
//! An answer was given somewhere between the question's departure and the answer's return. So the middle of the two is
//! the best guess, and half of the round trip is the largest error, whatever the two ways' shares of it: of many round
//! trips the shortest says most (Cristian, "Probabilistic clock synchronization", 1989).

/// Between two clocks of machines that run, seconds a second: crystals are within 100 millionths each.
const DRIFT: f64 = 200e-6;

/// One question and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ping {
    /// When it was asked, on the clock here, in nanoseconds.
    pub asked_ns: u64,
    /// When it was read there, on the clock there.
    pub heard_ns: u64,
    /// When it was answered there, on the clock there.
    pub answered_ns: u64,
    /// When the answer was read here, on the clock here.
    pub back_ns: u64,
}

/// What one clock shows more than the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    /// The clock there minus the clock here, in nanoseconds.
    pub ns: i64,
    /// The truth is no further away than this, in nanoseconds.
    pub error_ns: u64,
    /// The round trip that it is from, in nanoseconds.
    pub round_trip_ns: u64,
    /// When it held, on the clock here.
    pub at_ns: u64,
}

impl Ping {
    /// Time under way, both ways together; `None` where a clock went backwards.
    pub fn round_trip_ns(&self) -> Option<u64> {
        let here = self.back_ns.checked_sub(self.asked_ns)?;
        here.checked_sub(self.answered_ns.checked_sub(self.heard_ns)?)
    }

    fn offset(&self) -> Option<Offset> {
        let round_trip_ns = self.round_trip_ns()?;
        let there = i128::from(self.heard_ns) + i128::from(self.answered_ns);
        let here = i128::from(self.asked_ns) + i128::from(self.back_ns);
        let passed_ns = self.back_ns - self.asked_ns;
        let drifted_ns = (passed_ns as f64 * DRIFT).ceil() as u64;
        Some(Offset {
            ns: i64::try_from((there - here) / 2).ok()?,
            error_ns: round_trip_ns / 2 + drifted_ns + 1,
            round_trip_ns,
            at_ns: self.asked_ns + passed_ns / 2,
        })
    }
}

/// The offset by the shortest round trip; `None` without a ping that makes sense.
pub fn offset(pings: &[Ping]) -> Option<Offset> {
    pings.iter().filter_map(Ping::offset).min_by_key(|offset| offset.round_trip_ns)
}

/// How far a moment of a run is, at most, from the same moment there, where the run's start was told by `before` and
/// `after` was found when it had ended: in nanoseconds, for any moment between, as long as the clocks drift evenly.
///
/// At the first the error is that of `before`. At the last the clocks are apart by what they drifted, which is known to
/// the error of `after`. Between them the distance is a line, so that it is nowhere more than at the worse end. A clock
/// that was set in between shows as a large bound.
pub fn skew_bound_ns(before: &Offset, after: &Offset) -> u64 {
    before.error_ns.max(after.ns.abs_diff(before.ns).saturating_add(after.error_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_round_trip_decides_and_its_half_is_the_error() {
        let slow = Ping { asked_ns: 0, heard_ns: 10_900_000, answered_ns: 10_900_000, back_ns: 1_000_000 };
        let quick =
            Ping { asked_ns: 2_000_000, heard_ns: 12_050_000, answered_ns: 12_060_000, back_ns: 2_110_000 };
        let found = offset(&[slow, quick]).unwrap();
        assert_eq!((found.ns, found.round_trip_ns), (10_000_000, 100_000));
        assert!((50_000..50_100).contains(&found.error_ns), "{found:?}");
        let backwards = Ping { asked_ns: 5, heard_ns: 9, answered_ns: 8, back_ns: 7 };
        assert_eq!(offset(&[backwards]), None);
    }

    #[test]
    fn a_clock_that_was_set_shows_in_the_bound() {
        let at = |ns, error_ns| Offset { ns, error_ns, round_trip_ns: 2 * error_ns, at_ns: 0 };
        assert_eq!(skew_bound_ns(&at(100, 50), &at(110, 30)), 50);
        assert_eq!(skew_bound_ns(&at(100, 50), &at(-2_000_000_000, 30)), 2_000_000_130);
    }
}
