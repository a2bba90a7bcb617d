//! Rows of a table, one by one, as runs: the form that all kinds of tables share.

use super::column_cell::Cell;
use super::{Interest, Run, RunSink, words_of};
use crate::Interval;
use crate::counter_series::FLOWS;

/// Gathers rows until the volume changes.
pub struct RowGatherer<'a, T> {
    taker: &'a mut T,
    run: Run,
    interest: Interest,
    /// Where the row is whose trouble is kept: its place, or its time.
    trouble_at: i64,
}

/// A cell with a volume's size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SizeCell {
    /// It is empty, or there is no such column.
    Empty,
    /// In GiB, from 0 up.
    Gib(f64),
    /// It holds something else.
    Wrong,
}

impl<'a, T: RunSink> RowGatherer<'a, T> {
    /// Hands runs over to a taker.
    pub fn new(taker: &'a mut T) -> Self {
        Self { taker, run: Run::default(), interest: Interest::Name, trouble_at: i64::MAX }
    }

    /// Whether rows of a volume are wanted: of a table by columns the others are left out before they are unpacked.
    pub fn wants(&self, volume: &[u8]) -> bool {
        self.taker.interest(volume) == Interest::Rows
    }

    /// The next row is this volume's; whether its cells are wanted.
    pub fn row(&mut self, volume: &[u8]) -> bool {
        self.rows(volume, 1)
    }

    /// The same of some rows.
    pub fn rows(&mut self, volume: &[u8], rows: u64) -> bool {
        if self.run.rows == 0 || self.run.volume.as_bytes() != volume {
            self.hand_over();
            self.interest = self.taker.interest(volume);
            self.run.volume = words_of(volume);
        }
        self.run.rows += rows;
        self.is_wanted()
    }

    /// The volume of the row before; empty where there is none or where it has no name.
    pub fn volume(&self) -> &str {
        &self.run.volume
    }

    /// Whether the cells of that volume's rows are wanted.
    pub fn is_wanted(&self) -> bool {
        self.interest == Interest::Rows
    }

    /// One more row of the volume of the row before.
    pub fn same(&mut self) {
        self.run.rows += 1;
    }

    /// Cells of the row that are no demand: its size, what it is today, its instance; and the row's time, where it
    /// has one.
    pub fn facts(&mut self, at_ns: Option<i64>, size: SizeCell, current: &[u8], instance: &[u8]) {
        let at_ns = at_ns.unwrap_or(i64::MIN);
        match size {
            SizeCell::Empty => {}
            SizeCell::Gib(gib) => self.run.size_gib.put(at_ns, gib),
            SizeCell::Wrong => self.run.wrong_sizes += 1,
        }
        self.run.current.put_words(at_ns, current);
        self.run.instance.put_words(at_ns, instance);
    }

    /// The row's cell that says what its volume is added up with.
    pub fn group(&mut self, at_ns: Option<i64>, words: &[u8]) {
        self.run.group.put_words(at_ns.unwrap_or(i64::MIN), words);
    }

    /// The row's demand.
    pub fn interval(&mut self, interval: Interval) {
        self.run.intervals.push(interval);
    }

    /// The row has an empty cell.
    pub fn empty(&mut self) {
        self.run.empty += 1;
    }

    /// Rows whose cells are all there and can all be used.
    pub fn intervals(&mut self, intervals: impl ExactSizeIterator<Item = Interval>) {
        self.run.intervals.extend(intervals);
    }

    /// A row of a table by columns: its time, reads, writes, bytes read and bytes written. Gives its time, where all of
    /// it is there. What is said of one that makes no sense depends on the row alone, not on where it lies.
    pub fn demand(&mut self, time: Cell<i64>, flows: [Cell<f64>; 4]) -> Option<i64> {
        if time == Cell::Empty || flows.contains(&Cell::Empty) {
            self.empty();
            return None;
        }
        let [reads, writes, read_bytes, write_bytes] = flows.map(Cell::value);
        let interval = (|| {
            Some(Interval {
                end_ns: time.value()?,
                reads: reads?,
                writes: writes?,
                read_bytes: read_bytes?,
                write_bytes: write_bytes?,
            })
        })();
        match interval {
            Some(interval) => self.interval(interval),
            None => {
                let at_s = time.value().map(|ns| ns.div_euclid(1_000_000_000));
                self.trouble(at_s.unwrap_or(i64::MAX), || senseless(at_s, flows));
            }
        }
        interval.map(|interval| interval.end_ns)
    }

    /// The row makes no sense and is left out; of a volume's rows the first that does not is kept in words, by place or
    /// by time, and of several there the words that come first.
    pub fn trouble(&mut self, at: i64, words: impl FnOnce() -> String) {
        self.run.wrong += 1;
        match &mut self.run.trouble {
            Some(_) if at > self.trouble_at => {}
            Some(known) if at == self.trouble_at => {
                let words = words();
                if words < *known {
                    *known = words;
                }
            }
            trouble => {
                *trouble = Some(words());
                self.trouble_at = at;
            }
        }
    }

    /// Hands the last run over.
    pub fn finish(mut self) {
        self.hand_over();
    }

    fn hand_over(&mut self) {
        let run = std::mem::take(&mut self.run);
        self.trouble_at = i64::MAX;
        if run.rows > 0 {
            // Volumes of one table mostly have as many rows as the one before.
            self.run.intervals.reserve_exact(run.intervals.len());
            self.taker.take(run);
        }
    }
}

/// What is said of a row that makes no sense. The words are in the order of the rows' times, so that which of several
/// comes first is the same by words and by time.
fn senseless(at_s: Option<i64>, flows: [Cell<f64>; 4]) -> String {
    let wrong = flows.map(|cell| cell == Cell::Wrong);
    let what: Vec<&str> =
        FLOWS.into_iter().zip(wrong).filter(|(_, wrong)| *wrong).map(|(name, _)| name).collect();
    let what = what.join(", ");
    let unusable = "below zero or none that can be used";
    match at_s.and_then(|at_s| jiff::Timestamp::from_second(at_s).ok()) {
        Some(at) => format!("a row makes no sense: row of {at}, {what} {unusable}"),
        None if what.is_empty() => "a row makes no sense: row without a time that can be used".to_owned(),
        None => format!("a row makes no sense: row without a time that can be used, {what} {unusable}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct All(Vec<Run>);

    impl RunSink for All {
        fn interest(&self, _: &[u8]) -> Interest {
            Interest::Rows
        }

        fn take(&mut self, run: Run) {
            self.0.push(run);
        }
    }

    #[test]
    fn which_senseless_row_is_told_does_not_depend_on_the_order() {
        let good = Cell::Value(1.0);
        let at = |second: i64| Cell::Value(second * 1_000_000_000 + 5);
        let rows = [
            (at(1_793_491_260), [good, Cell::Wrong, good, good]),
            (at(1_793_491_200), [good, good, Cell::Wrong, Cell::Wrong]),
            (at(1_793_491_200), [good, good, good, Cell::Wrong]),
            (Cell::Wrong, [good; 4]),
            (at(1_793_491_320), [good; 4]),
            (Cell::Empty, [Cell::Wrong; 4]),
        ];
        let wanted = "a row makes no sense: row of 2026-11-01T00:00:00Z, bytes read, bytes written below zero or none that can be used";
        for turn in 0..rows.len() {
            for cut in 0..rows.len() {
                let mut order: Vec<_> = rows[turn..].iter().chain(&rows[..turn]).collect();
                if turn % 2 == 1 {
                    order.reverse();
                }
                let mut all = All::default();
                // Runs of two pieces are joined.
                for part in [&order[..cut], &order[cut..]] {
                    let mut gather = RowGatherer::new(&mut all);
                    for (time, flows) in part {
                        gather.row(b"v");
                        gather.demand(*time, *flows);
                    }
                    gather.finish();
                }
                let whole = all.0.into_iter().reduce(|mut whole, next| {
                    whole.append(next);
                    whole
                });
                let whole = whole.unwrap();
                assert_eq!((whole.rows, whole.wrong, whole.empty, whole.intervals.len()), (6, 4, 1, 1));
                assert_eq!(whole.trouble.as_deref(), Some(wanted), "{turn} {cut}");
            }
        }
        let lost = senseless(None, [good; 4]);
        assert!(lost.ends_with("without a time that can be used"), "{lost}");
        assert!(wanted < lost.as_str());
    }
}
