//! The suites: each puts one method through processes of known truth. A new suite is a file here and an
//! entry in [`SUITES`].

pub mod bucket_errors;
pub mod clock_errors;
pub mod fleet_errors;
pub mod pair_errors;
pub mod search_errors;
pub mod shape_errors;
pub mod steady_errors;
pub mod stopping_errors;
pub mod tails;
pub mod trend_errors;

use crate::Figure;

/// How many trials to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Few enough for the ordinary tests: a second or two a suite.
    Short,
    /// Enough for the published rates.
    Full,
}

impl Effort {
    /// The number of trials of this effort.
    pub fn trials(self, short: usize, full: usize) -> usize {
        match self {
            Effort::Short => short,
            Effort::Full => full,
        }
    }
}

/// One method against the truth.
#[derive(Clone, Copy, Debug)]
pub struct Suite {
    /// Its name, as typed after `cargo xtask statistics`.
    pub name: &'static str,
    /// What it measures, in a line.
    pub summary: &'static str,
    /// Measures; the same effort gives the same figures, to the last bit.
    pub run: fn(Effort) -> Vec<Figure>,
}

/// All suites, in the order in which they are printed.
pub const SUITES: &[Suite] = &[
    Suite {
        name: "bucket",
        summary: "token buckets read from their series: size, prediction, and what is no bucket",
        run: bucket_errors::run,
    },
    Suite {
        name: "steady",
        summary: "the four gates: wrong levels accepted, time to a verdict, verdicts revoked",
        run: steady_errors::run,
    },
    Suite {
        name: "stopping",
        summary: "spaced runs until the stated error: coverage and distance from the truth",
        run: stopping_errors::run,
    },
    Suite {
        name: "tails",
        summary: "quantile intervals with design effect: coverage of tails that come in bursts",
        run: tails::run,
    },
    Suite {
        name: "shapes",
        summary: "cliffs and modes: false alarms on smooth latencies, detections of slow groups",
        run: shape_errors::run,
    },
    Suite {
        name: "search",
        summary: "the operating point: how near the best of a grid, and after how many runs",
        run: search_errors::run,
    },
    Suite {
        name: "fleet",
        summary: "sizing fleets: margins and purchases that did not suffice against the risk that was stated",
        run: fleet_errors::run,
    },
    Suite {
        name: "clocks",
        summary: "clocks of several clients: the stated skew against the true one",
        run: clock_errors::run,
    },
    Suite {
        name: "pairs",
        summary: "two sides in random pairs: false differences, differences found, pairs used",
        run: pair_errors::run,
    },
    Suite {
        name: "trend",
        summary: "changes of level over weeks of runs: false changes, and steps told in time",
        run: trend_errors::run,
    },
];
