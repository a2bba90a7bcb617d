//! Intervals of any spacing as ticks of one length, with the ticks that nobody saw.

use fathom_sizing::{Demand, Flow};
use fathom_tools::{Fault, Refusal};

use crate::stretches::Stretches;
use crate::{DemandReport, Interval};

/// A series longer than this many ticks is taken for a mistake in its times: four years of seconds.
const MOST_TICKS: i64 = 1 << 27;
/// Of more ticks than this, nobody may have missed all but one in so many: two rows of times far apart would
/// take memory for all that lies between them.
const FEW_TICKS: i64 = 1 << 15;
const TICKS_A_ROW: i64 = 100;

/// Places intervals on ticks. `start_ns` is where the first begins, if that is known; otherwise the
/// first interval only says when the second begins.
///
/// # Errors
/// When there are too few intervals, they lie too far apart for the memory that their ticks would take, rows of one time
/// contradict each other too often, or a figure is none that a disk has.
pub fn regular(start_ns: Option<i64>, mut intervals: Vec<Interval>) -> Result<DemandReport, Refusal> {
    let refused = |cause: String| Refusal::new("a demand", cause);
    if let Some(step_ns) = even(&intervals).filter(|_| start_ns.is_none()) {
        return side_by_side(step_ns, &intervals);
    }
    let mut notes = Vec::new();
    let back = intervals.windows(2).filter(|pair| pair[1].end_ns < pair[0].end_ns).count();
    if back > 0 {
        notes.push(format!(
            "{back} rows were earlier than the row before them (a clock that was set back, or files out of order); all were put in order of their times."
        ));
    }
    notes.extend(unrepeated(&mut intervals)?);
    let only_ns =
        || intervals.first().and_then(|only| only.end_ns.checked_sub(start_ns?)).filter(|ns| *ns > 0);
    let Some(tick_ns) = spacing(&intervals).or_else(only_ns) else {
        let cause = match intervals.len() {
            0 => "no interval is in it",
            _ => "one point in time is in it, and nothing says how long its interval is",
        };
        return Err(refused(cause.to_owned()).or("give it more intervals"));
    };
    let seconds = |ns: i64| u32::try_from((ns + 500_000_000) / 1_000_000_000).unwrap_or(u32::MAX).max(1);
    let stretches = Stretches::of(&intervals, tick_ns);
    let tick_s = seconds(stretches.own_ns.unwrap_or(tick_ns));
    notes.extend(stretches.notes(seconds(tick_ns), tick_s, seconds));
    // An interval that ends a little behind a tick's end still belongs to it.
    let slack_ns = tick_ns / 2;
    let tick_ns = i64::from(tick_s) * 1_000_000_000;
    let first_ns =
        start_ns.filter(|start| *start < intervals[0].end_ns).unwrap_or(intervals[0].end_ns - tick_ns);
    let last_ns = intervals.last().map_or(first_ns, |interval| interval.end_ns);
    let ticks_until =
        |ns: i64| ns.saturating_sub(first_ns).saturating_sub(slack_ns).saturating_add(tick_ns - 1) / tick_ns;
    let ticks = ticks_until(last_ns);
    let rows = intervals.len();
    if ticks > MOST_TICKS.min(FEW_TICKS.max(TICKS_A_ROW.saturating_mul(rows as i64))) {
        let cause = format!(
            "its times lie too far apart: they span {ticks} ticks of {tick_s} s, and {rows} rows are in it"
        );
        return Err(refused(cause).or("cut it where its times jump, or sum it up to longer intervals"));
    }
    let ticks = ticks.max(1) as usize;
    let mut demand =
        Demand { tick_s, read: flow(ticks), write: flow(ticks), gaps: Vec::new(), counted: None };
    let mut seen = vec![false; ticks];
    for interval in &intervals {
        let at = (ticks_until(interval.end_ns) - 1).clamp(0, ticks as i64 - 1) as usize;
        seen[at] = true;
        add(&mut demand, at, interval).map_err(|fault| refused(fault.cause).at(format!("tick {at}")))?;
    }
    demand.gaps = gaps(&seen);
    let missing: usize = demand.gaps.iter().map(ExactSizeIterator::len).sum();
    if missing > 0 {
        notes.push(format!(
            "{missing} of {ticks} ticks of {tick_s} s are missing in {} gaps.",
            demand.gaps.len()
        ));
    }
    demand.check().map_err(|error| refused(error.to_string()).with_source(error))?;
    Ok(seen_of(demand, notes))
}

/// Of the times of a series, one in so many may have rows that contradict each other: the last period of an export
/// that another goes on from, an hour that a clock was set back by. More are rows of several disks.
pub const TIMES_A_CONTRADICTION: usize = 20;

/// Puts rows in the order of their times, with one row for each; says what was done. Rows of one time that differ
/// are joined to their largest values, so that their order does not matter.
pub(crate) fn unrepeated(intervals: &mut Vec<Interval>) -> Result<Vec<String>, Refusal> {
    intervals.sort_by_key(|interval| interval.end_ns);
    let (mut repeats, mut contradictions, mut last_ns) = (0usize, 0usize, None);
    intervals.dedup_by(|next, kept| {
        let repeats_it = next.end_ns == kept.end_ns;
        repeats += usize::from(repeats_it);
        if repeats_it && next != kept {
            contradictions += usize::from(last_ns.replace(kept.end_ns) != Some(kept.end_ns));
            kept.reads = kept.reads.max(next.reads);
            kept.writes = kept.writes.max(next.writes);
            kept.read_bytes = kept.read_bytes.max(next.read_bytes);
            kept.write_bytes = kept.write_bytes.max(next.write_bytes);
        }
        repeats_it
    });
    let times = intervals.len();
    if contradictions * TIMES_A_CONTRADICTION > times && times > 1 {
        let cause = format!(
            "its rows contradict each other: {contradictions} of {times} times have several that differ"
        );
        return Err(Refusal::new("a demand", cause).or(
            "see whether several disks have one name, and map a column that distinguishes them: --columns volume=...",
        ));
    }
    let mut notes = Vec::new();
    if repeats > 0 {
        notes.push(format!("{repeats} rows repeated a time that was there already and were left out."));
    }
    if contradictions > 0 {
        notes.push(format!(
            "{contradictions} times have rows that contradict each other: the largest values were taken."
        ));
    }
    Ok(notes)
}

fn seen_of(demand: Demand, notes: Vec<String>) -> DemandReport {
    DemandReport {
        demand,
        notes,
        start_unix_s: None,
        source: "table",
        device: None,
        directions_known: true,
        throttled: Vec::new(),
        trace: None,
    }
}

/// The distance of intervals that lie side by side, whole seconds each: most series are such, and nothing
/// has to be looked for in them.
fn even(intervals: &[Interval]) -> Option<i64> {
    let step = intervals.get(1)?.end_ns.checked_sub(intervals[0].end_ns)?;
    let whole = step > 0 && step % 1_000_000_000 == 0 && step < i64::from(u32::MAX) * 1_000_000_000;
    let all = || intervals.windows(2).all(|pair| pair[1].end_ns.saturating_sub(pair[0].end_ns) == step);
    (whole && intervals.len() as i64 <= MOST_TICKS && all()).then_some(step)
}

/// An interval a tick.
fn side_by_side(step_ns: i64, intervals: &[Interval]) -> Result<DemandReport, Refusal> {
    let refused = |cause: String| Refusal::new("a demand", cause);
    let tick_s = u32::try_from(step_ns / 1_000_000_000).unwrap_or(u32::MAX);
    let ticks = intervals.len();
    let mut demand =
        Demand { tick_s, read: flow(ticks), write: flow(ticks), gaps: Vec::new(), counted: None };
    for (at, interval) in intervals.iter().enumerate() {
        add(&mut demand, at, interval).map_err(|fault| refused(fault.cause).at(format!("tick {at}")))?;
    }
    demand.check().map_err(|error| refused(error.to_string()).with_source(error))?;
    Ok(seen_of(demand, Vec::new()))
}

/// The usual distance in time: the median, so that gaps and jumps do not move it.
pub(crate) fn spacing(intervals: &[Interval]) -> Option<i64> {
    let mut steps: Vec<i64> = intervals.windows(2).map(|pair| pair[1].end_ns - pair[0].end_ns).collect();
    steps.sort_unstable();
    steps.get(steps.len().saturating_sub(1) / 2).copied()
}

/// The same of times in ascending order; absent where there are fewer than two.
pub fn step_ns<'a>(times: impl Iterator<Item = &'a i64>) -> Option<i64> {
    let times: Vec<i64> = times.copied().collect();
    let mut steps: Vec<i64> = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
    steps.sort_unstable();
    steps.get(steps.len().saturating_sub(1) / 2).copied()
}

fn flow(ticks: usize) -> Flow {
    Flow { operations: vec![0; ticks], bytes: vec![0; ticks] }
}

/// Adds an interval's counts; rates times lengths are whole numbers but for rounding, and an I/O that
/// carried bytes is at least one.
fn add(demand: &mut Demand, at: usize, interval: &Interval) -> Result<(), Fault> {
    let flows = [
        (&mut demand.read, interval.reads, interval.read_bytes, "reads"),
        (&mut demand.write, interval.writes, interval.write_bytes, "writes"),
    ];
    for (flow, operations, bytes, name) in flows {
        let usable = |value: f64| (0.0..3.6e16).contains(&value);
        if !usable(operations) || !usable(bytes) {
            return Err(format!("{operations} {name} of {bytes} bytes").into());
        }
        let (operations, bytes) = (rounded(operations), rounded(bytes));
        // Many rows may share a tick; what is too much for one is refused when the demand is checked.
        flow.operations[at] = flow.operations[at].saturating_add(operations.max(u64::from(bytes > 0)));
        flow.bytes[at] = flow.bytes[at].saturating_add(bytes);
    }
    Ok(())
}

/// The nearest whole number, and of two the larger; of values from 0 to 2^63.
fn rounded(value: f64) -> u64 {
    let whole = value as i64;
    // What is left over is exact: a value of 2^53 or more has no fraction.
    whole as u64 + u64::from(value - whole as f64 >= 0.5)
}

fn gaps(seen: &[bool]) -> Vec<std::ops::Range<usize>> {
    let mut gaps: Vec<std::ops::Range<usize>> = Vec::new();
    for (tick, _) in seen.iter().enumerate().filter(|(_, seen)| !**seen) {
        match gaps.last_mut() {
            Some(gap) if gap.end == tick => gap.end = tick + 1,
            _ => gaps.push(tick..tick + 1),
        }
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64, writes: f64) -> Interval {
        Interval {
            end_ns: second * 1_000_000_000,
            writes,
            write_bytes: writes * 4096.0,
            ..Interval::default()
        }
    }

    #[test]
    fn gaps_and_repeats_are_named() {
        let seen = regular(None, vec![at(1, 5.0), at(2, 6.0), at(2, 6.0), at(5, 7.0), at(6, 8.0)]).unwrap();
        assert_eq!(seen.demand.write.operations, [5, 6, 0, 0, 7, 8]);
        assert_eq!((seen.demand.gaps.len(), seen.demand.gaps.first()), (1, Some(&(2..4))));
        assert_eq!(seen.notes.len(), 2, "{:?}", seen.notes);
    }

    #[test]
    fn rows_that_contradict_each_other_are_joined_or_refused_in_any_order() {
        let mut rows: Vec<Interval> = (1..=100).map(|i| at(i, 5.0)).collect();
        rows.extend([at(7, 9.0), at(7, 2.0), at(8, 5.0)]);
        let forward = regular(None, rows.clone()).unwrap();
        rows.reverse();
        let back = regular(None, rows.clone()).unwrap();
        assert_eq!(forward.demand, back.demand);
        assert_eq!((forward.demand.write.operations[6], forward.demand.write.operations[7]), (9, 5));
        assert!(forward.notes.iter().any(|note| note.contains("1 times have rows")), "{:?}", forward.notes);
        rows.extend((20..60).map(|i| at(i, 1.0)));
        let refused = regular(None, rows).unwrap_err();
        assert!(refused.remedy.contains("volume="), "{refused}");
    }

    #[test]
    fn many_rows_of_absurd_counts_in_one_tick_are_refused() {
        let row = |ms: i64| Interval {
            end_ns: ms * 1_000_000,
            reads: 3e16,
            read_bytes: 3e16,
            ..Interval::default()
        };
        assert!(regular(None, (0..2000).map(row).collect()).is_err());
    }

    #[test]
    fn mixed_resolutions_are_summed_up_and_never_divided() {
        let fine = (1..=20).map(|i| at(i * 60, 60.0));
        let coarse = (1..=6).map(|i| at(1200 + i * 300, 300.0));
        let seen = regular(Some(0), fine.chain(coarse).collect()).unwrap();
        assert_eq!((seen.demand.tick_s, seen.demand.write.operations), (300, vec![300; 10]));
        assert!(seen.notes.iter().any(|note| note.contains("mixed")), "{:?}", seen.notes);
        let late = regular(None, vec![at(3, 1.0), at(1, 1.0), at(2, 1.0)]).unwrap();
        assert!(late.notes[0].contains("1 rows were earlier"), "{:?}", late.notes);
    }

    #[test]
    fn counts_are_rounded_to_the_nearest() {
        for value in
            [0.0, 0.499_999_999_999_999_94, 0.5, 1.5, 2.499, 4_503_599_627_370_495.5, 9.007e15, 3.6e16]
        {
            assert_eq!(rounded(value), value.round() as u64, "{value}");
        }
    }

    #[test]
    fn even_series_are_those_that_the_search_would_find() {
        let even: Vec<Interval> = (1..500).map(|i| at(i * 60, i as f64)).collect();
        let quick = regular(None, even.clone()).unwrap();
        // A start that is known changes nothing here and takes the long way.
        assert_eq!(quick, regular(Some(0), even).unwrap());
        assert!(regular(None, vec![at(1, -1.0), at(2, 1.0)]).is_err());
    }

    #[test]
    fn times_that_jump_are_refused_before_they_take_memory() {
        let error =
            regular(None, vec![at(1, 1.0), at(2, 1.0), at(3, 1.0), at(4_000_000_000, 1.0)]).unwrap_err();
        assert!(error.cause.contains("ticks"), "{error}");
        let sparse = vec![at(1, 1.0), at(2, 1.0), at(3, 1.0), at(1_000_000, 1.0)];
        assert!(regular(None, sparse).unwrap_err().cause.contains("4 rows"), "11 days for four rows");
        assert!(regular(None, vec![at(1, f64::NAN), at(2, 1.0)]).is_err());
        assert!(regular(None, vec![at(1, 1.0)]).is_err());
    }
}
