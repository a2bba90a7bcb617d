//! Stretches of a series whose rows lie further apart than usual: of another resolution, or with rows missing.
//!
//! Where every other row of a stretch is missing, rows keep twice the usual distance, as those of another resolution
//! do. Single rows that are missing here and there make such a stretch now and then: how often follows from how many
//! there are outside of it. Only one that is too long for that has a resolution of its own.

use crate::Interval;

/// Rows of one distance in time beside each other that make a stretch of its own resolution, not gaps.
const STRETCH: usize = 4;
/// Stretches so long that are expected where single rows are missing by chance; more rarely it is none.
const BY_CHANCE: f64 = 0.01;

/// What stretches there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretches {
    /// The longest distance of one that is of another resolution: a tick that all rows can be summed up to without
    /// dividing any.
    pub own_ns: Option<i64>,
    /// The longest distance of one whose rows are as far apart because others between them are missing, as elsewhere
    /// in the series.
    missing_ns: Option<i64>,
}

impl Stretches {
    /// Of rows in the order of their times, and their usual distance.
    pub fn of(intervals: &[Interval], usual_ns: i64) -> Self {
        let steps: Vec<i64> = intervals.windows(2).map(|pair| pair[1].end_ns - pair[0].end_ns).collect();
        let alike = |a: i64, b: i64| a.abs_diff(b) <= a.unsigned_abs() / 20;
        // The longest stretch of each distance.
        let mut longest: Vec<(i64, usize)> = Vec::new();
        let mut from = 0;
        while let Some(&first) = steps.get(from) {
            let length = steps[from..].iter().take_while(|step| alike(first, **step)).count();
            from += length;
            if length < STRETCH || first <= usual_ns.saturating_mul(3) / 2 {
                continue;
            }
            match longest.iter_mut().find(|(step, _)| alike(*step, first)) {
                Some((_, known)) => *known = length.max(*known),
                None => longest.push((first, length)),
            }
        }
        let mut found = Self::default();
        for (step, length) in longest {
            let others = steps.iter().filter(|other| alike(step, **other)).count().saturating_sub(length);
            let share = (others + 1) as f64 / (steps.len() - length + 2) as f64;
            let expected = steps.len() as f64 * share.powf(length as f64);
            let kind = if expected < BY_CHANCE { &mut found.own_ns } else { &mut found.missing_ns };
            *kind = (*kind).max(Some(step));
        }
        found
    }

    /// What was done with them, for rows that usually stand for `usual_s` and were summed up to `tick_s`.
    pub fn notes(&self, usual_s: u32, tick_s: u32, seconds: impl Fn(i64) -> u32) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(missing_ns) = self.missing_ns.filter(|ns| seconds(*ns) > tick_s) {
            notes.push(format!(
                "Rows lie {} s apart here and there, and {tick_s} s otherwise: those between them count as missing, \
                 not as another resolution.",
                seconds(missing_ns)
            ));
        }
        if tick_s > usual_s {
            notes.push(format!(
                "Resolutions are mixed: most rows stand for {usual_s} s, some stretches for {tick_s} s; all were summed up to {tick_s} s."
            ));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ticks::regular;

    fn minute(number: u32) -> Interval {
        Interval {
            end_ns: i64::from(number) * 60_000_000_000,
            writes: 60.0,
            write_bytes: 245_760.0,
            ..Interval::default()
        }
    }

    /// A minute's series of 2,000 rows, of which those are left that are `kept`.
    fn thinned(kept: impl Fn(u32) -> bool) -> Vec<Interval> {
        (1..=2000).filter(|i| kept(*i)).map(minute).collect()
    }

    /// All but one in so many, as chance has it.
    fn scattered(i: u32, one_in: u32) -> bool {
        let mut hash = i.wrapping_mul(0x9e37_79b9);
        hash = (hash ^ (hash >> 15)).wrapping_mul(0x85eb_ca6b);
        !(hash ^ (hash >> 13)).is_multiple_of(one_in)
    }

    #[test]
    fn single_rows_that_are_missing_are_gaps_and_no_resolution() {
        let rows = thinned(|i| scattered(i, 3));
        let every_other = rows
            .windows(5)
            .any(|rows| rows.windows(2).all(|pair| pair[1].end_ns - pair[0].end_ns == 120_000_000_000));
        assert!(every_other, "four times in a row every other one is missing");
        let seen = regular(None, rows.clone()).unwrap();
        assert_eq!((seen.demand.tick_s, Stretches::of(&rows, 60_000_000_000).own_ns), (60, None));
        assert!(seen.demand.write.operations.iter().all(|writes| [0, 60].contains(writes)));
        assert!(
            seen.notes.iter().any(|note| note.contains("120 s apart here and there")),
            "{:?}",
            seen.notes
        );
        assert!(seen.notes.iter().any(|note| note.contains("ticks of 60 s are missing")), "{:?}", seen.notes);
        // Every other one for hours is no chance, though there are missing ones among them.
        let hours = |i: u32| (i < 1500 || i.is_multiple_of(2)) && scattered(i, 8);
        assert_eq!(regular(None, thinned(hours)).unwrap().demand.tick_s, 120);
        // Nor is it where no other row is missing.
        let ten_minutes = |i: u32| !(300..310).contains(&i) || i.is_multiple_of(2);
        assert_eq!(regular(None, thinned(ten_minutes)).unwrap().demand.tick_s, 120);
    }
}
