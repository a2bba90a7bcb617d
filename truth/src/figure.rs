//! One measured error rate beside the bound that it has to keep, and a table of them.

use std::fmt;
use std::fmt::Write as _;

/// What a figure has to keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// At most this.
    AtMost(f64),
    /// At least this.
    AtLeast(f64),
    /// From the first to the second.
    Within(f64, f64),
    /// Nothing: shown so that a change of it is seen.
    Shown,
}

/// Unit of a figure's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A share, 0 to 1, printed in percent.
    Share,
    /// Seconds.
    Seconds,
    /// A number of runs, pairs or cells.
    Count,
}

/// One number that a suite measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The simulated process.
    pub scenario: String,
    /// What was counted, as `false acceptance`.
    pub what: String,
    /// The value; a suite that counted nothing gives NaN, which keeps no bound.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
    /// What it has to keep.
    pub bound: Bound,
}

impl Figure {
    /// A share of trials, 0 to 1, with its bound.
    pub fn share(scenario: impl Into<String>, what: impl Into<String>, value: f64, bound: Bound) -> Self {
        Self { scenario: scenario.into(), what: what.into(), value, unit: Unit::Share, bound }
    }

    /// A time, with its bound.
    pub fn seconds(scenario: impl Into<String>, what: impl Into<String>, value: f64, bound: Bound) -> Self {
        Self { scenario: scenario.into(), what: what.into(), value, unit: Unit::Seconds, bound }
    }

    /// A number of runs, pairs or cells, with its bound.
    pub fn count(scenario: impl Into<String>, what: impl Into<String>, value: f64, bound: Bound) -> Self {
        Self { scenario: scenario.into(), what: what.into(), value, unit: Unit::Count, bound }
    }

    /// Whether the bound is kept.
    pub fn met(&self) -> bool {
        match self.bound {
            Bound::AtMost(most) => self.value <= most,
            Bound::AtLeast(least) => self.value >= least,
            Bound::Within(least, most) => (least..=most).contains(&self.value),
            Bound::Shown => true,
        }
    }

    fn print(&self, value: f64) -> String {
        match self.unit {
            Unit::Share => format!("{:.1} %", 100.0 * value),
            Unit::Seconds => format!("{value:.0} s"),
            Unit::Count => format!("{value:.1}"),
        }
    }

    fn bound_text(&self) -> String {
        match self.bound {
            Bound::AtMost(most) => format!("at most {}", self.print(most)),
            Bound::AtLeast(least) => format!("at least {}", self.print(least)),
            Bound::Within(least, most) => format!("{} to {}", self.print(least), self.print(most)),
            Bound::Shown => String::new(),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}", self.scenario, self.what, self.print(self.value))?;
        match self.bound {
            Bound::Shown => Ok(()),
            _ => write!(f, " ({})", self.bound_text()),
        }
    }
}

/// The figures as a table with aligned columns: scenario, figure, value, bound, met or not.
pub fn table(figures: &[Figure]) -> String {
    let head = ["scenario", "figure", "value", "bound", ""].map(str::to_owned);
    let rows: Vec<[String; 5]> = figures
        .iter()
        .map(|figure| {
            let met = match (figure.bound, figure.met()) {
                (Bound::Shown, _) => "",
                (_, true) => "met",
                (_, false) => "NOT MET",
            };
            let value = figure.print(figure.value);
            [figure.scenario.clone(), figure.what.clone(), value, figure.bound_text(), met.to_owned()]
        })
        .collect();
    let lines = || std::iter::once(&head).chain(&rows);
    let widths: [usize; 5] =
        std::array::from_fn(|column| lines().map(|line| line[column].chars().count()).max().unwrap_or(0));
    let mut text = String::new();
    for line in lines() {
        let cell = |column: usize| format!("{:<width$}", line[column], width = widths[column]);
        let joined = (0..5).map(cell).collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "{}", joined.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_at_their_edge_and_nothing_keeps_a_number_that_is_none() {
        for (bound, held, broken) in [
            (Bound::AtMost(0.05), 0.05, 0.051),
            (Bound::AtLeast(0.9), 0.9, 0.899),
            (Bound::Within(0.03, 0.07), 0.03, 0.071),
        ] {
            assert!(Figure::share("a", "b", held, bound).met());
            assert!(!Figure::share("a", "b", broken, bound).met());
            assert!(!Figure::share("a", "b", f64::NAN, bound).met());
        }
    }

    #[test]
    fn the_table_says_what_is_not_met() {
        let text = table(&[
            Figure::share("quiet", "false acceptance", 0.012, Bound::AtMost(0.05)),
            Figure::seconds("quiet", "median time", 139.0, Bound::Shown),
            Figure::share("cliff", "false acceptance", 0.3, Bound::AtMost(0.05)),
        ]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "quiet     false acceptance  1.2 %   at most 5.0 %  met");
        assert_eq!(lines[2], "quiet     median time       139 s");
        assert_eq!(lines[3], "cliff     false acceptance  30.0 %  at most 5.0 %  NOT MET");
    }
}
