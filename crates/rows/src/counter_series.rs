//! Intervals from four series that belong together: counters that only grow, or counts of periods.

use std::collections::BTreeMap;

use fathom_tools::Refusal;

use crate::{DemandReport, Interval, ticks};

/// How a note of repeats begins, behind their numbers.
pub const REPEAT: &str = "points repeat the one before";

/// What a series counts, in the order of an interval's figures.
pub const FLOWS: [&str; 4] = ["reads", "writes", "bytes read", "bytes written"];

/// One value of each flow at one time; absent where a series has none there.
pub type Rows = BTreeMap<i64, [Option<f64>; 4]>;

/// Puts one series' values into the rows, by time in nanoseconds.
pub fn put(rows: &mut Rows, flow: usize, values: impl IntoIterator<Item = (i64, f64)>) {
    for (at_ns, value) in values {
        rows.entry(at_ns).or_default()[flow] = Some(value);
    }
}

/// Rows with all four values; the others are left out, and named.
fn whole(rows: &Rows, notes: &mut Vec<String>) -> Vec<(i64, [f64; 4])> {
    let whole: Vec<(i64, [f64; 4])> =
        rows.iter().filter_map(|(at, [a, b, c, d])| Some((*at, [(*a)?, (*b)?, (*c)?, (*d)?]))).collect();
    if whole.len() < rows.len() {
        notes.push(format!(
            "{} of {} points in time lack one of reads, writes and their bytes, and were left out.",
            rows.len() - whole.len(),
            rows.len()
        ));
    }
    whole
}

/// The demand of counters since a device came. A counter that falls began again at zero; between two
/// points further apart than usual the growth is known but not when it came, so that it is left out.
///
/// # Errors
/// When there are too few points, or numbers that no counter has.
pub fn of_counters(rows: &Rows) -> Result<DemandReport, Refusal> {
    let mut notes = Vec::new();
    let points = whole(rows, &mut notes);
    let intervals = grown(&points, &mut notes);
    finish(points.first().map(|point| point.0), intervals, notes)
}

/// What counters grew by between two points each, by the same rules.
pub fn growths(rows: &Rows, notes: &mut Vec<String>) -> Vec<Interval> {
    grown(&whole(rows, notes), notes)
}

fn grown(points: &[(i64, [f64; 4])], notes: &mut Vec<String>) -> Vec<Interval> {
    let mut steps: Vec<i64> = points.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    steps.sort_unstable();
    let usual = steps.get(steps.len().saturating_sub(1) / 2).copied().unwrap_or(0);
    let (mut resets, mut lost, mut still) = (0u64, 0.0, 0usize);
    let mut intervals = Vec::with_capacity(points.len());
    for pair in points.windows(2) {
        let ((start, before), (end, now)) = (pair[0], pair[1]);
        let fell = (0..4).any(|flow| now[flow] < before[flow]);
        resets += u64::from(fell);
        // A device that was reset or replaced counts all four from zero.
        let growth = |flow: usize| if fell { now[flow] } else { now[flow] - before[flow] };
        let [reads, writes, read_bytes, write_bytes] = [0, 1, 2, 3].map(growth);
        still += usize::from(now == before);
        if end - start > usual.saturating_mul(3) / 2 {
            lost += reads + writes;
            continue;
        }
        intervals.push(Interval { end_ns: end, reads, writes, read_bytes, write_bytes });
    }
    if resets > 0 {
        notes.push(format!("Counters began again {resets} times (a restart, or another device of that name); what they showed then was counted from zero."));
    }
    if lost > 0.0 {
        notes.push(format!(
            "{lost:.0} I/Os came in gaps between points: when is not known, so they are left out."
        ));
    }
    // Every other point repeats: the points are closer together than the readings behind them.
    if still > intervals.len() / 5 && intervals.iter().any(|interval| interval.reads + interval.writes > 0.0)
    {
        notes.push(format!(
            "{still} of {} {REPEAT}: either the disk was idle, or the query's step is shorter than the scrape interval; then query again with a step of that length.",
            points.len()
        ));
    }
    intervals
}

/// The demand of counts of periods; each point is the start of its period.
///
/// # Errors
/// When there are too few points, or numbers that no count has.
pub fn of_periods(rows: &Rows, period_ns: i64) -> Result<DemandReport, Refusal> {
    let mut notes = Vec::new();
    let points = whole(rows, &mut notes);
    let interval = |&(start, [reads, writes, read_bytes, write_bytes]): &(i64, [f64; 4])| Interval {
        end_ns: start.saturating_add(period_ns),
        reads,
        writes,
        read_bytes,
        write_bytes,
    };
    finish(points.first().map(|point| point.0), points.iter().map(interval).collect(), notes)
}

fn finish(start: Option<i64>, intervals: Vec<Interval>, notes: Vec<String>) -> Result<DemandReport, Refusal> {
    let mut seen = ticks::regular(start, intervals)?;
    seen.notes = notes.into_iter().chain(seen.notes).collect();
    seen.start_unix_s = start.map(|start| start.div_euclid(1_000_000_000));
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(values: &[(i64, f64)]) -> Rows {
        let mut rows = Rows::new();
        let at = |bytes: f64| values.iter().map(move |(s, v)| (s * 1_000_000_000, v * bytes));
        put(&mut rows, 0, at(1.0));
        put(&mut rows, 1, at(2.0));
        put(&mut rows, 2, at(4096.0));
        put(&mut rows, 3, at(8192.0));
        rows
    }

    #[test]
    fn resets_and_gaps_of_counters_are_named() {
        let rows = rows(&[(0, 100.0), (15, 130.0), (30, 160.0), (45, 20.0), (120, 95.0), (135, 110.0)]);
        let seen = of_counters(&rows).unwrap();
        assert_eq!(seen.demand.read.operations, [30, 30, 20, 0, 0, 0, 0, 0, 15]);
        assert_eq!(seen.demand.gaps, std::iter::once(3..8).collect::<Vec<_>>());
        assert!(seen.notes.iter().any(|note| note.contains("again 1 times")), "{:?}", seen.notes);
        assert!(seen.notes.iter().any(|note| note.contains("225 I/Os came in gaps")), "{:?}", seen.notes);
    }

    #[test]
    fn points_that_one_series_lacks_are_left_out() {
        let mut rows = rows(&[(0, 1.0), (60, 2.0), (120, 3.0), (180, 4.0)]);
        rows.get_mut(&120_000_000_000).unwrap()[3] = None;
        let seen = of_periods(&rows, 60_000_000_000).unwrap();
        assert_eq!((seen.demand.tick_s, seen.demand.read.operations.clone()), (60, vec![1, 2, 0, 4]));
        assert_eq!(seen.start_unix_s, Some(0));
        assert!(seen.notes[0].contains("1 of 4 points"), "{:?}", seen.notes);
    }
}
