//! Changes of level in a series of runs over weeks, told only where chance, memory and small differences are ruled out.
//!
//! The run is the unit and its value is positive, so that levels are compared as ratios. A split is proposed where the
//! energy distance between what is before and after is largest (Matteson and James, 2014, "A nonparametric approach
//! for multiple change point analysis"); like Hunter (Fleming et al., 2023) this decides by a t-test and not by
//! permutations, so that the same runs always give the same answer. The split is told where three things agree:
//!
//! 1. the t-test on logarithms, with the memory of neighbouring runs taken into account, is beyond [`LEVEL`];
//! 2. ranks, which an outlier cannot pull, differ there too, and not much less than at their own best split;
//! 3. the 95 % interval of the ratio lies wholly beyond the least difference that matters.

mod divergence;
mod judge;
mod ranks;

use judge::{Judgement, Side};

/// Fewer runs than this show no trend.
pub const RUNS_MIN: usize = 8;
/// Runs that a level has at least.
pub const LEVEL_RUNS_MIN: usize = 3;
/// Largest probability of the t-test's difference by chance. It is small because the place of a split was chosen for
/// its difference.
pub const LEVEL: f64 = 1e-4;
/// Splits, one in another, that are looked behind although they are not told themselves.
const UNTOLD_MAX: u32 = 2;
/// Least standardised difference of ranks.
const RANKS_MIN: f64 = 3.0;
/// Share of the largest standardised difference of ranks that there must be at the proposed split.
const RANKS_SHARE: f64 = 0.8;

/// What a series shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Trend {
    /// Fewer runs than [`RUNS_MIN`].
    Unknown {
        /// Runs at hand.
        runs: usize,
    },
    /// Levels in order of time; one where nothing changed.
    Levels(Vec<Level>),
}

/// Runs between two changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Index of its first run.
    pub from: usize,
    /// Index after its last run.
    pub until: usize,
    /// Geometric mean of its values, in their unit.
    pub value: f64,
    /// Deviation of its runs around it, as a share.
    pub deviation: f64,
    /// What changed at its first run; absent for the first level.
    pub change: Option<Change>,
}

/// A level against the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// This level over the one before.
    pub ratio: f64,
    /// Lower end of the ratio's 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability of such a difference by chance, as of one comparison.
    pub p_value: f64,
}

/// The levels of `values`, one a run in order of time, all above 0; `least` is the least difference that matters, as a
/// share (0.02 for 2 %). `None` where a value is not positive and finite, or `least` is not from 0 to 1.
pub fn trend(values: &[f64], least: f64) -> Option<Trend> {
    let is_usable =
        values.iter().all(|value| value.is_finite() && *value > 0.0) && (0.0..1.0).contains(&least);
    if !is_usable {
        return None;
    }
    if values.len() < RUNS_MIN {
        return Some(Trend::Unknown { runs: values.len() });
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let mut splits = splits(&logs, 0, least, UNTOLD_MAX);
    drop_refuted(&logs, &mut splits, least);
    Some(Trend::Levels(levels(&logs, &splits)))
}

/// Splits of a stretch that begins at run `from`, in order. One that is not told itself stays where one beside it is: of
/// a dip neither end is told as long as the other is on the same side. `untold` bounds how many of those are looked
/// behind.
fn splits(logs: &[f64], from: usize, least: f64, untold: u32) -> Vec<usize> {
    let Some(at) = divergence::largest(logs, LEVEL_RUNS_MIN) else { return Vec::new() };
    let (before, after) = logs.split_at(at);
    let is_told = is_told(before, after, least);
    let Some(untold) = (if is_told { Some(untold) } else { untold.checked_sub(1) }) else {
        return Vec::new();
    };
    let mut found = splits(before, from, least, untold);
    let behind = splits(after, from + at, least, untold);
    if is_told || !found.is_empty() || !behind.is_empty() {
        found.push(from + at);
    }
    found.extend(behind);
    found
}

/// Whether two neighbouring stretches have different levels.
fn is_told(before: &[f64], after: &[f64], least: f64) -> bool {
    let ranks = ranks::differences(&[before, after].concat(), LEVEL_RUNS_MIN);
    let here = before.len().checked_sub(LEVEL_RUNS_MIN).and_then(|at| ranks.get(at)).copied().unwrap_or(0.0);
    let best = ranks.iter().copied().fold(0.0, f64::max);
    let agrees = here >= RANKS_MIN.max(RANKS_SHARE * best);
    agrees && judge::between(before, after).is_some_and(|judgement| judgement.is_told(least))
}

/// Takes out splits that do not hold between the levels that are left, the weakest first: a split can have been found
/// against a stretch in which there was another.
fn drop_refuted(logs: &[f64], splits: &mut Vec<usize>, least: f64) {
    loop {
        let ends = |at: usize| {
            let from = at.checked_sub(1).map_or(0, |before| splits[before]);
            (from, splits.get(at + 1).copied().unwrap_or(logs.len()))
        };
        let refuted = (0..splits.len())
            .map(|at| (at, ends(at)))
            .filter(|(at, (from, until))| {
                !is_told(&logs[*from..splits[*at]], &logs[splits[*at]..*until], least)
            })
            .map(|(at, (from, until))| {
                (at, judge::between(&logs[from..splits[at]], &logs[splits[at]..until]))
            })
            .max_by(|(_, one), (_, other)| {
                let p = |judgement: &Option<Judgement>| judgement.map_or(1.0, |judgement| judgement.p_value);
                p(one).total_cmp(&p(other))
            });
        let Some((at, _)) = refuted else { return };
        splits.remove(at);
    }
}

fn levels(logs: &[f64], splits: &[usize]) -> Vec<Level> {
    let starts = std::iter::once(0).chain(splits.iter().copied());
    let ends = splits.iter().copied().chain([logs.len()]);
    let mut before: Option<&[f64]> = None;
    starts
        .zip(ends)
        .map(|(from, until)| {
            let runs = &logs[from..until];
            let side = Side::of(runs);
            let change = before.and_then(|before| judge::between(before, runs)).map(Judgement::change);
            before = Some(runs);
            let deviation = (side.squares / (runs.len() as f64 - 1.0).max(1.0)).sqrt();
            Level { from, until, value: side.mean.exp(), deviation, change }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values around 1 that are no pattern of neighbours: a stretch of the golden ratio's multiples.
    fn noise(run: usize) -> f64 {
        (run as f64 * 0.618_034).fract() - 0.5
    }

    fn series(runs: usize, level: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..runs).map(|run| 1000.0 * level(run) * (1.0 + 0.02 * noise(run))).collect()
    }

    fn starts(trend: &Trend) -> Vec<usize> {
        match trend {
            Trend::Unknown { .. } => panic!("{trend:?}"),
            Trend::Levels(levels) => levels.iter().skip(1).map(|level| level.from).collect(),
        }
    }

    #[test]
    fn a_step_is_told_at_its_run_with_its_ratio() {
        let trend = trend(&series(34, |run| if run < 30 { 1.0 } else { 0.95 }), 0.02).unwrap();
        assert_eq!(starts(&trend), [30]);
        let Trend::Levels(levels) = trend else { panic!() };
        let change = levels[1].change.unwrap();
        assert!((change.ratio - 0.95).abs() < 0.01 && change.low < 0.95 && change.high > 0.95, "{change:?}");
        assert!(change.high < 0.98 && change.p_value < LEVEL, "{change:?}");
        assert!((levels[0].value - 1000.0).abs() < 5.0 && levels[0].change.is_none());
    }

    #[test]
    fn a_dip_has_two_ends_and_each_is_against_its_neighbour() {
        let trend = trend(&series(60, |run| if (20..32).contains(&run) { 0.9 } else { 1.0 }), 0.02).unwrap();
        assert_eq!(starts(&trend), [20, 32]);
    }

    #[test]
    fn what_is_smaller_than_what_matters_is_not_told() {
        let values = series(60, |run| if run < 30 { 1.0 } else { 0.97 });
        assert_eq!(starts(&trend(&values, 0.02).unwrap()), [30]);
        assert_eq!(starts(&trend(&values, 0.05).unwrap()), [0_usize; 0]);
    }

    #[test]
    fn equal_values_and_lone_outliers_are_one_level() {
        assert_eq!(starts(&trend(&[5.0; 40], 0.02).unwrap()), [0_usize; 0]);
        assert_eq!(
            starts(&trend(&series(60, |run| if run % 17 == 5 { 0.6 } else { 1.0 }), 0.02).unwrap()),
            [0_usize; 0]
        );
    }

    #[test]
    fn an_exact_step_without_noise_is_told() {
        let values: Vec<f64> = (0..20).map(|run| if run < 10 { 100.0 } else { 80.0 }).collect();
        assert_eq!(starts(&trend(&values, 0.02).unwrap()), [10]);
    }

    #[test]
    fn few_runs_show_nothing_and_odd_values_are_refused() {
        assert_eq!(trend(&[1.0; 7], 0.02), Some(Trend::Unknown { runs: 7 }));
        assert_eq!(trend(&[], 0.02), Some(Trend::Unknown { runs: 0 }));
        for odd in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(trend(&[1.0, odd, 2.0], 0.02), None);
        }
        assert_eq!(trend(&[1.0; 20], 1.0), None);
        assert_eq!(trend(&[1.0; 20], f64::NAN), None);
    }
}
