//! Rows of a table, one by one, as runs: the form that all kinds of tables share.

use super::{Interest, Run, Taker, words_of};
use crate::Interval;

/// Gathers rows until the volume changes.
pub struct Gather<'a, T> {
    taker: &'a mut T,
    run: Run,
    interest: Interest,
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

impl<'a, T: Taker> Gather<'a, T> {
    /// Hands runs over to a taker.
    pub fn new(taker: &'a mut T) -> Self {
        Self { taker, run: Run::default(), interest: Interest::Name }
    }

    /// Whether rows of a volume are wanted: only columns can be left out before a row is there.
    #[cfg(feature = "columnar")]
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

    /// The row's demand.
    pub fn interval(&mut self, interval: Interval) {
        self.run.intervals.push(interval);
    }

    /// The row has an empty cell.
    pub fn empty(&mut self) {
        self.run.empty += 1;
    }

    /// The row makes no sense and is left out; of a volume's rows the first that does not is kept in words.
    pub fn trouble(&mut self, words: impl FnOnce() -> String) {
        self.run.wrong += 1;
        if self.run.trouble.is_none() {
            self.run.trouble = Some(words());
        }
    }

    /// Hands the last run over.
    pub fn finish(mut self) {
        self.hand_over();
    }

    fn hand_over(&mut self) {
        let run = std::mem::take(&mut self.run);
        if run.rows > 0 {
            // Volumes of one table mostly have as many rows as the one before.
            self.run.intervals.reserve_exact(run.intervals.len());
            self.taker.take(run);
        }
    }
}
