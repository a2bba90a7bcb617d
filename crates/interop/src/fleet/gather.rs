//! Rows of a table, one by one, as runs: the form that all kinds of tables share.

use super::{Interest, Run, Taker};
use crate::demand::Interval;

/// Gathers rows until the volume changes.
pub struct Gather<'a, T> {
    taker: &'a mut T,
    run: Run,
    interest: Interest,
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
            self.run.volume = String::from_utf8_lossy(volume).into_owned();
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

    /// Cells of the row that are no demand: size in GiB, what it is today, its instance; empty where absent.
    pub fn facts(&mut self, size_gib: Option<f64>, current: &[u8], instance: &[u8]) {
        self.run.size_gib = size_gib.or(self.run.size_gib);
        keep(&mut self.run.current, current);
        keep(&mut self.run.instance, instance);
    }

    /// The row's demand.
    pub fn interval(&mut self, interval: Interval) {
        self.run.intervals.push(interval);
    }

    /// The row has an empty cell.
    pub fn empty(&mut self) {
        self.run.empty += 1;
    }

    /// The row makes no sense; of a volume's rows the first that does not is kept.
    pub fn trouble(&mut self, words: impl FnOnce() -> String) {
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

/// Words of a volume seldom change from row to row.
fn keep(words: &mut String, cell: &[u8]) {
    if !cell.is_empty() && words.as_bytes() != cell {
        *words = String::from_utf8_lossy(cell).into_owned();
    }
}
