//! A table of demand as comma-separated text: one row an interval, with a header.

use fathom_tools::Refusal;

use crate::named_columns::{Columns, Values};
use crate::stretches::Stretches;
use crate::{Interval, ticks};

const TABLE: &str = "a table of demand";

/// The rows of a table as counts, and what was done to make them such. `mapping` names columns where their names do not
/// tell; `values` says whether they are rates or counts where they do not tell that either.
///
/// # Errors
/// With the line that makes no sense, and what to type.
pub fn rows(
    text: &str,
    mapping: &str,
    values: Option<Values>,
) -> Result<(Vec<Interval>, Vec<String>), Refusal> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(text.as_bytes());
    let broken = |error: csv::Error| Refusal::caused_by(TABLE, error);
    let header: Vec<String> = reader.headers().map_err(broken)?.iter().map(str::to_owned).collect();
    let columns = Columns::find(&header, mapping)?;
    let Some(values) = values.or(columns.told) else {
        let cause = "its column names do not say whether values are rates or counts";
        return Err(Refusal::new(TABLE, cause).or("say --values per-second, or --values per-row"));
    };
    let mut intervals = Vec::new();
    for row in reader.records() {
        let row = row.map_err(broken)?;
        let line = row.position().map_or(0, csv::Position::line);
        let [time, reads, writes, read_bytes, write_bytes] = columns.at.map(|at| row.get(at).unwrap_or(""));
        let wrong = |cause: String| Refusal::new(TABLE, cause).at(format!("line {line}"));
        let number = |text: &str| match text.parse::<f64>() {
            Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
            _ => Err(wrong(format!("{text:?} is not a usable number"))),
        };
        intervals.push(Interval {
            end_ns: time_ns(time).ok_or_else(|| wrong(format!("{time:?} is not a valid time")))?,
            reads: number(reads)?,
            writes: number(writes)?,
            read_bytes: number(read_bytes)?,
            write_bytes: number(write_bytes)?,
        });
    }
    let notes = if values == Values::PerSecond { as_counts(None, &mut intervals)? } else { Vec::new() };
    Ok((intervals, notes))
}

/// Rates times the time that each row stands for: that since the row before, but no longer than rows usually are
/// apart, because a gap's rate is not known to have held through the gap. `start_ns` is where the first begins, if
/// that is known; otherwise it is as long as the second. Gives what was done with repeated times.
///
/// # Errors
/// When rows of one time contradict each other too often.
pub fn as_counts(start_ns: Option<i64>, intervals: &mut Vec<Interval>) -> Result<Vec<String>, Refusal> {
    let notes = ticks::unrepeated(intervals)?;
    let first_ns =
        intervals.first().and_then(|first| first.end_ns.checked_sub(start_ns?)).filter(|ns| *ns > 0);
    let Some(usual_ns) = ticks::spacing(intervals).or(first_ns) else { return Ok(notes) };
    let longest_ns = Stretches::of(intervals, usual_ns).own_ns.unwrap_or(usual_ns);
    let near_ns = usual_ns.saturating_mul(3) / 2;
    let ends: Vec<i64> = intervals.iter().map(|interval| interval.end_ns).collect();
    let step = |from: usize, to: usize| Some(ends.get(to)?.saturating_sub(*ends.get(from)?));
    for (at, interval) in intervals.iter_mut().enumerate() {
        let before = at.checked_sub(1).map_or(first_ns, |before| step(before, at));
        let own_ns = match before.filter(|before_ns| *before_ns <= near_ns) {
            Some(before_ns) => before_ns,
            // Behind a gap, or in a stretch of longer intervals: as long as to the next row.
            None => before.into_iter().chain(step(at, at + 1)).min().unwrap_or(usual_ns).min(longest_ns),
        };
        let seconds = own_ns as f64 / 1e9;
        interval.reads *= seconds;
        interval.writes *= seconds;
        interval.read_bytes *= seconds;
        interval.write_bytes *= seconds;
    }
    Ok(notes)
}

/// A number as a time since 1970: milliseconds from 1e11 on, which as seconds would be the year 5138, and else seconds.
pub(crate) fn counted_ns(number: f64) -> Option<i64> {
    let seconds = if number.abs() >= 1e11 { number / 1e3 } else { number };
    (seconds.abs() < 9e9).then_some((seconds * 1e9) as i64)
}

/// Seconds or milliseconds since 1970, or a date and time as RFC 3339 has it.
pub fn time_ns(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse::<f64>() {
        return counted_ns(number);
    }
    let stamp: jiff::Timestamp =
        text.parse().ok().or_else(|| format!("{}Z", text.replacen(' ', "T", 1)).parse().ok())?;
    i64::try_from(stamp.as_nanosecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DemandReport, of_counts};

    fn read(text: &str, mapping: &str, values: Option<Values>) -> Result<DemandReport, Refusal> {
        let (intervals, notes) = rows(text, mapping, values)?;
        let mut seen = of_counts(intervals)?;
        seen.notes.splice(0..0, notes);
        Ok(seen)
    }

    #[test]
    fn usual_names_need_no_mapping() {
        let text = "timestamp,read_iops,write_iops,read_bytes_per_s,write_bytes_per_s\n\
            1700000060,10,20,40960,81920\n1700000120,1,2,4096,8192\n";
        let demand = read(text, "", None).unwrap().demand;
        assert_eq!(
            (demand.tick_s, demand.read.operations, demand.write.bytes),
            (60, vec![600, 60], vec![4_915_200, 491_520])
        );
    }

    /// Rates of one I/O a second at these times, in seconds.
    fn rates(times: &[f64]) -> Vec<Interval> {
        let row = |at: &f64| Interval {
            end_ns: (at * 1e9) as i64,
            writes: 1.0,
            write_bytes: 4096.0,
            ..Interval::default()
        };
        times.iter().map(row).collect()
    }

    #[test]
    fn a_row_stands_for_no_more_time_than_rows_usually_are_apart() {
        // Between two gaps of an hour, and repeated: neither an hour's I/Os in a minute, nor none.
        let regular = |minute: i32| f64::from(minute) * 60.0;
        let mut times: Vec<f64> = (0..20).map(regular).collect();
        times.extend([regular(80), regular(140)]);
        times.extend((141..160).map(regular));
        times.extend([0.0, 60.001]);
        let mut rows = rates(&times);
        let notes = as_counts(None, &mut rows).unwrap();
        assert!(notes[0].contains("1 rows repeated"), "{notes:?}");
        assert!(rows.iter().all(|row| row.writes <= 60.0), "{rows:?}");
        let total: f64 = rows.iter().map(|row| row.writes).sum();
        assert!((total - 41.0 * 60.0).abs() < 0.01, "{total}");
        // A stretch of longer intervals stands for all of its time.
        let mixed: Vec<f64> = (0..20).map(regular).chain((1..=8).map(|i| regular(19 + i * 5))).collect();
        let mut rows = rates(&mixed);
        as_counts(None, &mut rows).unwrap();
        let total: f64 = rows.iter().map(|row| row.writes).sum();
        assert!((total - 60.0 * 60.0).abs() < 0.01, "{total}");
    }

    #[test]
    fn bytes_in_another_unit_are_refused() {
        let rows = |bytes: f64| {
            let row = |at: i32| format!("{at},100,0,{},0\n", bytes * 100.0);
            "time,reads,writes,read_bytes,write_bytes\n".to_owned() + &(1..9).map(row).collect::<String>()
        };
        let read = |bytes: f64| read(&rows(bytes), "", Some(Values::PerRow));
        assert!(read(4.0).unwrap_err().cause.contains("reads carry 4 bytes on average"));
        assert!(read(4e8).unwrap_err().cause.contains("on average"));
        assert!(read(512.0).is_ok() && read(4e6).is_ok());
    }

    #[test]
    fn doubts_are_refused_with_what_to_type() {
        let plain = "time,reads,writes,read_bytes,write_bytes\n1,1,1,4096,4096\n2,1,1,4096,4096\n";
        assert!(read(plain, "", None).unwrap_err().remedy.contains("--values"));
        assert_eq!(read(plain, "", Some(Values::PerRow)).unwrap().demand.read.operations, [1, 1]);
        let other = "when,r,w,rb,wb\n2026-01-01T00:00:00Z,1,1,4096,4096\n2026-01-01 00:00:01,1,1,4096,4096\n";
        assert!(read(other, "", None).unwrap_err().remedy.contains("--columns"));
        let mapping = "time=when,reads=r,writes=w,read_bytes=rb,write_bytes=wb";
        assert_eq!(read(other, mapping, Some(Values::PerSecond)).unwrap().demand.ticks(), 2);
        let error = read("time,reads,writes,read_bytes,write_bytes\n1,-5,1,1,1\n", "", Some(Values::PerRow))
            .unwrap_err();
        assert_eq!(error.place, "line 2");
    }
}
