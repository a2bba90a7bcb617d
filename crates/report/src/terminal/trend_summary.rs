//! How a target's results went over its runs.

use super::Style;
use super::paint::{Sheet, Tone};
use crate::number;

/// Most bars of a picture; more values share bars.
const BARS_MAX: usize = 60;

/// Unit of what is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrendUnit {
    /// I/Os per second.
    PerSecond,
    /// Time in nanoseconds.
    Nanoseconds,
}

/// One workload over time.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendRow {
    /// Size, order and directions, in words.
    pub workload: String,
    /// Jobs.
    pub jobs: u32,
    /// Depth of each job.
    pub depth: u32,
    /// Unit of the values.
    pub unit: TrendUnit,
    /// A value for each run, oldest first, all above 0.
    pub values: Vec<f64>,
    /// The newest level; absent with too few values.
    pub level: Option<f64>,
    /// Values that are needed to tell a level.
    pub runs_needed: usize,
    /// Where a level changed, oldest first.
    pub changes: Vec<TrendChange>,
}

/// A change of level.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendChange {
    /// Start of its first run, RFC 3339, UTC.
    pub at: String,
    /// The last run before it.
    pub before: String,
    /// The first run after it.
    pub after: String,
    /// The new level over the old one, and the ends of its 95 % interval.
    pub ratio: [f64; 3],
    /// Whether it is for the worse.
    pub slower: bool,
    /// What happened between the two runs, as far as is known.
    pub marks: Vec<String>,
    /// What somebody who looked at it says of it.
    pub acknowledged: Option<String>,
}

/// The workloads of a target, each with its picture and its changes.
pub fn trends(target: &str, rows: &[TrendRow], style: Style) -> String {
    let mut out = Sheet::new(style);
    out.text(target, 0, Some(Tone::Title));
    for row in rows {
        out.gap();
        trend(&mut out, row);
    }
    out.finish()
}

fn trend(out: &mut Sheet, row: &TrendRow) {
    let cell = number::cell(row.jobs, row.depth);
    let count = match row.values.len() {
        1 => "1 value".to_owned(),
        count => format!("{count} values"),
    };
    let now = match row.level {
        Some(level) => format!("the newest level is {}", written(row.unit, level)),
        None => format!("too few to state a level, {} are needed", row.runs_needed),
    };
    out.text(&format!("{}, jobs × depth {cell}: {count}; {now}", row.workload), 0, Some(Tone::Title));
    if let Some(line) = picture(row, out.width()) {
        out.line(&format!("  {line}"), Some(Tone::Quiet));
    }
    if row.level.is_some() && row.changes.is_empty() {
        out.text("no change of level", 2, None);
    }
    for change in &row.changes {
        let [ratio, low, high] = change.ratio;
        let word = if change.slower { "slower" } else { "faster" };
        let tone = Some(Tone::Care).filter(|_| change.slower && change.acknowledged.is_none());
        let text = format!(
            "{}: {word}, {ratio:.3} times what it was (95 % interval {low:.3} to {high:.3})",
            out.zone().minute(&change.at)
        );
        out.text(&text, 2, tone);
        for mark in &change.marks {
            out.text(&format!("between them: {mark}"), 4, None);
        }
        if let Some(said) = &change.acknowledged {
            out.text(&format!("acknowledged: {said}"), 4, None);
        }
        out.command(&format!("fathom compare {} {}", change.before, change.after), 4);
    }
}

fn written(unit: TrendUnit, value: f64) -> String {
    match unit {
        TrendUnit::PerSecond => format!("{} IOPS", number::rate(value)),
        TrendUnit::Nanoseconds => number::time(value),
    }
}

/// Values as bars from the lowest to the highest, oldest first; `None` under three values or where there is no room.
fn picture(row: &TrendRow, width: usize) -> Option<String> {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let shared = row.values.len().div_ceil(BARS_MAX).max(1);
    let values: Vec<f64> =
        row.values.chunks(shared).map(|some| some.iter().sum::<f64>() / some.len() as f64).collect();
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = values.iter().copied().fold(0.0, f64::max);
    if values.len() < 3 || highest <= lowest {
        return None;
    }
    let bar = |value: f64| BARS[((value - lowest) / (highest - lowest) * 7.0).round() as usize];
    let bars: String = values.into_iter().map(bar).collect();
    let line = format!("{bars}  ▁ {} █ {}", written(row.unit, lowest), written(row.unit, highest));
    (line.chars().count() + 2 <= width).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[f64]) -> TrendRow {
        TrendRow {
            workload: "4 KiB random read".into(),
            jobs: 4,
            depth: 32,
            unit: TrendUnit::PerSecond,
            values: values.to_vec(),
            level: None,
            runs_needed: 8,
            changes: Vec::new(),
        }
    }

    #[test]
    fn a_picture_goes_from_the_lowest_to_the_highest_and_many_values_share_bars() {
        let line = picture(&row(&[1000.0, 2000.0, 1500.0]), 100).unwrap();
        assert!(line.starts_with("▁█▅  ▁ "), "{line}");
        assert_eq!(picture(&row(&[5.0, 5.0, 5.0]), 100), None);
        assert_eq!(picture(&row(&[5.0, 6.0]), 100), None);
        let many: Vec<f64> = (1..=1000).map(f64::from).collect();
        assert!(picture(&row(&many), 100).unwrap().chars().count() <= 98);
    }

    #[test]
    fn a_change_says_when_how_much_and_what_to_type() {
        let change = TrendChange {
            at: "2026-11-21T02:10:33.5".into(),
            before: "r-1".into(),
            after: "r-2".into(),
            ratio: [0.78, 0.76, 0.8],
            slower: true,
            marks: vec!["kernel 6.12 -> 6.14".into()],
            acknowledged: Some("the cache is off".into()),
        };
        let told = TrendRow { level: Some(71e3), changes: vec![change], ..row(&[9e4, 9e4, 7e4]) };
        let text = trends("/dev/nvme1n1", &[told], Style::default());
        for part in [
            "2026-11-21 02:10 UTC: slower, 0.780 times",
            "0.760 to 0.800",
            "fathom compare r-1 r-2",
            "between them: kernel 6.12 -> 6.14",
            "acknowledged: the cache is off",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(trends("x", &[row(&[1.0; 5])], Style::default()).contains("8 are needed"));
        let same = TrendRow { level: Some(1.0), ..row(&[1.0; 9]) };
        assert!(trends("x", &[same], Style::default()).contains("no change of level"));
    }
}
